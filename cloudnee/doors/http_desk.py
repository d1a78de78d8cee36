"""What the server holds: one memory for each org, the keys, and who a request comes from."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cloudnee import errors
from cloudnee.doors.http_problems import Problem
from cloudnee.memory import Memory
from cloudnee.store.database import Database
from cloudnee.store.keys import Key, Keys

if TYPE_CHECKING:
    from cloudnee.embed import Embedder
    from cloudnee.extract.base import Extractor
    from cloudnee.extract.calls import Endpoint

__all__ = ["Desk", "Settings", "Visitor"]

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server serves. Without any key in the file it serves `org` for `audience`.

    `hosts` are names it may be called by beside loopback and IP addresses; `rate` is requests a
    minute and key, 0 for any number; `extractor` makes one reader of pages for each org,
    `contradictions` a model to hold new facts against others with.
    """

    path: str
    org: str = "default"
    audience: str = "public"
    hosts: frozenset[str] = frozenset()
    rate: int = 0
    most_page: int = 24 * MEGABYTE
    most_body: int = MEGABYTE
    care_every: float = 3600.0
    ontology: str | Path | None = None
    region: str | None = None
    zone: str | None = None
    embedder: Embedder | None = None
    extractor: Callable[[], Extractor | None] | None = None
    contradictions: Callable[[], Endpoint | None] | None = None
    clock: Callable[[], datetime] | None = None


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks: one org's memory as one audience, with the key that says so, if any."""

    memory: Memory
    key: Key | None

    @property
    def name(self) -> str:
        """What tells visitors apart, for limits and logs."""
        return f"key-{self.key.id}" if self.key else "open"

    def asking(self, org: str | None, audience: str | None) -> Memory:
        """The memory for a request that may narrow what the key allows, and nothing else."""
        if org is not None and org != self.memory.org:
            raise errors.Forbidden(
                f"this key is not for org {org!r}: leave orgId out, or ask for one"
            )
        if audience is None or audience == self.memory.audience:
            return self.memory
        try:
            return self.memory.as_audience(audience)
        except (errors.BadInput, errors.Forbidden):  # whether there is one is not their business
            raise errors.Forbidden(
                f"{self.memory.audience!r} may not read as {audience!r}: it would see more, or is "
                "no audience"
            ) from None

    def writing(self, org: str | None, audience: str | None) -> Memory:
        """The same, for a request that changes something."""
        if self.key is not None and self.key.read_only:
            raise errors.Forbidden("this key only reads: ask for one that writes")
        return self.asking(org, audience)


class Desk:
    """The memories and keys of one database file, opened when first asked for. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._database = Database(settings.path)
        self.keys = Keys(self._database)
        self._lock = threading.Lock()
        self._memories: dict[str, Memory] = {}
        self._embedder = settings.embedder
        self.loaded = ""

    def memory(self, org: str) -> Memory:
        """An org's memory, as its owner."""
        with self._lock:
            if org not in self._memories:
                self._memories[org] = self._opened(org)
            return self._memories[org]

    def _opened(self, org: str) -> Memory:
        given = self.settings
        memory = Memory.open(
            given.path,
            org=org,
            embedder=self._embedder,
            extractor=given.extractor() if given.extractor else None,
            contradictions=given.contradictions() if given.contradictions else None,
            ontology=given.ontology,
            region=given.region,
            zone=given.zone,
            clock=given.clock,
        )
        self._embedder = self._embedder or memory.embedder  # one model in memory for all orgs
        return memory

    def warm(self) -> None:
        """Load the model; until then questions wait for it."""
        self.loaded = self.memory(self.settings.org).warm()

    @property
    def model(self) -> str:
        """The name of the embedding model."""
        return self.memory(self.settings.org).embedder.model

    def orgs(self) -> list[str]:
        """The orgs that are served."""
        held = [key.org for key in self.keys.all() if key.revoked_at is None]
        return list(dict.fromkeys([self.settings.org, *held]))

    def visitor(self, token: str | None) -> Visitor:
        """Who holds this bearer token. Raises `Problem` 401 for nobody."""
        key = self.keys.find(token) if token else None
        if key is not None:
            return Visitor(self._as(key.org, key.audience), key)
        if token or self.keys.any():
            raise Problem(
                401,
                "unauthorized",
                'no such key: send "Authorization: Bearer KEY"; "cloudnee key create" makes one',
                {"WWW-Authenticate": "Bearer"},
            )
        return Visitor(self._as(self.settings.org, self.settings.audience), None)

    def _as(self, org: str, audience: str) -> Memory:
        try:
            return self.memory(org).as_audience(audience)
        except errors.BadInput as error:
            raise errors.Forbidden(str(error)) from error

    def now(self) -> float:
        """Now, in seconds since 1970."""
        clock = self.settings.clock
        return (clock() if clock else datetime.now(UTC)).timestamp()

    def close(self) -> None:
        """Close the file."""
        for memory in self._memories.values():
            memory.close()
        self._database.close()
