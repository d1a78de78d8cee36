"""Okapi BM25 over postings that one audience sees, so that its statistics are that audience's."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

__all__ = ["bm25"]

K1 = 1.2
B = 0.75


def bm25(
    postings: Mapping[str, Iterable[tuple[int, int, int]]], passages: int, terms: int
) -> dict[int, float]:
    """Passage → score, for the postings (passage, place, passage's length) of each term.

    `passages` and `terms` are how many of each the audience sees in all. Formula: Robertson and
    Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with k1 1.2, b 0.75.
    """
    mean = terms / passages if passages else 1.0
    scores: dict[int, float] = defaultdict(float)
    for rows in postings.values():
        times: dict[int, int] = defaultdict(int)
        lengths: dict[int, int] = {}
        for passage, _, length in rows:
            times[passage] += 1
            lengths[passage] = length
        idf = math.log(1 + (passages - len(times) + 0.5) / (len(times) + 0.5))
        for passage, count in times.items():
            room = K1 * (1 - B + B * lengths[passage] / mean)
            scores[passage] += idf * count * (K1 + 1) / (count + room)
    return scores
