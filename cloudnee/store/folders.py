"""Which folder brought a page, and what both had last; pages whose file went, and moved pages."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cloudnee.pages.passages import PagePassages
from cloudnee.store.store import Store

__all__ = ["EMPTY", "GONE", "FolderPage", "Folders"]

GONE = "gone"
EMPTY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class FolderPage:
    """A page as a sync reads it. `synced` is the hash that page and file had last in common."""

    id: int
    path: str
    content_hash: str
    status: str
    reading: str
    origin: str
    synced: str
    conflict: str

    @property
    def changed(self) -> bool:
        """Whether another door changed the page since its folder last had it."""
        return self.content_hash != self.synced


class Folders:
    """The folders' side of one org's pages."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.db = store.db

    def pages(self, bit: int) -> list[FolderPage]:
        """The pages the audience sees, gone ones too, by path."""
        rows = self.db.rows("folder_pages", org=self.store.org, bit=bit)
        return [FolderPage(*row) for row in rows]

    def set_synced(self, path: str, origin: str, content_hash: str) -> None:
        """Note that the folder's file holds what the page holds, where it still does."""
        self.db.run("set_synced", org=self.store.org, path=path, origin=origin, hash=content_hash)

    def set_conflict(self, path: str, content_hash: str) -> None:
        """Note that the page's text was put beside the folder's file."""
        self.db.run("set_conflict", org=self.store.org, path=path, hash=content_hash)

    def empty(self, page: int, scope: int, now: int) -> None:
        """Take a page's text and passages away; its facts must have ended."""
        self.store.set_passages(page, scope, PagePassages())
        self.db.run("empty_page", page=page, hash=EMPTY, now=now)

    def move(self, page: int, path: str, subject_key: str, now: int, *, again: bool) -> None:
        """Give a page another path; `again` marks it to be read anew."""
        self.db.run(
            "move_page", page=page, path=path, subject_key=subject_key, now=now, again=again
        )

    def rename_edge(self, row: int, eid: str, revision: int) -> None:
        """Give an edge the id that its page's new path makes."""
        self.db.run("rename_edge", id=row, eid=eid, revision=revision)

    def rename_ratings(self, was: str, now: str) -> None:
        """Let a fact's ratings follow it."""
        self.db.run("rename_ratings", org=self.store.org, was=was, now=now)
