"""Plain tables for a terminal: columns by display width, long cells wrapped, nothing raw.

Text from a page may hold escape sequences and marks that turn the writing direction round; here
they are shown as what they are, never obeyed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from unicodedata import category, combining, east_asian_width

__all__ = ["clean", "screen_width", "table", "width"]

_GAP = "  "
_NARROWEST = 12
_NO_LIMIT = 0


def clean(text: str, keep: str = "") -> str:
    """The text in one line, control and direction characters made visible; `keep` stays."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep else _visible(char) for char in text)


def _visible(char: str) -> str:
    if char in "\n\r\t":
        return " "
    if category(char) in ("Cc", "Cs", "Zl", "Zp") or char in _TURNERS:
        return char.encode("unicode_escape").decode("ascii")
    return char


_TURNERS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def width(text: str) -> int:
    """How many columns a terminal gives the text."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def _columns(char: str) -> int:
    if combining(char) or category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in ("W", "F") else 1


def screen_width() -> int:
    """The columns of the terminal that reads us; 0 where none does: then nothing is wrapped."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return _NO_LIMIT


def table(
    rows: Sequence[Sequence[str]], heads: Sequence[str] = (), limit: int | None = None
) -> Iterator[str]:
    """The rows as aligned lines, the widest column wrapped where they would pass `limit`."""
    cells = [[clean(cell) for cell in row] for row in rows]
    if heads:
        cells.insert(0, list(heads))
    widths = _fitted(
        [max(map(width, column)) for column in zip(*cells, strict=True)],
        screen_width() if limit is None else limit,
    )
    for row in cells:
        yield from _row_lines(row, widths)


def _fitted(widths: list[int], limit: int) -> list[int]:
    """The widths, the widest cut first and as far as it goes, until all fit into `limit`."""
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - limit
    for at in sorted(range(len(widths)), key=lambda at: -widths[at]):
        if limit and over > 0 and widths[at] > _NARROWEST:
            cut = min(over, widths[at] - _NARROWEST)
            widths[at] -= cut
            over -= cut
    return widths


def _row_lines(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    columns = [_wrapped(cell, wide) for cell, wide in zip(row, widths, strict=True)]
    for at in range(max(map(len, columns))):
        parts = [column[at] if at < len(column) else "" for column in columns]
        padded = (part + " " * (w - width(part)) for part, w in zip(parts, widths, strict=True))
        yield _GAP.join(padded).rstrip()


def _wrapped(text: str, wide: int) -> list[str]:
    """Cut at spaces where there are some, else anywhere, into pieces at most `wide` columns."""
    lines: list[str] = []
    while width(text) > wide:
        end = _fitting(text, wide)
        space = text.rfind(" ", 0, end + 1)
        cut = space if space > 0 else end
        lines.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*lines, text]


def _fitting(text: str, wide: int) -> int:
    """How many characters fit, at least one."""
    used = 0
    for at, char in enumerate(text):
        used += _columns(char)
        if used > wide:
            return max(at, 1)
    return len(text)
