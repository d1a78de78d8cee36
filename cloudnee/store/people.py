"""Entities, their names and aliases, in one org."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from cloudnee.store.base import OrgRows, as_json

__all__ = ["AliasRow", "NameRow", "PeopleRows"]


class NameRow(NamedTuple):
    """A page's name for an entity."""

    id: int
    entity: int
    key: str
    name: str
    type: str
    declared: int


class AliasRow(NamedTuple):
    """A handle that a page gave an entity."""

    id: int
    entity: int
    kind: str
    handle: str
    key: str
    name: str
    given: int


class PeopleRows(OrgRows):
    """The entities of an org. Reads take `bit`, the audience's place in the masks."""

    def entities_of_keys(self, keys: Iterable[str]) -> dict[str, list[tuple[int, str, str]]]:
        """key → (entity, word, id) of each entity of it, whoever asks: for the write flow."""
        found: dict[str, list[tuple[int, str, str]]] = {}
        rows = self.db.rows("entities_of_keys", org=self.org, keys=as_json(list(keys)))
        for key, entity, word, eid in rows:
            found.setdefault(key, []).append((entity, word, eid))
        return found

    def eid(self, entity: int) -> str:
        """The public id of an entity."""
        row = self.db.row("eid", entity=entity)
        return row[0] if row else ""

    def entity_seen_elsewhere(self, entity: int, page: int, seen_by: int) -> bool:
        """Whether another page that all in `seen_by` may see names the entity."""
        row = self.db.row(
            "entity_seen_elsewhere", org=self.org, entity=entity, page=page, seen_by=seen_by
        )
        return bool(row and row[0])

    def entity_handles(
        self, entity: int, page: int, seen_by: int
    ) -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
        """The (kind, key) of phones and e-mails that other pages gave it: seen by all, the rest."""
        rows = self.db.rows("entity_handles", entity=entity, page=page, seen_by=seen_by)
        seen = frozenset((kind, key) for kind, key, visible in rows if visible)
        return seen, frozenset((kind, key) for kind, key, _ in rows) - seen

    def hidden_pages(self, entity: int, page: int, seen_by: int) -> list[tuple[int, str]]:
        """(row id, path) of the pages that gave it a handle and are not seen by all of these."""
        return self.db.rows("hidden_pages", entity=entity, page=page, seen_by=seen_by)

    def move_page(self, page: int, entity: int, other: int, revision: int) -> None:
        """Let a page mean another entity: its names, aliases and edges."""
        for name in ("part_names", "part_aliases", "part_page"):
            self.db.run(name, page=page, entity=entity, other=other)
        for name in ("part_sources", "part_targets"):
            self.db.run(name, page=page, entity=entity, other=other, revision=revision)

    def first_named(self, entity: int, bit: int) -> tuple[int, int]:
        """What orders entities for an audience: the first visible name, or else alias, of each."""
        row = self.db.row("first_named", org=self.org, entity=entity, bit=bit)
        return (row[0] or 1 << 62, row[1] or 1 << 62) if row else (0, 0)

    def entity_by_eid(self, eid: str) -> int | None:
        """An entity's row id by its public id."""
        row = self.db.row("entity_by_eid", org=self.org, eid=eid)
        return row[0] if row else None

    def add_entity(self, eid: str, key: str, folded: str, word: str) -> int:
        """Insert an entity; gives its row id."""
        return self.db.run("add_entity", org=self.org, eid=eid, key=key, folded=folded, word=word)

    def add_other_key(self, key: str, entity: int) -> None:
        """Let an entity be found by one more key."""
        self.db.run("add_other_key", org=self.org, key=key, entity=entity)

    def drop_unused_entities(self, entities: Iterable[int]) -> None:
        """Delete those of the entities that nothing names any more."""
        for entity in entities:
            self.db.run("drop_unused_entity", entity=entity)

    def shown_entity(self, entity: int, bit: int) -> tuple[str, str, str]:
        """(id, name, type) as the audience sees them: each the first that it may see."""
        row = self.db.row("shown_entity", entity=entity, bit=bit)
        if row is None:
            return ("", "", "")
        return (row[0], row[1] or row[3] or "", row[2] or "")

    def entity_paths(self, entity: int, bit: int) -> tuple[str, ...]:
        """The visible pages that are about the entity."""
        return tuple(r[0] for r in self.db.rows("entity_paths", entity=entity, bit=bit))

    def entity_aliases(self, entity: int, bit: int) -> list[tuple[str, str, str]]:
        """(handle, name, kind) of the visible aliases of the entity."""
        return self.db.rows("entity_aliases", entity=entity, bit=bit)

    def entities_by_handle(self, key: str, bit: int, kind: str = "") -> list[int]:
        """The entities a handle's key leads to, by aliases the audience sees."""
        rows = self.db.rows("entities_by_handle", org=self.org, key=key, bit=bit, kind=kind)
        return sorted({r[0] for r in rows})

    def entities_by_name(self, key: str, bit: int) -> list[int]:
        """The entities that visible pages call by a name of this key."""
        return [r[0] for r in self.db.rows("entities_by_name", org=self.org, key=key, bit=bit)]

    def entities_by_folded(self, folded: str, bit: int) -> list[int]:
        """The visible entities whose key without marks begins with this."""
        rows = self.db.rows("entities_by_folded", org=self.org, folded=folded, bit=bit)
        return [r[0] for r in rows]

    def named_entities(self, keys: Iterable[str], bit: int) -> dict[str, list[int]]:
        """key → the entities that a visible page is about or links to, or gave that handle."""
        found: dict[str, list[int]] = {}
        wanted = as_json(sorted(keys))
        for key, entity in self.db.rows("named_entities", org=self.org, keys=wanted, bit=bit):
            found.setdefault(key, []).append(entity)
        return found

    def names_of_page(self, page: int) -> list[NameRow]:
        """The names a page has for entities."""
        return [NameRow._make(r) for r in self.db.rows("names_of_page", page=page)]

    def add_names(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert a page's names: (page, key, entity, name, type, declared, scope) each."""
        self.db.many("add_name", rows)

    def set_name(self, row: int, entity: int, name: str, kind: str, declared: int) -> None:
        """Change a page's name for an entity."""
        self.db.run("set_name", id=row, entity=entity, name=name, type=kind, declared=declared)

    def drop_name(self, row: int) -> None:
        """Delete a page's name for an entity."""
        self.db.run("drop_name", id=row)

    def other_type(self, entity: int, page: int, seen_by: int) -> str:
        """The type that another page, visible to all in `seen_by`, gives the entity; or ""."""
        row = self.db.row("other_type", org=self.org, entity=entity, page=page, seen_by=seen_by)
        return row[0] if row else ""

    def aliases_of_page(self, page: int) -> list[AliasRow]:
        """The handles a page gave, or a caller gave with it."""
        return [AliasRow._make(r) for r in self.db.rows("aliases_of_page", page=page)]

    def add_alias(self, keys: Sequence[str], **values: Any) -> int:
        """Insert an alias that is found by `keys`, the first of which stands for it."""
        row = self.db.run("add_alias", org=self.org, key=keys[0], **values)
        for key in keys:
            self.db.run("add_alias_key", org=self.org, key=key, alias=row)
        return row

    def drop_alias(self, row: int) -> None:
        """Delete an alias and its keys."""
        self.db.run("drop_alias_keys", id=row)
        self.db.run("drop_alias", id=row)

    def pages_naming(self, entity: int, bit: int) -> list[tuple[int, str]]:
        """(row id, path) of the visible pages that name an entity or give it a handle."""
        return self.db.rows("pages_naming", entity=entity, bit=bit)
