"""`cloudnee demo`: a small desk remembered and asked, each step with a line that says what for."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from cloudnee.doors.cli_answer import Answer
from cloudnee.doors.cli_json import plain
from cloudnee.doors.cli_progress import progress
from cloudnee.doors.cli_show import current_lines, history_lines, recall_lines
from cloudnee.errors import BadInput
from cloudnee.model import Current, Edge, NewPage, Recall

if TYPE_CHECKING:
    from cloudnee.memory import Memory

__all__ = ["DESK", "demo", "desk_pages"]

DESK = Path(__file__).parent / "desk"
PHONE = "9123 4567"
WHO = "who in the east wants mornings and still has an open visit"
HOW_MUCH = "how much is a chemical wash"
THING = "Chemical wash"


class _Seen(NamedTuple):
    """What the desk answered."""

    pages: int
    current: Current
    recall: Recall
    public: Recall
    history: list[Edge]


def demo(args: Namespace) -> Answer:
    """Make a fresh desk, remember its pages, ask what a desk asks."""
    from cloudnee.memory import Memory

    with (
        _database(args.db) as db,
        Memory.open(db, org=args.org or "default", ontology=args.ontology) as memory,
    ):
        seen = _asked(memory, _pages(shown=not args.json))
        # worked out here, while the memory is open
        document = plain(seen) if args.json else None
        lines = () if args.json else list(_told(seen, args.db))
        return Answer(document, lines)


@contextmanager
def _database(given: str | None) -> Iterator[str]:
    """The file named with --db, which must be new; else one in a folder that goes afterwards."""
    if given is None:
        with TemporaryDirectory(prefix="cloudnee-") as folder:
            yield str(Path(folder) / "desk.db")
        return
    if Path(given).exists():
        raise BadInput(f"{given} exists: the demo makes a fresh desk: name a new file with --db")
    yield given


def desk_pages() -> list[NewPage]:
    """The pages of the desk, as they stand in the package."""
    return [
        NewPage(file.relative_to(DESK).as_posix(), file.read_text("utf-8"))
        for file in sorted(DESK.rglob("*.md"))
    ]


def _pages(*, shown: bool) -> Iterator[NewPage]:
    pages = desk_pages()
    return progress(pages, "remembering", sys.stdout) if shown else iter(pages)


def _asked(memory: Memory, pages: Iterator[NewPage]) -> _Seen:
    return _Seen(
        len(memory.remember_many(pages)),
        memory.read_current(PHONE),
        memory.recall(WHO, top_k=3),
        memory.as_audience("public").recall(HOW_MUCH, top_k=3),
        memory.history(THING),
    )


def _told(seen: _Seen, kept: str | None) -> Iterator[str]:
    yield f"{seen.pages} Markdown pages are remembered: customers, services, routes.\n"
    yield f"A phone rings. cloudnee current {PHONE!r}"
    yield "By SQL alone, no model: who it is, what to mind, and which line of which page says so.\n"
    yield from current_lines(PHONE, seen.current)
    yield f'\nA question. cloudnee recall "{WHO}" --subjects'
    yield "Who satisfies most of it; then the facts by meaning, the smallest score first.\n"
    yield from recall_lines(WHO, seen.recall, subjects=3)
    yield f'\nThe website asks. cloudnee recall "{HOW_MUCH}" --audience public'
    yield "Its audience sees no page under customers/: no name, no count, no trace of one.\n"
    yield from recall_lines(HOW_MUCH, seen.public)
    yield f'\nA price and its history. cloudnee history "{THING}"'
    yield "The newest date wins; what it replaced stays, with page, line and reason.\n"
    yield from history_lines(seen.history)
    yield f"\n{_onward(kept)}"


def _onward(kept: str | None) -> str:
    if kept is None:
        return "Keep a desk to ask more: cloudnee demo --db desk.db"
    return f'Ask more: cloudnee current "Mrs Tan" --db {kept}'
