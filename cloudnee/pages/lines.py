"""Lines as every stage counts them: between line feeds, carriage returns, or both together."""

from __future__ import annotations

import re

__all__ = ["line_count", "line_starts", "lines_of", "with_line_feeds"]

_END = re.compile(r"\r\n?|\n")


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends; line n stands at index n - 1."""
    return _END.split(text) if "\r" in text else text.split("\n")


def line_starts(text: str) -> list[int]:
    """Where each line of a text begins."""
    return [0, *(end.end() for end in _END.finditer(text))]


def line_count(text: str, start: int, end: int) -> int:
    """How many lines end within a part of a text."""
    if text.find("\r", start, end) < 0:
        return text.count("\n", start, end)
    pairs = text.count("\r\n", start, end)
    return text.count("\n", start, end) + text.count("\r", start, end) - pairs


def with_line_feeds(text: str) -> str:
    """The same lines, each ended by a line feed alone."""
    return _END.sub("\n", text) if "\r" in text else text
