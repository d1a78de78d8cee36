"""What every part of the store has: the database, and the org whose rows it reads and writes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from cloudnee.errors import BadInput
from cloudnee.store.database import Database

__all__ = ["OrgRows", "as_json", "scoped"]


class OrgRows:
    """One org of one database. Thread-safe: each thread has its own connection."""

    def __init__(self, database: Database, org: str) -> None:
        if not org or len(org) > 200 or not org.isprintable():
            raise BadInput(f"org {org!r} is not a name: give 1 to 200 printable characters")
        self.db = database
        self.org_name = org
        self._org: tuple[int, bytes] | None = None
        self._mine = threading.local()  # an org this thread made: no other may see it yet

    # the org

    @property
    def _row(self) -> tuple[int, bytes] | None:
        """(row id, secret) of the org, if the file holds it."""
        held: tuple[int, bytes] | None = getattr(self._mine, "org", None) or self._org
        if held is None:
            row = self.db.row("org", name=self.org_name)
            held = self._org = (row[0], row[1]) if row else None
        return held

    @property
    def known(self) -> bool:
        """Whether the file holds this org already."""
        return self._row is not None

    @property
    def org(self) -> int:
        """The org's row id, or 0, which no row has, where the file does not hold the org."""
        held = self._row
        return held[0] if held else 0

    @property
    def secret(self) -> bytes:
        """What the org's keyed hashes are keyed with."""
        held = self._row
        return held[1] if held else b""

    def refresh(self) -> None:
        """Read the org's own row anew when it is next needed."""
        self._org = None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One immediate transaction; an org made in one that failed is not there."""
        try:
            with self.db.writing():
                yield
            self._org = getattr(self._mine, "org", None) or self._org
        except BaseException:
            self._org = None
            raise
        finally:
            self._mine.org = None

    def reading(self) -> AbstractContextManager[None]:
        """One read transaction."""
        return self.db.reading()

    def savepoint(self) -> AbstractContextManager[None]:
        """A part of a transaction that can fail alone."""
        return self.db.savepoint()

    def revision(self) -> tuple[int, int]:
        """(revision, generation): grow with each write, and with each deletion of rows."""
        row = self.db.row("revision", org=self.org)
        return (row[0], row[1]) if row else (0, 0)

    def next_revision(self) -> int:
        """Begin a write: the number that orders it among all of the org."""
        row = self.db.row("next_revision", org=self.org)
        return int(row[0]) if row else 0

    def next_generation(self) -> None:
        """Note that rows were deleted."""
        self.db.run("next_generation", org=self.org)

    def meta(self, key: str) -> str | None:
        """A thing that the whole file agrees on, such as its embedding model."""
        row = self.db.row("meta", key=key)
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Set a thing that the whole file agrees on."""
        self.db.run("set_meta", key=key, value=value)


def scoped(scope: int, terms: str) -> str:
    """Index terms with their scope before each."""
    return " ".join(f"{scope}:{term}" for term in terms.split()) if terms else ""


def as_json(values: list[Any]) -> str:
    """A list as queries take one."""
    import json  # 8 ms, and a lookup by phone needs none

    return json.dumps(values)
