"""What `check` finds, mended: from other rows, from the pages' texts, from the embedder."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from cloudnee.errors import CloudneeError, Conflict
from cloudnee.flows.checking import faults, wrong_vectors
from cloudnee.flows.contradicting import without_losers
from cloudnee.flows.remembering import Remembering
from cloudnee.graph.facts import triplet_text
from cloudnee.graph.identity import entity_key, folded_key
from cloudnee.graph.supersession import Stated, current_masks
from cloudnee.model import Fault
from cloudnee.pages.page import parse_page
from cloudnee.pages.passages import PagePassages, page_passages
from cloudnee.pages.terms import terms
from cloudnee.store.mending import Mending
from cloudnee.store.vectors import MissingVectors

__all__ = ["repaired"]

_TRIES = 3
_INDEXES = {"edge text index", "passage text index", "broken text index", "damaged file"}
Text = tuple[int, str]


def repaired(remembering: Remembering) -> list[Fault]:
    """Every fault there was, each with whether it is mended; the owner only.

    Everything but reading pages anew is one transaction.
    """
    remembering.caller.owner_only("repair the file")
    engine = remembering.engine
    found = faults(engine)
    if not found:
        return []
    vectors: dict[Text, bytes | None] = {}
    for _ in range(_TRIES):
        try:
            with engine.store.writing():
                paths = _Repair(remembering, {fault.kind for fault in found}).run(vectors)
            break
        except MissingVectors as missing:
            made = engine.embedded([text for _, text in missing.texts])
            vectors.update(zip(missing.texts, made, strict=True))
    else:
        raise Conflict("others wrote meanwhile: run check --repair again")
    _read_anew(remembering, paths)
    left = {(fault.kind, fault.detail) for fault in faults(engine)}
    return [replace(fault, mended=(fault.kind, fault.detail) not in left) for fault in found]


def _read_anew(remembering: Remembering, paths: set[str]) -> None:
    for path in sorted(paths):
        row = remembering.store.page(path)
        if row is not None and row.text:
            try:
                remembering.remember(remembering.engine.drafter.stored(row))
            except CloudneeError:  # its status says so, and `check` that it is not mended
                continue


class _Repair:
    def __init__(self, remembering: Remembering, kinds: set[str]) -> None:
        self.engine = remembering.engine
        self.store = remembering.store
        self.mending = Mending(remembering.store)
        self.writer = remembering.caller.writer()
        self.kinds = kinds
        self.revision = self.store.next_revision()
        self.paths: set[str] = set()

    def run(self, vectors: Mapping[Text, bytes | None]) -> set[str]:
        """Mend rows, then what is derived from them; gives the pages to read anew."""
        strays, texts = wrong_vectors(self.engine)
        self._pages()
        self._dangling()
        self.mending.recount()
        self._audiences()
        self._judge()
        if self.kinds & _INDEXES:
            self._indexes()
        self.mending.blank(texts, strays)
        self.mending.recount()
        every = [row for row, *_ in self.store.db.rows("check_text_states", org=self.store.org)]
        self.writer.vectors.settle(every, vectors, self.revision)
        self.store.next_generation()
        return self.paths

    def _pages(self) -> None:
        for path, text, hashed, _ in self.store.db.rows("check_pages", org=self.store.org):
            right = hashlib.sha256(text.encode("utf-8")).hexdigest()
            if right != hashed:
                self.mending.hash_page(path, right)
                self.paths.add(path)
        lacking = self.store.db.rows("check_passage_vectors", org=self.store.org)
        self.paths.update(path for (path,) in lacking)

    def _dangling(self) -> None:
        """Entities that rows name are made again; edges that still lead nowhere go."""
        for row, name in self.mending.lost_entities().items():
            key = entity_key(name)
            eid = key if self.store.entity_by_eid(key) is None else f"{key}~{row}"
            self.mending.restore_entity(row, eid, key, folded_key(key))
        for row, path in self.mending.lost_edges():
            self.store.drop_edge(row)
            self.paths.add(path)
        self.mending.drop_lost()

    def _audiences(self) -> None:
        missed = self.mending.missed_pages()
        for path, _, _, seen_by in self.store.db.rows("check_pages", org=self.store.org):
            mask = self.writer.mask(path)
            row = self.store.page(path)
            if row is not None and (mask != seen_by or path in missed):
                scope = self.store.scope(mask)
                self.store.rescope(row.id, scope, mask, self.revision)
                self._set_passages(row.id, path, row.text, row.subject, scope)
                for edge in self.store.edges_of_page(row.id):
                    words = triplet_text(edge.source_name, edge.relation, edge.target_name)
                    self.store.set_edge_terms(edge.id, scope, " ".join(terms(words)))

    def _judge(self) -> None:
        self.mending.end_retired(self.revision)
        rows = self.store.db.rows("check_stated", org=self.store.org)
        stated = [Stated(*row) for row in rows]
        masks = current_masks(stated, self.engine.ontology)
        self.store.drop_lost_contradictions()
        without_losers(self.store, masks)
        for edge in stated:
            if masks[edge.id] != edge.current_for:
                self.store.judge_edge(edge.id, masks[edge.id], self.revision)

    def _indexes(self) -> None:
        """Both text indexes, of every org, from edges and pages."""
        self.mending.empty_indexes()
        for row, scope, text in self.mending.edges():
            self.mending.add_edge_terms(row, scope, " ".join(terms(text)))
        for page, path, text, subject, scope in self.mending.pages():
            self._set_passages(page, path, text, subject, scope)
        self.mending.size_scopes()

    def _set_passages(self, page: int, path: str, text: str, subject: str, scope: int) -> None:
        passages = page_passages(parse_page(path, text), subject) if text else PagePassages()
        self.store.set_passages(page, scope, passages)
