"""An answer as it grows: values for programs, lines for readers, never more than it may hold.

A client may show its model the values, the lines or both, so both together are kept within the
bound, measured as the JSON that goes over the wire.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

__all__ = ["LEAST_ROOM", "ROOM", "Told", "clipped"]

ROOM = 12_000
LEAST_ROOM = 2_000
_ENVELOPE = 500  # what stands around an answer, and the line that says what is left
_LONGEST = 300  # of one value, where there may be many

Row = tuple[Any, str]


def clipped(text: str, most: int = _LONGEST) -> str:
    """A value that is one among many, cut where it is very long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False)) + 2


class Told:
    """One answer. `values` and `lines` are what it holds so far."""

    def __init__(self, room: int = ROOM) -> None:
        self.values: dict[str, Any] = {}
        self.lines: list[str] = []
        self._room = room - _ENVELOPE
        self._left = 0
        self._how: list[str] = []

    @property
    def text(self) -> str:
        """All lines, and at the end what is left and how to get it."""
        return "\n".join(self.lines)

    def put(self, name: str, value: Any) -> None:
        """A value that always fits: a number, or a short text."""
        self.values[name] = value
        self._room -= _size({name: value})

    def say(self, *lines: str) -> None:
        """Lines that always fit."""
        self.lines += lines
        self._room -= sum(map(_size, lines))

    def each(self, name: str, rows: Iterable[Row], count: int) -> int:
        """The first of `count` rows, as many as fit; gives how many are left."""
        taken: list[Any] = []
        self._room -= _size({name: []})
        for value, line in rows:
            cost = _size(value) + (_size(line) if line else 0)
            if cost > self._room:
                break
            self._room -= cost
            taken.append(value)
            if line:
                self.lines.append(line)
        self.values[name] = taken
        return count - len(taken)

    def part(self, text: str, offset: int) -> str:
        """As much of a long text from `offset` on as fits twice, cut after a line if it can be."""
        length = min(len(text) - offset, max(self._room // 2, 1))
        while length > 1 and 2 * _size(text[offset : offset + length]) > self._room:
            length = length * 9 // 10
        piece = text[offset : offset + length]
        if offset + length < len(text) and "\n" in piece[length // 2 :]:
            piece = piece[: piece.rindex("\n") + 1]
        self._room -= 2 * _size(piece)
        return piece

    def left(self, count: int, how: str) -> None:
        """That `count` things were left out, and how to get them."""
        if count > 0:
            self._left += count
            self._how.append(how)

    def done(self) -> Told:
        """The answer with what is left said in it."""
        self.values["left"] = self._left
        self.values["next"] = "; ".join(self._how)
        if self._left:
            self.lines.append(f"[{self._left} more: {self.values['next']}]")
        return self
