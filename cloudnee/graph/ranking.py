"""Okapi BM25 over postings that one audience sees, so that its statistics are that audience's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bm25"]

K1 = 1.2
B = 0.75
Posting = tuple[int, int, int]


def bm25(
    postings: Mapping[str, Sequence[Posting]], passages: int, terms: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(passages, their scores), for the postings (passage, place, passage's length) of each term.

    `passages` and `terms` are how many of each the audience sees in all. Formula: Robertson and
    Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), with k1 1.2, b 0.75.
    """
    mean = terms / passages if passages else 1.0
    found, gains = [np.empty(0, np.int64)], [np.empty(0)]
    for rows in postings.values():
        if rows:
            columns = np.asarray(rows, np.int64)
            ids, first, times = np.unique(columns[:, 0], return_index=True, return_counts=True)
            room = K1 * (1 - B + B * columns[first, 2] / mean)
            idf = np.log(1 + (passages - len(ids) + 0.5) / (len(ids) + 0.5))
            found.append(ids)
            gains.append(idf * times * (K1 + 1) / (times + room))
    ids, where = np.unique(np.concatenate(found), return_inverse=True)
    scores = np.zeros(len(ids))
    np.add.at(scores, where, np.concatenate(gains))
    return ids, scores
