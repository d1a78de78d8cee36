"""How well passages answer a question: what is measured of each, and what that counts for.

Every measure is a column over the passages of one audience; the score is their weighted sum. The
weights were fitted on one half of public question sets; docs/retrieval.md has the figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

__all__ = ["bm25", "idf", "nearest_ranks", "weighted"]

K1 = 1.2
B = 0.5


def idf(passages: int, holding: int) -> float:
    """How rare a term is that `holding` of the passages hold.

    Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
    """
    return float(np.log(1 + (passages - holding + 0.5) / (holding + 0.5)))


def bm25(times: Floats, lengths: Floats, mean: float) -> Floats:
    """The gain of a term that stands so many times in passages of these lengths, times its idf.

    Okapi BM25 with k1 1.2 and b 0.5 (as above); between 0 and 2.2.
    """
    room = K1 * (1 - B + B * lengths / max(mean, 1.0))
    return times * (K1 + 1) / (times + room)


def nearest_ranks(score: Floats, most: int = 200, k: int = 8) -> Floats:
    """Reciprocal ranks scaled to 1 for a best that is far ahead: k / (k + rank), from rank 1.

    Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (2009). Only the `most` best that are
    above 0 have one; ties rank by place.
    """
    found = np.zeros(len(score))
    above = np.flatnonzero(score > 0)
    if len(above) > most:
        above = above[np.argpartition(-score[above], most)[:most]]
    order = above[np.lexsort((above, -score[above]))]
    found[order] = k / (k + 1.0 + np.arange(len(order)))
    return found


def weighted(columns: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """The weighted sum of the columns."""
    total = np.zeros(len(next(iter(columns.values()))))
    for name, column in columns.items():
        if weights.get(name):
            total += weights[name] * column
    return total
