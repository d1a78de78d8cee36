"""The reads that need no vector: who is meant, what is current, what was, and rows as answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cloudnee.flows.inputs import checked_text
from cloudnee.graph.dates import from_micros
from cloudnee.graph.facts import triplet_text
from cloudnee.graph.identity import (
    email_key,
    entity_key,
    folded_key,
    handle_kind,
    phone_digits,
)
from cloudnee.graph.supersession import Laws, Stated, Verdict, groups, verdicts
from cloudnee.model import Current, Edge, Entity, Source, Unread
from cloudnee.store.store import EdgeRow, Store

__all__ = ["MOST_EDGES", "Reader"]

MOST_EDGES = 200
_LONG_AGO = -(1 << 62)  # a retired edge beats no stated one


class Reader:
    """Reads one org as one audience (its mask bit) sees it."""

    def __init__(self, store: Store, bit: int) -> None:
        self.store = store
        self.bit = bit
        self._shown: dict[int, tuple[str, str, str]] = {}
        self._paths: dict[int, str] = {}

    # who is meant

    def entities(self, who: str) -> list[int]:
        """The entities (row ids) that a phone, an e-mail address, a name or an id leads to."""
        who = checked_text("who", who).strip()
        kind = handle_kind(who) if who else ""
        found: list[int] = []
        if kind == "phone":
            found = self.store.entities_by_handle(phone_digits(who), self.bit, "phone")
        elif kind == "email":
            found = self.store.entities_by_handle(email_key(who), self.bit, "email")
        found = found or self._named(who)
        if len(found) > 1:
            found.sort(key=lambda row: self.store.first_named(row, self.bit))
        return found

    def _named(self, who: str) -> list[int]:
        key = entity_key(who)
        if not key:
            return []
        found = dict.fromkeys(self.store.entities_by_name(key, self.bit))
        found.update(dict.fromkeys(self.store.entities_by_handle(key, self.bit, "name")))
        if not found:
            entity = self.store.entity_by_eid(who)
            if entity is not None and self.shown(entity)[1]:
                found[entity] = None
        return list(found)

    def suggestions(self, who: str) -> tuple[str, ...]:
        """Names that differ from `who` in marks, or begin with it."""
        folded = folded_key(entity_key(who))
        if not folded:
            return ()
        close = self.store.entities_by_folded(folded, self.bit)
        return tuple(sorted({self.shown(entity)[1] for entity in close}))

    def entity(self, row: int) -> Entity:
        """An entity with what tells it apart."""
        eid, name, kind = self.shown(row)
        aliases = tuple(dict.fromkeys(a[0] for a in self.store.entity_aliases(row, self.bit)))
        return Entity(eid, name, kind, aliases, self.store.entity_paths(row, self.bit))

    def shown(self, row: int) -> tuple[str, str, str]:
        """(id, name, type) of an entity as this audience sees it."""
        if row not in self._shown:
            self._shown[row] = self.store.shown_entity(row, self.bit)
        return self._shown[row]

    # what is current, what was

    def current(self, who: str) -> Current:
        """The current facts about whoever is meant, each person's apart."""
        with self.store.reading():
            rows = self.entities(who)
            edges, more = self._current_edges(rows)
            unread = self._unread(who, rows)
            return Current(
                entities=tuple(self.entity(row) for row in rows),
                edges=tuple(edges),
                unread=unread,
                suggestions=() if rows else self.suggestions(who),
                more=more,
            )

    def _current_edges(self, entities: Sequence[int]) -> tuple[list[Edge], int]:
        edges: list[Edge] = []
        more = 0
        for entity in entities:
            room = MOST_EDGES - len(edges)
            rows = self.store.current_edges(entity, self.bit, max(room, 0) + 1)
            if len(rows) > room:
                more += self.store.count_current(entity, self.bit) - room
                rows = rows[:room]
            edges.extend(self.by_triplet(rows))
        return edges, more

    def by_triplet(self, rows: Iterable[EdgeRow]) -> list[Edge]:
        """One answer a triplet, the newest of its edges, with all its sources."""
        alike: dict[tuple[int, str, int], list[EdgeRow]] = {}
        for row in rows:
            alike.setdefault((row.source, row.relation, row.target), []).append(row)
        for same in alike.values():
            same.sort(key=lambda row: (-row.as_of, -row.id))
        return [self.edge(same[0], sources=same) for same in alike.values()]

    def _unread(self, who: str, entities: Sequence[int]) -> tuple[Unread, ...]:
        found = self.store.unread(self.bit)
        if found and entities:  # mostly there are none: the longer question is then not asked
            found = self.store.unread_about(self.bit, entities, [entity_key(who)])
        return tuple(Unread(*row) for row in found)

    def history(self, who: str, laws: Callable[[], Laws], most: int = 1000) -> list[Edge]:
        """Every interval about whoever is meant, newest first, current ones included."""
        with self.store.reading():
            rows = [
                row
                for entity in self.entities(who)
                for row in self.store.edges_ever(entity, self.bit, most)
            ]
            rows.sort(key=lambda row: (row.created_at, row.id), reverse=True)
            return self.judged(dict.fromkeys(rows), laws)

    def judged(self, rows: Iterable[EdgeRow], laws: Callable[[], Laws]) -> list[Edge]:
        """Rows as answers that say why those not current ended, and what won."""
        return [
            self.edge(row) if row.current_for & self.bit else self._ended(row, laws())
            for row in rows
        ]

    def _ended(self, row: EdgeRow, laws: Laws) -> Edge:
        verdict = self._verdict(row, laws) or self._contradiction(row)
        ended = row.ended or (verdict.reason if verdict else "retired")
        winner = None
        if verdict and ended != "retired":
            found = self.store.edge(verdict.winner, self.bit)
            winner = found.eid if found else None
        return self.edge(row, ended=ended, winner=winner)

    def _contradiction(self, row: EdgeRow) -> Verdict | None:
        """What a model said can't be true beside an edge, among what this audience sees."""
        if row.retired_at is not None:
            return None
        for _, winner, seen_by, _ in self.store.contradicted([row.id]):
            if seen_by & self.bit:
                return Verdict("contradicted", winner)
        return None

    def _verdict(self, row: EdgeRow, laws: Laws) -> Verdict | None:
        """What beats an edge among the stated edges of its groups that this audience sees."""
        as_of = row.as_of if row.retired_at is None else _LONG_AGO
        own = Stated(row.id, row.source, row.relation, row.target, as_of, 0, 0, row.seen_by)
        members = {own.id: own} if row.retired_at is not None else {}
        for group, _, _ in groups(own, laws):
            kind, _, relations = group
            names = relations if isinstance(relations, tuple) else (row.relation,)
            for relation in names:
                for member in self.store.stated(
                    source=row.source, relation=relation, target=row.target, group=kind
                ):
                    members[member.id] = member
        return verdicts(members.values(), laws, self.bit).get(row.id)

    def recent(self, most: int, laws: Callable[[], Laws]) -> list[Edge]:
        """The edges written last, newest first."""
        with self.store.reading():
            return self.judged(self.store.edges_recent(self.bit, most), laws)

    # rows as answers

    def edge(
        self,
        row: EdgeRow,
        *,
        ended: str = "",
        winner: str | None = None,
        sources: Sequence[EdgeRow] = (),
    ) -> Edge:
        """A row as an answer, with the names that this audience sees."""
        source_id, source_name, _ = self.shown(row.source)
        target_id, target_name, _ = self.shown(row.target)
        source_name = source_name or self.store.text(row.source_text)  # no page says it any more
        target_name = target_name or self.store.text(row.target_text)
        return Edge(
            id=row.eid,
            source_id=source_id,
            source_name=source_name,
            relation=row.relation,
            target_id=target_id,
            target_name=target_name,
            path=self.path(row.page),
            chunk=row.chunk,
            line=row.line,
            text=triplet_text(source_name, row.relation, target_name),
            quote=row.quote,
            importance=row.importance,
            feedback_weight=row.weight,
            since=from_micros(row.since),
            as_of=from_micros(row.as_of),
            created_at=from_micros(row.created_at),
            retired_at=from_micros(row.retired_at) if row.retired_at is not None else None,
            superseded_by=winner,
            ended=ended,
            sources=tuple(Source(r.eid, self.path(r.page), r.line) for r in sources or (row,)),
        )

    def path(self, page: int) -> str:
        """The path of a page by its row id."""
        if page not in self._paths:
            self._paths[page] = self.store.page_path(page)
        return self._paths[page]
