"""Page search: the passages of pages that a question's words lead to."""

from __future__ import annotations

from cloudnee.graph.ranking import bm25
from cloudnee.model import Passage
from cloudnee.pages.terms import STOP_WORDS, identifiers, terms
from cloudnee.store.store import Store

__all__ = ["passages"]

_MOST_TERMS = 64
_MOST_POSTINGS = 20_000


def passages(store: Store, query: str, bit: int, top_k: int) -> tuple[Passage, ...]:
    """The best passages this audience sees; those with an exact identifier of the query first."""
    with store.reading():
        scopes = store.visible_scopes(bit)
        wanted = list(dict.fromkeys(terms(query)))
        wanted = [t for t in wanted if t not in STOP_WORDS][:_MOST_TERMS] or wanted[:_MOST_TERMS]
        postings = {
            term: [p for s, _, _ in scopes for p in store.passage_postings(s, term, _MOST_POSTINGS)]
            for term in wanted
        }
        scores = bm25(postings, sum(n for _, n, _ in scopes), sum(t for _, _, t in scopes))
        exact = {p for term in identifiers(query) for p, _, _ in postings.get(term, ())}
        best = sorted(scores, key=lambda p: (p not in exact, -scores[p], p))[:top_k]
        found = (_passage(store, passage, scores[passage], bit) for passage in best)
        return tuple(p for p in found if p is not None)


def _passage(store: Store, passage: int, score: float, bit: int) -> Passage | None:
    row = store.passage(passage, bit)
    if row is None:
        return None
    path, first, last, text, heading = row
    return Passage(path, first, last, text, round(score, 4), heading)
