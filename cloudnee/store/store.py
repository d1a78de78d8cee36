"""One org in a database file, as plain calls that take and give values; all SQL stands behind it.

Reads take `bit`, the audience's place in the masks: it cannot be left out, and it is cut inside
the query.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from cloudnee.config import AudienceRules
from cloudnee.errors import BadInput
from cloudnee.graph.supersession import Stated
from cloudnee.store.database import Database

__all__ = ["EdgeRow", "NameRow", "PageRow", "Store"]


@dataclass(frozen=True, slots=True)
class PageRow:
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


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A row of `edges`, as answers read it."""

    id: int
    eid: str
    page: int
    source: int
    relation: str
    target: int
    source_text: int
    target_text: int
    chunk: int
    line: int
    quote: str
    importance: float
    weight: float
    since: int
    as_of: int
    created_at: int
    retired_at: int | None
    ended: str
    seen_by: int
    current_for: int


@dataclass(frozen=True, slots=True)
class PageEdge:
    """An edge of one page, as the diff reads it."""

    id: int
    eid: str
    ordinal: int
    source: int
    relation: str
    target: int
    quote: str
    source_text: int
    target_text: int
    text: int
    weight: float
    retired_at: int | None
    line: int
    chunk: int
    source_name: str
    target_name: str


@dataclass(frozen=True, slots=True)
class NameRow:
    """A page's name for an entity."""

    id: int
    entity: int
    key: str
    name: str
    type: str
    declared: int


@dataclass(frozen=True, slots=True)
class AliasRow:
    """A handle that a page gave an entity."""

    id: int
    entity: int
    kind: str
    handle: str
    key: str
    name: str
    given: int


