"""The facts a page states: what begins, ends and stays with one write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from cloudnee.flows.naming import Person
from cloudnee.graph.facts import Read, StatedFact, changes, edge_id, fact_id, triplet_text
from cloudnee.graph.supersession import Stated
from cloudnee.pages.terms import terms
from cloudnee.store.vectors import FACT, NAME

if TYPE_CHECKING:
    from cloudnee.extract.grounding import PlacedEdge
    from cloudnee.flows.writing import Draft, Place, Writer
    from cloudnee.store.store import PageEdge, PageRow

__all__ = ["Stating", "page_texts"]

_UNRATED = 0.5


def page_texts(edges: Iterable[PlacedEdge]) -> list[tuple[int, str]]:
    """The texts that a reading shows: (kind, text), each once."""
    found: dict[tuple[int, str], None] = {}
    for edge in edges:
        found[(NAME, edge.source)] = None
        found[(NAME, edge.target)] = None
        found[(FACT, triplet_text(edge.source, edge.relation, edge.target))] = None
    return list(found)


class Stating:
    """Brings a page's edges in line with its new reading."""

    def __init__(
        self,
        writer: Writer,
        draft: Draft,
        place: Place,
        people: Mapping[str, Person],
        row: PageRow | None,
    ) -> None:
        self.writer = writer
        self.store = writer.store
        self.draft = draft
        self.place = place
        self.people = people
        self.row = row
        self.added: list[str] = []
        self.closed: list[str] = []
        self.texts: set[int] = set()
        self.entities: set[int] = set()
        self.judged: list[Stated] = []

    def write(self) -> None:
        """End, keep and add edges; `texts` and `judged` hold what must be settled after."""
        stated = [edge for edge in self._ever if edge.retired_at is None]
        reading = self._reading()
        change = changes(
            [
                StatedFact(e.id, _fact_of(e), e.quote, (e.source, e.relation), e.line)
                for e in stated
            ],
            [Read(fact, edge.quote, edge.line) for fact, edge in reading.items()],
            date_moved=self._date_moved(),
            replaced=self._replaced(reading),
        )
        before = {s.id: s for s in self.store.stated_of_page(self.place.page)} if stated else {}
        for edge in stated:
            self.entities.update((edge.source, edge.target))
            if edge.id in change.ended:
                self._end(edge, change.ended[edge.id], before[edge.id])
            else:
                restated = edge.id in change.restated
                self._keep(edge, reading[_fact_of(edge)], before[edge.id], restated=restated)
        added = [(new.fact, reading[new.fact]) for new in change.added]
        texts = page_texts(read for _, read in added)
        ids = self.writer.vectors.text_ids(texts, self.place.revision) if texts else {}
        for fact, read in added:
            self._add(fact, read, ids)

    @cached_property
    def _ever(self) -> list[PageEdge]:
        """Every interval of the page so far."""
        return self.store.edges_of_page(self.place.page) if self.row else []

    def _reading(self) -> dict[str, PlacedEdge]:
        """fact → edge, without what was forgotten."""
        facts = {self._fact(edge): edge for edge in self.draft.reading or ()}
        if not self.writer.forgets:
            return facts
        return {
            f: edge for f, edge in facts.items() if not self.store.fact_forgotten(f, edge.quote)
        }

    def _fact(self, edge: PlacedEdge) -> str:
        key = self.draft.key
        return fact_id(self.draft.page.path, key(edge.source), edge.relation, key(edge.target))

    def _date_moved(self) -> bool:
        own = self.draft.own_date
        return self.row is not None and own is not None and own != self.row.own_date

    def _replaced(self, reading: Mapping[str, PlacedEdge]) -> list[tuple[int, str]]:
        """The single-valued groups that the page states a value of."""
        law = self.writer.ontology.relation
        return [
            (self._ends(edge)[0].id, edge.relation)
            for edge in reading.values()
            if law(edge.relation).functional
        ]

    def _ends(self, edge: PlacedEdge) -> tuple[Person, Person]:
        return self.people[self.draft.key(edge.source)], self.people[self.draft.key(edge.target)]

    # one edge

    def _end(self, edge: PageEdge, ended: str, before: Stated) -> None:
        self.store.end_edge(edge.id, ended, self.writer.now, self.place.revision)
        self.texts.update((edge.source_text, edge.target_text, edge.text))
        self.judged.append(before)
        self.closed.append(edge.eid)

    def _keep(self, edge: PageEdge, read: PlacedEdge, before: Stated, *, restated: bool) -> None:
        revision = self.place.revision
        source, target = (person.id for person in self._ends(read))
        moved = (source, target) != (edge.source, edge.target)
        if moved:
            self.store.move_edge(edge.id, source, target, revision)
            self.judged.append(before)
        if restated:
            self.store.restate_edge(edge.id, self.draft.as_of, read.quote, revision)
        importance = self.writer.ontology.relation(read.relation).importance
        self.store.place_edge(edge.id, read.line, read.chunk, importance, revision)
        if moved or restated or read.line != edge.line:
            self.judged.append(self._group(edge.id, source, read.relation, target))

    def _add(self, fact: str, edge: PlacedEdge, ids: Mapping[tuple[int, str], int]) -> None:
        ordinal, weight = self._last(fact)
        eid = edge_id(fact, ordinal + 1)
        source, target = self._ends(edge)
        words = triplet_text(edge.source, edge.relation, edge.target)
        shown = (ids[(NAME, edge.source)], ids[(NAME, edge.target)], ids[(FACT, words)])
        law = self.writer.ontology.relation(edge.relation)
        alone = not (law.functional or law.inverse_functional or law.excludes)
        row = self.store.add_edge(
            " ".join(terms(words)),
            self.place.scope,
            eid=eid,
            ordinal=ordinal + 1,
            page=self.place.page,
            source=source.id,
            relation=edge.relation,
            target=target.id,
            source_text=shown[0],
            target_text=shown[1],
            text=shown[2],
            chunk=edge.chunk,
            line=edge.line,
            quote=edge.quote,
            importance=law.importance,
            weight=weight,
            now=self.writer.now,
            as_of=self.draft.as_of,
            seen_by=self.place.seen_by,
            current_for=self.place.seen_by,  # until judged: a new edge mostly wins
            revision=self.place.revision,
        )
        self.texts.update(shown)
        self.added.append(eid)
        if not alone:
            self.judged.append(self._group(row, source.id, edge.relation, target.id))

    def _last(self, fact: str) -> tuple[int, float]:
        """(ordinal, weight) of the fact's last interval on this page."""
        past = [edge for edge in self._ever if _fact_of(edge) == fact]
        if not past:
            return 0, _UNRATED
        last = max(past, key=lambda edge: edge.ordinal)
        return last.ordinal, last.weight

    def _group(self, row: int, source: int, relation: str, target: int) -> Stated:
        """Enough of an edge to find its groups by; the judging reads the rest."""
        return Stated(row, source, relation, target, 0, 0, 0, self.place.seen_by)


def _fact_of(edge: PageEdge) -> str:
    return edge.eid.partition(".")[0]
