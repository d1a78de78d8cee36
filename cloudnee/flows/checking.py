"""What can be wrong with a file, asked one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from cloudnee.errors import StoreError
from cloudnee.graph.supersession import Stated, current_masks
from cloudnee.model import Fault
from cloudnee.store.store import Store
from cloudnee.store.vectors import INDEXED, PARKED, UNREADABLE

if TYPE_CHECKING:
    from cloudnee.config import AudienceRules
    from cloudnee.flows.engine import Engine

__all__ = ["faults"]

_QUERIES = {
    "dangling edge": "check_dangling_edges",
    "dangling name": "check_dangling_names",
    "orphan entity": "check_orphan_entities",
    "wrong count": "check_entity_uses",
    "wrong text count": "check_text_counts",
    "edge text index": "check_edge_terms",
    "passage text index": "check_passage_terms",
    "wrong audience": "check_masks",
}


def faults(engine: Engine) -> list[Fault]:
    """Every fault of the org; empty when it is clean."""
    store = engine.store
    if not store.known:
        return []
    with store.reading():
        found = [Fault("damaged file", text) for text in store.db.integrity()]
        for kind, query in _QUERIES.items():
            found.extend(Fault(kind, row[0]) for row in store.db.rows(query, org=store.org))
        found.extend(_pages(store, store.audiences()))
        found.extend(_judgements(engine))
        found.extend(_vectors(engine))
    found.extend(_indexes(store))
    return found


def _pages(store: Store, rules: list[tuple[AudienceRules, int]]) -> Iterator[Fault]:
    for path, text, hashed, seen_by in store.db.rows("check_pages", org=store.org):
        if hashlib.sha256(text.encode("utf-8")).hexdigest() != hashed:
            yield Fault("wrong hash", path)
        if seen_by != sum(bit for rule, bit in rules if rule.may_see(path)):
            yield Fault("wrong audience", path)


def _judgements(engine: Engine) -> Iterator[Fault]:
    stated = [Stated(*row) for row in engine.store.db.rows("check_stated", org=engine.store.org)]
    masks = current_masks(stated, engine.ontology)
    for edge in stated:
        if masks[edge.id] != edge.current_for:
            row = engine.store.db.row("check_eid", id=edge.id)
            yield Fault("wrong current_for", row[0] if row else str(edge.id))


def _vectors(engine: Engine) -> Iterator[Fault]:
    if not engine.vectors.made:
        return
    held = {kind: engine.vectors.ids(kind) for kind in (0, 1)}
    rows = engine.store.db.rows("check_text_states", org=engine.store.org)
    for text, kind, words, stated, live, state, parked in rows:
        indexed = text in held[kind]
        held[kind].discard(text)
        if indexed != (state == INDEXED) or bool(parked) != (state == PARKED):
            yield Fault("missing vector" if state == INDEXED else "orphan vector", words)
        elif live > 0 and state not in (INDEXED, UNREADABLE):
            yield Fault("missing vector", words)
        elif (live <= 0 and state == INDEXED) or (stated <= 0 and state == PARKED):
            yield Fault("orphan vector", words)
    for kind, left in held.items():
        yield from (Fault("orphan vector", f"index {kind}, row {text}") for text in sorted(left))


def _indexes(store: Store) -> Iterator[Fault]:
    for name in ("check_edge_index", "check_passage_index"):
        try:
            store.db.run(name)
        except StoreError as error:
            yield Fault("broken text index", str(error))
