"""How well passages answer a question: what is measured of each, and how much it counts.

Every measure is a column over the passages; a score is the weighted sum of columns. `FIRST` ranks
them by themselves and picks those whose links are followed, `FINAL` ranks what came of it. The
weights were fitted on one half of public question sets (docs/retrieval.md): one setting for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["FINAL", "FIRST", "bm25", "idf", "reciprocal_ranks", "weighted"]

K1 = 1.2
B = 0.5

# What a passage has by itself and by what stands beside it on its page.
FIRST: Mapping[str, float] = MappingProxyType(
    {
        "meaning": 6.16,  # cosine of its vector to the question's
        "words": 2.51,  # reciprocal rank of its words (BM25, neighbours and date at a part)
        "coverage": 2.38,  # share of the question's rarity that stands in it or before it
        "pairs": 1.85,  # share of the question's neighbouring words that stand together
        "date": 64.5,  # share of the question that its page's date answers
        "page words": 0.931,  # the best words of its page
        "page meaning": 0.796,  # the best meaning of its page
        "front": -2.0,  # it is front matter
        "first": 0.483,  # it opens its page
        "meaning after": 1.04,  # the meaning of the passage after it
        "meaning before": 0.789,  # and of the one before it
        "answers": 1.23,  # the meaning of the one before it, where that asks
        "asks": -0.708,  # a turn that asks
        "said": 2,  # how much a turn says, up to 25 words
        "length": -0.262,  # logarithm of its words
        "assistant": -3.91,  # the machine of a chat says it
        "time": 1.42,  # it tells a time and the question asks for one
        "speaker": 2.67,  # the only speaker that the question names says it
        "named": 6.05,  # the question names its page
    }
)

# The same once more, and what links give.
FINAL: Mapping[str, float] = MappingProxyType(
    {
        "meaning": 6.09,
        "words": 1.04,
        "coverage": 2.13,
        "pairs": 1.23,
        "date": 46.8,
        "page words": 1.05,
        "page meaning": 0.382,
        "front": -2.0,
        "first": 0.797,
        "meaning after": 1.41,
        "meaning before": 1.16,
        "answers": 0.953,
        "asks": -0.589,
        "said": 2.14,
        "length": -0.355,
        "assistant": -3.25,
        "time": 1.26,
        "speaker": 2.41,
        "named": 2.94,
        "title": 9.62,  # the question names its page, by how much of the question that is
        "mentioned": 4.07,  # a good passage mentions its page
        "mentioned near": 5.02,  # beside words of the question
        "completes": 4.35,  # and it has words of the question that the good passage lacks
        "mentions": 5.49,  # it mentions a good passage's page, and has words of the question
        "rest": 1.06,  # linked, it has what the named pages leave of the question
        "shares": 6.49,  # it shares a rare name with a named page
        "page": 0.254,  # how much of the best stands on its page
        "rank": 0.742,  # reciprocal rank of the first score
    }
)


def idf(passages: int, holding: int) -> float:
    """How rare a term is that `holding` of the passages hold.

    Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
    """
    return float(np.log(1 + (passages - holding + 0.5) / (holding + 0.5)))


def bm25(times: Floats, lengths: Floats, mean: float) -> Floats:
    """The gain of a term that stands so many times in passages of these lengths, without its idf.

    Okapi BM25 (as above) with k1 1.2 and b 0.5: from 0 to 2.2.
    """
    room = K1 * (1 - B + B * lengths / max(mean, 1.0))
    return times * (K1 + 1) / (times + room)


def reciprocal_ranks(score: Floats, most: int, k: int) -> Floats:
    """k / (k + rank) of the `most` best that are above 0, from rank 1 on; 0 for the others.

    Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (2009). Ties rank by place.
    """
    found = np.zeros(len(score))
    above = np.flatnonzero(score > 0)
    if len(above) > most:
        least = np.partition(score[above], len(above) - most)[len(above) - most]
        above = above[score[above] >= least]
    order = above[np.lexsort((above, -score[above]))][:most]
    found[order] = k / (k + 1.0 + np.arange(len(order)))
    return found


def weighted(columns: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """The weighted sum of columns of one length."""
    total: Floats = np.zeros(len(next(iter(columns.values()))))
    for name, weight in weights.items():
        total += weight * columns[name]
    return total
