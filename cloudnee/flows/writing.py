"""The write transaction: identity, diff, supersession, rows, vectors and text index of one page.

Extraction and embedding are done before it (a `Draft`); it reads the rows it judges by inside
itself, and either all of a page's change is in the file or nothing is.
"""

from __future__ import annotations

import hashlib
from base64 import b32encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloudnee.config import AudienceRules
from cloudnee.extract.grounding import PlacedEdge
from cloudnee.extract.ontology import Ontology
from cloudnee.graph.facts import Read, StatedFact, changes, edge_id, fact_id, triplet_text
from cloudnee.graph.identity import (
    Candidate,
    Handle,
    Settled,
    entity_key,
    folded_key,
    handle_keys,
    handle_kind,
    settle,
)
from cloudnee.graph.supersession import Stated, current_masks, groups
from cloudnee.model import Alias, Entity, Refused, Report
from cloudnee.pages.page import ParsedPage
from cloudnee.pages.terms import terms
from cloudnee.store.store import PageEdge, PageRow, Store
from cloudnee.store.vectors import FACT, NAME, Vectors

__all__ = ["Draft", "PageChanged", "Writer", "page_texts"]


class PageChanged(Exception):
    """The page was written by another since this work began: begin again."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as prepared outside the transaction.

    `base_hash` is the stored hash the work began from (None: no page then). `reading` is None
    where extraction failed or has not happened: `status` and `reason` tell. `own_date` is the date
    the page gives itself, `as_of` the date its new facts get.
    """

    page: ParsedPage
    name: str
    base_hash: str | None
    status: str
    reader: str
    as_of: int
    own_date: int | None
    reading: Sequence[PlacedEdge] | None = None
    aliases: tuple[Alias, ...] = ()
    passages: Sequence[tuple[dict[str, Any], str]] = ()
    vectors: Mapping[tuple[int, str], bytes | None] = field(default_factory=dict)
    refused: tuple[Refused, ...] = ()
    warnings: tuple[str, ...] = ()
    reason: str = ""

    @property
    def subject_key(self) -> str:
        """The key of the page's subject; a page that is its own subject is keyed by its path."""
        return entity_key(self.page.subject) if self.page.subject else f"page:{self.page.path}"

    def key(self, name: str) -> str:
        """The key of a name on this page."""
        key = entity_key(name)
        if self.page.subject is None and key == entity_key(self.name):
            return self.subject_key
        return key


def page_texts(edges: Iterable[PlacedEdge]) -> list[tuple[int, str]]:
    """The texts that a reading shows: (kind, text), each once."""
    found: dict[tuple[int, str], None] = {}
    for edge in edges:
        found[(NAME, edge.source)] = None
        found[(NAME, edge.target)] = None
        found[(FACT, triplet_text(edge.source, edge.relation, edge.target))] = None
    return list(found)


