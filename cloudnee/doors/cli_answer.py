"""What a verb gives back: a value for programs, lines for people, and an exit code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["DONE", "NOTHING", "Answer"]

DONE = 0
NOTHING = 1  # nothing found, refused, failed, or check found something


class Answer(NamedTuple):
    """`document` is turned into JSON only with --json, `lines` are worked out only without."""

    document: object
    lines: Iterable[str]
    code: int = DONE
