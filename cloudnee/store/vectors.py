"""The texts that edges show and the two vector indexes over them: names and triplets.

A text has one vector however many pages state it. It is in its index while an edge that shows it
is current for somebody, parked while such an edge is only stated, and gone otherwise. The
database's own triggers count; `settle` carries out what the counts say, in the same transaction.

Limits of sqlite-vec 0.1.9 met here: no REPLACE, so delete before insert; filters belong inside the
kNN query; k is a parameter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from cloudnee.errors import OtherModel
from cloudnee.store.database import queries
from cloudnee.store.store import Store

__all__ = ["FACT", "NAME", "NONE", "PASSAGE", "UNREADABLE", "MissingVectors", "Vectors"]

NAME, FACT, PASSAGE = 0, 1, 2
NONE, INDEXED, PARKED, UNREADABLE = 0, 1, 2, 3
Text = tuple[int, str]


class MissingVectors(Exception):
    """A transaction needs vectors of texts nobody embedded beforehand: embed and begin again."""

    def __init__(self, texts: Iterable[Text]) -> None:
        self.texts = tuple(texts)
        super().__init__(f"{len(self.texts)} texts have no vector yet")


class Vectors:
    """The texts and vectors of one org."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.db = store.db

    def claim(self, model: str, dimensions: int) -> None:
        """Make the store one of this model's, or refuse if it is another's. Call in `writing`."""
        self.guard(model, dimensions)
        self.db.vectors()
        if self.store.meta("model") is None:
            self.make(model, dimensions)

    def make(self, model: str, dimensions: int) -> None:
        """Make the two indexes for this model's vectors."""
        connection = self.db.vectors()
        for name in ("make_name_vectors", "make_fact_vectors"):
            connection.execute(queries()[name].replace("{dimensions}", str(dimensions)))
        self.store.set_meta("model", model)
        self.store.set_meta("dimensions", str(dimensions))

    def guard(self, model: str, dimensions: int) -> None:
        """Raise `OtherModel` where the vectors inside were made by another model."""
        held = self.store.meta("model")
        size = self.store.meta("dimensions")
        if held is not None and (held, size) != (model, str(dimensions)):
            raise OtherModel(
                f"{self.db.path} holds {size}-number vectors of {held}; {model} makes others "
                f'({dimensions}): open it with the first, or run "cloudnee reembed"'
            )

    @property
    def made(self) -> bool:
        """Whether the file has vector indexes yet."""
        return self.store.meta("model") is not None

    def lacking(self, texts: Iterable[Text]) -> list[Text]:
        """Those of the texts that have neither a vector nor a note that none can be made."""
        wanted = list(dict.fromkeys(texts))
        rows = self.db.rows("known_texts", org=self.store.org, texts=json.dumps(wanted))
        known = {(kind, text) for kind, text, vector in rows if vector != NONE}
        return [text for text in wanted if text not in known]

    def text_ids(self, texts: Iterable[Text], revision: int) -> dict[Text, int]:
        """The row ids of texts, made where they are new."""
        wanted = list(dict.fromkeys(texts))
        rows = self.db.rows("text_ids", org=self.store.org, texts=json.dumps(wanted))
        found = {(kind, text): row for kind, text, row in rows}
        for kind, text in wanted:
            if (kind, text) not in found:
                found[(kind, text)] = self.db.run(
                    "add_text", org=self.store.org, kind=kind, text=text, revision=revision
                )
        return found

    def settle(
        self, touched: Iterable[int], vectors: Mapping[Text, bytes | None], revision: int
    ) -> None:
        """Bring the indexes in line with the counts of these texts.

        `vectors` holds what was embedded beforehand; None is a text the model cannot read. Raises
        `MissingVectors` when a text that must enter the index has no vector anywhere.
        """
        self.db.vectors()
        wrong = self.db.rows("unsettled_texts", ids=json.dumps(list(touched)))
        missing = []
        shown: dict[int, list[tuple[int, int, bytes]]] = {NAME: [], FACT: []}
        marks: list[tuple[int, int, int]] = []
        for text, kind, words, uses, stated, live, state in wrong:
            if uses <= 0:
                self._drop(text, kind, state)
                self.db.run("drop_text", id=text)
            elif live > 0:
                known, vector = self._vector_for(text, (kind, words), state, vectors)
                if not known:
                    missing.append((kind, words))
                elif vector is not None:
                    shown[kind].append((text, self.store.org, vector))
                marks.append((UNREADABLE if vector is None else INDEXED, revision, text))
            elif state == INDEXED:
                self._hide(text, kind, park=stated > 0)
                marks.append((PARKED if stated > 0 else NONE, revision, text))
            elif state == PARKED:
                self._drop(text, kind, state)
                marks.append((NONE, revision, text))
            elif vectors.get((kind, words)) is not None:
                self.db.run("park", id=text, vector=vectors[(kind, words)])
                marks.append((PARKED, revision, text))
        if missing:
            raise MissingVectors(missing)
        for kind, rows in shown.items():
            self.db.many(f"add_vector_{kind}", rows)
        self.db.many("set_text_vector", marks)

    def _vector_for(
        self, text: int, words: Text, state: int, vectors: Mapping[Text, bytes | None]
    ) -> tuple[bool, bytes | None]:
        """(is it known, the vector) of a text that enters the index."""
        if state == PARKED:
            row = self.db.row("parked", id=text)
            self.db.run("unpark", id=text)
            return row is not None, row[0] if row else None
        return words in vectors, vectors.get(words)

    def _hide(self, text: int, kind: int, *, park: bool) -> None:
        """Take a vector out of its index; a fact that lost may be current again, so it parks."""
        if park:
            self.db.run("park", id=text, vector=self.vector(text, kind))
        self.db.run(f"drop_vector_{kind}", id=text)

    def _drop(self, text: int, kind: int, state: int) -> None:
        if state == INDEXED:
            self.db.run(f"drop_vector_{kind}", id=text)
        elif state == PARKED:
            self.db.run("unpark", id=text)

    # reads

    def vector(self, text: int, kind: int) -> bytes | None:
        """The stored vector of a text in its index, as float32 bytes."""
        self.db.vectors()
        row = self.db.row(f"vector_{kind}", id=text)
        return row[0] if row else None

    def ids(self, kind: int) -> set[int]:
        """The texts that are in an index."""
        self.db.vectors()
        return {row[0] for row in self.db.rows(f"vector_ids_{kind}", org=self.store.org)}

    def nearest(self, kind: int, vector: bytes, k: int, bit: int) -> list[tuple[int, float]]:
        """(text, distance) of the k nearest texts that are current for the audience."""
        self.db.vectors()
        return self.db.rows(f"nearest_{kind}", vector=vector, k=k, org=self.store.org, bit=bit)

    def blocks(self, kind: int) -> list[tuple[bytes, bytes, bytes]]:
        """The index as it lies on disk: (row ids, validity bits, float32 vectors) of each block."""
        return self.db.rows(f"vector_blocks_{kind}", org=self.store.org)
