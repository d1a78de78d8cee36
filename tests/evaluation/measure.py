"""Recall: the share of what answers a question that is among the first k found."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Sequence

__all__ = ["interval", "mean", "recall", "unique"]


def unique(found: Iterable[Hashable]) -> list[Hashable]:
    """Each once, in the order found."""
    return list(dict.fromkeys(found))


def recall(found: Sequence[Hashable], gold: frozenset[Hashable] | frozenset[str], k: int) -> float:
    """The share of `gold` among the first k."""
    return len(set(found[:k]) & gold) / len(gold)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float], draws: int = 1000) -> tuple[float, float]:
    """The mean's 95 % interval by bootstrap, the same each time it is asked for."""
    chance = random.Random(0)
    means = sorted(mean(chance.choices(values, k=len(values))) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]
