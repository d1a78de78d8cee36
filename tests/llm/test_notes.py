"""A note said twice: refused by its words alone, with the place of the one that stands."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cloudnee import Memory


class Same:
    """An embedder to which all texts are one: nothing here may depend on vectors."""

    model = "same"
    dimensions = 4

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """The same row for each text."""
        return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory in which a day passes with each look at the clock."""
    at = [datetime(2026, 3, 1, tzinfo=UTC)]

    def clock() -> datetime:
        at[0] += timedelta(days=1)
        return at[0]

    with Memory.open(tmp_path / "desk.db", org="o", embedder=Same(), clock=clock) as opened:
        yield opened


def test_the_same_words_are_refused_with_the_place(memory: Memory) -> None:
    """Order, case and punctuation aside, in another month too; nothing is written."""
    first = memory.note("Left unit leaks", subject="Mrs Tan")
    before = memory.read_page(first.path)
    for _ in range(40):
        memory.recent(1)
    again = memory.note("leaks: the LEFT unit!".replace("the ", ""), subject="mrs tan")
    assert (again.status, again.refused[0].reason) == ("unchanged", "the same note stands")
    assert again.reason == f"the same note stands: {first.path}:3"
    assert memory.read_page(first.path) == before


@pytest.mark.parametrize(
    "other",
    ["Right unit leaks", "Left unit does not leak", "Left unit leaks 2", "Left unit of Ann leaks"],
)
def test_what_differs_is_written(memory: Memory, other: str) -> None:
    """A side, a negation, a number or a name makes another note, whatever vectors say."""
    memory.note("Left unit leaks", subject="Mrs Tan")
    assert memory.note(other, subject="Mrs Tan").status == "written"


def test_another_subject_may_say_the_same(memory: Memory) -> None:
    """Notes are compared within one subject."""
    memory.note("Left unit leaks", subject="Mrs Tan")
    assert memory.note("Left unit leaks", subject="Mr Lim").status == "written"


def test_what_was_overtaken_may_be_said_again(memory: Memory) -> None:
    """180, then 160, then 180 again is 180: the first note no longer stands."""
    for price in ("180", "160", "180"):
        report = memory.note(f"Quoted price: {price}", subject="Mrs Tan")
        assert report.status == "written"
    current = [e for e in memory.read_current("Mrs Tan").edges if e.relation == "quoted_price"]
    assert [edge.target_name for edge in current] == ["180"]


def test_a_hidden_note_is_not_told_of(memory: Memory, tmp_path: Path) -> None:
    """A writer that does not see the notes of another learns nothing from its own report."""
    rules = tmp_path / "audiences.yaml"
    rules.write_text(
        "audiences:\n  owner: {see: ['**'], write: ['**']}\n"
        "  night: {see: ['**'], hide: ['notes/mrs-tan/2026-03.md'], write: ['notes/**']}\n"
    )
    memory.set_audiences(rules)
    memory.note("Left unit leaks", subject="Mrs Tan")
    for _ in range(40):
        memory.note("Left unit leaks", subject="Clock")
    report = memory.as_audience("night").note("Left unit leaks", subject="Mrs Tan")
    assert (report.status, report.refused) == ("written", ())
