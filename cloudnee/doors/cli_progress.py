"""A progress bar for long work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

__all__ = ["counting", "progress"]

Thing = TypeVar("Thing")


def progress(things: Sequence[Thing], doing: str, to: TextIO | None = None) -> Iterator[Thing]:
    """The things one by one, while a bar shows how far it is; on stderr unless told."""
    with _bar(doing, to) as bar:
        yield from bar.track(things, total=len(things))


@contextmanager
def counting(doing: str, to: TextIO | None = None) -> Iterator[Callable[[int, int], None] | None]:
    """What is to be called with (done, total) while a bar shows it; None where nobody watches."""
    if not (to or sys.stderr).isatty():
        yield None
        return
    with _bar(doing, to) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bar(doing: str, to: TextIO | None) -> Progress:
    return Progress(
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(file=to or sys.stderr, highlight=False),
    )