class Writer:
    """Writes drafts into a store. Every method is called inside one write transaction."""

    def __init__(
        self,
        store: Store,
        ontology: Ontology,
        *,
        region: str | None,
        bit: int,
        now: int,
        rules: Sequence[tuple[AudienceRules, int]],
    ) -> None:
        self.store = store
        self.vectors = Vectors(store)
        self.ontology = ontology
        self.region = region
        self.bit = bit
        self.now = now
        self.rules = rules

    def write(self, draft: Draft) -> Report:
        """Carry out a draft; raises `PageChanged` or `MissingVectors` to begin again."""
        row = self.store.page(draft.page.path)
        if (row.content_hash if row else None) != draft.base_hash:
            raise PageChanged(draft.page.path)
        revision = self.store.next_revision()
        scope, page = self._page(row, draft)
        if draft.reading is None:
            return self._report(draft)
        return _PageWrite(self, draft, row, page, scope, revision).run()

    def mask(self, path: str) -> int:
        """The audiences that see a path."""
        return sum(bit for rule, bit in self.rules if rule.may_see(path))

    def _page(self, row: PageRow | None, draft: Draft) -> tuple[int, int]:
        """The page's scope and row id, its text and passages stored."""
        page = draft.page
        values = {
            "text": page.text,
            "content_hash": page.content_hash,
            "status": draft.status,
            "reason": draft.reason,
            "subject": draft.name,
            "subject_key": draft.subject_key,
            "tags": "\n".join(page.tags),
            "now": self.now,
        }
        if row is None:
            mask = self.mask(page.path)
            scope = self.store.scope(mask)
            row_id = self.store.add_page(
                path=page.path,
                own_date=draft.own_date,
                as_of=draft.as_of,
                scope=scope,
                seen_by=mask,
                **values,
            )
        else:
            scope, row_id = row.scope, row.id
            self.store.set_page(row_id, **values)
        if row is None or row.content_hash != page.content_hash:
            self.store.set_passages(row_id, scope, draft.passages)
        return scope, row_id

    def _report(self, draft: Draft, **found: Any) -> Report:
        return Report(
            path=draft.page.path,
            status=draft.status,
            content_hash=draft.page.content_hash,
            refused=draft.refused,
            warnings=draft.warnings + found.pop("warnings", ()),
            reason=draft.reason,
            **found,
        )

    # shared with forgetting and judging anew

    def judge(self, touched: Iterable[Stated], revision: int) -> list[int]:
        """Judge the groups of these edges again; gives the rows whose masks changed."""
        members: dict[int, Stated] = {}
        seen: set[object] = set()
        for edge in touched:
            members.update(self._groups_of(edge, seen))
        wider = dict(members)
        for edge in list(members.values()):
            wider.update(self._groups_of(edge, seen))
        masks = current_masks(wider.values(), self.ontology)
        changed = []
        for row, edge in members.items():
            if masks[row] != edge.current_for:
                self.store.judge_edge(row, masks[row], revision)
                changed.append(row)
        return changed

    def in_groups(self, edge: Stated) -> bool:
        """Whether an edge competes with others at all."""
        return next(groups(edge, self.ontology), None) is not None

    def _groups_of(self, edge: Stated, seen: set[object]) -> dict[int, Stated]:
        found: dict[int, Stated] = {}
        for group, _, _ in groups(edge, self.ontology):
            if group in seen:
                continue
            seen.add(group)
            kind, _, relations = group
            names = relations if isinstance(relations, tuple) else (edge.relation,)
            for relation in names:
                for member in self.store.stated(
                    source=edge.source, relation=relation, target=edge.target, group=kind
                ):
                    found[member.id] = member
        return found


