"""A page's passages as the index holds them: where each stands, what it says, what surrounds it."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from cloudnee.graph.identity import entity_key
from cloudnee.graph.question import named_spans
from cloudnee.pages.chunks import PassageSpan, passage_spans
from cloudnee.pages.lines import line_count
from cloudnee.pages.page import ParsedPage
from cloudnee.pages.terms import STOP_WORDS, terms
from cloudnee.pages.turns import is_assistant

__all__ = [
    "ASKS",
    "ASSISTANT",
    "FIELDS",
    "FRONT",
    "TELLS_WHEN",
    "TURN",
    "PagePassages",
    "page_passages",
    "title_keys",
]

TURN, ASKS, TELLS_WHEN, ASSISTANT, FRONT = 1, 2, 4, 8, 16

# One packed passage: numpy reads what `struct` wrote.
FIELDS = [
    ("place", "<i4"),
    ("start", "<i4"),
    ("stop", "<i4"),
    ("first", "<i4"),
    ("last", "<i4"),
    ("words", "<u2"),
    ("terms", "<u2"),
    ("heading", "<u2"),
    ("speaker", "<u2"),
    ("names", "u1"),
    ("flags", "u1"),
    ("key", "<u8"),
]
_PACKED = struct.Struct("<5i4H2BQ")
_MOST = 65535
_MOST_EMBEDDED = 2000  # passages of one page that get a vector: the others are found by words
_MOST_NAMES = 1000  # of one page
_LONGEST_TEXT = 2000  # characters of a passage that are looked through for names
_TIMES = frozenset(
    terms(
        "yesterday today tonight tomorrow ago last next past week weekend month year morning "
        "evening monday tuesday wednesday thursday friday saturday sunday january february april "
        "june july "
        "august september october november december"
    )
)
_YEAR = re.compile(r"(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)")
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_NAME = re.compile(r"(?<=[^\s.!?:*#>-] )[\"'(“]?[A-Z][\w’'-]+")


@dataclass(frozen=True, slots=True)
class PagePassages:
    """The passages of a page in order.

    `title` is the key of what the page is called, `short` the same without what stands in brackets
    at its end. `packed` has one record of `FIELDS` for each passage, `headings` and `speakers` the
    texts that those records count into (0 is none). `indexed` are the index terms of each, `texts`
    what is embedded, `keys` a short hash of that: the same text keeps its vector. 0: none is made.
    `names` are what may be names in the passages: (place, key, line) of each.
    """

    title: str = ""
    short: str = ""
    packed: bytes = b""
    headings: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    indexed: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    keys: tuple[int, ...] = ()
    names: tuple[tuple[int, str, int], ...] = ()

    def lacking(self, known: Collection[int]) -> dict[int, str]:
        """key → text of the passages that are to be embedded and whose vectors are not known."""
        pairs = zip(self.keys, self.texts, strict=True)
        return {key: text for key, text in pairs if key and key not in known}

    @property
    def terms(self) -> int:
        """How many index terms the page has in all."""
        return sum(_count(words) for words in self.indexed)


def page_passages(page: ParsedPage, name: str) -> PagePassages:
    """The passages of a page that is called `name`."""
    headings: dict[str, int] = {}
    speakers: dict[str, int] = {}
    records: list[bytes] = []
    indexed: list[str] = []
    texts: list[str] = []
    keys: list[int] = []
    names: list[tuple[int, str, int]] = []
    for span in passage_spans(page):
        text = page.text[span.start : span.end]
        heading = " > ".join(span.heading)
        told = terms(text)
        words = " ".join([*terms(f"{heading or name}\n{span.speaker or ''}"), *told])
        shown = _embedded(text, span, name) if len(records) < _MOST_EMBEDDED else ""
        key = _key(shown)
        if len(names) < _MOST_NAMES:
            names.extend((len(records), *name) for name in _names(text, span.start_line))
        indexed.append(words)
        texts.append(shown)
        keys.append(key)
        records.append(
            _PACKED.pack(
                len(records),
                span.start,
                span.end,
                span.start_line,
                span.end_line,
                min(text.count(" ") + 1, _MOST),
                min(_count(words), _MOST),
                _numbered(heading, headings),
                _numbered(span.speaker or "", speakers),
                min(len(_NAME.findall(text)), 255),
                _flags(text, told, span) | (FRONT if span.start < page.body_start else 0),
                key,
            )
        )
    return PagePassages(
        *title_keys(name),
        b"".join(records),
        tuple(headings),
        tuple(speakers),
        tuple(indexed),
        tuple(texts),
        tuple(keys),
        tuple(names),
    )


def _names(text: str, first: int) -> Iterable[tuple[str, int]]:
    """(key, line) of what may be names in a passage, each once."""
    found: dict[str, int] = {}
    for start, _, key in named_spans(text[:_LONGEST_TEXT]):
        if key not in found and len(key) > 2 and key not in STOP_WORDS:
            found[key] = first + line_count(text, 0, start)
    return found.items()


def title_keys(title: str) -> tuple[str, str]:
    """(key of a title, key of it without what stands in brackets at its end)."""
    whole = entity_key(title)
    return whole, entity_key(_BRACKETS.sub("", title)) or whole


def _embedded(text: str, span: PassageSpan, name: str) -> str:
    """What stands for a passage in the vector index: a turn alone, another under its heading."""
    if span.speaker:
        return text[span.said :].strip() or text
    heading = span.heading[-1] if span.heading else name
    return f"{heading}. {text}"


def _key(shown: str) -> int:
    """A short hash of what is embedded, never 0; 0 where nothing is."""
    if not shown:
        return 0
    return int.from_bytes(hashlib.blake2b(shown.encode(), digest_size=8).digest(), "little") or 1


def _flags(text: str, words: Sequence[str], span: PassageSpan) -> int:
    flags = TURN if span.speaker else 0
    if span.speaker and is_assistant(span.speaker):
        flags |= ASSISTANT
    if text.rstrip("\"'”)* ").endswith(("?", "？")):
        flags |= ASKS
    if not _TIMES.isdisjoint(words) or any(map(_YEAR.fullmatch, words)):
        flags |= TELLS_WHEN
    return flags


def _numbered(text: str, known: dict[str, int]) -> int:
    """The number of a text among those known; 0 is none, and so is one too many."""
    if not text or (text not in known and len(known) >= _MOST):
        return 0
    return known.setdefault(text, len(known) + 1)


def _count(words: str) -> int:
    return words.count(" ") + 1 if words else 0
