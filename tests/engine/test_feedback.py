"""Ratings: once per key, in one batch, refused when they are none."""

from __future__ import annotations

import pytest

from cloudnee import Memory, errors
from tests.engine.conftest import Clock

PAGE = "# Mrs Tan\n\n- Town: Bedok\n- Prefers: mornings\n"


def weight(memory: Memory, target: str = "Bedok") -> float:
    edges = memory.read_current("Mrs Tan").edges
    return next(e.feedback_weight for e in edges if e.target_name == target)


def edge_id(memory: Memory, target: str = "Bedok") -> str:
    return next(e.id for e in memory.read_current("Mrs Tan").edges if e.target_name == target)


def test_the_same_rating_twice_is_one_step(memory: Memory) -> None:
    """A rating delivered twice under one key counts once."""
    memory.remember("a.md", PAGE)
    for _ in range(2):
        memory.improve([edge_id(memory)], rating=5, key="answer-17")
        memory.apply_feedback()
    assert weight(memory) == 0.55


def test_a_new_rating_under_a_key_replaces(memory: Memory) -> None:
    """Another rating under the key takes the old one's place in the fold."""
    memory.remember("a.md", PAGE)
    memory.improve([edge_id(memory)], rating=5, key="answer-17")
    memory.apply_feedback()
    memory.improve([edge_id(memory)], rating=1, key="answer-17")
    memory.apply_feedback()
    assert weight(memory) == 0.45


def test_without_a_key_each_counts(memory: Memory) -> None:
    """Two ratings without a key are two; an implicit one moves half as far."""
    memory.remember("a.md", PAGE)
    memory.improve([edge_id(memory)], rating=5)
    memory.improve([edge_id(memory)], rating=5, implicit=True)
    applied = memory.apply_feedback()
    assert (applied.ratings, applied.facts) == (2, 1)
    assert weight(memory) == 0.5725


def test_unknown_ids_are_reported(memory: Memory) -> None:
    """The known are rated once, the unknown and the hidden are named alike."""
    memory.remember("customers/a.md", PAGE)
    hidden = edge_id(memory)
    assert memory.improve([hidden, "zz", hidden], rating=5).queued == 1
    public = memory.as_audience("public").improve([hidden, "zz"], rating=5)
    assert (public.queued, public.unknown) == (0, (hidden, "zz"))


@pytest.mark.parametrize("rating", [0, 6, 2.5, "5", float("nan"), True, None])
def test_what_is_no_rating_is_refused(memory: Memory, rating: object) -> None:
    """Only whole numbers from 1 to 5."""
    memory.remember("a.md", PAGE)
    with pytest.raises(errors.BadInput, match="1 to 5"):
        memory.improve([edge_id(memory)], rating=rating)  # type: ignore[arg-type]
    assert memory.apply_feedback().ratings == 0


def test_a_late_queue_is_applied_by_whoever_finds_it(memory: Memory, clock: Clock) -> None:
    """A batch over an hour old is applied by the next remember."""
    memory.remember("a.md", PAGE)
    memory.improve([edge_id(memory)], rating=5)
    assert weight(memory) == 0.5
    clock.turn(hours=2)
    memory.remember("b.md", "# Other\n\n- Town: Yishun\n")
    assert weight(memory) == 0.55


def test_a_forgotten_fact_takes_its_ratings_along(memory: Memory) -> None:
    """A fact that was forgotten and stated anew begins at 0.5."""
    memory.remember("a.md", PAGE)
    memory.improve([edge_id(memory)], rating=5)
    memory.forget(path="a.md")
    memory.apply_feedback()
    memory.remember("a.md", PAGE)
    assert weight(memory) == 0.5
