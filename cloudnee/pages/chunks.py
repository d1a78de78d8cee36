"""A page cut in two ways: chunks, which extraction reads, and passages, which search returns."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from cloudnee.pages.blocks import Block, line_starts
from cloudnee.pages.page import ParsedPage

__all__ = ["PassageSpan", "Span", "chunk_spans", "passage_spans"]

CHUNK = 4000  # characters
PASSAGE = 1200
_GAP = re.compile(r"(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)\s*")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|(?:\r\n?|\n)")
_SPEAKER = re.compile(r"\*\*([^*\n]{1,60})\*\*(?:\s*\([^()\n]{1,40}\))?\s*[:：]")


@dataclass(frozen=True, slots=True)
class Span:
    """A span of a text: offsets in characters, lines counted from 1, both ends included."""

    start: int
    end: int
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class PassageSpan:
    """A passage with its context: the headings over it and who speaks, if the page says."""

    start: int
    end: int
    start_line: int
    end_line: int
    heading: tuple[str, ...] = ()
    speaker: str | None = None


def chunk_spans(text: str, limit: int = CHUNK) -> list[Span]:
    """Spans that cover the text exactly: whole paragraphs up to `limit`, longer ones cut."""
    starts = line_starts(text)
    cuts = [0]
    last = 0
    for end in [*(gap.end() for gap in _GAP.finditer(text)), len(text)]:
        if end - cuts[-1] > limit and last > cuts[-1]:
            cuts.append(last)
        if end - cuts[-1] > limit:
            cuts.extend(_cuts(text, cuts[-1], end, limit))
        last = end
    bounds = [cut for cut in dict.fromkeys(cuts) if cut < len(text)] or [0]
    return [
        _span(starts, start, end)
        for start, end in zip(bounds, [*bounds[1:], len(text)], strict=True)
    ]


def _cuts(text: str, start: int, end: int, limit: int) -> list[int]:
    """Where to cut a paragraph that is too long: at sentence ends, spaces, or anywhere."""
    found = []
    while end - start > limit:
        window = start + limit
        cut = _last(_SENTENCE, text, start, window) or text.rfind(" ", start + 1, window) + 1
        start = cut if cut > start else window
        found.append(start)
    return found


def _last(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    found = 0
    for match in pattern.finditer(text, start, end):
        if match.end() > start:
            found = match.end()
    return found


def _span(starts: list[int], start: int, end: int) -> Span:
    return Span(start, end, bisect_right(starts, start), bisect_right(starts, max(start, end - 1)))


def passage_spans(page: ParsedPage, limit: int = PASSAGE) -> list[PassageSpan]:
    """The page's paragraphs, list items, table rows and turns, each with its context.

    Front matter is one passage; a heading is one only where nothing stands under it.
    """
    starts = line_starts(page.text)
    found = list(_front(page, starts))
    for block in _passage_blocks(page.blocks):
        heading = tuple(text for _, text, _ in block.headings)
        for first, last, speaker in _turns(block):
            start = starts[first + page.body_line - 2]
            after = last + page.body_line - 1
            end = starts[after] if after < len(starts) else len(page.text)
            end -= len(page.text[start:end]) - len(page.text[start:end].rstrip())
            bounds = [start, *_cuts(page.text, start, end, limit), end]
            for one, two in pairwise(bounds):
                if page.text[one:two].strip():
                    span = _span(starts, one, two)
                    found.append(
                        PassageSpan(one, two, span.start_line, span.end_line, heading, speaker)
                    )
    return found


def _front(page: ParsedPage, starts: list[int]) -> Iterator[PassageSpan]:
    if page.body_start:
        end = len(page.text[: page.body_start].rstrip())
        span = _span(starts, 0, end)
        yield PassageSpan(0, end, span.start_line, span.end_line)


def _passage_blocks(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for i, block in enumerate(blocks):
        following = blocks[i + 1] if i + 1 < len(blocks) else None
        lonely = following is None or (
            following.kind == "heading" and following.level <= block.level
        )
        if block.kind != "heading" or lonely:
            yield block


def _turns(block: Block) -> Iterator[tuple[int, int, str | None]]:
    """(first line, last line, speaker) of each turn in a block; one where nobody speaks."""
    lines = re.split(r"\r\n?|\n", block.text) if block.kind in ("paragraph", "item") else []
    spoken = [(i, m[1].strip()) for i, line in enumerate(lines) if (m := _SPEAKER.match(line))]
    if not spoken:
        yield block.first, block.last, None
        return
    if spoken[0][0] > 0:
        yield block.first, block.first + spoken[0][0] - 1, None
    for (at, speaker), (after, _) in zip(spoken, [*spoken[1:], (len(lines), "")], strict=True):
        yield block.first + at, block.first + after - 1, speaker
