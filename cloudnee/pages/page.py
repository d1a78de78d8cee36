"""A page as parsed: its hash, front matter, subject, date, tags and handles."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from cloudnee.errors import BadPage
from cloudnee.graph.identity import entity_key, handle_kind
from cloudnee.pages.blocks import Block, plain, read_blocks
from cloudnee.pages.front import FrontMatter, Value, front_matter

__all__ = [
    "LIMIT",
    "POWERLESS",
    "RESERVED",
    "PageAlias",
    "ParsedPage",
    "is_handle_label",
    "is_name",
    "parse_page",
]

LIMIT = 10_000_000  # bytes of UTF-8
RESERVED = frozenset(
    "date name title tags aliases phone email entity same_as extractor speakers".split()
)
POWERLESS = ("audience", "org", "id")
_GENERAL = frozenset("readme index notes note untitled changelog license todo contents".split())
_DATE = re.compile(r"\d{1,4}[-/. ]\d{1,2}(?:[-/. ]\d{1,4})?")
_HANDLE_LINE = re.compile(r"\W{0,3}([^\W\d_][\w .-]{0,20}?)\W{0,3}[:：]{1,2}\**\s*(.+)")
_PHONE_LABELS = frozenset(
    """phone mobile tel telephone hp handphone cell phoneno phonenumber телефон тел 电话 手机
    電話""".split()
)
_EMAIL_LABELS = frozenset("email mail emailaddress 邮箱 电邮 пошта імейл".split())
_TAG = re.compile(r"(?<![\w#/&])#([^\W\d_][\w/-]{0,60})")
_SEVERAL = re.compile(r"[,;/]| or | and ")


@dataclass(frozen=True, slots=True)
class PageAlias:
    """A handle that the page gives; `section` are the headings above it, the subject's apart."""

    kind: str
    handle: str
    line: int
    name: str
    section: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page's text with what can be told of it without an extractor.

    `subject` is None for a page that is about nothing but itself; `date` is as written.
    """

    path: str
    text: str
    content_hash: str
    body_start: int = 0
    body_line: int = 1
    front: Mapping[str, Value] = field(default_factory=dict)
    front_lines: Mapping[str, int] = field(default_factory=dict)
    subject: str | None = None
    subject_line: int = 0
    date: str | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[PageAlias, ...] = ()
    entity_word: str | None = None
    same_as: str | None = None
    extractor: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def body(self) -> str:
        """The text after the front matter."""
        return self.text[self.body_start :]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The body's blocks; their lines count from `body_line`."""
        return read_blocks(self.body)


def parse_page(path: str, text: str) -> ParsedPage:
    """Parse a page. Odd Markdown is no error; raises `BadPage` for what is no page at all.

    That is: nothing to read, a lone surrogate (not UTF-8), or more than 10 MB.
    """
    encoded = _checked(path, text)
    front = front_matter(text)
    blocks = read_blocks(text[front.body_start :])
    subject, line = _subject(path, front, blocks)
    body_line = text.count("\n", 0, front.body_start) + 1
    return ParsedPage(
        path=path,
        text=text,
        content_hash=hashlib.sha256(encoded).hexdigest(),
        body_start=front.body_start,
        body_line=body_line,
        front=front.values,
        front_lines=front.lines,
        subject=subject,
        subject_line=line,
        date=_one(front, "date"),
        tags=_tags(front, blocks),
        aliases=tuple(_aliases(front, blocks, subject, line, body_line)),
        entity_word=_one(front, "entity"),
        same_as=_one(front, "same_as"),
        extractor=_one(front, "extractor"),
        warnings=front.warnings + _powerless(front),
    )


def _checked(path: str, text: str) -> bytes:
    if not isinstance(text, str):
        raise BadPage(f"{path}: a page must be text, not {type(text).__name__}")
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadPage(f"{path}: character {error.start} is half of a pair: not UTF-8") from error
    if len(encoded) > LIMIT:
        raise BadPage(f"{path}: {len(encoded):,} bytes; {LIMIT:,} is the limit: split the page")
    if not text.strip("\ufeff \t\r\n\f\v\0"):
        raise BadPage(f"{path}: the page is empty: to forget a page, use forget")
    return encoded


