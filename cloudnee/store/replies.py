"""A language model's replies in the database: a run broken off has kept what it paid for."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cloudnee.store.store import Store

__all__ = ["StoredReplies", "drop_other_replies"]


class StoredReplies:
    """The reply cache of one org, in its file. Each reply is on disk when `put` returns."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def get(self, key: str) -> str | None:
        """The reply kept under a key."""
        row = self.store.db.row("reply", org=self.store.org, key=key)
        return str(row[0]) if row else None

    def put(self, key: str, reply: str, *, path: str) -> None:
        """Keep a reply with the page that paid for it, unless the file does not hold the org."""
        if self.store.known:
            with self.store.writing():
                self.store.db.run("keep_reply", org=self.store.org, path=path, key=key, reply=reply)


def drop_other_replies(store: Store, page: int, keys: Sequence[str] = ()) -> None:
    """Drop the replies kept for a page but those of these keys. Call inside `writing`."""
    store.db.run("drop_other_replies", org=store.org, page=page, keys=json.dumps(list(keys)))
