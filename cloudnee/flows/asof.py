"""What was true on a day: the facts that pages stated then, judged by what was known then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cloudnee.flows.reading import Reader
from cloudnee.graph.question import Question
from cloudnee.graph.supersession import Laws, Stated, verdicts
from cloudnee.model import Current, Edge, Hit
from cloudnee.pages.terms import content_words, terms
from cloudnee.store.store import EdgeRow

__all__ = ["current_then", "hits_then"]

_MOST = 1000  # intervals of one entity that are looked at
_MOST_FACTS = 96  # facts that are embedded for one question
_MOST_POSTINGS = 400
Embed = Callable[[Sequence[str]], "list[bytes | None]"]


def current_then(reader: Reader, who: str, day: int, laws: Laws) -> Current:
    """What was current about whoever is meant at a moment, in microseconds."""
    with reader.store.reading():
        found = reader.entities(who)
        rows = [row for entity in found for row in _then(reader, entity, day, laws)]
        edges = tuple(_as_then(edge) for edge in reader.by_triplet(dict.fromkeys(rows)))
        return Current(
            tuple(reader.entity(row) for row in found),
            edges,
            suggestions=() if found else reader.suggestions(who),
        )


def hits_then(
    reader: Reader, question: Question, day: int, laws: Laws, embed: Embed, top_k: int
) -> tuple[Hit, ...]:
    """The facts of a moment that answer a question best, by the cosine of their sentences.

    Past facts are in no vector index: those of the named entities, and those that share words with
    the question, are embedded anew, 96 at most.
    """
    import numpy as np

    with reader.store.reading():
        entities = dict.fromkeys(sorted(question.entities))
        entities.update(dict.fromkeys(_worded(reader, question)))
        rows: dict[int, EdgeRow] = {}
        for entity in entities:
            if len(rows) < _MOST_FACTS:
                rows.update({row.id: row for row in _then(reader, entity, day, laws)})
        edges = [_as_then(edge) for edge in reader.by_triplet(list(rows.values())[:_MOST_FACTS])]
    made = embed([question.text, *(edge.text for edge in edges)]) if edges else []
    held = [np.frombuffer(vector, np.float32) if vector else None for vector in made]
    found = []
    for edge, vector in zip(edges, held[1:], strict=True):
        asked = held[0]
        near = 2.0 if asked is None or vector is None else 1 - float(np.dot(asked, vector))
        found.append(Hit(edge, round(near, 6), {"relation": near}, edge.sources))
    found.sort(key=lambda hit: (hit.score, hit.edge.id))
    return tuple(found[:top_k])


def _worded(reader: Reader, question: Question) -> list[int]:
    """The entities of edges, past ones too, that hold words of a question; the most words first."""
    scopes = [scope for scope, _, _ in reader.store.visible_scopes(reader.bit)]
    counted: dict[int, int] = {}
    for word in content_words(question.rest):
        for term in terms(word):
            for row in reader.store.edges_with_term(scopes, term, _MOST_POSTINGS):
                counted[row] = counted.get(row, 0) + 1
    best = sorted(counted, key=lambda row: (-counted[row], row))[:_MOST_FACTS]
    return [entity for row in best for entity in reader.store.ends_of(row)]


def _then(reader: Reader, entity: int, day: int, laws: Laws) -> list[EdgeRow]:
    """The facts about an entity that were stated and current at a moment, for this audience."""
    rows = {row.id: row for row in reader.store.edges_ever(entity, reader.bit, _MOST)}
    rivals: dict[int, None] = {}
    for row in rows.values():
        law = laws.relation(row.relation)
        if law.functional or law.excludes:
            rivals[row.source] = None
        if law.inverse_functional:
            rivals[row.target] = None
    for other in rivals:
        held = reader.store.edges_ever(other, reader.bit, _MOST)
        rows.update({row.id: row for row in held})
    stated = [row for row in rows.values() if _stated_then(row, day)]
    lost = verdicts((_judged(row) for row in stated), laws, reader.bit)
    return [r for r in stated if r.id not in lost and entity in (r.source, r.target)]


def _stated_then(row: EdgeRow, day: int) -> bool:
    began = min(row.as_of, row.since)
    return began <= day and (row.retired_at is None or row.retired_at > day)


def _judged(row: EdgeRow) -> Stated:
    return Stated(
        row.id,
        row.source,
        row.relation,
        row.target,
        row.as_of,
        row.created_at,
        row.line,
        row.seen_by,
    )


def _as_then(edge: Edge) -> Edge:
    """An edge as it was: not ended yet."""
    return replace(edge, ended="", superseded_by=None)
