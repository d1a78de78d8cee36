"""Replies kept, so that an edited page pays only for the chunks that changed."""

from __future__ import annotations

import hashlib
import json
from threading import Lock
from typing import Protocol

__all__ = ["MemoryCache", "ReplyCache", "reply_key"]


class ReplyCache(Protocol):
    """Keeps the replies of a model. `get` and `put` are called from several threads.

    `path` is the page that paid for a reply: forgetting the page takes its replies along.
    """

    def get(self, key: str) -> str | None:
        """The reply kept under a key."""

    def put(self, key: str, reply: str, *, path: str) -> None:
        """Keep a reply; one that is there already is replaced."""


class MemoryCache:
    """Replies kept for as long as the process lives."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._replies: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """The reply kept under a key."""
        with self._lock:
            return self._replies.get(key)

    def put(self, key: str, reply: str, *, path: str) -> None:
        """Keep a reply; the path is of no use here."""
        with self._lock:
            self._replies[key] = reply


def reply_key(*parts: str) -> str:
    """One key for what a reply depends on: other parts, other key."""
    written = json.dumps(parts, ensure_ascii=True)
    return hashlib.sha256(written.encode("ascii")).hexdigest()
