"""A page's Markdown as a flat list of blocks with their lines, read by markdown-it once."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["WIKI", "Block", "line_starts", "plain", "read_blocks"]

_NEWLINE = re.compile(r"\r\n?|\n")
_CODE_SPAN = re.compile(r"(`+)(?:(?!\1).){0,500}?\1")
_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,300}\")?\)")
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|___|__|~~)(?=\S)(.{1,2000}?)(?<=\S)\1")
WIKI = re.compile(
    r"(!?)\[\[([^\[\]|#\n]{1,300})(?:#[^\[\]|\n]{0,300})?(?:\|([^\[\]\n]{0,300}))?\]\]"
)


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its kind, lines (1-based, inclusive) and inline text as written.

    `kind` is "heading", "paragraph", "item", "row", "head" (a table's first row), "code" or
    "html". `headings` are those it stands under, outermost first, each as (level, text, line).
    """

    kind: str
    first: int
    last: int
    text: str
    level: int = 0
    quoted: bool = False
    cells: tuple[str, ...] = ()
    headings: tuple[tuple[int, str, int], ...] = ()
    group: int = 0


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable(["inline", "text_join"])  # inline text is read by the rules alone
    return parser


def line_starts(text: str) -> list[int]:
    """Where each line of a text begins; line n begins at index n - 1."""
    return [0, *(match.end() for match in _NEWLINE.finditer(text))]


def read_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text in order; those of recent pages are not read twice."""
    return _kept(text) if len(text) <= _KEPT else _large(text)


def _read(text: str) -> tuple[Block, ...]:
    walk = _Walk()
    for token in _parser().parse(text):
        walk.take(token)
    return tuple(walk.found)


_KEPT = 50_000  # characters
_kept = lru_cache(maxsize=128)(_read)
_large = lru_cache(maxsize=1)(_read)


class _Walk:
    """Turns the parser's tokens into blocks."""

    def __init__(self) -> None:
        self.found: list[Block] = []
        self.headings: list[tuple[int, str, int]] = []
        self.items = 0
        self.quotes = 0
        self.group = 0
        self.heading = 0
        self.row: list[str] | None = None
        self.row_lines = (1, 1)
        self.head = False

    def take(self, token: Token) -> None:
        step = getattr(self, f"_{token.type}", None)
        if step is not None:
            step(token)

    def _add(self, kind: str, lines: tuple[int, int], text: str, **more: object) -> None:
        block = Block(kind, *lines, text, quoted=self.quotes > 0, headings=tuple(self.headings))
        self.found.append(replace(block, group=self.group, **more))  # type: ignore[arg-type]

    def _heading_open(self, token: Token) -> None:
        self.heading = int(token.tag[1:])

    def _heading_close(self, token: Token) -> None:
        self.heading = 0
        self.group += 1

    def _inline(self, token: Token) -> None:
        if self.row is not None:
            self.row.append(token.content.strip())
            return
        lines = _lines(token)
        if self.heading and not (self.items or self.quotes):
            while self.headings and self.headings[-1][0] >= self.heading:
                self.headings.pop()
            self._add("heading", lines, token.content, level=self.heading)
            self.headings.append((self.heading, plain(token.content), lines[0]))
        else:
            kind = "item" if self.items else "paragraph"
            self._add(kind, lines, token.content, level=self.items)

    def _bullet_list_open(self, token: Token) -> None:
        self.items += 1

    def _bullet_list_close(self, token: Token) -> None:
        self.items -= 1

    _ordered_list_open = _bullet_list_open
    _ordered_list_close = _bullet_list_close

    def _blockquote_open(self, token: Token) -> None:
        self.quotes += 1

    def _blockquote_close(self, token: Token) -> None:
        self.quotes -= 1

    def _fence(self, token: Token) -> None:
        self._add("code", _lines(token), token.content)

    _code_block = _fence

    def _html_block(self, token: Token) -> None:
        self._add("html", _lines(token), token.content)

    def _table_open(self, token: Token) -> None:
        self.group += 1

    def _thead_open(self, token: Token) -> None:
        self.head = True

    def _thead_close(self, token: Token) -> None:
        self.head = False

    def _tr_open(self, token: Token) -> None:
        self.row = []
        self.row_lines = _lines(token)

    def _tr_close(self, token: Token) -> None:
        cells = tuple(self.row or ())
        self.row = None
        self._add("head" if self.head else "row", self.row_lines, " | ".join(cells), cells=cells)


def _lines(token: Token) -> tuple[int, int]:
    first, after = token.map or (0, 1)
    return first + 1, max(after, first + 1)


def plain(text: str) -> str:
    """Inline text without its markup: links as their words, emphasis and code marks gone."""
    text = WIKI.sub(lambda m: "" if m[1] else (m[3] or m[2]).strip(), text)
    text = _LINK.sub(lambda m: "" if m[0].startswith("!") else m[1], text)
    for _ in range(3):
        text = _EMPHASIS.sub(r"\2", text)
    return " ".join(re.sub(r"`+", "", text).split())
