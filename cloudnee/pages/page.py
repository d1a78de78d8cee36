"""A page read: what it is about, its date, tags and handles. Pure: text in, values out."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from cloudnee.errors import BadPage
from cloudnee.graph.identity import entity_key, handle_kind, looks_like_phone
from cloudnee.pages.front import Entry
from cloudnee.pages.handles import phone_lines
from cloudnee.pages.lines import line_count
from cloudnee.pages.markup import links, without_code
from cloudnee.pages.outline import Outline, outline_of
from cloudnee.pages.sections import named_sections, nameless

__all__ = ["LIMIT", "RESERVED", "PageAlias", "ParsedPage", "parse_page"]

LIMIT = 10_000_000  # bytes of UTF-8
RESERVED = frozenset(
    "date name title tags aliases phone email entity same_as extractor audience org id".split()
)
_POWERLESS = ("audience", "org", "id")
_TAG = re.compile(r"(?<![^\s(,;])#([^\W\d_][\w/-]{0,80})")
_NUMBER = re.compile(r"(?=.*\d)[\d\s.,:/#()+T–-]+")
_COLOUR = re.compile(r"(?=.*\d)(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_SHOWS = re.compile("[^\\s\0-\x1f\x7f\u200b\u200e\u200f\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class PageAlias:
    """A handle that the page itself gives: to its subject, or to the heading it stands under."""

    kind: str
    handle: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page as read. `subject` is None where the page is about itself.

    `text` is as given, and all offsets and lines (1-based) count in it. `front` has all values of
    the front matter as strings, as written. A warning begins with its line.
    """

    path: str
    text: str
    content_hash: str
    body_start: int = 0
    body_line: int = 1
    front: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    subject: str | None = None
    date: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[PageAlias, ...] = ()
    entity_word: str | None = None
    same_as: str | None = None
    extractor: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the page is about, or its file's name."""
        return self.subject or PurePosixPath(self.path).stem


def parse_page(path: str, text: str) -> ParsedPage:
    """Read a page at a canonical path.

    Raises `BadPage` for a text that shows nothing, is over 10 MB, or holds half of
    a surrogate pair. Odd Markdown and odd front matter are never an error.
    """
    encoded = _encoded(path, text)
    outline = outline_of(text)
    entries = {entry.key.casefold(): entry for entry in outline.front.entries}
    subject = _subject(path, entries, outline)
    name = subject or PurePosixPath(path).stem
    return ParsedPage(
        path=path,
        text=text,
        content_hash=hashlib.sha256(encoded).hexdigest(),
        body_start=outline.front.end,
        front={entry.key: _value(entry) for entry in outline.front.entries},
        subject=subject,
        date=_one(entries, "date"),
        tags=_tags(entries, outline),
        aliases=tuple(_aliases(entries, outline, name)),
        entity_word=_one(entries, "entity"),
        same_as=_one(entries, "same_as"),
        extractor=_one(entries, "extractor"),
        warnings=outline.front.warnings + tuple(_powerless(entries)),
        body_line=outline.front.lines + 1,
    )


def _encoded(path: str, text: str) -> bytes:
    if not isinstance(text, str):
        raise BadPage(f"{path}: a page must be text, not {type(text).__name__}")
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        line = line_count(text, 0, error.start) + 1
        problem = "half of a surrogate pair is no text: save the page as UTF-8"
        raise BadPage(f"{path}: line {line}: {problem}") from error
    if len(encoded) > LIMIT:
        problem = f"{len(encoded):,} bytes; {LIMIT:,} is the limit: split the page"
        raise BadPage(f"{path}: {problem}")
    if not _SHOWS.search(text):
        raise BadPage(f"{path}: the page is empty: to take a page away, forget it")
    return encoded


# front matter


def _value(entry: Entry) -> str | tuple[str, ...]:
    values = tuple(value for value, _ in entry.values)
    return values if entry.is_list else values[0]


def _one(entries: Mapping[str, Entry], key: str) -> str | None:
    """The value of a key, the first of a list; None where nothing is written."""
    entry = entries.get(key)
    values = (_bare(value) for value, _ in entry.values) if entry else ()
    return next((value for value in values if value), None)


