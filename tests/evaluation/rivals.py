"""The plain methods on the same texts: BM25, vectors, and both fused by reciprocal ranks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cloudnee.pages.terms import STOP_WORDS, terms
from tests.evaluation.sets import Unit

__all__ = ["Rivals"]

Embed = Callable[[Sequence[str]], NDArray[np.float32]]


class Rivals:
    """Ranks the units of one org."""

    def __init__(self, units: Mapping[Unit, str], embed: Embed) -> None:
        self.units = list(units)
        self.embed = embed
        self.vectors = embed(list(units.values()))
        counted = [Counter(terms(text)) for text in units.values()]
        lengths = [sum(words.values()) for words in counted]
        mean = sum(lengths) / max(1, len(lengths))
        self.room = [1.2 * (0.25 + 0.75 * length / mean) for length in lengths]
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, words in enumerate(counted):
            for word, times in words.items():
                self.postings[word].append((place, times))

    def _bm25(self, question: str) -> NDArray[np.float64]:
        score = np.zeros(len(self.units))
        for word in set(terms(question)) - STOP_WORDS:
            held = self.postings.get(word, ())
            idf = math.log(1 + (len(self.units) - len(held) + 0.5) / (len(held) + 0.5))
            for place, times in held:
                score[place] += idf * times * 2.2 / (times + self.room[place])
        return score

    def bm25(self, question: str) -> list[Unit]:
        """Okapi BM25, k1 1.2, b 0.75, without the commonest words of a question."""
        return self._ranked(self._bm25(question))

    def dense(self, question: str) -> list[Unit]:
        """Cosine to the question."""
        return self._ranked(self.vectors @ self.embed([question])[0])

    def fused(self, question: str) -> list[Unit]:
        """Reciprocal ranks of both with k = 60."""
        score: dict[Unit, float] = defaultdict(float)
        for ranked in (self.bm25(question), self.dense(question)):
            for rank, unit in enumerate(ranked, 1):
                score[unit] += 1 / (60 + rank)
        return sorted(score, key=lambda unit: -score[unit])

    def _ranked(self, score: NDArray[np.floating]) -> list[Unit]:
        return [self.units[place] for place in np.argsort(-score, kind="stable")[:100]]
