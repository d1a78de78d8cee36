"""Rows put right from other rows, and the vectors of the whole file made anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cloudnee.store.base import scoped
from cloudnee.store.store import Store
from cloudnee.store.vectors import INDEXED, PARKED, UNREADABLE, Vectors

__all__ = ["Mending"]


class Mending:
    """What mends one org, and the indexes that all orgs of the file share. Call in `writing`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.db = store.db

    # rows

    def hash_page(self, path: str, content_hash: str) -> None:
        """Give a page the hash of its text; it is to be read anew."""
        self.db.run("hash_page", org=self.store.org, path=path, hash=content_hash)

    def lost_entities(self) -> dict[int, str]:
        """entity → a name, of the entities that rows name and that are not there."""
        found: dict[int, str] = {}
        for entity, name in self.db.rows("lost_entities", org=self.store.org):
            found.setdefault(entity, name)
        return found

    def restore_entity(self, row: int, eid: str, key: str, folded: str) -> None:
        """Insert an entity under the row id that other rows name."""
        self.db.run(
            "import_entity", n=row, org=self.store.org, id=eid, key=key, folded=folded, word=""
        )

    def lost_edges(self) -> list[tuple[int, str]]:
        """(row, path) of the edges that name rows which are not there."""
        return self.db.rows("lost_edges", org=self.store.org)

    def drop_lost(self) -> None:
        """Delete what belongs to pages that are not there."""
        for name in ("names", "aliases", "alias_keys", "passages"):
            self.db.run(f"drop_lost_{name}")

    def recount(self) -> None:
        """Count again how often entities and texts are used; unused entities go."""
        org = self.store.org
        self.db.run("count_entities", org=org)
        self.db.run("count_texts", org=org)
        self.store.drop_unused_entities(r[0] for r in self.db.rows("unused_entities", org=org))

    def end_retired(self, revision: int) -> None:
        """What its page states no more is current for nobody."""
        self.db.run("end_retired", org=self.store.org, revision=revision)

    def missed_pages(self) -> set[str]:
        """The pages whose edges are seen by others than they are."""
        return {row[0] for row in self.db.rows("missed_pages", org=self.store.org)}

    # the text indexes of the whole file

    def edges(self) -> list[tuple[int, int, str]]:
        """(row, scope, triplet) of every edge of the file."""
        return self.db.rows("every_edge")

    def pages(self) -> list[tuple[int, str, str, str, int]]:
        """(row, path, text, subject, scope) of every page of the file."""
        return self.db.rows("every_page")

    def empty_indexes(self) -> None:
        """Take everything out of both text indexes."""
        self.db.run("empty_edge_terms")
        self.db.run("empty_passage_terms")

    def add_edge_terms(self, row: int, scope: int, terms: str) -> None:
        """Put an edge in its text index."""
        self.db.run("add_edge_terms", id=row, terms=scoped(scope, terms))

    def size_scopes(self) -> None:
        """Count again how large each scope's part of the passage index is."""
        self.db.run("size_all_scopes")

    # vectors

    def blank(self, texts: Iterable[int], strays: Iterable[tuple[int, int]]) -> None:
        """Take away the vectors of texts, and those (kind, row) that belong to none."""
        self.db.vectors()
        for text in texts:
            for name in ("drop_vector_0", "drop_vector_1", "unpark", "blank_text"):
                self.db.run(name, id=text)
        for kind, row in strays:
            self.db.run(f"drop_vector_{kind}", id=row)

    def every_text(self) -> list[tuple[int, int, int, str, int]]:
        """(row, org, kind, text, live) of each text of the file that is stated."""
        return self.db.rows("every_text")

    def replace_vectors(
        self, model: str, dimensions: int, vectors: Mapping[str, bytes | None]
    ) -> set[str]:
        """Make both indexes anew with another model's vectors; gives the texts that lack one.

        Where any does, nothing is done.
        """
        texts = self.every_text()
        lacking = {text for _, _, _, text, _ in texts if text not in vectors}
        if lacking:
            return lacking
        self.db.vectors()
        for name in ("drop_name_vectors", "drop_fact_vectors", "drop_parked", "blank_texts"):
            self.db.run(name)
        Vectors(self.store).make(model, dimensions)
        for row, org, kind, text, live in texts:
            self._put(row, org, kind, vectors[text], live=live > 0)
        self.db.run("every_generation")
        return set()

    def _put(self, row: int, org: int, kind: int, vector: bytes | None, *, live: bool) -> None:
        state = UNREADABLE if vector is None else INDEXED if live else PARKED
        if vector is not None and live:
            self.db.many(f"add_vector_{kind}", [(row, org, vector)])
        elif vector is not None:
            self.db.run("park", id=row, vector=vector)
        self.db.many("set_text_vector", [(state, 0, row)])
