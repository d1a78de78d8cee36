"""The names on a page and the entities they mean, within one write."""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cloudnee.graph.identity import (
    Candidate,
    Handle,
    conflict,
    folded_key,
    handle_keys,
    handle_kind,
    settle,
)
from cloudnee.graph.supersession import Stated
from cloudnee.model import Alias, Entity
from cloudnee.store.merging import Merging, key_of

if TYPE_CHECKING:
    from cloudnee.flows.writing import Draft, Place, Writer
    from cloudnee.store.store import AliasRow

__all__ = ["Naming", "Person"]


@dataclass(frozen=True, slots=True)
class Person:
    """An entity as a write knows it: row id and public id."""

    id: int
    eid: str


@dataclass(slots=True)
class _Name:
    name: str
    type: str = ""
    declared: int = 0


class Naming:
    """Settles which entity each name of a page means, and stores the page's names and aliases."""

    def __init__(self, writer: Writer, draft: Draft, place: Place, *, new: bool) -> None:
        self.writer = writer
        self.store = writer.store
        self.draft = draft
        self.place = place
        self.new = new
        self.warnings: list[str] = []
        self.entities: set[int] = set()
        self.people: dict[str, Person] = {}
        self.judged: list[Stated] = []

    def settled(self) -> dict[str, Person]:
        """key → entity for every name on the page, names and aliases stored."""
        self._settle_names()
        self._store_aliases()
        return self.people

    def told(self) -> tuple[Entity, ...]:
        """The entities that the page is about or links to, as it calls them."""
        return tuple(
            Entity(self.people[key].eid, name.name, name.type)
            for key, name in self._names.items()
            if name.declared
        )

    # names

    @cached_property
    def _names(self) -> dict[str, _Name]:
        """All that the page names, by key, in the order of the page."""
        found: dict[str, _Name] = {}

        def add(name: str, kind: str = "", *, declared: bool = True) -> None:
            known = found.setdefault(self.draft.key(name), _Name(name))
            known.type = known.type or kind
            known.declared = known.declared or int(declared)

        if self.draft.page.subject:
            add(self.draft.page.subject)
        for edge in self.draft.reading or ():
            add(edge.source, edge.source_type, declared=edge.source_declared)
            add(edge.target, edge.target_type, declared=edge.target_declared)
        for alias, _ in self._aliases:
            add(alias.name)
        return found

    def _settle_names(self) -> None:
        place = self.place
        held = {} if self.new else {n.key: n for n in self.store.names_of_page(place.page)}
        known = self.store.entities_of_keys(self._names)
        fresh = []
        for key, name in self._names.items():
            before = held.pop(key, None)
            person = self._person(key, known.get(key, ()), before.entity if before else None)
            self.people[key] = person
            self._check_type(person.id, name)
            values = (person.id, name.name, name.type, name.declared)
            if before is None:
                fresh.append((place.page, key, *values, place.scope))
            elif values != (before.entity, before.name, before.type, before.declared):
                self.entities.add(before.entity)
                self.store.set_name(before.id, *values)
        self.store.add_names(fresh)
        for gone in held.values():
            self.entities.add(gone.entity)
            self.store.drop_name(gone.id)

    def _person(self, key: str, rows: Sequence[tuple[int, str, str]], before: int | None) -> Person:
        about = key == self.draft.subject_key
        word = self.draft.page.entity_word or "" if about else ""
        same = self._same_as(key) if about and self.draft.page.same_as else None
        if same is not None:
            return same
        if key in self._said:
            return self._told_entity(key, self._said[key])
        handles = self._handles.get(key, frozenset())
        if len(rows) == 1 and not handles and not word:
            return Person(rows[0][0], rows[0][2])
        if not rows:
            return self._new_entity(key, word)
        candidates = [self._candidate(row, its_word) for row, its_word, _ in rows]
        settled = settle(candidates, handles=handles, word=word, current=before)
        if settled.ambiguous:
            self.warnings.append(
                f"several are called {self._names[key].name!r}: this page keeps its own; "
                'say which with "same_as: PATH" or "entity: WORD" in its front matter'
            )
        eids = {row: eid for row, _, eid in rows}
        if settled.entity is None:
            return self._new_entity(key, word)
        chosen = next(c for c in candidates if c.id == settled.entity)
        if conflict(chosen.hidden, handles):
            self._part(key, chosen.id)
        return Person(settled.entity, eids[settled.entity])

    def _part(self, key: str, entity: int) -> None:
        """Move the pages that gave an entity a hidden handle to an entity of their own.

        The page's readers see nothing of them, so that they could not keep the page away from the
        entity; and two people's files are not mixed.
        """
        revision = self.place.revision
        for page, path in self.store.hidden_pages(entity, self.place.page, self.place.seen_by):
            apart = self._new_entity(key, "", path).id
            before = self.store.stated_of_page(page)
            self.store.move_page(page, entity, apart, revision)
            self.judged += before + self.store.stated_of_page(page)

    @cached_property
    def _said(self) -> dict[str, str]:
        """key → entity of the names that somebody spoke of in a merge or split."""
        return Merging(self.store).of_page(self.draft.page.path)

    def _told_entity(self, key: str, eid: str) -> Person:
        """The entity that a name means because somebody said so, made again where it is gone."""
        entity = self.store.entity_by_eid(eid)
        if entity is None:
            own = key_of(eid)
            entity = self.store.add_entity(eid, own, folded_key(own), "")
            if own != key:
                self.store.add_other_key(key, entity)
        return Person(entity, eid)

    def _candidate(self, entity: int, word: str) -> Candidate:
        page = self.place.page
        seen, hidden = self.store.entity_handles(entity, page, self.place.seen_by)
        visible = self.store.entity_seen_elsewhere(entity, page, self.place.seen_by)
        return Candidate(entity, word, seen, visible, hidden)

    def _same_as(self, key: str) -> Person | None:
        path = self.draft.page.same_as or ""
        row = self.store.page(path)
        mask = self.place.seen_by
        if row is None or row.entity is None or row.seen_by & mask != mask:
            self.warnings.append(f"same_as: there is no page {path!r} about anything")
            return None
        self.store.add_other_key(key, row.entity)
        return Person(row.entity, self.store.eid(row.entity))

    def _new_entity(self, key: str, word: str, path: str = "") -> Person:
        tail = f"word:{word}" if word else path or self.draft.page.path
        eid = f"{key}~{self._suffix(key, tail, 5)}" if word else key
        length = 5
        while self.store.entity_by_eid(eid) is not None:
            eid = f"{key}~{self._suffix(key, tail, length)}"
            length += 1
        return Person(self.store.add_entity(eid, key, folded_key(key), word), eid)

    def _suffix(self, key: str, tail: str, length: int) -> str:
        """What tells a second entity of a name apart, and tells nothing else."""
        made_of = f"{len(key)}:{key}{tail}".encode()
        digest = hashlib.blake2b(made_of, key=self.store.secret, digest_size=20).digest()
        return b32encode(digest).decode("ascii").lower()[:length]

    def _check_type(self, entity: int, name: _Name) -> None:
        if not name.type:
            return
        other = self.store.other_type(entity, self.place.page, self.place.seen_by)
        if other and name.type != other:
            self.warnings.append(f"{name.name!r} is a {name.type} here, a {other} on another page")

    # aliases

    @cached_property
    def _held(self) -> list[AliasRow]:
        return [] if self.new else self.store.aliases_of_page(self.place.page)

    @cached_property
    def _aliases(self) -> list[tuple[Alias, int]]:
        """The page's aliases (0) and those that callers gave it, now or before (1)."""
        own = [(Alias(a.handle, a.name, a.kind), 0) for a in self.draft.page.aliases]
        held = [(Alias(a.handle, a.name, a.kind), 1) for a in self._held if a.given]
        new = [
            (Alias(a.handle, a.name or self.draft.name, a.kind or handle_kind(a.handle)), 1)
            for a in self.draft.aliases
        ]
        return [pair for pair in own + held + new if self._keys(pair[0])]

    def _keys(self, alias: Alias) -> tuple[str, ...]:
        return handle_keys(alias.handle, alias.kind, self.writer.region)

    @cached_property
    def _handles(self) -> Mapping[str, frozenset[Handle]]:
        """The phones and e-mails of each name on the page, by the name's key."""
        found: dict[str, set[Handle]] = {}
        for alias, _ in self._aliases:
            if alias.kind in ("phone", "email"):
                handle = (alias.kind, self._keys(alias)[0])
                found.setdefault(self.draft.key(alias.name), set()).add(handle)
        return {key: frozenset(handles) for key, handles in found.items()}

    def _store_aliases(self) -> None:
        wanted = self._wanted(self._aliases)
        for row in self._held:
            same = wanted.get((row.kind, row.key, row.entity))
            if same is not None and same[1] == row.given:
                del wanted[(row.kind, row.key, row.entity)]
            else:
                self.entities.add(row.entity)
                self.store.drop_alias(row.id)
        for (kind, _, entity), (alias, given) in wanted.items():
            self.store.add_alias(
                self._keys(alias),
                page=self.place.page,
                entity=entity,
                kind=kind,
                handle=alias.handle,
                name=alias.name,
                given=given,
                scope=self.place.scope,
            )

    def _wanted(
        self, aliases: Iterable[tuple[Alias, int]]
    ) -> dict[tuple[str, str, int], tuple[Alias, int]]:
        """(kind, key, entity) → alias, each once; one that a caller gave stays given."""
        found: dict[tuple[str, str, int], tuple[Alias, int]] = {}
        for alias, given in aliases:
            entity = self.people[self.draft.key(alias.name)].id
            place = (alias.kind, self._keys(alias)[0], entity)
            first, before = found.get(place, (alias, 0))
            found[place] = (first, before or given)
        return found
