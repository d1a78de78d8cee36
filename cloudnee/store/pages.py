"""Pages and their passages, in one org."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from cloudnee.store.base import OrgRows, as_json

__all__ = ["PageRow", "PageRows"]


class PageRow(NamedTuple):
    """A row of `pages`, as the write flow reads it."""

    id: int
    path: str
    text: str
    content_hash: str
    read_hash: str
    reading: str
    status: str
    reason: str
    subject: str
    entity: int | None
    own_date: int | None
    as_of: int
    scope: int
    seen_by: int
    waiting: str = ""


class PageRows(OrgRows):
    """The pages of an org. Reads take `bit`, the audience's place in the masks."""

    def page(self, path: str) -> PageRow | None:
        """A page by its canonical path, whoever asks: for the write flow only."""
        row = self.db.row("page", org=self.org, path=path)
        return PageRow._make(row) if row else None

    def add_page(self, **values: Any) -> int:
        """Insert a page; gives its row id."""
        return self.db.run("add_page", org=self.org, **values)

    def set_page(self, page: int, **values: Any) -> None:
        """Replace a page's text and status."""
        self.db.run("set_page", page=page, **values)

    def set_page_read(self, page: int, **values: Any) -> None:
        """Note that a page's text has been read, and by what."""
        self.db.run("set_page_read", page=page, **values)

    def set_waiting(self, page: int, waiting: str) -> None:
        """Keep what was given beside a text that is not read yet."""
        self.db.run("set_waiting", page=page, waiting=waiting)

    def pages(self, bit: int, path: str | None = None) -> list[tuple[Any, ...]]:
        """The pages an audience sees, or one of them, as rows in the order of `PageInfo`."""
        if path is not None:
            return self.db.rows("one_page", org=self.org, bit=bit, path=path)
        return self.db.rows("pages", org=self.org, bit=bit)

    def page_text(self, path: str, bit: int) -> str:
        """A page's text, or "" where the audience sees no such page."""
        row = self.db.row("page_text", org=self.org, path=path, bit=bit)
        return row[0] if row else ""

    def unread(self, bit: int, most: int = 50) -> list[tuple[str, str, str]]:
        """(path, status, reason) of the pages whose newest text is not read yet."""
        return self.db.rows("unread", org=self.org, bit=bit, most=most)

    def unread_about(
        self, bit: int, entities: Sequence[int], keys: Sequence[str], most: int = 50
    ) -> list[tuple[str, str, str]]:
        """The unread pages that are about these entities or have a subject of these keys."""
        return self.db.rows(
            "unread_about",
            org=self.org,
            bit=bit,
            entities=as_json(list(entities)),
            keys=as_json(list(keys)),
            most=most,
        )

    def tags_of_pages(self, bit: int) -> dict[int, tuple[str, ...]]:
        """page → its tags, folded, of the pages that have any and that the audience sees."""
        rows = self.db.rows("pages_tagged", org=self.org, bit=bit)
        return {page: tuple(tags.casefold().split("\n")) for page, tags in rows}

    def page_texts(self, bit: int) -> list[tuple[str, str]]:
        """(path, text) of every page the audience sees."""
        return self.db.rows("page_texts", org=self.org, bit=bit)

    def all_paths(self) -> list[str]:
        """The paths of all pages, whoever may see them: for judging anew."""
        return [row[0] for row in self.db.rows("all_paths", org=self.org)]

    def rescope(self, page: int, scope: int, seen_by: int, revision: int) -> None:
        """Give a page and all its rows other audiences; its terms are set apart from this."""
        self.db.run("rescope_page", page=page, scope=scope, seen_by=seen_by)
        self.db.run("rescope_names", page=page, scope=scope)
        self.db.run("rescope_aliases", page=page, scope=scope)
        self.db.run("rescope_edges", page=page, scope=scope, seen_by=seen_by, revision=revision)

    def drop_page(self, page: int) -> None:
        """Delete a page's row; its passages, edges, names and aliases must be gone."""
        self.db.run("drop_page", page=page)
