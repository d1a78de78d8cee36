"""Page search: the passages of pages that a question's words lead to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cloudnee.graph.ranking import bm25
from cloudnee.model import Passage
from cloudnee.pages.terms import STOP_WORDS, identifiers, terms
from cloudnee.store.store import Store

__all__ = ["passages"]

_MOST_TERMS = 64
_COMMON = 1000  # a word in more places than this, and in 5 % of the passages, leads nowhere


def passages(store: Store, query: str, bit: int, top_k: int) -> tuple[Passage, ...]:
    """The best passages this audience sees; those with an exact identifier of the query first."""
    with store.reading():
        scopes = store.visible_scopes(bit)
        count, length = sum(n for _, n, _ in scopes), sum(t for _, _, t in scopes)
        postings = _postings(store, query, [scope for scope, _, _ in scopes], count)
        ids, scores = bm25(postings, count, length)
        named = [p for term in identifiers(query) for p, _, _ in postings.get(term, ())]
        exact = np.isin(ids, np.asarray(named, np.int64))
        best = np.lexsort((ids, -scores, ~exact))[:top_k]
        found = (_passage(store, int(ids[i]), float(scores[i]), bit) for i in best)
        return tuple(p for p in found if p is not None)


def _postings(
    store: Store, query: str, scopes: Sequence[int], count: int
) -> dict[str, list[tuple[int, int, int]]]:
    """The postings of the query's words within the scopes; common words only where all are."""
    wanted = list(dict.fromkeys(terms(query)))
    wanted = [t for t in wanted if t not in STOP_WORDS][:_MOST_TERMS] or wanted[:_MOST_TERMS]
    most = max(_COMMON, count // 20)
    places = {
        term: sum(store.count_postings(scope, term, most + 1) for scope in scopes)
        for term in wanted
    }
    rare = [term for term in wanted if 0 < places[term] <= most]
    return {
        term: [p for scope in scopes for p in store.passage_postings(scope, term, most)]
        for term in rare or wanted
    }


def _passage(store: Store, passage: int, score: float, bit: int) -> Passage | None:
    row = store.passage(passage, bit)
    if row is None:
        return None
    path, first, last, text, heading = row
    return Passage(path, first, last, text, round(score, 4), heading)
