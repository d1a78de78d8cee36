"""Who is who, when somebody says so: proposals with their reasons, merging, undoing, splitting.

A merge moves rows and is written down for each name it moves, so that pages read anew keep to it
and undoing it gives every name back.
"""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Iterable

from cloudnee.errors import Ambiguous, BadInput
from cloudnee.flows.caller import Caller
from cloudnee.flows.forgetting import only_entity
from cloudnee.graph.dates import from_micros
from cloudnee.graph.identity import entity_key, folded_key
from cloudnee.graph.supersession import Stated
from cloudnee.model import Merge
from cloudnee.pages.path import canonical_path
from cloudnee.store.merging import MergeRow, Merging, MovingEdge, Saying, key_of

__all__ = ["accept", "listed", "pair", "reject", "split", "undo"]


def listed(caller: Caller) -> list[Merge]:
    """The merges and splits in force."""
    caller.owner_only("see who was merged")
    return [_merge(row) for row in Merging(caller.store).merges()]


def _merge(row: MergeRow) -> Merge:
    return Merge(row.number, row.kind, row.kept, row.gone, from_micros(row.made_at))


def pair(first: str, second: str) -> str:
    """What is kept, as a keyed hash, of two entities that are not one."""
    return "\n".join(sorted((first, second)))


def reject(caller: Caller, first: str, second: str) -> None:
    """Never propose these two again."""
    caller.owner_only("say who is who")
    with caller.store.writing():
        one, other = (_entity(caller, who) for who in (first, second))
        caller.store.forget("merge", pair(caller.store.eid(one), caller.store.eid(other)))


def accept(caller: Caller, first: str, second: str) -> Merge:
    """Make `second` one with `first`: names, handles, facts and their history."""
    caller.owner_only("say who is who")
    with caller.store.writing():
        kept, gone = (_entity(caller, who) for who in (first, second))
        if kept == gone:
            raise BadInput(f"{first!r} and {second!r} are one entity already")
        return _Moves(caller).merge(kept, gone)


def split(caller: Caller, who: str, paths: Iterable[str]) -> Merge:
    """Make what these pages call `who` an entity of its own."""
    caller.owner_only("say who is who")
    wanted = [canonical_path(path) for path in paths]
    with caller.store.writing():
        return _Moves(caller).split(_entity(caller, who), wanted)


def undo(caller: Caller, number: int) -> Merge:
    """Take a merge or split back: every name means again what it meant before."""
    caller.owner_only("say who is who")
    merging = Merging(caller.store)
    with caller.store.writing():
        row = merging.merge(number)
        if row is None:
            raise BadInput(f'there is no merge {number}: "cloudnee merges" lists those in force')
        later = merging.later(number)
        if later is not None:
            raise BadInput(f"merge {later} came after {number} and moved the same: undo it first")
        _Moves(caller).undo(row)
        return _merge(row)


def _entity(caller: Caller, who: str) -> int:
    """An entity by its id, else by what leads to one only."""
    found = caller.store.entity_by_eid(who)
    if found is None:
        found = only_entity(caller.reader(), who)
    if found is None:
        raise Ambiguous(f'nothing is known by {who!r}: give an id as "cloudnee merges" lists them')
    return found


