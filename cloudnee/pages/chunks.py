"""Where a page is cut: chunks for an extractor, passages for a search. Spans, never copies."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from cloudnee.pages.lines import line_count, line_starts, lines_of
from cloudnee.pages.outline import Block, Outline, outline_of
from cloudnee.pages.page import ParsedPage
from cloudnee.pages.turns import said_from, speakers_of

__all__ = ["PassageSpan", "Span", "chunk_spans", "passage_spans"]

_BREAKS = (
    re.compile(r"[\r\n](?=#{1,6}[ \t])"),
    re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)"),
    re.compile(r"\r\n?|\n"),
    re.compile(r"[.!?][\"')\]]*[ \t]|[。！？…]"),
    re.compile(r"\s"),
)


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text: character offsets, end excluded; 1-based lines, end included."""

    start: int
    end: int
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class PassageSpan:
    """A passage with the headings it stands under, outermost first, and who speaks, if someone.

    `said` is where in it the speech begins, behind the speaker's name.
    """

    start: int
    end: int
    start_line: int
    end_line: int
    heading: tuple[str, ...]
    speaker: str | None
    said: int = 0


def chunk_spans(text: str, limit: int = 4000) -> list[Span]:
    """Spans that cover the text exactly, none longer than `limit` characters.

    Cut before a heading where one stands in the second half, else after an empty line, a line, a
    sentence, a word; a word longer than the limit is cut as it is.
    """
    return [Span(*cut) for cut in _cuts(text, 0, len(text), 1, limit)]


def _cuts(
    text: str, start: int, end: int, line: int, limit: int
) -> Iterator[tuple[int, int, int, int]]:
    """(start, end, first line, last line) of the pieces of a part of the text, in order."""
    while start < end:
        stop = end if end - start <= limit else _stop(text, start, start + limit)
        breaks = line_count(text, start, stop)
        last = line + breaks - (1 if text[stop - 1] in "\r\n" else 0)
        yield start, stop, line, last
        line += breaks
        start = stop


def _stop(text: str, start: int, most: int) -> int:
    half = start + (most - start) // 2
    for rule in _BREAKS:
        ends = [found.end() for found in rule.finditer(text, half, most)]
        if ends:
            return _unsplit(text, start, ends[-1])
    return _unsplit(text, start, most)


def _unsplit(text: str, start: int, end: int) -> int:
    """Not between a carriage return and its line feed: they are one end of a line."""
    if text[end - 1 : end + 1] != "\r\n":
        return end
    return end - 1 if end - 1 > start else end + 1


def passage_spans(page: ParsedPage, limit: int = 1200) -> list[PassageSpan]:
    """The passages of a page in order: paragraphs, list items, table rows, turns, code blocks.

    The front matter is one passage, and so is a heading with nothing under it. A turn goes on
    until someone else speaks or a heading follows. What is longer than `limit` characters is cut
    at the ends of its sentences.
    """
    outline = outline_of(page.text)
    speakers = speakers_of(page.front, outline)
    places = _Places(page.text)
    found: list[PassageSpan] = []
    titles = frozenset(heading.line for heading in outline.headings)
    ranges = _with_gaps(_line_ranges(outline, speakers), lines_of(page.text), titles)
    for start, end, heading, number in ranges:
        path = tuple(outline.headings[i].text for i in outline.above(heading))
        speaker = speakers.get(number)
        cuts = places.pieces(start, end, limit)
        if speaker is None:
            found.extend(PassageSpan(*cut, path, None) for cut in cuts)
            continue
        for place, cut in enumerate(cuts):
            said = 0 if place else said_from(page.text[cut[0] : cut[1]])
            found.append(PassageSpan(*cut, path, speaker, said))
    return found


def _line_ranges(
    outline: Outline, speakers: Mapping[int, str]
) -> Iterator[tuple[int, int, int, int]]:
    """(first line, last line, heading, block or -1) of everything that is a passage."""
    if outline.front.lines:
        yield 1, outline.front.lines, -1, -1
    used = {i for heading in {b.heading for b in outline.blocks} for i in outline.above(heading)}
    lone = [(h.line, h.line, h.parent, -1) for i, h in enumerate(outline.headings) if i not in used]
    blocks = [
        (start, end, block.heading, number)
        for number, block in enumerate(outline.blocks)
        for start, end in _block_lines(block)
    ]
    ranges = sorted(lone + blocks) if lone else blocks
    yield from _whole_turns(ranges, speakers) if speakers else ranges


def _whole_turns(
    ranges: Iterable[tuple[int, int, int, int]], speakers: Mapping[int, str]
) -> Iterator[tuple[int, int, int, int]]:
    """The ranges, each turn joined with the blocks under the same heading that follow it."""
    turn: tuple[int, int, int, int] | None = None
    for start, end, heading, number in ranges:
        if turn and number not in speakers and heading == turn[2] and number >= 0:
            turn = (turn[0], max(turn[1], end), turn[2], turn[3])
            continue
        if turn:
            yield turn
        turn = (start, end, heading, number) if number in speakers else None
        if not turn:
            yield start, end, heading, number
    if turn:
        yield turn


def _with_gaps(
    ranges: Iterable[tuple[int, int, int, int]], lines: Sequence[str], titles: frozenset[int]
) -> Iterator[tuple[int, int, int, int]]:
    """The ranges, and between them the lines that Markdown drops but that say something.

    Such are lists and quotes nested deeper than the parser follows. A line of two blocks, as one
    that goes on behind a comment, belongs to the first.
    """
    last, heading = 0, -1
    for first, end, above, number in (*ranges, (len(lines) + 1, 0, -1, -1)):
        for line in range(last + 1, first):
            if line not in titles and any(map(str.isalnum, lines[line - 1])):
                yield line, line, heading, -1
        if max(first, last + 1) <= end:
            yield max(first, last + 1), end, above, number
        last, heading = max(last, end), above


def _block_lines(block: Block) -> Iterator[tuple[int, int]]:
    """The lines of a block; of a table those of each row, the head with the first."""
    if block.kind != "table":
        yield block.start, block.end
        return
    rows = [line for line, _ in block.rows]
    starts = [block.start, *rows[2:], block.end + 1]
    for start, after in pairwise(starts):
        yield start, after - 1


class _Places:
    """Offsets of lines, and spans cut to size."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [*line_starts(text), len(text) + 1]

    def pieces(self, first: int, last: int, limit: int) -> Iterator[tuple[int, int, int, int]]:
        """The visible part of lines `first` to `last`, cut into spans within the limit."""
        last = min(last, len(self.starts) - 1)
        start, end = self._visible(self.starts[first - 1], self.starts[last] - 1)
        if start < end <= start + limit:
            yield start, end, self._line(start), self._line(end - 1)
            return
        for begin, stop, _, _ in _cuts(self.text, start, end, first, limit):
            begin, stop = self._visible(begin, stop)
            if begin < stop:
                yield begin, stop, self._line(begin), self._line(stop - 1)

    def _line(self, offset: int) -> int:
        return bisect_right(self.starts, offset)

    def _visible(self, start: int, end: int) -> tuple[int, int]:
        part = self.text[start:end]
        shown = part.strip()
        begin = start + len(part) - len(part.lstrip())
        return begin, begin + len(shown)
