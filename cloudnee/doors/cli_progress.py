"""A progress bar for long work."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TextIO, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

__all__ = ["progress"]

Thing = TypeVar("Thing")


def progress(things: Sequence[Thing], doing: str, to: TextIO | None = None) -> Iterator[Thing]:
    """The things one by one, while a bar shows how far it is; on stderr unless told."""
    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(file=to or sys.stderr, highlight=False),
    )
    with bar:
        yield from bar.track(things, total=len(things))