class Store:
    """One org of one database. Thread-safe: each thread has its own connection."""

    def __init__(self, database: Database, org: str) -> None:
        if not org or len(org) > 200 or not org.isprintable():
            raise BadInput(f"org {org!r} is not a name: give 1 to 200 printable characters")
        self.db = database
        self.org_name = org
        self._org: tuple[int, bytes] | None = None

    # the org

    @property
    def known(self) -> bool:
        """Whether the file holds this org already."""
        if self._org is None:
            row = self.db.row("org", name=self.org_name)
            self._org = (row[0], row[1]) if row else None
        return self._org is not None

    @property
    def org(self) -> int:
        """The org's row id, or 0, which no row has, where the file does not hold the org."""
        return self._org[0] if self.known and self._org else 0

    @property
    def secret(self) -> bytes:
        """What the org's keyed hashes are keyed with."""
        return self._org[1] if self.known and self._org else b""

    def found(self, rules: Iterable[AudienceRules]) -> None:
        """Make the org with these audiences, unless it is there. Call inside `writing`."""
        if self.known:
            return
        secret = os.urandom(16)
        self._org = (self.db.run("add_org", name=self.org_name, secret=secret), secret)
        self.set_audiences(rules)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One immediate transaction; an org made in one that failed is not there."""
        try:
            with self.db.writing():
                yield
        except BaseException:
            self._org = None
            raise

    def reading(self) -> AbstractContextManager[None]:
        """One read transaction."""
        return self.db.reading()

    def savepoint(self) -> AbstractContextManager[None]:
        """A part of a transaction that can fail alone."""
        return self.db.savepoint()

    def revision(self) -> tuple[int, int]:
        """(revision, generation): grow with each write, and with each deletion of rows."""
        row = self.db.row("revision", org=self.org)
        return (row[0], row[1]) if row else (0, 0)

    def next_revision(self) -> int:
        """Begin a write: the number that orders it among all of the org."""
        row = self.db.row("next_revision", org=self.org)
        return int(row[0]) if row else 0

    def next_generation(self) -> None:
        """Note that rows were deleted."""
        self.db.run("next_generation", org=self.org)

    def meta(self, key: str) -> str | None:
        """A thing that the whole file agrees on, such as its embedding model."""
        row = self.db.row("meta", key=key)
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Set a thing that the whole file agrees on."""
        self.db.run("set_meta", key=key, value=value)

    # audiences

    def audience_bit(self, name: str) -> int | None:
        """The mask bit of an audience, or None where the org has none of that name."""
        row = self.db.row("audience_bit", org=self.org, name=name)
        return 1 << row[0] if row else None

    def audiences(self) -> list[tuple[AudienceRules, int]]:
        """The org's audiences with their mask bits."""
        return [
            (AudienceRules(name, _lines(sees), _lines(hides), _lines(writes)), 1 << bit)
            for name, bit, sees, hides, writes in self.db.rows("audiences", org=self.org)
        ]

    def set_audiences(self, rules: Iterable[AudienceRules]) -> None:
        """Replace the org's audiences; the owner has the first bit."""
        self.db.run("drop_audiences", org=self.org)
        for bit, rule in enumerate(sorted(rules, key=lambda rule: rule.name != "owner")):
            self.db.run(
                "set_audience",
                org=self.org,
                name=rule.name,
                bit=bit,
                sees="\n".join(rule.sees),
                hides="\n".join(rule.hides),
                writes="\n".join(rule.writes),
            )

    def scope(self, mask: int) -> int:
        """The id of the scope for a mask, made where it is new."""
        row = self.db.row("scope", org=self.org, mask=mask)
        return row[0] if row else self.db.run("add_scope", org=self.org, mask=mask)

    def visible_scopes(self, bit: int) -> list[tuple[int, int, int]]:
        """(scope, passages, terms) of each scope the audience sees."""
        return self.db.rows("visible_scopes", org=self.org, bit=bit)

    # words

    def words(self) -> dict[str, str]:
        """The words taught to the org: as written, to what they stand for."""
        return dict(self.db.rows("words", org=self.org))

    def set_word(self, key: str, word: str, canonical: str) -> None:
        """Teach a word; the last teaching of a key holds."""
        self.db.run("set_word", org=self.org, key=key, word=word, canonical=canonical)

    # pages

    def page(self, path: str) -> PageRow | None:
        """A page by its canonical path, whoever asks: for the write flow only."""
        row = self.db.row("page", org=self.org, path=path)
        return PageRow(*row) if row else None

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

    def pages(self, bit: int) -> list[tuple[Any, ...]]:
        """The pages an audience sees, as rows in the order of `PageInfo`."""
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
            entities=json.dumps(list(entities)),
            keys=json.dumps(list(keys)),
            most=most,
        )

    def set_passages(
        self, page: int, scope: int, passages: Sequence[tuple[dict[str, Any], str]]
    ) -> None:
        """Replace a page's passages: (span and context, index terms) of each."""
        self._drop_passages(page)
        counted = 0
        for span, indexed in passages:
            count = indexed.count(" ") + 1 if indexed else 0
            row = self.db.run("add_passage", page=page, scope=scope, terms=count, **span)
            self.db.run("add_passage_terms", id=row, terms=_scoped(scope, indexed))
            counted += count
        self.db.run("size_scope", scope=scope, passages=len(passages), terms=counted)

    def _drop_passages(self, page: int) -> None:
        for _, count, scope in self.db.rows("passages_of", page=page):
            self.db.run("size_scope", scope=scope, passages=-1, terms=-count)
        self.db.run("drop_passage_terms", page=page)
        self.db.run("drop_passages", page=page)

    def passage_postings(self, scope: int, term: str, most: int) -> list[tuple[int, int, int]]:
        """(passage, place, length of the passage) for each time a term stands in a scope."""
        return self.db.rows("passage_postings", term=f"{scope}:{term}", most=most)

    def passage(self, passage: int, bit: int) -> tuple[str, int, int, str, str] | None:
        """(path, first line, last line, text, heading) of a passage the audience sees."""
        row = self.db.row("passage", id=passage, bit=bit)
        return (row[0], row[1], row[2], row[3], row[4]) if row else None

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
        """Delete a page's row and passages; its edges, names and aliases must be gone."""
        self._drop_passages(page)
        self.db.run("drop_page", page=page)

    # entities, names, aliases

    def entities_of_keys(self, keys: Iterable[str]) -> dict[str, list[tuple[int, str, str]]]:
        """key → (entity, word, id) of each entity of it, whoever asks: for the write flow."""
        found: dict[str, list[tuple[int, str, str]]] = {}
        rows = self.db.rows("entities_of_keys", org=self.org, keys=json.dumps(list(keys)))
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

    def entity_handles(self, entity: int, page: int) -> frozenset[tuple[str, str]]:
        """(kind, key) of the phones and e-mails that other pages gave the entity."""
        return frozenset(self.db.rows("entity_handles", entity=entity, page=page))

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

    def declared_entities(self, key: str, bit: int) -> list[int]:
        """The entities of a key that a visible page is about or links to."""
        return [r[0] for r in self.db.rows("declared_entities", org=self.org, key=key, bit=bit)]

    def names_of_page(self, page: int) -> list[NameRow]:
        """The names a page has for entities."""
        return [NameRow(*r) for r in self.db.rows("names_of_page", page=page)]

    def add_names(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert a page's names: (page, key, entity, name, type, declared, scope) each."""
        self.db.many("add_name", rows)

    def set_name(self, row: int, entity: int, name: str, kind: str, declared: int) -> None:
        """Change a page's name for an entity."""
        self.db.run("set_name", id=row, entity=entity, name=name, type=kind, declared=declared)

    def drop_name(self, row: int) -> None:
        """Delete a page's name for an entity."""
        self.db.run("drop_name", id=row)

    def types_of_entity(self, entity: int, page: int, seen_by: int) -> list[str]:
        """The types that pages visible to all in `seen_by` give the entity, this page apart."""
        rows = self.db.rows("types_of_entity", entity=entity, page=page, seen_by=seen_by)
        return [r[0] for r in rows]

    def aliases_of_page(self, page: int) -> list[AliasRow]:
        """The handles a page gave, or a caller gave with it."""
        return [AliasRow(*r) for r in self.db.rows("aliases_of_page", page=page)]

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

    # what was forgotten

    def _tombstone(self, kind: str, what: str) -> bytes:
        """A keyed hash: it tells that this was forgotten, and nothing of what it was."""
        return hashlib.blake2b(f"{kind}\n{what}".encode(), key=self.secret, digest_size=16).digest()

    def forget(self, kind: str, what: str) -> None:
        """Leave a tombstone for a page ("page") or a fact ("fact")."""
        hashed = self._tombstone(kind, what)
        self.db.run("add_tombstone", org=self.org, kind=kind, hash=hashed)

    def has_tombstones(self) -> bool:
        """Whether anything was ever forgotten for good."""
        return self.db.row("has_tombstones", org=self.org) is not None

    def fact_forgotten(self, fact: str, quote: str) -> bool:
        """Whether a fact was forgotten as this line states it."""
        return self.is_forgotten("fact", fact + "\n" + " ".join(quote.split()))

    def forget_fact(self, fact: str, quote: str) -> None:
        """Keep a fact away for as long as this line states it."""
        self.forget("fact", fact + "\n" + " ".join(quote.split()))

    def is_forgotten(self, kind: str, what: str) -> bool:
        """Whether a tombstone stands for it."""
        hashed = self._tombstone(kind, what)
        return self.db.row("tombstone", org=self.org, kind=kind, hash=hashed) is not None

    def unforget(self, kind: str, what: str) -> None:
        """Take a tombstone away: someone asked for it again."""
        hashed = self._tombstone(kind, what)
        self.db.run("drop_tombstone", org=self.org, kind=kind, hash=hashed)

    # edges

    def edges_of_page(self, page: int) -> list[PageEdge]:
        """Every interval of a page, past ones too."""
        return [PageEdge(*r) for r in self.db.rows("edges_of_page", page=page)]

    def add_edge(self, terms: str, scope: int, **values: Any) -> int:
        """Insert an edge with its terms in the text index; it is judged afterwards."""
        row = self.db.run("add_edge", org=self.org, scope=scope, **values)
        self.db.run("add_edge_terms", id=row, terms=_scoped(scope, terms))
        return row

    def end_edge(self, row: int, ended: str, now: int, revision: int) -> None:
        """Close an interval: its page states the fact no more."""
        self.db.run("end_edge", id=row, ended=ended, now=now, revision=revision)

    def place_edge(self, row: int, line: int, chunk: int, importance: float, revision: int) -> None:
        """Note where the line of a kept fact stands now."""
        self.db.run(
            "place_edge",
            id=row,
            line=line,
            chunk=chunk,
            importance=importance,
            revision=revision,
        )

    def restate_edge(self, row: int, as_of: int, quote: str, revision: int) -> None:
        """Give a fact a new date and line."""
        self.db.run("restate_edge", id=row, as_of=as_of, quote=quote, revision=revision)

    def move_edge(self, row: int, source: int, target: int, revision: int) -> None:
        """Let an edge join other entities than before."""
        self.db.run("move_edge", id=row, source=source, target=target, revision=revision)

    def judge_edge(self, row: int, current_for: int, revision: int) -> None:
        """Set for whom an edge is current."""
        self.db.run("judge_edge", id=row, current_for=current_for, revision=revision)

    def set_edge_terms(self, row: int, scope: int, terms: str) -> None:
        """Replace an edge's terms in the text index."""
        self.db.run("drop_edge_terms", id=row)
        self.db.run("add_edge_terms", id=row, terms=_scoped(scope, terms))

    def drop_edge(self, row: int) -> None:
        """Delete an edge and its terms."""
        self.db.run("drop_edge_terms", id=row)
        self.db.run("drop_edge", id=row)

    def stated(self, *, source: int, relation: str, target: int, group: str) -> list[Stated]:
        """The stated edges of a group: "one target", "one source" or "one of" (between two)."""
        if group == "one target":
            rows = self.db.rows("stated_by_source", source=source, relation=relation)
        elif group == "one source":
            rows = self.db.rows("stated_by_target", target=target, relation=relation)
        else:
            rows = self.db.rows("stated_between", source=source, relation=relation, target=target)
        return [Stated(*r) for r in rows]

    def stated_of_page(self, page: int) -> list[Stated]:
        """The stated edges of a page."""
        return [Stated(*r) for r in self.db.rows("stated_of_page", page=page)]

    def edge_texts(self, row: int) -> tuple[int, int, int]:
        """The text ids of an edge: source name, target name, triplet."""
        found = self.db.row("edge_texts", id=row)
        return (found[0], found[1], found[2]) if found else (0, 0, 0)

    def current_edges(self, entity: int, bit: int, most: int) -> list[EdgeRow]:
        """What is current about an entity: edges from it, then edges to it."""
        rows = self.db.rows("edges_current_from", entity=entity, bit=bit, most=most)
        if len(rows) < most:
            rows += self.db.rows("edges_current_to", entity=entity, bit=bit, most=most - len(rows))
        return [EdgeRow(*r) for r in rows]

    def count_current(self, entity: int, bit: int) -> int:
        """How many edges are current about an entity."""
        row = self.db.row("count_current", entity=entity, bit=bit)
        return int(row[0]) if row else 0

    def edges_ever(self, entity: int, bit: int, most: int) -> list[EdgeRow]:
        """Every interval about an entity, newest first."""
        rows = self.db.rows("edges_ever", entity=entity, bit=bit, most=most)
        return [EdgeRow(*r) for r in rows]

    def edges_recent(self, bit: int, most: int) -> list[EdgeRow]:
        """The edges written last, newest first."""
        rows = self.db.rows("edges_recent", org=self.org, bit=bit, most=most)
        return [EdgeRow(*r) for r in rows]

    def edges_all(self, bit: int, *, past: bool) -> list[EdgeRow]:
        """Every edge the audience sees, with or without those not current for it."""
        rows = self.db.rows("edges_all", org=self.org, bit=bit, past=past)
        return [EdgeRow(*r) for r in rows]

    def edge(self, row: int, bit: int) -> EdgeRow | None:
        """An edge by its row id, if it is current for the audience: the last word on a hit."""
        found = self.db.row("edge", org=self.org, id=row, bit=bit)
        return EdgeRow(*found) if found else None

    def edge_by_eid(self, eid: str, bit: int) -> EdgeRow | None:
        """An edge by its public id, if the audience sees it."""
        found = self.db.row("edge_by_eid", org=self.org, eid=eid, bit=bit)
        return EdgeRow(*found) if found else None

    def edges_of_triplet(self, edge: EdgeRow, bit: int) -> list[EdgeRow]:
        """All current edges that state the same triplet."""
        rows = self.db.rows(
            "edges_of_triplet",
            source=edge.source,
            relation=edge.relation,
            target=edge.target,
            bit=bit,
        )
        return [EdgeRow(*r) for r in rows]

    def page_path(self, page: int) -> str:
        """A page's path by its row id."""
        row = self.db.row("page_path", page=page)
        return row[0] if row else ""

    def text(self, text: int) -> str:
        """A text by its row id."""
        row = self.db.row("text", text=text)
        return row[0] if row else ""

    def edges_with_term(self, scopes: Iterable[int], term: str, most: int) -> set[int]:
        """The edges (row ids) in whose text a term stands, within these scopes."""
        found: set[int] = set()
        for scope in scopes:
            rows = self.db.rows("edge_postings", term=f"{scope}:{term}", most=most)
            found.update(r[0] for r in rows)
        return found

    # ratings

    def add_rating(self, fact: str, key: str, rating: int, implicit: bool, now: int) -> None:
        """Queue a rating; the same again under its key changes nothing."""
        self.db.run(
            "add_rating",
            org=self.org,
            fact=fact,
            key=key,
            rating=rating,
            implicit=int(implicit),
            now=now,
        )

    def waiting_facts(self) -> list[tuple[str, int]]:
        """(fact, how many ratings wait) of the queue."""
        return self.db.rows("waiting_facts", org=self.org)

    def oldest_waiting(self) -> int | None:
        """When the oldest waiting rating was given."""
        row = self.db.row("oldest_waiting", org=self.org)
        return row[0] if row else None

    def ratings_of(self, fact: str) -> list[tuple[int, int]]:
        """(rating, implicit) of a fact in the order given."""
        return self.db.rows("ratings_of", org=self.org, fact=fact)

    def apply_weight(self, fact: str, weight: float, revision: int) -> None:
        """Set the weight of all intervals of a fact; its ratings wait no more."""
        self.db.run("set_weight", org=self.org, fact=fact, weight=weight, revision=revision)
        self.db.run("mark_applied", org=self.org, fact=fact)

    def drop_ratings(self, fact: str) -> None:
        """Delete a fact's ratings."""
        self.db.run("drop_ratings", org=self.org, fact=fact)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def _scoped(scope: int, terms: str) -> str:
    return " ".join(f"{scope}:{term}" for term in terms.split()) if terms else ""
