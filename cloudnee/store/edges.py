"""Edges and their text index, in one org."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from cloudnee.graph.supersession import Stated
from cloudnee.store.base import OrgRows, as_json, scoped

__all__ = ["EdgeRow", "EdgeRows", "PageEdge"]


class EdgeRow(NamedTuple):
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


class PageEdge(NamedTuple):
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


class EdgeRows(OrgRows):
    """The edges of an org. Reads take `bit`, the audience's place in the masks."""

    def edges_of_page(self, page: int) -> list[PageEdge]:
        """Every interval of a page, past ones too."""
        return [PageEdge._make(r) for r in self.db.rows("edges_of_page", page=page)]

    def add_edge(self, terms: str, scope: int, **values: Any) -> int:
        """Insert an edge with its terms in the text index; it is judged afterwards."""
        row = self.db.run("add_edge", org=self.org, scope=scope, **values)
        self.db.run("add_edge_terms", id=row, terms=scoped(scope, terms))
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
        self.db.run("add_edge_terms", id=row, terms=scoped(scope, terms))

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
        return [Stated._make(r) for r in rows]

    def stated_of_page(self, page: int) -> list[Stated]:
        """The stated edges of a page."""
        return [Stated._make(r) for r in self.db.rows("stated_of_page", page=page)]

    def edge_texts(self, row: int) -> tuple[int, int, int]:
        """The text ids of an edge: source name, target name, triplet."""
        found = self.db.row("edge_texts", id=row)
        return (found[0], found[1], found[2]) if found else (0, 0, 0)

    def current_edges(self, entity: int, bit: int, most: int) -> list[EdgeRow]:
        """What is current about an entity: edges from it, then edges to it."""
        rows = self.db.rows("edges_current_from", entity=entity, bit=bit, most=most)
        if len(rows) < most:
            rows += self.db.rows("edges_current_to", entity=entity, bit=bit, most=most - len(rows))
        return [EdgeRow._make(r) for r in rows]

    def count_current(self, entity: int, bit: int) -> int:
        """How many edges are current about an entity."""
        row = self.db.row("count_current", entity=entity, bit=bit)
        return int(row[0]) if row else 0

    def edges_ever(self, entity: int, bit: int, most: int) -> list[EdgeRow]:
        """Every interval about an entity, newest first."""
        rows = self.db.rows("edges_ever", entity=entity, bit=bit, most=most)
        return [EdgeRow._make(r) for r in rows]

    def edges_recent(self, bit: int, most: int) -> list[EdgeRow]:
        """The edges written last, newest first."""
        rows = self.db.rows("edges_recent", org=self.org, bit=bit, most=most)
        return [EdgeRow._make(r) for r in rows]

    def edges_all(self, bit: int, *, past: bool) -> list[EdgeRow]:
        """Every edge the audience sees, with or without those not current for it."""
        rows = self.db.rows("edges_all", org=self.org, bit=bit, past=past)
        return [EdgeRow._make(r) for r in rows]

    def edge(self, row: int, bit: int) -> EdgeRow | None:
        """An edge by its row id, if it is current for the audience: the last word on a hit."""
        found = self.db.row("edge", org=self.org, id=row, bit=bit)
        return EdgeRow._make(found) if found else None

    def edge_by_eid(self, eid: str, bit: int) -> EdgeRow | None:
        """An edge by its public id, if the audience sees it."""
        found = self.db.row("edge_by_eid", org=self.org, eid=eid, bit=bit)
        return EdgeRow._make(found) if found else None

    def edges_of_triplet(self, edge: EdgeRow, bit: int) -> list[EdgeRow]:
        """All current edges that state the same triplet."""
        rows = self.db.rows(
            "edges_of_triplet",
            source=edge.source,
            relation=edge.relation,
            target=edge.target,
            bit=bit,
        )
        return [EdgeRow._make(r) for r in rows]

    def page_path(self, page: int) -> str:
        """A page's path by its row id."""
        row = self.db.row("page_path", page=page)
        return row[0] if row else ""

    def current_with_texts(self, texts: Sequence[int], bit: int) -> list[EdgeRow]:
        """The edges of these triplet texts that are current for the audience."""
        rows = self.db.rows("current_with_texts", org=self.org, texts=as_json(list(texts)), bit=bit)
        return [EdgeRow._make(row) for row in rows]

    def ends_of(self, row: int) -> tuple[int, ...]:
        """The source and target of an edge by its row: nothing is told but by what is seen."""
        found = self.db.row("ends_of", id=row)
        return tuple(found) if found else ()

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
