"""A page as lines with a meaning: front matter, headings, and the blocks between them.

Markdown is parsed once, blocks only: what stands inside a line is read where it is needed. Lines
are counted from 1 in the text as given.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from cloudnee.pages.front import Front, read_front
from cloudnee.pages.lines import with_line_feeds
from cloudnee.pages.markup import plain
from cloudnee.pages.simple import ITEM, Part, simple_parts

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Block", "Heading", "Outline", "outline_of"]

_PIECE = 200_000  # characters parsed at once: tokens of the whole of a big page fill the memory
_SMALL = 50_000  # characters of a page of which many are kept
_SENTENCE_END = (".", "!", "?", ":", ";", ",", "。", "！", "？")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level, its text without marks, its line, and the heading it stands under."""

    level: int
    text: str
    line: int
    parent: int


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines that belong together.

    `kind` is "text" (a paragraph, or the paragraph of a list item), "code", "html", "comment" or
    "table". `text` is the content without the marks of lists and quotes, its lines those of the
    page. `depth` counts the lists around it, `first` says that it opens its list item, `parent`
    is the block that opens the item around its list (-1: none), `heading` the heading above it.
    A table has `rows`: the line and the cells of each, the head first.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    depth: int = 0
    first: bool = False
    ordered: bool = False
    quoted: bool = False
    parent: int = -1
    heading: int = -1
    rows: tuple[tuple[int, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts of a page."""

    front: Front
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]

    def above(self, heading: int) -> tuple[int, ...]:
        """A heading and those it stands under, outermost first."""
        found: list[int] = []
        while heading >= 0:
            found.append(heading)
            heading = self.headings[heading].parent
        return tuple(reversed(found))


def outline_of(text: str) -> Outline:
    """The outline of a page's text. Those of the last pages are kept: each stage asks anew."""
    return _kept_small(text) if len(text) <= _SMALL else _kept_big(text)


@lru_cache(maxsize=128)
def _kept_small(text: str) -> Outline:
    return _outlined(text)


@lru_cache(maxsize=1)
def _kept_big(text: str) -> Outline:
    return _outlined(text)


def _outlined(text: str) -> Outline:
    front = read_front(text)
    body = text[front.end :] if front.end else text.removeprefix("\ufeff")
    body = with_line_feeds(body)
    builder = _Builder(front.lines)
    simple = simple_parts(body)
    if simple is not None:
        builder.take_simple(simple)
        return builder.outline(front)
    if "<!--" in body:
        body = builder.without_comments(body)
    for first, piece in _pieces(body):
        builder.take(_parser().parse(piece), first + front.lines, piece)
    return builder.outline(front)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    return parser.disable(["inline", "text_join", "normalize", "reference"])


def _pieces(body: str) -> Iterator[tuple[int, str]]:
    """(lines before, piece) of a body, cut where a paragraph at the margin begins."""
    if len(body) <= 4 * _PIECE:
        yield 0, body
        return
    start = lines = 0
    while start < len(body):
        end = _cut(body, start)
        piece = body[start:end]
        yield lines, piece
        lines += piece.count("\n")
        start = end


_MARGIN = re.compile(r"\n[ \t]*\n(?=[^\s>*+\-\d|`~<])")
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)


def _cut(body: str, start: int) -> int:
    """Where the next piece begins: outside a fence, at a line that continues nothing."""
    if len(body) - start <= 4 * _PIECE:
        return len(body)
    most = start + 4 * _PIECE  # a long table is not cut while a better place is near
    fences = [mark.start() for mark in _FENCE.finditer(body, start, most)]
    for margin in _MARGIN.finditer(body, start + _PIECE // 2, most):
        if bisect_left(fences, margin.end()) % 2 == 0:
            return margin.end()
    line = body.rfind("\n", start, most)
    if line < 0:
        line = body.find("\n", most)
    return line + 1 if line >= 0 else len(body)


class _Builder:
    """Turns tokens into headings and blocks."""

    def __init__(self, lines_before: int) -> None:
        self.before = lines_before
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.comments: list[Block] = []
        self._open: list[int] = []

    def outline(self, front: Front) -> Outline:
        """What was built."""
        blocks = self.blocks
        if self.comments:
            starts = [heading.line for heading in self.headings]
            placed = [
                replace(comment, heading=bisect_right(starts, comment.start) - 1)
                for comment in self.comments
            ]
            every = sorted([*blocks, *placed], key=lambda block: block.start)
            blocks = _reparented(self.blocks, every)
        return Outline(front, tuple(self.headings), tuple(blocks))

    def without_comments(self, body: str) -> str:
        """The body with its HTML comments blanked; each is a block of its own."""
        parts: list[str] = []
        last = line = 0
        for start, end in _comments(body):
            line += body.count("\n", last, start)
            inside = body[start:end]
            parts += [body[last:start], re.sub(r"[^\n]", " ", inside)]
            begin = self.before + line + 1
            line += inside.count("\n")
            if not body[body.rfind("\n", 0, start) + 1 : start].strip():
                self.comments.append(Block("comment", begin, self.before + line + 1, inside))
            last = end
        return "".join([*parts, body[last:]])

    def take_simple(self, parts: Sequence[Part]) -> None:
        """Add the parts of a page that needs no parser."""
        for level, start, end, text in parts:
            start, end = self.before + start, self.before + end
            if level > 0:
                self.heading(level, _titled(text), start)
            elif level == ITEM:
                block = Block("text", start, end, text, depth=1, first=True, heading=self.here)
                self.blocks.append(block)
            else:
                self.blocks.append(Block("text", start, end, text, heading=self.here))

    def take(self, tokens: Sequence[Token], before: int, source: str) -> None:
        """Add the blocks of a piece that begins after `before` lines."""
        walk = _Walk(self, before)
        for i, token in enumerate(tokens):
            walk.step(token, tokens, i)

    def heading(self, level: int, text: str, line: int) -> None:
        """Add a heading; one that shows nothing is none."""
        shown = plain(text)
        if not shown:
            return
        while self._open and self.headings[self._open[-1]].level >= level:
            self._open.pop()
        parent = self._open[-1] if self._open else -1
        self._open.append(len(self.headings))
        self.headings.append(Heading(level, shown, line, parent))

    @property
    def here(self) -> int:
        """The heading that the next block stands under."""
        return self._open[-1] if self._open else -1


class _Walk:
    """One pass over the tokens of a piece, with the lists and quotes that are open."""

    def __init__(self, builder: _Builder, before: int) -> None:
        self.builder = builder
        self.before = before
        self.quotes = 0
        self.lists: list[bool] = []
        self.items: list[int] = []  # the block that opened each item around, -1 before there is one
        self.rows: list[tuple[int, tuple[str, ...]]] = []
        self.cells: list[str] = []
        self.table: Token | None = None

    def step(self, token: Token, tokens: Sequence[Token], i: int) -> None:
        """Take one token."""
        kind = token.type
        if kind == "inline":
            self._inline(token, tokens[i - 1])
        elif kind in ("bullet_list_open", "ordered_list_open"):
            self.lists.append(kind == "ordered_list_open")
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self.lists.pop()
        elif kind == "list_item_open":
            self.items.append(-1)
        elif kind == "list_item_close":
            self.items.pop()
        elif kind == "blockquote_open":
            self.quotes += 1
        elif kind == "blockquote_close":
            self.quotes -= 1
        elif kind in ("fence", "code_block"):
            self._add("code", token, token.content)
        elif kind == "html_block":
            self._add("html", token, token.content)
        elif kind == "tr_open":
            self.cells = []
            self.rows.append((self._lines(token)[0], ()))
        elif kind == "tr_close":
            self.rows[-1] = (self.rows[-1][0], tuple(self.cells))
        elif kind == "table_open":
            self.rows = []
            self.table = token
        elif kind == "table_close":
            self._add("table", self.table, "")

    def _inline(self, token: Token, opened: Token) -> None:
        if opened.type in ("td_open", "th_open"):
            self.cells.append(token.content)
        elif opened.type == "heading_open" and not self._is_underlined_text(token, opened):
            if self.quotes or self.items:
                self._add("text", opened, token.content)
            else:
                line = self._lines(opened)[0]
                self.builder.heading(int(opened.tag[1]), _titled(token.content), line)
        else:
            self._add("text", opened, token.content)

    def _is_underlined_text(self, token: Token, opened: Token) -> bool:
        """Whether `---` under a line is a rule below a text rather than a heading's mark."""
        if opened.markup != "-":
            return False
        text = token.content
        return "\n" in text or len(text) > 60 or text.rstrip().endswith(_SENTENCE_END)

    def _lines(self, token: Token) -> tuple[int, int]:
        start, end = token.map or [0, 1]
        return self.before + start + 1, self.before + max(end, start + 1)

    def _add(self, kind: str, token: Token | None, text: str) -> None:
        start, end = self._lines(token) if token else (1, 1)
        opened = self.items[-1] if self.items else -1
        parent = self.items[-2] if len(self.items) > 1 else -1
        block = Block(
            kind,
            start,
            end,
            text,
            depth=len(self.lists),
            first=bool(self.items) and opened < 0,
            ordered=bool(self.lists) and self.lists[-1],
            quoted=self.quotes > 0,
            parent=parent,
            heading=self.builder.here,
            rows=tuple(self.rows) if kind == "table" else (),
        )
        if self.items and opened < 0:
            self.items[-1] = len(self.builder.blocks)
        self.builder.blocks.append(block)


def _titled(content: str) -> str:
    """A heading's content, without the lines that only rule it off."""
    lines = content.split("\n")
    return " ".join(line for line in lines if any(c.isalnum() for c in line)) or content


def _comments(body: str) -> Iterator[tuple[int, int]]:
    """The spans of the HTML comments outside of code."""
    fences = [mark.start() for mark in _FENCE.finditer(body)]
    at = 0
    while (start := body.find("<!--", at)) >= 0:
        end = body.find("-->", start + 4)
        if end < 0:
            return
        line = body[max(body.rfind("\n", 0, start) + 1, start - 500) : start]
        in_code = line.count("`") % 2 or bisect_right(fences, start) % 2
        at = start + 4 if in_code else end + 3
        if not in_code:
            yield start, end + 3


def _reparented(before: Sequence[Block], after: Sequence[Block]) -> list[Block]:
    """Blocks with comments sorted in: who opened whose item is counted anew."""
    places = {id(block): place for place, block in enumerate(after)}
    return [
        replace(block, parent=places[id(before[block.parent])]) if block.parent >= 0 else block
        for block in after
    ]
