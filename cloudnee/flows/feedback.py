"""Ratings: queued as they come, applied in batches."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from cloudnee.errors import BadInput
from cloudnee.flows.inputs import checked_ids, checked_text
from cloudnee.graph.feedback import folded_weight
from cloudnee.model import Applied, Rated
from cloudnee.store.store import Store

__all__ = ["apply_queue", "is_late", "queue_ratings"]

_HOUR = 3_600_000_000  # microseconds: a queue older than this is applied by whoever finds it


def queue_ratings(
    store: Store,
    bit: int,
    edge_ids: Sequence[str],
    rating: object,
    key: str | None,
    implicit: object,
    now: int,
) -> Rated:
    """Queue one rating for the fact of each edge that this audience sees."""
    ids = checked_ids("edge_ids", edge_ids)
    if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
        raise BadInput(f"rating must be a whole number from 1 to 5, not {rating!r}")
    if key is not None:
        checked_text("key", key)
    if not isinstance(implicit, bool):
        raise BadInput(f"implicit must be True or False, not {implicit!r}")
    key = key or f"once:{uuid.uuid4().hex}"
    with store.writing():
        known = {eid: store.edge_by_eid(eid, bit) for eid in ids}
        facts = dict.fromkeys(eid.partition(".")[0] for eid, row in known.items() if row)
        for fact in facts:
            store.add_rating(fact, key, rating, implicit, now)
    unknown = tuple(eid for eid, row in known.items() if row is None)
    return Rated(len(facts), unknown)


def apply_queue(store: Store) -> Applied:
    """Make the weight of each fact with waiting ratings the fold of all its ratings."""
    with store.writing():
        waiting = store.waiting_facts()
        revision = store.next_revision() if waiting else 0
        for fact, _ in waiting:
            weight = folded_weight(
                (rating, bool(implicit)) for rating, implicit in store.ratings_of(fact)
            )
            store.apply_weight(fact, weight, revision)
    return Applied(sum(count for _, count in waiting), len(waiting))


def is_late(store: Store, now: int) -> bool:
    """Whether a rating has waited for over an hour."""
    oldest = store.oldest_waiting()
    return oldest is not None and now - oldest > _HOUR
