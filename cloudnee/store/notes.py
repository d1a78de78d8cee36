"""The pages of notes about one subject."""

from __future__ import annotations

from cloudnee.store.store import Store

__all__ = ["pages_under"]


def pages_under(store: Store, folder: str, bit: int) -> list[tuple[int, str, str]]:
    """(row id, path, text) of the pages in a folder, `/` at its end, that the audience sees."""
    return store.db.rows("pages_under", org=store.org, folder=folder, bit=bit)
