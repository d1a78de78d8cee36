"""The triplet score and the fold of ratings keep to their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee.graph.feedback import folded_weight, step
from cloudnee.graph.score import NO_DISTANCE, part, weighed

unit = st.floats(0, 1, allow_nan=False, width=32)


def test_the_worked_examples() -> None:
    """All at 0.4: 1.8; all at 0 with influence 0.5: 1.5 unrated, 1.35 after a rating of 5."""
    assert 3 * part(0.4, 0.5, 0.5, 0.0) == pytest.approx(1.8)
    assert 3 * part(0.0, 0.5, 0.5, 0.5) == pytest.approx(1.5)
    assert 3 * part(0.0, 0.5, step(0.5, 5), 0.5) == pytest.approx(1.35)
    assert part(None, 0.5, 0.9, 0.5) == 1.5 * NO_DISTANCE


def test_the_steps_of_a_weight() -> None:
    """0.5 rated 5 gives 0.55; implicit 0.525."""
    assert step(0.5, 5) == 0.55
    assert step(0.5, 5, implicit=True) == 0.525


@given(st.one_of(st.none(), st.floats(0, 2, width=32)), unit, unit, unit)
def test_arrays_and_numbers_agree(
    distance: float | None, importance: float, weight: float, influence: float
) -> None:
    """The array form gives what the formula gives for one edge."""
    given_distance = np.array([np.nan if distance is None else distance])
    many = weighed(given_distance, np.array([importance]), np.array([weight]), influence)
    assert many[0] == pytest.approx(part(distance, importance, weight, influence))


@given(st.floats(0, 1), unit, unit, unit)
def test_a_better_weight_never_scores_worse(
    distance: float, importance: float, influence: float, weight: float
) -> None:
    """With any influence, a higher weight gives a part that is no larger."""
    better = min(1.0, weight + 0.1)
    assert (
        part(distance, importance, better, influence)
        <= part(distance, importance, weight, influence) + 1e-9
    )


@given(st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=30))
def test_weights_stay_within_bounds(ratings: list[tuple[int, bool]]) -> None:
    """Whatever is rated, a weight is between 0 and 1 and has four decimals."""
    weight = folded_weight(ratings)
    assert 0 <= weight <= 1
    assert math.isclose(weight, round(weight, 4), abs_tol=1e-12)
