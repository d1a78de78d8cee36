"""Ratings as weights: the fold of a fact's ratings, one step each (formulas credited in NOTICE)."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["START", "folded_weight", "step"]

START = 0.5
RATE = 0.1


def step(weight: float, rating: int, *, implicit: bool = False) -> float:
    """The weight after one rating: w ← clamp(w + α × ((r − 1)/4 − w), 0, 1), four decimals.

    `rating` is 1 to 5; α is 0.1, half of it for an implicit rating.
    """
    rate = RATE / 2 if implicit else RATE
    moved = weight + rate * ((rating - 1) / 4 - weight)
    return round(min(1.0, max(0.0, moved)), 4)


def folded_weight(ratings: Iterable[tuple[int, bool]]) -> float:
    """The weight after all ratings (rating, implicit) of a fact, in the order given."""
    weight = START
    for rating, implicit in ratings:
        weight = step(weight, rating, implicit=implicit)
    return weight
