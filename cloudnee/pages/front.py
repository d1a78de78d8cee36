"""Front matter: the block of `key: value` lines at a page's head, every value as it is written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["FrontMatter", "front_matter"]

Value = str | tuple[str, ...]
_OPEN = re.compile(r"\ufeff?---[ \t]*(?:\r\n?|\n)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)", re.MULTILINE)
_PLAIN = re.compile(r"([^\W\d][\w .-]{0,60}):(?:[ \t]+(\S.*?))?[ \t]*")
_SPECIAL = re.compile(r"[\[{&*!|>'\"%@`#]|.*(?: #|: )")
_ANCHOR = re.compile(r"(?:^|[\s\[{,:-])[&*][A-Za-z0-9_]", re.MULTILINE)
_LINE = re.compile(r"\r\n?|\n")
MOST = 65_536  # characters


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Values by key, the line of each key, where the body begins, and what was odd."""

    values: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    body_start: int = 0
    warnings: tuple[str, ...] = ()


def front_matter(text: str) -> FrontMatter:
    """The front matter of a page. Broken YAML is no error: it warns, its plain lines are kept."""
    opened = _OPEN.match(text)
    if opened is None:
        return FrontMatter()
    closed = _CLOSE.search(text, opened.end())
    if closed is None or closed.start() - opened.end() > MOST:
        return FrontMatter(warnings=("line 1: front matter is not closed by ---: read as text",))
    body = text[opened.end() : closed.start()]
    values, warnings = _values(body)
    return FrontMatter(values, _key_lines(body), closed.end(), tuple(warnings))


def _key_lines(body: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in enumerate(_LINE.split(body), 2):
        match = re.match(r"['\"]?([^\s:'\"#-][^:'\"]*)['\"]?[ \t]*:", line)
        if match:
            found.setdefault(match[1].strip(), number)
    return found


def _values(body: str) -> tuple[dict[str, Value], list[str]]:
    lines = _LINE.split(body)
    plain = [_PLAIN.fullmatch(line) for line in lines if line.strip()]
    if all(match and not _SPECIAL.match(match[2] or "") for match in plain):
        keyed = [(match[1], match[2]) for match in plain if match]
        if len({key for key, _ in keyed}) == len(keyed):
            return {key.strip(): value for key, value in keyed if value}, []
    return _yaml(body)


def _yaml(body: str) -> tuple[dict[str, Value], list[str]]:
    import yaml

    if _ANCHOR.search(body):
        return _salvaged(body), ["line 2: front matter with YAML anchors is read as plain lines"]
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        read = yaml.load(body, loader)  # a base loader makes nothing but strings
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark is not None else 2
        problem = getattr(error, "problem", None) or type(error).__name__
        return _salvaged(body), [f"line {line}: front matter is not YAML ({problem})"]
    if read in (None, ""):
        return {}, []
    if not isinstance(read, dict):
        return {}, ["line 2: front matter is no mapping of keys: ignored"]
    return _flat(read)


def _flat(read: dict[object, object]) -> tuple[dict[str, Value], list[str]]:
    values: dict[str, Value] = {}
    warnings = []
    for key, value in read.items():
        if isinstance(value, str):
            if value.strip():
                values[str(key)] = value
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            values[str(key)] = tuple(item for item in value if item.strip())
        else:
            warnings.append(f"front matter: {key}: only text and lists of text are read")
    return values, warnings


def _salvaged(body: str) -> dict[str, Value]:
    """The lines of broken YAML that are plain `key: value` without doubt."""
    found: dict[str, Value] = {}
    for line in _LINE.split(body):
        match = _PLAIN.fullmatch(line)
        if match and match[2] and not _SPECIAL.match(match[2]):
            found.setdefault(match[1].strip(), match[2])
    return found
