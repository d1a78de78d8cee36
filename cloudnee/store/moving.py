"""All rows of one org as plain values, for an export, and back again for an import."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cloudnee.store.store import Store
from cloudnee.store.vectors import INDEXED, PARKED, UNREADABLE, Vectors

__all__ = ["TABLES", "Moving"]

TABLES = ("pages", "entities", "names", "aliases", "edges", "ratings", "merges")
Row = dict[str, Any]


class Moving:
    """Reads and writes one org as rows that name each other by public ids."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.db = store.db

    # out

    def header(self) -> Row:
        """What belongs to the org itself."""
        secret, revision = self.db.rows("export_org", org=self.store.org)[0]
        tombstones: dict[str, list[str]] = {}
        for kind, hashed in self.db.rows("export_tombstones", org=self.store.org):
            tombstones.setdefault(kind, []).append(hashed)
        return {
            "secret": bytes(secret).hex(),
            "revision": revision,
            "audiences": [
                {
                    "name": rule.name,
                    "see": list(rule.sees),
                    "hide": list(rule.hides),
                    "write": list(rule.writes),
                }
                for rule, _ in self.store.audiences()
            ],
            "words": self._all("export_words"),
            "tombstones": tombstones,
        }

    def entities(self) -> list[Row]:
        """The entities, in the order they came."""
        return [{**row, "also": json.loads(row["also"])} for row in self._all("export_entities")]

    def pages(self) -> Iterator[Row]:
        """Each page with its names, aliases and facts, past intervals too, in order."""
        for page in self._all("export_pages"):
            row = page["n"]
            aliases = self.db.dicts("export_aliases", page=row)
            yield {
                **page,
                "names": self.db.dicts("export_names", page=row),
                "aliases": [{**a, "keys": json.loads(a["keys"])} for a in aliases],
                "facts": self.db.dicts("export_facts", page=row),
            }

    def ratings(self) -> list[Row]:
        """The ratings in the order they were given."""
        return self._all("export_ratings")

    def merges(self) -> list[Row]:
        """Each time somebody said who is who."""
        return [{**row, "said": json.loads(row["said"])} for row in self._all("export_merges")]

    def last(self) -> dict[str, int]:
        """The last row id of each table that an import keeps in order."""
        return dict(self.db.rows("last_rows"))

    def passage_vectors(self) -> Iterator[tuple[int, bytes]]:
        """(key, scale and int8 vector) of each distinct passage, in order."""
        seen: set[int] = set()
        for page in self.db.rows("pages_embedded", org=self.store.org):
            for key, vector in self.store.passage_vectors(page[0]).items():
                if key not in seen:
                    seen.add(key)
                    yield key, vector

    def vectors(self) -> Iterator[tuple[int, str, bytes | None]]:
        """(kind, text, vector) of every text that has one; None where the model reads it not."""
        vectors = Vectors(self.store)
        for text, kind, words, state in self.db.rows("export_texts", org=self.store.org):
            if state == UNREADABLE:
                yield kind, words, None
            elif state == INDEXED:
                yield kind, words, vectors.vector(text, kind)
            elif state == PARKED:
                held = self.db.row("parked_vector", id=text)
                yield kind, words, held[0] if held else None

    def _all(self, name: str) -> list[Row]:
        return self.db.dicts(name, org=self.store.org)

    # in

    def holds_pages(self) -> int:
        """How many pages the org holds."""
        return int(self.db.rows("count_pages", org=self.store.org)[0][0])

    def begin(self, header: Mapping[str, Any]) -> None:
        """Give the org the secret, words and tombstones of an export."""
        org = self.store.org
        secret = bytes.fromhex(header["secret"])
        self.db.run("import_org", org=org, secret=secret, revision=header["revision"])
        for word in header["words"]:
            self.db.run("import_word", org=org, **word)
        for kind, hashes in header["tombstones"].items():
            for hashed in hashes:
                self.db.run("import_tombstone", org=org, kind=kind, hash=hashed)

    def reserve(self, last: Mapping[str, int]) -> dict[str, int]:
        """Set row ids apart for an import, in their order; gives what to add to each table's."""
        for table in TABLES:
            self.db.run("begin_rows", name=table)
        held = dict(self.db.rows("last_rows"))
        for table in TABLES:
            self.db.run("reserve_rows", name=table, seq=held[table] + last.get(table, 0))
        return {table: int(held[table]) for table in TABLES}

    def add_entity(self, n: int, folded: str, entity: Mapping[str, Any]) -> None:
        """Insert an entity, with its other keys."""
        org = self.store.org
        values = {key: entity[key] for key in ("id", "key", "word")}
        self.db.run("import_entity", n=n, org=org, folded=folded, **values)
        for key in entity["also"]:
            self.store.add_other_key(key, n)

    def add_page(self, **values: Any) -> None:
        """Insert a page."""
        self.db.run("import_page", org=self.store.org, **values)

    def add_name(self, **values: Any) -> None:
        """Insert a page's name."""
        self.db.run("import_name", **values)

    def add_alias(self, keys: Sequence[str], **values: Any) -> None:
        """Insert an alias with its keys."""
        self.db.run("import_alias", org=self.store.org, **values)
        for key in keys:
            self.db.run("add_alias_key", org=self.store.org, key=key, alias=values["n"])

    def add_fact(self, terms: str, **values: Any) -> None:
        """Insert one interval with its terms in the text index; it is judged afterwards."""
        self.db.run("import_fact", org=self.store.org, **values)
        self.store.set_edge_terms(values["n"], values["scope"], terms)

    def add_merge(self, said: Sequence[Mapping[str, str]], **values: Any) -> None:
        """Insert what somebody said of who is who."""
        org = self.store.org
        self.db.run("import_merge", org=org, **values)
        for one in said:
            self.db.run("add_said", org=org, merge=values["n"], **one)

    def add_rating(self, **values: Any) -> None:
        """Insert a rating."""
        self.db.run("import_rating", org=self.store.org, **values)
