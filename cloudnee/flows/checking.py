"""What can be wrong with a file, asked one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cloudnee.errors import EmbeddingFailed, StoreError
from cloudnee.flows.contradicting import without_losers
from cloudnee.graph.supersession import Stated, current_masks
from cloudnee.model import Fault
from cloudnee.store.store import Store
from cloudnee.store.vectors import FACT, INDEXED, NAME, PARKED, UNREADABLE

if TYPE_CHECKING:
    from cloudnee.config import AudienceRules
    from cloudnee.flows.engine import Engine

__all__ = ["faults", "wrong_vectors"]

SAMPLE = 64  # texts that `check` embeds again
ALIKE = 0.95  # cosine: a model gives one text the same vector, but for how a batch is padded

_QUERIES = {
    "dangling edge": "check_dangling_edges",
    "dangling name": "check_dangling_names",
    "orphan entity": "check_orphan_entities",
    "wrong count": "check_entity_uses",
    "wrong text count": "check_text_counts",
    "edge text index": "check_edge_terms",
    "passage text index": "check_passage_terms",
    "missing passage vectors": "check_passage_vectors",
    "dangling contradiction": "check_contradictions",
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
    without_losers(engine.store, masks)
    for edge in stated:
        if masks[edge.id] != edge.current_for:
            row = engine.store.db.row("check_eid", id=edge.id)
            yield Fault("wrong current_for", row[0] if row else str(edge.id))


def _vectors(engine: Engine) -> Iterator[Fault]:
    if not engine.vectors.made:
        return
    texts = engine.store.db.rows("check_text_states", org=engine.store.org)
    held = {kind: engine.vectors.ids(kind) for kind in (NAME, FACT)}
    for text, kind, words, stated, live, state, parked in texts:
        fault = _vector_fault(text in held[kind], stated, live, state, parked)
        held[kind].discard(text)
        if fault:
            yield Fault(fault, words)
    for kind, left in held.items():
        yield from (Fault("orphan vector", f"index {kind}, row {text}") for text in sorted(left))
    yield from (Fault("foreign embedding", words) for _, words in _foreign(engine, texts))


def _vector_fault(indexed: bool, stated: int, live: int, state: int, parked: int) -> str:
    """What is wrong with where a text's vector is, if anything."""
    if indexed != (state == INDEXED) or bool(parked) != (state == PARKED):
        return "missing vector" if state in (INDEXED, PARKED) and not indexed else "orphan vector"
    if live > 0 and state not in (INDEXED, UNREADABLE):
        return "missing vector"
    if (live <= 0 and state == INDEXED) or (stated <= 0 and state == PARKED):
        return "orphan vector"
    return ""


def _foreign(engine: Engine, texts: list[tuple[Any, ...]]) -> list[tuple[int, str]]:
    """(text, words) of vectors that the model would not make of their texts.

    Lengths are looked at for all, and some texts are embedded again; all of them where one of
    those is wrong. While the embedder is out of order the lengths alone speak: its outage is no
    fault of the file, and the file's other faults are still told.
    """
    held = [(row[0], row[1], row[2]) for row in texts if row[5] == INDEXED]
    lengths = _other_lengths(engine, held)
    embedder, store = engine.embedder, engine.store
    if (store.meta("model"), store.meta("dimensions")) != (
        embedder.model,
        str(embedder.dimensions),
    ):
        return lengths  # another model's file: opened to look things up
    sample = held[:: max(1, len(held) // SAMPLE)]
    try:
        wrong = _unlike(engine, sample)
        if wrong and len(sample) < len(held):
            wrong = _unlike(engine, held)
    except EmbeddingFailed:
        return lengths
    return list(dict.fromkeys(lengths + wrong))


def _other_lengths(engine: Engine, held: list[tuple[int, int, str]]) -> list[tuple[int, str]]:
    """Vectors that are not of length 1, read as the indexes lie on disk."""
    import numpy as np

    wrong: set[int] = set()
    for kind in (NAME, FACT):
        for rowids, validity, block in engine.vectors.blocks(kind):
            valid = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little") == 1
            rows = np.frombuffer(block, np.float32).reshape(len(valid), -1)[valid]
            off = ~(np.abs(np.linalg.norm(rows, axis=1) - 1) < 1e-3)  # NaN too
            wrong.update(np.frombuffer(rowids, np.int64)[valid][off].tolist())
    return [(text, words) for text, _, words in held if text in wrong]


def _unlike(engine: Engine, held: list[tuple[int, int, str]]) -> list[tuple[int, str]]:
    """Vectors that are far from what the model makes of their text now."""
    import numpy as np

    found = []
    made = engine.embedded([words for _, _, words in held])
    for (text, kind, words), vector in zip(held, made, strict=True):
        stored = engine.vectors.vector(text, kind)
        if vector is None or stored is None:
            continue
        cosine = float(np.dot(*(np.frombuffer(v, np.float32) for v in (vector, stored))))
        if not cosine > ALIKE:
            found.append((text, words))
    return found


def wrong_vectors(engine: Engine) -> tuple[list[tuple[int, int]], list[int]]:
    """What must be mended: (kind, row) in an index of no text, and texts with a wrong vector."""
    if not engine.vectors.made:
        return [], []
    texts = engine.store.db.rows("check_text_states", org=engine.store.org)
    held = {kind: engine.vectors.ids(kind) for kind in (NAME, FACT)}
    wrong = [
        text
        for text, kind, _, stated, live, state, parked in texts
        if _vector_fault(text in held[kind], stated, live, state, parked)
    ]
    wrong += [text for text, _ in _foreign(engine, texts)]
    known = {row[0] for row in texts}
    return [(kind, row) for kind, rows in held.items() for row in rows - known], wrong


def _indexes(store: Store) -> Iterator[Fault]:
    for name in ("check_edge_index", "check_passage_index"):
        try:
            store.db.run(name)
        except StoreError as error:
            yield Fault("broken text index", str(error))
