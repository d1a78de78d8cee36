"""Who satisfies most of a question's parts, over all facts an audience sees: several at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloudnee.graph.question import Question
from cloudnee.model import Subject
from cloudnee.pages.terms import content_words, terms
from cloudnee.store.snapshot import Snapshot
from cloudnee.store.vectors import NAME

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudnee.flows.reading import Reader

__all__ = ["Satisfying"]

_MOST_POSTINGS = 50_000
_WORD_LIFT = 0.25
Embed = Callable[[Sequence[str]], "list[bytes | None]"]


class Satisfying:
    """Ranks the subjects of one org's facts for one audience."""

    def __init__(self, snapshot: Snapshot, reader: Reader) -> None:
        self.snapshot = snapshot
        self.reader = reader
        self.store = reader.store

    def subjects(self, question: Question, embed: Embed, most: int = 10) -> tuple[Subject, ...]:
        """Who satisfies most of the question's parts, over all edges the audience sees.

        For each content word and each pair of neighbours, the best cosine to a name that the
        subject leads to, and 0.25 more where the word stands in that edge; the sum ranks.
        """
        words = content_words(question.rest)[:24]
        phrases = words + [f"{a} {b}" for a, b in pairwise(words)]
        vectors = embed(phrases) if phrases else []
        with self.snapshot.fresh() as snapshot:
            edges = np.flatnonzero(snapshot.edges["current_for"] & self.reader.bit)
            if not len(edges) or not phrases:
                return ()
            edges = edges[np.argsort(snapshot.edges["eid"][edges])]  # ties go by first edge id
            sources = snapshot.edges["source"][edges]
            people, first, inverse = np.unique(sources, return_index=True, return_inverse=True)
            total = np.zeros(len(people))
            for phrase, vector in zip(phrases, vectors, strict=True):
                gain = self._gain(snapshot, edges, phrase, vector)
                best = np.zeros(len(people))
                np.maximum.at(best, inverse, gain)
                total += best
            order = np.lexsort((first, -np.round(total, 6)))[:most]
            return self._ranked(people[order], total[order])

    def _gain(
        self, snapshot: Snapshot, edges: NDArray[np.int64], phrase: str, vector: bytes | None
    ) -> NDArray[np.float64]:
        gain = np.zeros(len(edges))
        if vector is not None:
            copy = snapshot.copies[NAME]
            cosine = 1 - copy.distances(np.frombuffer(vector, np.float32))
            places = snapshot.place["target"][edges]
            held = places >= 0
            gain[held] = np.maximum(cosine[places[held]], 0)
        if " " not in phrase:
            gain += _WORD_LIFT * self._standing(snapshot, edges, phrase)
        return gain

    def _standing(
        self, snapshot: Snapshot, edges: NDArray[np.int64], word: str
    ) -> NDArray[np.bool_]:
        scopes = [scope for scope, _, _ in self.store.visible_scopes(self.reader.bit)]
        rows: set[int] = set()
        for term in terms(word):
            rows |= self.store.edges_with_term(scopes, term, _MOST_POSTINGS)
        return np.isin(snapshot.edges["id"][edges], np.fromiter(rows, np.int64, len(rows)))

    def _ranked(self, people: NDArray[np.int64], total: NDArray[Any]) -> tuple[Subject, ...]:
        found = []
        for person, score in zip(people, total, strict=True):
            eid, name, _ = self.reader.shown(int(person))
            if score > 0:
                found.append(Subject(eid, name, round(float(score), 4)))
        return tuple(found)
