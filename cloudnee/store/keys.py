"""Keys of the network doors: who holds one is one org's caller, as one audience.

A key is 32 random bytes, shown once; the file holds its SHA-256. A guess has no chance against so
many bytes, so that a slow hash would only cost every request.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import NamedTuple

import apsw

from cloudnee.errors import BadInput
from cloudnee.store.database import BUSY_MS, Database

__all__ = ["Key", "Keys"]

_MARK = "cn_"
_PROBE_MS = 500


class Key(NamedTuple):
    """One key, without what opens it. Times are microseconds since 1970."""

    id: int
    org: str
    audience: str
    label: str
    read_only: bool
    created_at: int
    revoked_at: int | None = None


class Keys:
    """The keys of one database file, over all its orgs."""

    def __init__(self, database: Database) -> None:
        self.db = database

    def create(
        self, *, org: str, audience: str, label: str, now: int, read_only: bool = False
    ) -> str:
        """Make a key and give its text, which is kept nowhere."""
        if not label.strip() or len(label) > 200 or not label.isprintable():
            raise BadInput("a key needs a label of 1 to 200 printable characters: who holds it")
        text = _MARK + secrets.token_urlsafe(32)
        with self.db.writing():
            self.db.run(
                "add_key",
                hash=_hashed(text),
                org=org,
                audience=audience,
                label=label.strip(),
                read_only=int(read_only),
                now=now,
            )
        return text

    def find(self, text: str) -> Key | None:
        """The key with this text, unless it is revoked."""
        row = self.db.row("key_by_hash", hash=_hashed(text))
        return _key(row) if row else None

    def all(self) -> list[Key]:
        """Every key ever made, revoked ones included."""
        return [_key(row) for row in self.db.rows("all_keys")]

    def any(self) -> bool:
        """Whether a key was ever made: then nobody comes in without one."""
        return self.db.row("any_key") is not None

    def revoke(self, number: int, now: int) -> bool:
        """Revoke a key at once, in every process; whether it was in force."""
        with self.db.writing():
            return self.db.row("revoke_key", id=number, now=now) is not None

    def writable(self) -> bool:
        """Whether a write could begin now, or after half a second of waiting."""
        connection = self.db.connection
        connection.set_busy_timeout(_PROBE_MS)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except apsw.Error:
            return False
        finally:
            connection.set_busy_timeout(BUSY_MS)
        return True


def _key(row: tuple[object, ...]) -> Key:
    key = Key._make(row)
    return key._replace(read_only=bool(key.read_only))


def _hashed(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