def _one(front: FrontMatter, key: str) -> str | None:
    value = front.values.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _powerless(front: FrontMatter) -> tuple[str, ...]:
    return tuple(
        f"line {front.lines.get(key, 1)}: front matter {key}: has no effect here"
        for key in POWERLESS
        if key in front.values
    )


# what the page is about


def is_name(text: str) -> bool:
    """Whether a title could name something: not a phone, number or date, nor a general word."""
    key = entity_key(text)
    if not key or key in _GENERAL or len(text) > 200:
        return False
    shown = unicodedata.normalize("NFKC", text).strip()
    if handle_kind(shown) in ("phone", "email") or _DATE.fullmatch(shown):
        return False
    return not all(c.isdigit() or not c.isalnum() for c in shown) or not any(
        map(str.isdigit, shown)
    )


def _subject(path: str, front: FrontMatter, blocks: tuple[Block, ...]) -> tuple[str | None, int]:
    """(subject, line of its heading in the body or 0)."""
    name = _one(front, "name")
    heading = next((b for b in blocks if b.kind == "heading" and b.level == 1), None)
    title = plain(heading.text) if heading else ""
    if name:
        return name, heading.first if heading else 0
    if heading and is_name(title):
        return title, heading.first
    given = _one(front, "title")
    if given and is_name(given):
        return given, 0
    stem = re.sub(r"[-_]+", " ", PurePosixPath(path).stem).strip()
    return (stem, 0) if is_name(stem) else (None, 0)


def _tags(front: FrontMatter, blocks: tuple[Block, ...]) -> tuple[str, ...]:
    given = front.values.get("tags", ())
    listed = re.split(r"[,\s]+", given) if isinstance(given, str) else list(given)
    found = [tag.strip().lstrip("#").casefold() for tag in listed]
    for block in blocks:
        if block.kind in ("paragraph", "item") and "#" in block.text:
            found += [tag.casefold() for tag in _TAG.findall(block.text)]
    return tuple(dict.fromkeys(tag for tag in found if tag))


# its handles


def _aliases(
    front: FrontMatter, blocks: tuple[Block, ...], subject: str | None, line: int, body_line: int
) -> Iterator[PageAlias]:
    if subject:
        yield from _front_aliases(front, subject)
    for block in blocks:
        if block.kind not in ("item", "paragraph", "row") or block.quoted:
            continue
        under = tuple(text for _, text, at in block.headings if at != line)
        name = under[-1] if under else subject
        if not name:
            continue
        for offset, written in enumerate(_handle_lines(block)):
            for kind, handle in _handles(written):
                number = block.first + offset + body_line - 1
                yield PageAlias(kind, handle, number, name, under)


def _handle_lines(block: Block) -> list[str]:
    if block.cells:
        return [f"{block.cells[0]}: {block.cells[1]}"] if len(block.cells) == 2 else []
    lines = re.split(r"\r\n?|\n", block.text)
    if block.kind == "item":
        return lines
    return [line if line.startswith("**") or "::" in line else "" for line in lines]  # no prose


def _front_aliases(front: FrontMatter, subject: str) -> Iterator[PageAlias]:
    for key in ("phone", "email", "aliases"):
        value = front.values.get(key, ())
        several = _SEVERAL.split(value) if isinstance(value, str) and key != "aliases" else value
        for handle in (several,) if isinstance(several, str) else several:
            kind = key if key != "aliases" else handle_kind(handle)
            if handle.strip() and entity_key(handle):
                yield PageAlias(kind, handle.strip(), front.lines.get(key, 1), subject)


def _handles(line: str) -> Iterator[tuple[str, str]]:
    """(kind, handle) of a line `Phone: …` or `Email: …`."""
    match = _HANDLE_LINE.fullmatch(line.strip())
    if not match:
        return
    label = entity_key(match[1])
    kind = "phone" if label in _PHONE_LABELS else "email" if label in _EMAIL_LABELS else ""
    if kind:
        for handle in _SEVERAL.split(plain(match[2])):
            if handle_kind(handle) == kind:
                yield kind, handle.strip()


def is_handle_label(label: str) -> bool:
    """Whether a label names a phone or an e-mail address, which is a handle and no fact."""
    return entity_key(label) in _PHONE_LABELS | _EMAIL_LABELS
