"""Front matter: the lines between `---` at the head of a page, all values as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cloudnee.pages.lines import line_count, lines_of, with_line_feeds

__all__ = ["Entry", "Front", "read_front"]

_OPEN = re.compile(r"\ufeff?---[ \t]*(?:\r\n?|\n)")
_CLOSE = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)")
_KEY = re.compile(r"[ \t]*(?![-#])[^\s:{}\[\]\"'`|>][^:\n]{0,80}:(?:[ \t]|$)|[ \t]*[\"']")
_SIMPLE = re.compile(r"([^\W\d_][\w .-]{0,60}?)[ \t]*:[ \t]+(\S.*?)[ \t]*")
_QUOTED = re.compile(r"\"([^\"\\]*)\"|'([^']*)'")
_LONGEST = 65_536  # characters of front matter


@dataclass(frozen=True, slots=True)
class Entry:
    """One key with its values, each with the line (1-based) that it begins on."""

    key: str
    values: tuple[tuple[str, int], ...]
    is_list: bool
    line: int


@dataclass(frozen=True, slots=True)
class Front:
    """What stands between the marks. `end` is where the body begins, `lines` how many lines."""

    entries: tuple[Entry, ...] = ()
    warnings: tuple[str, ...] = ()
    end: int = 0
    lines: int = 0


_NONE = Front()


def read_front(text: str) -> Front:
    """The front matter of a page; never raises: what cannot be read is a warning with its line."""
    opened = _OPEN.match(text)
    if not opened or not _looks_like_keys(text, opened.end()):
        return _NONE
    closed = _CLOSE.search(text, opened.end(), opened.end() + _LONGEST)
    if not closed:
        return Front(warnings=("line 1: the front matter opened with --- is never closed",))
    inner = with_line_feeds(text[opened.end() : closed.start()])
    entries, warnings = _entries(inner)
    end = closed.end()
    ended = text[end - 1] in "\r\n"
    lines = line_count(text, 0, end) + (0 if ended else 1)
    return Front(tuple(entries), tuple(warnings), end, lines)


def _looks_like_keys(text: str, at: int) -> bool:
    """Whether the first line that says something is a key: a lone `---` may be a rule."""
    remarked = False
    for line in lines_of(text[at : at + 2000])[:20]:
        plain = line.strip()
        if plain and not plain.startswith("#"):
            closed = plain in ("---", "...") and not remarked
            return closed or _KEY.match(line) is not None
        remarked = remarked or bool(plain)
    return False


def _entries(inner: str) -> tuple[list[Entry], list[str]]:
    import yaml

    entries: list[Entry] = []
    warnings: list[str] = []
    try:
        entries.extend(_mapping(_events(inner), warnings))
    except yaml.YAMLError as error:
        warnings.append(_broken(error))
        entries = _salvaged(inner)
    return _once(entries, warnings), warnings


def _broken(error: Exception) -> str:
    context = str(getattr(error, "context", None))
    opened = "flow" in context or "quoted" in context  # what never ends: where it began
    mark = getattr(error, "context_mark" if opened else "problem_mark", None)
    line = mark.line + 2 if mark else 2
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "broken"
    return f"line {line}: the front matter is not valid YAML: {problem}"


def _events(inner: str) -> Iterator[Any]:
    """YAML as a flat stream: nothing is expanded or built, so that no input can grow."""
    import yaml

    return yaml.parse(inner, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))


def _mapping(events: Iterator[Any], warnings: list[str]) -> Iterator[Entry]:
    import yaml

    for event in events:
        if isinstance(event, yaml.MappingStartEvent):
            yield from _pairs(events, warnings)
            return
        if isinstance(event, (yaml.ScalarEvent, yaml.SequenceStartEvent)):
            line = _at(event)
            warnings.append(f"line {line}: the front matter has no keys")
            return


def _pairs(events: Iterator[Any], warnings: list[str]) -> Iterator[Entry]:
    import yaml

    for event in events:
        line = _at(event)
        if isinstance(event, yaml.MappingEndEvent):
            return
        if not isinstance(event, yaml.ScalarEvent):
            warnings.append(f"line {line}: a key of the front matter must be a plain word")
            _skip(event, events)
            _skip(next(events), events)
            continue
        key = event.value
        value = next(events)
        found = _values(value, events)
        if found is None:
            warnings.append(f"line {line}: {key}: only a value or a list of values is read")
            continue
        yield Entry(key.strip(), tuple(found), isinstance(value, yaml.SequenceStartEvent), line)


def _at(event: Any) -> int:
    """The page's line that an event begins on: the opening mark is line 1."""
    return int(event.start_mark.line) + 2


def _values(event: Any, events: Iterator[Any]) -> list[tuple[str, int]] | None:
    """The value or values, None where the event opens something nested or leads elsewhere."""
    import yaml

    if isinstance(event, yaml.ScalarEvent):
        return [(event.value, _at(event))]
    if not isinstance(event, yaml.SequenceStartEvent):
        _skip(event, events)
        return None
    found: list[tuple[str, int]] = []
    plain = True
    for item in events:
        if isinstance(item, yaml.SequenceEndEvent):
            break
        if isinstance(item, yaml.ScalarEvent):
            found.append((item.value, _at(item)))
        elif _is_link(item):
            found.append((_link(events), _at(item)))
        else:
            plain = False
            _skip(item, events)
    return found if plain or found else None


def _is_link(event: Any) -> bool:
    """Whether `[[Ann]]` was written without quotes: a list in a list to YAML."""
    import yaml

    return isinstance(event, yaml.SequenceStartEvent) and bool(event.flow_style)


def _link(events: Iterator[Any]) -> str:
    import yaml

    words: list[str] = []
    depth = 1
    for event in events:
        if isinstance(event, yaml.SequenceStartEvent):
            depth += 1
        elif isinstance(event, yaml.SequenceEndEvent):
            depth -= 1
            if not depth:
                break
        elif isinstance(event, yaml.ScalarEvent):
            words.append(event.value)
    return f"[[{', '.join(words)}]]"


def _skip(event: Any, events: Iterator[Any]) -> None:
    """Read past the rest of what an event opened."""
    import yaml

    opening = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
    depth = int(isinstance(event, opening))
    while depth:
        event = next(events)
        depth += isinstance(event, opening)
        depth -= isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent))


def _salvaged(inner: str) -> list[Entry]:
    """The lines of broken front matter that say `key: value` and nothing else."""
    found: list[Entry] = []
    for number, line in enumerate(inner.split("\n"), 2):
        simple = _SIMPLE.fullmatch(line)
        if not simple:
            continue
        key, value = simple.groups()
        quoted = _QUOTED.fullmatch(value)
        if quoted:
            value = quoted[1] if quoted[1] is not None else quoted[2]
        elif value[0] in "\"'[]{}&*!|>%@`#":
            continue
        found.append(Entry(key, ((value, number),), is_list=False, line=number))
    return found


def _once(entries: list[Entry], warnings: list[str]) -> list[Entry]:
    """Each key once: the last one stands, as in every YAML reader."""
    found: dict[str, Entry] = {}
    for entry in entries:
        if entry.key in found:
            warnings.append(f"line {entry.line}: {entry.key} stands twice: the last one counts")
        found[entry.key] = entry
    return list(found.values())
