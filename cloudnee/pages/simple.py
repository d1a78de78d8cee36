"""Pages of the simplest form, read without a Markdown parser, which costs most of a small page.

Such have headings, plain list items of one level and paragraphs, all at the margin. Anything that
could be more to Markdown is left to the parser; a test holds the two to the same outline.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ITEM", "MOST", "TEXT", "Part", "simple_parts"]

ITEM, TEXT = -1, 0
_NUMBERED = r"(?!\d{1,9}[.)])"
_LINE = re.compile(
    r"(?:(?P<heading>\#{1,6})\ +(?=[^\W_])(?P<title>[^\x00-\x1f\x7f#]*)"
    rf"|[-*+]\ {_NUMBERED}(?=[^\W_]|\*\*?[^\W_]|[\[($€£\"'“])(?P<item>[^\x00-\x1f\x7f]*)"
    rf"|{_NUMBERED}(?=[^\W_]|\*\*?[^\W_])(?P<text>[^\x00-\x1f\x7f]*))",
    re.VERBOSE,
)
MOST = 20_000  # characters: the parser's share of bigger pages is small


class Part(NamedTuple):
    """A heading (`level` from 1), a list item or a text, with its lines (from 1) and content."""

    level: int
    start: int
    end: int
    text: str


def simple_parts(body: str) -> list[Part] | None:
    """The parts of a body whose lines end with line feeds; None where it needs the parser."""
    if len(body) > MOST or "<!--" in body:
        return None
    parts: list[Part] = []
    before = ""  # what the line before was; "" for none or an empty one
    for number, line in enumerate(body.split("\n"), 1):
        if not line:
            before = ""
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            return None
        kind = match.lastgroup or ""
        if kind == "text" and before == "item":  # it continues the item, or does it not
            return None
        if kind == before == "text":
            last = parts.pop()
            parts.append(Part(TEXT, last.start, number, f"{last.text}\n{line}"))
        elif kind == "title":
            parts.append(Part(len(match["heading"]), number, number, match["title"].strip(" ")))
        else:
            parts.append(Part(ITEM if kind == "item" else TEXT, number, number, match[kind]))
        before = kind
    found = [part._replace(text=part.text.rstrip(" ")) for part in parts]
    return None if any(part.text[-1].isspace() for part in found) else found
