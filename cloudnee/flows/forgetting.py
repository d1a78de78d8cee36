"""What takes rows away: forgetting, and judging everything anew under other audiences."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cloudnee.errors import Ambiguous, BadInput
from cloudnee.flows.reading import Reader
from cloudnee.flows.writing import Writer
from cloudnee.graph.facts import triplet_text
from cloudnee.graph.identity import entity_key, handle_keys, handle_kind
from cloudnee.graph.supersession import Stated
from cloudnee.model import Forgotten
from cloudnee.pages.page import parse_page
from cloudnee.pages.passages import page_passages
from cloudnee.pages.terms import terms
from cloudnee.store.merging import Merging
from cloudnee.store.replies import drop_other_replies
from cloudnee.store.store import EdgeRow, PageRow, Store

if TYPE_CHECKING:
    from cloudnee.store.vectors import Vectors

__all__ = ["Eraser", "forget", "judge_all", "only_entity", "without_alias"]


class Eraser:
    """Deletes within one write transaction and leaves indexes, counts and judgements right."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.store = writer.store
        self.revision = self.store.next_revision()
        self.texts: set[int] = set()
        self.entities: set[int] = set()
        self.judged: list[Stated] = []
        self.edges: list[str] = []

    def page(self, row: PageRow) -> None:
        """Delete a page with all it stated, named and handled."""
        facts = set()
        stated = {s.id: s for s in self.store.stated_of_page(row.id)}
        for edge in self.store.edges_of_page(row.id):
            self.judged.extend(s for s in (stated.get(edge.id),) if s)
            self.texts.update((edge.source_text, edge.target_text, edge.text))
            self.entities.update((edge.source, edge.target))
            facts.add(edge.eid.partition(".")[0])
            self.edges.append(edge.eid)
            self.store.drop_edge(edge.id)
        for fact in facts:
            self.store.drop_ratings(fact)
        self._names(row.id, lambda _: True)
        drop_other_replies(self.store, row.id)
        Merging(self.store).forget_page(row.path)
        self.store.drop_passages(row.id)
        self.store.drop_page(row.id)
        self.store.forget("page", f"{row.path}\n{row.content_hash}")

    def facts(self, rows: Iterable[EdgeRow]) -> None:
        """Delete all intervals of these facts; each stays away until its line changes."""
        pages: dict[int, set[str]] = {}
        for row in rows:
            pages.setdefault(row.page, set()).add(row.eid.partition(".")[0])
        for page, facts in pages.items():
            self._facts_of_page(page, facts)

    def _facts_of_page(self, page: int, facts: set[str]) -> None:
        stated = {s.id: s for s in self.store.stated_of_page(page)}
        for edge in self.store.edges_of_page(page):
            fact = edge.eid.partition(".")[0]
            if fact not in facts:
                continue
            self.judged.extend(s for s in (stated.get(edge.id),) if s)
            self.texts.update((edge.source_text, edge.target_text, edge.text))
            self.entities.update((edge.source, edge.target))
            self.store.forget_fact(fact, edge.quote)
            self.edges.append(edge.eid)
            self.store.drop_edge(edge.id)
        for fact in facts:
            self.store.drop_ratings(fact)
        drop_other_replies(self.store, page)
        self._unnamed(page)

    def entity(self, entity: int, pages: Iterable[int], rows: Iterable[EdgeRow]) -> None:
        """Delete what these pages state and name of an entity."""
        self.facts(rows)
        for page in pages:
            self._names(page, lambda named: named == entity)
        Merging(self.store).forget_entity(self.store.eid(entity))
        self.entities.add(entity)

    def _names(self, page: int, which: Callable[[int], bool]) -> None:
        for name in self.store.names_of_page(page):
            if which(name.entity):
                self.entities.add(name.entity)
                self.store.drop_name(name.id)
        for alias in self.store.aliases_of_page(page):
            if which(alias.entity):
                self.entities.add(alias.entity)
                self.store.drop_alias(alias.id)

    def _unnamed(self, page: int) -> None:
        """Drop the page's names of mere values that no edge of it leads to any more."""
        used = {e for edge in self.store.edges_of_page(page) for e in (edge.source, edge.target)}
        for name in self.store.names_of_page(page):
            if not name.declared and name.entity not in used:
                self.store.drop_name(name.id)

    def finish(self) -> None:
        """Judge what is left, bring the indexes in line, drop what nothing names."""
        for row in self.writer.judge(self.judged, self.revision):
            self.texts.update(self.store.edge_texts(row))
        self.writer.vectors.settle(self.texts, {}, self.revision)
        self.store.drop_unused_entities(self.entities)
        self.store.next_generation()