def _bare(value: str) -> str:
    """A value on one line, of a link its target."""
    found = links(value)
    return found[0].target if found else " ".join(value.split())


def _powerless(entries: Mapping[str, Entry]) -> Iterator[str]:
    for key in _POWERLESS:
        if key in entries:
            line = entries[key].line
            yield f"line {line}: {key}: has no effect in front matter: it is ignored"


# subject


def _subject(path: str, entries: Mapping[str, Entry], outline: Outline) -> str | None:
    """What the page is about (design, section 6); None where only the page itself is left."""
    given = _one(entries, "name")
    if given and entity_key(given):
        return given
    candidates = (
        next((h.text for h in outline.headings if h.level == 1), None),
        _one(entries, "title"),
    )
    for name in candidates:
        if name and entity_key(name) and not _is_number(name) and _could_be_name(name):
            return name
    stem = re.sub(r"(?<=[^\W\d_])[-_]+(?=[^\W\d_])", " ", PurePosixPath(path).stem).strip()
    return None if nameless(stem) else stem


def _is_number(name: str) -> bool:
    """Whether a title is only a phone, number or date, by which nobody is called."""
    return looks_like_phone(name) or bool(_NUMBER.fullmatch(name))


def _could_be_name(title: str) -> bool:
    return len(title) <= 120 and "://" not in title


# tags


def _tags(entries: Mapping[str, Entry], outline: Outline) -> tuple[str, ...]:
    """The tags of the front matter, then `#tag` in the body; each once, without the sign."""
    found: dict[str, str] = {}
    for tag in (*_front_tags(entries), *_body_tags(outline)):
        found.setdefault(tag.casefold(), tag)
    return tuple(found.values())


def _front_tags(entries: Mapping[str, Entry]) -> Iterator[str]:
    entry = entries.get("tags") or entries.get("tag")
    for value, _ in entry.values if entry else ():
        parts = [value] if entry and entry.is_list else re.split(r"[,\s]+", value)
        yield from (tag for part in parts if (tag := part.strip().lstrip("#").strip()))


def _body_tags(outline: Outline) -> Iterator[str]:
    for block in outline.blocks:
        if block.kind == "text" and "#" in block.text and not block.quoted:
            for tag in _TAG.findall(without_code(block.text)):
                if not _COLOUR.fullmatch(tag):
                    yield tag.rstrip("/-")


# handles


def _aliases(entries: Mapping[str, Entry], outline: Outline, name: str) -> Iterator[PageAlias]:
    """The handles given in front matter, under the subject, and under headings that are one."""
    seen: set[tuple[str, str, str]] = set()
    for alias in (*_front_aliases(entries, name), *_body_aliases(outline, name)):
        place = (alias.kind, alias.handle, alias.name)
        if place not in seen:
            seen.add(place)
            yield alias


def _front_aliases(entries: Mapping[str, Entry], name: str) -> Iterator[PageAlias]:
    for key in ("phone", "email", "aliases"):
        entry = entries.get(key)
        for value, line in entry.values if entry else ():
            handle = _bare(value)
            if handle and entity_key(handle):
                kind = handle_kind(handle) if key == "aliases" else key
                yield PageAlias(kind, handle, line, name)


def _body_aliases(outline: Outline, name: str) -> Iterator[PageAlias]:
    own = named_sections(outline, name)
    for heading in _about_subject(outline, name):
        for kind, handle, line in phone_lines(outline, heading):
            yield PageAlias(kind, handle, line, name)
    for heading, section in own.items():
        for kind, handle, line in phone_lines(outline, heading):
            yield PageAlias(kind, handle, line, section)


def _about_subject(outline: Outline, name: str) -> Sequence[int]:
    """The places directly under the subject: after the front matter, after its heading."""
    first: Iterable[int] = (
        number
        for number, heading in enumerate(outline.headings)
        if heading.level == 1 or entity_key(heading.text) == entity_key(name)
    )
    return (-1, *list(first)[:1])
