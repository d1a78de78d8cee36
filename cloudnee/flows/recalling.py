"""The stages of `recall` that need vectors and the store: distances, scores, what SQL confirms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloudnee.flows.narrowing import Narrowing
from cloudnee.graph.question import Question, expanded, named
from cloudnee.graph.score import Parts, parts
from cloudnee.model import Hit
from cloudnee.pages.terms import content_words, identifiers, terms
from cloudnee.store.snapshot import Snapshot, exact_distances
from cloudnee.store.vectors import FACT, NAME, Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudnee.flows.reading import Reader
    from cloudnee.graph.score import Floats
    from cloudnee.store.store import EdgeRow

__all__ = ["Recaller", "Scored", "asked"]

_MARGIN = 0.02  # more than int8 copies can err in a score of three parts
_MOST_POSTINGS = 5000


def asked(query: str, words: Mapping[str, str], reader: Reader) -> Question:
    """A query as a question: words expanded, names found among what the audience sees."""
    text = expanded(query, words)
    store = reader.store

    with store.reading():
        return named(text, lambda keys: store.named_entities(keys, reader.bit))


@dataclass(frozen=True, slots=True)
class Scored:
    """Edges of the snapshot, best first: where they stand, how many identifiers, their parts.

    `nearest` is the least of each edge's three distances.
    """

    places: NDArray[np.int64]
    exact: NDArray[np.int64]
    parts: Parts
    nearest: NDArray[np.float64]


class Recaller:
    """Ranks the triplets of one org for one audience."""

    def __init__(
        self,
        snapshot: Snapshot,
        reader: Reader,
        unreadable: Callable[[str], bool],
        unrelated: float | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.reader = reader
        self.store = reader.store
        self.vectors: Vectors = snapshot.vectors
        self.unreadable = unreadable
        self.unrelated = unrelated

    def anything(self) -> bool:
        """Whether any fact is current for this audience: without one, no model is asked."""
        with self.snapshot.fresh() as snapshot:
            return bool((snapshot.edges["current_for"] & self.reader.bit).any())

    def hits(
        self,
        question: Question,
        vector: bytes | None,
        *,
        top_k: int,
        wide_k: int,
        influence: float,
        scoring: str,
        narrowing: Narrowing,
    ) -> tuple[Hit, ...]:
        """The best triplets, one hit each, that SQL confirms as current and visible."""
        with self.snapshot.fresh() as snapshot:
            visible = self._visible(snapshot, narrowing)
            if not len(visible):
                return ()
            near = self._near(snapshot, vector, scan=scoring == "scan")
            distances = self._distances(snapshot, near, visible, question)
            if scoring == "wide":
                self._narrow(snapshot, vector, visible, distances, wide_k)
            exact = self._exact(snapshot, question, visible)
            least = 0 if scoring == "scan" else top_k
            faded = self._faded(snapshot, visible, narrowing)
            scored = self._best(
                snapshot, visible, distances, exact, vector, least, influence, faded
            )
            found = self._confirmed(snapshot, scored, top_k)
            return found if self._speaks(question, found, vector, scored) else ()

    def _speaks(
        self, question: Question, hits: Sequence[Hit], vector: bytes | None, scored: Scored
    ) -> bool:
        """Whether any hit has to do with the question: else nothing is known, and so we say.

        A hit has where it holds a name, an identifier or a word of the question, or where one of
        its vectors is as near as the model says related texts are.
        """
        near = scored.nearest[: len(hits)].min(initial=np.inf)
        if question.entities or any(hit.parts["exact"] for hit in hits):
            return True
        if vector is not None and (self.unrelated is None or near <= self.unrelated):
            return True
        asked = {term for word in content_words(question.text) for term in terms(word)}
        return any(asked.intersection(terms(hit.edge.text)) for hit in hits)

    def _visible(self, snapshot: Snapshot, narrowing: Narrowing) -> NDArray[np.int64]:
        """The edges that are current for this audience and within dates and tags."""
        visible = np.flatnonzero(snapshot.edges["current_for"] & self.reader.bit)
        if narrowing.is_open and narrowing.period is None:
            return visible
        if not narrowing.is_open:
            tags = narrowing.tags_of(self.store, self.reader.bit)
            pages, dates = (snapshot.edges[name][visible] for name in ("page", "as_of"))
            visible = visible[narrowing.kept(pages, dates, tags)]
        return visible[narrowing.within(snapshot.edges["as_of"][visible])]

    def _faded(
        self, snapshot: Snapshot, edges: NDArray[np.int64], narrowing: Narrowing
    ) -> NDArray[np.float64]:
        """How far each edge has faded, where that is asked for: its parts grow by so much."""
        if not narrowing.recency:
            return np.zeros(len(edges))
        tags = narrowing.tags_of(self.store, self.reader.bit)
        return narrowing.age(snapshot.edges["page"][edges], snapshot.edges["as_of"][edges], tags)

    def scores(
        self, question: Question, vector: bytes | None, *, influence: float, narrowing: Narrowing
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(row ids in order, their scores from the copies) of all edges this audience sees."""
        with self.snapshot.fresh() as snapshot:
            visible = self._visible(snapshot, narrowing)
            near = self._near(snapshot, vector, scan=False)
            distances = self._distances(snapshot, near, visible, question)
            faded = self._faded(snapshot, visible, narrowing)
            score = self._parts(snapshot, visible, distances, influence, faded).score
            ids = snapshot.edges["id"][visible]
            order = np.argsort(ids)
            return ids[order], np.asarray(score[order], np.float64)

    def ends(self, edges: Iterable[str]) -> list[int]:
        """The entities that edges lead between."""
        rows = (self.store.edge_by_eid(eid, self.reader.bit) for eid in edges)
        return [entity for row in rows if row for entity in (row.source, row.target)]

    # distances

    def _near(self, snapshot: Snapshot, vector: bytes | None, *, scan: bool) -> dict[int, Floats]:
        """The distance of the question to every text of each index, in the order of its copy.

        From the copies in memory, or with `scan` from all stored vectors; empty without a vector.
        """
        if vector is None:
            return {}
        query = np.frombuffer(vector, np.float32)
        if scan:
            return {kind: snapshot.stored_distances(kind, query) for kind in snapshot.copies}
        return {kind: copy.distances(query) for kind, copy in snapshot.copies.items()}

    def _distances(
        self,
        snapshot: Snapshot,
        near: dict[int, Floats],
        edges: NDArray[np.int64],
        question: Question,
    ) -> list[NDArray[np.float64]]:
        """Source, relation and target distance of each edge; NaN: none."""
        found: list[NDArray[np.float64]] = []
        for part, kind in (("source", NAME), ("relation", FACT), ("target", NAME)):
            places = snapshot.place[part][edges]
            column = np.full(len(edges), np.nan)
            held = places >= 0
            if kind in near:
                column[held] = near[kind][places[held]]
            found.append(column)
        self._name(snapshot, edges, question, found)
        return found

    def _name(
        self,
        snapshot: Snapshot,
        edges: NDArray[np.int64],
        question: Question,
        distances: list[NDArray[np.float64]],
    ) -> None:
        """A named entity has distance 0."""
        if question.entities:
            entities = np.asarray(sorted(question.entities), np.int64)
            for place, column in ((0, "source"), (2, "target")):
                named_here = np.isin(snapshot.edges[column][edges], entities)
                distances[place][named_here] = 0

    def _narrow(
        self,
        snapshot: Snapshot,
        vector: bytes | None,
        edges: NDArray[np.int64],
        distances: list[NDArray[np.float64]],
        wide_k: int,
    ) -> None:
        """The originals' behaviour: only the nearest of each index have a distance."""
        columns = ("source_text", "text", "target_text")
        near: dict[int, set[int]] = {NAME: set(), FACT: set()}
        if vector is not None:
            for kind in near:
                found = self.vectors.nearest(kind, vector, min(wide_k, 4096), self.reader.bit)
                near[kind] = {text for text, _ in found}
        for place, (column, kind) in enumerate(zip(columns, (NAME, FACT, NAME), strict=True)):
            texts = snapshot.edges[column][edges]
            known = np.isin(texts, np.asarray(sorted(near[kind]), np.int64))
            distances[place][~known & (distances[place] != 0)] = np.nan

    def _exact(
        self, snapshot: Snapshot, question: Question, edges: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """How many of the question's exact identifiers each edge holds.

        A word of a script that the model cannot read counts as one: only the text index knows it.
        """
        found = np.zeros(len(edges), np.int64)
        scopes = [scope for scope, _, _ in self.store.visible_scopes(self.reader.bit)]
        wanted = dict.fromkeys(identifiers(question.text))
        wanted.update(dict.fromkeys(self._unread_terms(question.text)))
        ids = snapshot.edges["id"][edges]
        for term in wanted:
            rows = self.store.edges_with_term(scopes, term, _MOST_POSTINGS)
            if rows:
                found += np.isin(ids, np.fromiter(rows, np.int64, len(rows)))
        return found

    def _unread_terms(self, text: str) -> list[str]:
        words = [word for word in content_words(text) if not word.isascii()]
        unread = [word for word in words if self.unreadable(word)]
        found = [term for word in unread for term in terms(word)]
        pairs = [term for term in found if len(term) > 1]
        return pairs or found

    # ranking

    def _best(
        self,
        snapshot: Snapshot,
        edges: NDArray[np.int64],
        distances: list[NDArray[np.float64]],
        exact: NDArray[np.int64],
        vector: bytes | None,
        least: int,
        influence: float,
        faded: NDArray[np.float64],
    ) -> Scored:
        """The candidates for the `least` best (0: all), their distances exact, in total order."""
        rough = self._parts(snapshot, edges, distances, influence, faded)
        near = np.arange(len(edges))
        if least:
            near = self._nearest(snapshot, edges, rough.score, exact, least)
        chosen = edges[near]
        columns = [column[near] for column in distances]
        if vector is not None and least:
            self._sharpen(snapshot, chosen, columns, vector)
        fine = self._parts(snapshot, chosen, columns, influence, faded[near])
        order = np.lexsort((snapshot.edges["eid"][chosen], fine.score, -exact[near]))
        sorted_parts = Parts(fine.source[order], fine.relation[order], fine.target[order])
        nearest = np.fmin(np.fmin(*columns[:2]), columns[2])[order]
        return Scored(chosen[order], exact[near][order], sorted_parts, nearest)

    def _parts(
        self,
        snapshot: Snapshot,
        edges: NDArray[np.int64],
        distances: Sequence[NDArray[np.float64]],
        influence: float,
        faded: NDArray[np.float64],
    ) -> Parts:
        importance, weight = snapshot.edges["importance"][edges], snapshot.edges["weight"][edges]
        three = (distances[0], distances[1], distances[2])
        found = parts(three, importance, weight, influence)
        if not faded.any():
            return found
        return Parts(*(part * (1 + faded) for part in (found.source, found.relation, found.target)))

    def _nearest(
        self,
        snapshot: Snapshot,
        edges: NDArray[np.int64],
        score: Floats,
        exact: NDArray[np.int64],
        top_k: int,
    ) -> NDArray[np.int64]:
        """Places (in `edges`) of all that could be among the best triplets, ties included."""
        size = max(64, 4 * top_k)
        keyed = score - exact * 100.0  # an identifier outweighs any score
        while size < len(edges):
            first = np.argpartition(keyed, size)[:size]
            first = first[np.argsort(keyed[first], kind="stable")]
            texts = snapshot.edges["text"][edges[first]]
            _, at = np.unique(texts, return_index=True)
            if len(at) >= top_k:
                bound = keyed[first[np.sort(at)[top_k - 1]]] + _MARGIN
                return np.flatnonzero(keyed <= bound)
            size *= 4
        return np.arange(len(edges))

    def _sharpen(
        self,
        snapshot: Snapshot,
        edges: NDArray[np.int64],
        distances: list[NDArray[np.float64]],
        vector: bytes,
    ) -> None:
        """Replace the copies' distances by those of the stored float32 vectors."""
        query = np.frombuffer(vector, np.float32)
        for place, (column, kind) in enumerate(
            (("source_text", NAME), ("text", FACT), ("target_text", NAME))
        ):
            texts = snapshot.edges[column][edges]
            known = ~np.isnan(distances[place]) & (distances[place] != 0)
            fine = self._stored(kind, np.unique(texts[known]), query)
            for i in np.flatnonzero(known):
                distances[place][i] = fine.get(int(texts[i]), np.nan)

    def _stored(
        self, kind: int, texts: NDArray[np.int64], query: NDArray[np.float32]
    ) -> dict[int, float]:
        held = [(int(text), self.vectors.vector(int(text), kind)) for text in texts]
        known = [(text, vector) for text, vector in held if vector is not None]
        if not known:
            return {}
        matrix = np.frombuffer(b"".join(v for _, v in known), np.float32).reshape(len(known), -1)
        distances = exact_distances(matrix, query)
        return {text: float(d) for (text, _), d in zip(known, distances, strict=True)}

    def _confirmed(self, snapshot: Snapshot, scored: Scored, top_k: int) -> tuple[Hit, ...]:
        """The first triplets that the rows themselves say are current and visible."""
        hits: list[Hit] = []
        seen: set[tuple[int, str, int]] = set()
        ids = snapshot.edges["id"]
        for i, place in enumerate(scored.places):
            row = self.store.edge(int(ids[place]), self.reader.bit)
            if row is None or (row.source, row.relation, row.target) in seen:
                continue
            seen.add((row.source, row.relation, row.target))
            hits.append(self._hit(row, scored, i))
            if len(hits) == top_k:
                break
        return tuple(hits)

    def _hit(self, row: EdgeRow, scored: Scored, i: int) -> Hit:
        sources = self.store.edges_of_triplet(row, self.reader.bit)
        edge = self.reader.edge(row, sources=sources)
        three = {
            "source": float(scored.parts.source[i]),
            "relation": float(scored.parts.relation[i]),
            "target": float(scored.parts.target[i]),
        }
        score = sum(three.values())
        return Hit(edge, score, {**three, "exact": float(scored.exact[i])}, edge.sources)