def only_entity(reader: Reader, who: str) -> int | None:
    """The one entity that `who` leads to, or None; raises `Ambiguous` for several."""
    rows = reader.entities(who)
    if len(rows) > 1:
        told = tuple(
            f"{e.name} ({', '.join((e.id, *e.aliases, *e.paths))})"
            for e in map(reader.entity, rows)
        )
        raise Ambiguous(f"{who!r} leads to {len(rows)}: {'; '.join(told)}: give one id", told)
    return rows[0] if rows else None


def forget(
    store: Store,
    reader: Reader,
    writer: Callable[[], Writer],
    may_write: Callable[[str], None],
    *,
    path: str | None,
    edge_id: str | None,
    entity: str | None,
) -> Forgotten:
    """Forget one page, fact or entity, as far as the audience sees it and may write its pages."""
    given = [value for value in (path, edge_id, entity) if value is not None]
    if len(given) != 1:
        raise BadInput("forget takes exactly one of path, edge_id and entity")
    if not store.known:
        return Forgotten()
    with store.writing():
        if path is not None:
            return _forget_page(store, reader, writer, may_write, path)
        if edge_id is not None:
            return _forget_fact(store, reader, writer, may_write, edge_id)
        return _forget_entity(store, reader, writer, may_write, str(entity))


def _forget_page(
    store: Store,
    reader: Reader,
    writer: Callable[[], Writer],
    may_write: Callable[[str], None],
    path: str,
) -> Forgotten:
    may_write(path)
    row = store.page(path)
    if row is None or not row.seen_by & reader.bit:
        return Forgotten()
    eraser = Eraser(writer())
    eraser.page(row)
    eraser.finish()
    return Forgotten(pages=(path,), edges=tuple(eraser.edges))


def _forget_fact(
    store: Store,
    reader: Reader,
    writer: Callable[[], Writer],
    may_write: Callable[[str], None],
    edge_id: str,
) -> Forgotten:
    row = store.edge_by_eid(edge_id, reader.bit)
    if row is None:
        return Forgotten()
    may_write(reader.path(row.page))
    eraser = Eraser(writer())
    eraser.facts([row])
    eraser.finish()
    return Forgotten(edges=tuple(eraser.edges))


def _forget_entity(
    store: Store,
    reader: Reader,
    writer: Callable[[], Writer],
    may_write: Callable[[str], None],
    who: str,
) -> Forgotten:
    entity = only_entity(reader, who)
    if entity is None:
        return Forgotten()
    eid, name, _ = reader.shown(entity)
    rows = store.edges_ever(entity, reader.bit, -1)
    pages = store.pages_naming(entity, reader.bit)
    for _, path in pages:
        may_write(path)
    seen = {path for _, path in pages}
    called = [one.name for one in Merging(store).names(entity) if one.path in seen]
    eraser = Eraser(writer())
    eraser.entity(entity, [page for page, _ in pages], rows)
    eraser.finish()
    keys = {entity_key(one) for one in (name, *called)}
    texts = ((path, entity_key(text)) for path, text in store.page_texts(reader.bit))
    mentions = tuple(path for path, text in texts if any(key in text for key in keys))
    return Forgotten(edges=tuple(eraser.edges), entities=(eid,), mentions=mentions)


def without_alias(
    reader: Reader,
    handle: str,
    who: str,
    region: str | None,
    may_write: Callable[[str], None],
) -> int:
    """Remove the aliases that lead from a handle to whoever is meant; how many there were."""
    store = reader.store
    keys = handle_keys(handle, handle_kind(handle), region)
    removed = 0
    with store.writing():
        entities = set(reader.entities(who))
        for page, path in {
            p for entity in entities for p in store.pages_naming(entity, reader.bit)
        }:
            for alias in store.aliases_of_page(page):
                if alias.entity in entities and alias.key in keys:
                    may_write(path)
                    store.drop_alias(alias.id)
                    removed += 1
        store.drop_unused_entities(entities)
    return removed


def judge_all(writer: Writer, vectors: Vectors) -> None:
    """Give every row the audiences that the rules in force now say, and judge every group anew."""
    store = writer.store
    revision = store.next_revision()
    judged: list[Stated] = []
    texts: set[int] = set()
    for path in store.all_paths():
        row = store.page(path)
        if row is None or writer.mask(path) == row.seen_by:
            continue
        mask = writer.mask(path)
        scope = store.scope(mask)
        store.rescope(row.id, scope, mask, revision)
        if row.text:  # a page whose file went has none
            store.set_passages(
                row.id, scope, page_passages(parse_page(path, row.text), row.subject)
            )
        for each in store.edges_of_page(row.id):
            words = triplet_text(each.source_name, each.relation, each.target_name)
            store.set_edge_terms(each.id, scope, " ".join(terms(words)))
            texts.update((each.source_text, each.target_text, each.text))
        judged.extend(store.stated_of_page(row.id))
    for row_id in writer.judge(judged, revision):
        texts.update(store.edge_texts(row_id))
    writer.judge_alone(judged, revision)
    vectors.settle(texts, {}, revision)
    store.next_generation()