class _PageWrite:
    """One page's write, step by step; what it touched is settled at the end."""

    def __init__(
        self,
        writer: Writer,
        draft: Draft,
        row: PageRow | None,
        page: int,
        scope: int,
        revision: int,
    ) -> None:
        self.writer = writer
        self.store = writer.store
        self.draft = draft
        self.row = row
        self.page = page
        self.scope = scope
        self.revision = revision
        self.seen_by = row.seen_by if row else writer.mask(draft.page.path)
        self.edges: Sequence[PlacedEdge] = draft.reading or ()
        self.warnings: list[str] = []
        self.texts: set[int] = set()
        self.entities: set[int] = set()
        self.judged: list[Stated] = []
        self.texts_by_words: dict[tuple[int, str], int] = {}

    def run(self) -> Report:
        aliases = self._aliases()
        people = self._people(aliases)
        self._write_aliases(aliases, people)
        added, closed = self._write_edges(people)
        for row in self.writer.judge(self.judged, self.revision):
            self.texts.update(self.store.edge_texts(row))
        self.writer.vectors.settle(self.texts, self.draft.vectors, self.revision)
        self.store.drop_unused_entities(self.entities)
        self.store.set_page_read(
            self.page,
            reading=self.draft.reader,
            entity=people.get(self.draft.subject_key),
            own_date=self.draft.own_date,
            as_of=self.draft.as_of,
        )
        return self.writer._report(
            self.draft,
            added=tuple(added),
            closed=tuple(closed),
            entities=self._told(people),
            warnings=tuple(self.warnings),
        )

    # aliases

    def _aliases(self) -> list[tuple[Alias, int]]:
        """The page's aliases and those given by callers now or before, with `given` 0 or 1."""
        own = [(Alias(a.handle, a.name, a.kind), 0) for a in self.draft.page.aliases]
        held = [
            (Alias(a.handle, a.name, a.kind), 1)
            for a in self.store.aliases_of_page(self.page)
            if a.given
        ]
        new = [
            (Alias(a.handle, a.name or self.draft.name, a.kind or handle_kind(a.handle)), 1)
            for a in self.draft.aliases
        ]
        return own + held + new

    def _handles(self, aliases: Iterable[tuple[Alias, int]]) -> dict[str, set[Handle]]:
        """The phones and e-mails of each name on the page, by the name's key."""
        found: dict[str, set[Handle]] = {}
        for alias, _ in aliases:
            if alias.kind in ("phone", "email"):
                keys = handle_keys(alias.handle, alias.kind, self.writer.region)
                found.setdefault(self.draft.key(alias.name), set()).add((alias.kind, keys[0]))
        return found

    def _write_aliases(
        self, aliases: Iterable[tuple[Alias, int]], people: Mapping[str, int]
    ) -> None:
        wanted: dict[tuple[str, str, int], tuple[Alias, int, tuple[str, ...]]] = {}
        for alias, given in aliases:
            keys = handle_keys(alias.handle, alias.kind, self.writer.region)
            entity = people[self.draft.key(alias.name)]
            first, before, _ = wanted.get((alias.kind, keys[0], entity), (alias, 0, keys))
            wanted[(alias.kind, keys[0], entity)] = (first, before or given, keys)
        for row in self.store.aliases_of_page(self.page):
            same = wanted.get((row.kind, row.key, row.entity))
            if same is None or same[1] != row.given:
                self.entities.add(row.entity)
                self.store.drop_alias(row.id)
            else:
                del wanted[(row.kind, row.key, row.entity)]
        for (kind, _, entity), (alias, given, keys) in wanted.items():
            self.store.add_alias(
                keys,
                page=self.page,
                entity=entity,
                kind=kind,
                handle=alias.handle,
                name=alias.name,
                given=given,
                scope=self.scope,
            )

    # names

    def _named(self, aliases: Iterable[tuple[Alias, int]]) -> dict[str, tuple[str, str, int]]:
        """key → (name, type, declared) of all that the page names, in the order of the page."""
        found: dict[str, tuple[str, str, int]] = {}

        def add(name: str, kind: str = "", *, declared: bool = True) -> None:
            key = self.draft.key(name)
            first, known, before = found.get(key, (name, "", 0))
            found[key] = (first, known or kind, int(before or declared))

        if self.draft.page.subject:
            add(self.draft.page.subject)
        for edge in self.edges:
            add(edge.source, edge.source_type, declared=edge.source_declared)
            add(edge.target, edge.target_type, declared=edge.target_declared)
        for alias, _ in aliases:
            add(alias.name)
        return found

    def _people(self, aliases: Sequence[tuple[Alias, int]]) -> dict[str, int]:
        """key → entity (row id) for every name on the page, the page's names stored."""
        handles = self._handles(aliases)
        held = {row.key: row for row in self.store.names_of_page(self.page)}
        people: dict[str, int] = {}
        for key, (name, kind, declared) in self._named(aliases).items():
            known = held.pop(key, None)
            before = known.entity if known else None
            entity = self._entity(key, name, frozenset(handles.get(key, ())), before)
            people[key] = entity
            self._check_type(entity, name, kind)
            if known is None:
                self.store.add_name(
                    page=self.page,
                    entity=entity,
                    key=key,
                    name=name,
                    type=kind,
                    declared=declared,
                    scope=self.scope,
                )
            elif (known.entity, known.name, known.type, known.declared) != (
                entity, name, kind, declared,
            ):  # fmt: skip
                self.entities.add(known.entity)
                self.store.set_name(
                    known.id, entity=entity, name=name, type=kind, declared=declared
                )
        for gone in held.values():
            self.entities.add(gone.entity)
            self.store.drop_name(gone.id)
        return people

    def _entity(self, key: str, name: str, handles: frozenset[Handle], before: int | None) -> int:
        about = key == self.draft.subject_key
        word = self.draft.page.entity_word or "" if about else ""
        if about and self.draft.page.same_as:
            same = self._same_as(self.draft.page.same_as)
            if same is not None:
                self.store.add_other_key(key, same)
                return same
        rows = self.store.entities_of_key(key)
        if len(rows) == 1 and not handles and not word:
            return rows[0][0]
        settled = self._settled(rows, handles, word, before)
        if settled.ambiguous:
            self.warnings.append(
                f"several are called {name!r}: this page keeps its own; "
                'say which with "same_as: PATH" or "entity: WORD" in its front matter'
            )
        return settled.entity or self._new_entity(key, word)

    def _settled(
        self,
        rows: Sequence[tuple[int, str]],
        handles: frozenset[Handle],
        word: str,
        before: int | None,
    ) -> Settled:
        candidates = [
            Candidate(
                entity,
                its_word,
                self.store.entity_handles(entity, self.page),
                self.store.entity_seen_elsewhere(entity, self.page, self.seen_by),
            )
            for entity, its_word in rows
        ]
        return settle(candidates, handles=handles, word=word, current=before)

    def _same_as(self, path: str) -> int | None:
        row = self.store.page(path)
        if row is None or row.entity is None or row.seen_by & self.seen_by != self.seen_by:
            self.warnings.append(f"same_as: there is no page {path!r} about anything")
            return None
        return row.entity

    def _new_entity(self, key: str, word: str) -> int:
        tail = f"word:{word}" if word else self.draft.page.path
        eid = f"{key}~{self._suffix(key, tail)}" if word else key
        length = 5
        while self.store.entity_by_eid(eid) is not None:
            eid = f"{key}~{self._suffix(key, tail, length)}"
            length += 1
        return self.store.add_entity(eid, key, folded_key(key), word)

    def _suffix(self, key: str, tail: str, length: int = 5) -> str:
        made_of = f"{len(key)}:{key}{tail}".encode()
        digest = hashlib.blake2b(made_of, key=self.store.secret, digest_size=20).digest()
        return b32encode(digest).decode("ascii").lower()[:length]

    def _check_type(self, entity: int, name: str, kind: str) -> None:
        if not kind:
            return
        others = self.store.types_of_entity(entity, self.page, self.seen_by)
        if others and kind not in others:
            self.warnings.append(f"{name!r} is a {kind} here and a {others[0]} on another page")

    def _told(self, people: Mapping[str, int]) -> tuple[Entity, ...]:
        shown = (self.store.shown_entity(entity, self.writer.bit) for entity in people.values())
        return tuple(Entity(*values) for values in dict.fromkeys(shown))

    # edges

    def _write_edges(self, people: Mapping[str, int]) -> tuple[list[str], list[str]]:
        stored = [e for e in self.store.edges_of_page(self.page) if e.retired_at is None]
        by_fact = {self._fact(edge): edge for edge in self.edges}
        by_fact = {fact: edge for fact, edge in by_fact.items() if not self._forgotten(fact, edge)}
        laws = self.writer.ontology
        change = changes(
            [
                StatedFact(e.id, e.eid.partition(".")[0], e.quote, (e.source, e.relation))
                for e in stored
            ],
            [Read(fact, edge.quote) for fact, edge in by_fact.items()],
            date_moved=self._date_moved(),
            replaced=[
                (people[self.draft.key(edge.source)], edge.relation)
                for edge in by_fact.values()
                if laws.relation(edge.relation).functional
            ],
        )
        before = {s.id: s for s in self.store.stated_of_page(self.page)}
        closed = []
        for edge in stored:
            self.entities.update((edge.source, edge.target))
            if edge.id in change.ended:
                self._end(edge, change.ended[edge.id], before[edge.id])
                closed.append(edge.eid)
            else:
                read = by_fact[edge.eid.partition(".")[0]]
                self._keep(edge, read, before[edge.id], people, edge.id in change.restated)
        added = [self._add(read.fact, by_fact[read.fact], people) for read in change.added]
        return added, closed

    def _fact(self, edge: PlacedEdge) -> str:
        key = self.draft.key
        return fact_id(self.draft.page.path, key(edge.source), edge.relation, key(edge.target))

    def _forgotten(self, fact: str, edge: PlacedEdge) -> bool:
        return self.store.is_forgotten("fact", fact + "\n" + " ".join(edge.quote.split()))

    def _date_moved(self) -> bool:
        return (
            self.row is not None
            and self.draft.own_date is not None
            and self.draft.own_date != self.row.own_date
        )

    def _end(self, edge: PageEdge, ended: str, before: Stated) -> None:
        self.store.end_edge(edge.id, ended, self.writer.now, self.revision)
        self.texts.update((edge.source_text, edge.target_text, edge.text))
        self.judged.append(before)

    def _keep(
        self,
        edge: PageEdge,
        read: PlacedEdge,
        before: Stated,
        people: Mapping[str, int],
        restated: bool,
    ) -> None:
        source = people[self.draft.key(read.source)]
        target = people[self.draft.key(read.target)]
        importance = self.writer.ontology.relation(read.relation).importance
        moved = (source, target) != (edge.source, edge.target)
        if moved:
            self.store.move_edge(edge.id, source, target, self.revision)
            self.judged.append(before)
        if restated:
            self.store.restate_edge(
                edge.id, as_of=self.draft.as_of, quote=read.quote, revision=self.revision
            )
        self.store.place_edge(
            edge.id, line=read.line, chunk=read.chunk, importance=importance, revision=self.revision
        )
        if moved or restated or read.line != edge.line:
            self.judged.append(self._stated(edge.id, source, read.relation, target))

    def _add(self, fact: str, edge: PlacedEdge, people: Mapping[str, int]) -> str:
        ordinal, weight = self.store.last_interval(fact)
        eid = edge_id(fact, ordinal + 1)
        source = people[self.draft.key(edge.source)]
        target = people[self.draft.key(edge.target)]
        words = triplet_text(edge.source, edge.relation, edge.target)
        texts = {
            "source_text": self._text(NAME, edge.source),
            "target_text": self._text(NAME, edge.target),
            "text": self._text(FACT, words),
        }
        law = self.writer.ontology.relation(edge.relation)
        alone = not (law.functional or law.inverse_functional or law.excludes)
        row = self.store.add_edge(
            " ".join(terms(words)),
            self.scope,
            eid=eid,
            ordinal=ordinal + 1,
            page=self.page,
            source=source,
            relation=edge.relation,
            target=target,
            chunk=edge.chunk,
            line=edge.line,
            quote=edge.quote,
            importance=law.importance,
            weight=weight,
            now=self.writer.now,
            as_of=self.draft.as_of,
            seen_by=self.seen_by,
            current_for=self.seen_by if alone else 0,
            revision=self.revision,
            **texts,
        )
        self.texts.update(texts.values())
        if not alone:
            self.judged.append(self._stated(row, source, edge.relation, target))
        return eid

    def _text(self, kind: int, words: str) -> int:
        known = self.texts_by_words.get((kind, words))
        if known is None:
            known = self.writer.vectors.text_id(kind, words, self.revision)
            self.texts_by_words[(kind, words)] = known
        return known

    def _stated(self, row: int, source: int, relation: str, target: int) -> Stated:
        """Enough of an edge to find its groups by; the judging reads the rest."""
        return Stated(row, source, relation, target, 0, 0, 0, self.seen_by)