class _Moves:
    """Moves names, handles and edges between entities, inside one write."""

    def __init__(self, caller: Caller) -> None:
        caller.found()
        self.store = caller.store
        self.merging = Merging(caller.store)
        self.writer = caller.writer()
        self.revision = self.store.next_revision()
        self.judged: list[Stated] = []
        self.texts: set[int] = set()
        self.touched: set[int] = set()

    def merge(self, kept: int, gone: int) -> Merge:
        kept_eid, gone_eid = self.store.eid(kept), self.store.eid(gone)
        word = self.merging.word(gone)
        number = self.merging.add("merge", kept_eid, gone_eid, word, self.writer.now)
        for path, key in self._named(kept):
            self.merging.say(number, Saying(path, key, kept_eid, kept_eid))
        for path, key in self._named(gone):
            self.merging.say(number, Saying(path, key, kept_eid, gone_eid))
        for key in {key for _, key in self._named(gone)} | {key_of(gone_eid)}:
            self.store.add_other_key(key, kept)
        self._move(gone, kept)
        return self._finished(number)

    def split(self, entity: int, paths: list[str]) -> Merge:
        named = self._named(entity)
        chosen = [(path, key) for path, key in named if path in paths]
        unknown = set(paths) - {path for path, _ in chosen}
        if not chosen or unknown:
            missing = ", ".join(sorted(unknown)) or "none of these pages"
            raise BadInput(f"not named on {missing}: give pages that name it")
        if {path for path, _ in named} <= set(paths):
            raise BadInput("all its pages were given: name those that are about somebody else")
        eid = self.store.eid(entity)
        key = chosen[0][1]
        new = self._eid(key, paths[0])
        number = self.merging.add("split", eid, new, "", self.writer.now)
        for path, its_key in chosen:
            self.merging.say(number, Saying(path, its_key, new, eid))
        made = self.store.add_entity(new, key, folded_key(key), "")
        for other in {its_key for _, its_key in chosen} - {key}:
            self.store.add_other_key(other, made)
        self._move(entity, made, set(chosen))
        return self._finished(number)

    def undo(self, row: MergeRow) -> None:
        groups: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for saying in self.merging.sayings(row.number):
            if saying.entity != saying.was:
                where = (saying.entity, saying.was)
                groups.setdefault(where, set()).add((saying.path, saying.key))
        for (now, was), names in groups.items():
            entity = self.store.entity_by_eid(now)
            if entity is not None:
                back = self._again(was, row)
                self._move(entity, back, names)
                for key in {key for _, key in names} | {key_of(was)}:
                    self.merging.drop_other_key(key, entity)
        self.merging.drop(row.number)
        self._finish()

    # parts

    def _named(self, entity: int) -> list[tuple[str, str]]:
        """(path, key) of each name that any page has, or ever had, for an entity."""
        names = self.merging.names(entity)
        found = {(name.path, name.key): None for name in names}
        keys = {(name.path, entity_key(name.name)): name.key for name in names}
        for edge in self.merging.edges(entity):
            for end, name in ((edge.source, edge.source_name), (edge.target, edge.target_name)):
                if end == entity:
                    place = (edge.path, entity_key(name))
                    found.setdefault((edge.path, keys.get(place, place[1])), None)
        return list(found)

    def _again(self, eid: str, row: MergeRow) -> int:
        """The entity that a merge took away, made again."""
        known = self.store.entity_by_eid(eid)
        if known is not None:
            return known
        key = key_of(eid)
        return self.store.add_entity(eid, key, folded_key(key), row.word)

    def _eid(self, key: str, path: str) -> str:
        made_of = f"{len(key)}:{key}split:{path}".encode()
        digest = hashlib.blake2b(made_of, key=self.store.secret, digest_size=20).digest()
        suffix = b32encode(digest).decode("ascii").lower()
        lengths = range(5, len(suffix) + 1)
        free = (f"{key}~{suffix[:n]}" for n in lengths)
        return next(eid for eid in free if self.store.entity_by_eid(eid) is None)

    def _move(self, was: int, now: int, only: set[tuple[str, str]] | None = None) -> None:
        """Move what pages call `was` to `now`: everything, or the names (path, key) given."""
        keys: dict[tuple[str, str], str] = {}
        for name in self.merging.names(was):
            keys[(name.path, entity_key(name.name))] = name.key
            if only is None or (name.path, name.key) in only:
                self.merging.move_name(name.row, now)
                self._aliases(name.page, name.key, was, now, every=only is None)
                self.merging.move_page_entity(name.page, was, now)
        for edge in self.merging.edges(was):
            self._edge(edge, was, now, keys, only)
        self.touched.add(was)

    def _aliases(self, page: int, key: str, was: int, now: int, *, every: bool) -> None:
        held = self.store.aliases_of_page(page)
        there = {(a.kind, a.key) for a in held if a.entity == now}
        for alias in held:
            if alias.entity != was or not (every or entity_key(alias.name) == key):
                continue
            if (alias.kind, alias.key) in there:
                self.store.drop_alias(alias.id)
            else:
                self.merging.move_alias(alias.id, now)

    def _edge(
        self,
        edge: MovingEdge,
        was: int,
        now: int,
        keys: dict[tuple[str, str], str],
        only: set[tuple[str, str]] | None,
    ) -> None:
        def moved(end: int, name: str) -> int:
            key = entity_key(name)
            named = (edge.path, keys.get((edge.path, key), key))
            return now if end == was and (only is None or named in only) else end

        source = moved(edge.source, edge.source_name)
        target = moved(edge.target, edge.target_name)
        if (source, target) == (edge.source, edge.target):
            return
        self.store.move_edge(edge.row, source, target, self.revision)
        if edge.stated:
            for ends in ((edge.source, edge.target), (source, target)):
                self.judged.append(Stated(edge.row, ends[0], edge.relation, ends[1], 0, 0, 0, 0))

    def _finished(self, number: int) -> Merge:
        self._finish()
        row = self.merging.merge(number)
        if row is None:
            raise BadInput(f"merge {number} is gone")
        return _merge(row)

    def _finish(self) -> None:
        for row in self.writer.judge(self.judged, self.revision):
            self.texts.update(self.store.edge_texts(row))
        self.writer.vectors.settle(self.texts, {}, self.revision)
        self.store.drop_unused_entities(self.touched)
        self.store.next_generation()
