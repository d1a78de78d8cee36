"""Pages whose file went, and pages whose file has another name now. Inside one write each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cloudnee.graph.facts import edge_id, fact_id, triplet_text
from cloudnee.graph.identity import entity_key
from cloudnee.pages.page import ParsedPage, parse_page
from cloudnee.pages.passages import page_passages
from cloudnee.pages.terms import terms
from cloudnee.store.folders import Folders
from cloudnee.store.merging import Merging
from cloudnee.store.replies import drop_other_replies

if TYPE_CHECKING:
    from cloudnee.extract.grounding import PlacedEdge
    from cloudnee.flows.writing import Writer
    from cloudnee.store.store import PageEdge, PageRow

__all__ = ["move", "retire"]


def retire(writer: Writer, row: PageRow) -> list[str]:
    """End all facts of a page and empty it; gives the ids of the edges that ended.

    History, names and handles stay: who was known by them still is, with nothing current.
    """
    store = writer.store
    revision = store.next_revision()
    stated = {one.id: one for one in store.stated_of_page(row.id)}
    texts: set[int] = set()
    ended = []
    for edge in store.edges_of_page(row.id):
        if edge.id in stated:
            store.end_edge(edge.id, "retired", writer.now, revision)
            texts.update((edge.source_text, edge.target_text, edge.text))
            ended.append(edge.eid)
    drop_other_replies(store, row.id)
    Folders(store).empty(row.id, row.scope, writer.now)
    entities = {name.entity for name in store.names_of_page(row.id)}
    for name in store.names_of_page(row.id):
        if not name.declared:
            store.drop_name(name.id)
    for changed in writer.judge(stated.values(), revision):
        texts.update(store.edge_texts(changed))
    writer.vectors.settle(texts, {}, revision)
    store.drop_unused_entities(entities)
    return ended


def move(writer: Writer, row: PageRow, path: str, forgotten: Iterable[PlacedEdge] = ()) -> None:
    """Give a page the path its file has now: its facts keep their dates, history and ratings.

    `forgotten` is what the page's text states of facts that must stay away under the new path too.
    """
    store, folders = writer.store, Folders(writer.store)
    revision = store.next_revision()
    page = parse_page(path, row.text)
    again = page.subject != parse_page(row.path, row.text).subject
    drop_other_replies(store, row.id)
    Merging(store).move_page(row.path, path)
    folders.move(row.id, path, _subject_key(page), writer.now, again=again)
    was_key, now_key = _keys(parse_page(row.path, row.text), row), _keys(page, row)
    for edge in store.edges_of_page(row.id):
        was = edge.eid.partition(".")[0]
        ends = now_key(edge.source_name), edge.relation, now_key(edge.target_name)
        now = fact_id(path, *ends)
        folders.rename_edge(edge.id, edge_id(now, edge.ordinal), revision)
        folders.rename_ratings(was, now)
    for fact in forgotten:
        old = fact_id(row.path, was_key(fact.source), fact.relation, was_key(fact.target))
        if store.fact_forgotten(old, fact.quote):
            new = fact_id(path, now_key(fact.source), fact.relation, now_key(fact.target))
            store.forget_fact(new, fact.quote)
    _rescope(writer, row, path, revision)
    store.next_generation()


def _subject_key(page: ParsedPage) -> str:
    return entity_key(page.subject) if page.subject else f"page:{page.path}"


def _keys(page: ParsedPage, row: PageRow) -> Callable[[str], str]:
    """The keys of names on a page; one that is its own subject is keyed by its path."""

    def key(name: str) -> str:
        own = page.subject is None and entity_key(name) == entity_key(row.subject)
        return _subject_key(page) if own else entity_key(name)

    return key


def _rescope(writer: Writer, row: PageRow, path: str, revision: int) -> None:
    """Other audiences may see the new path."""
    store = writer.store
    mask = writer.mask(path)
    if mask == row.seen_by:
        return
    scope = store.scope(mask)
    store.rescope(row.id, scope, mask, revision)
    store.set_passages(row.id, scope, page_passages(parse_page(path, row.text), row.subject))
    texts: set[int] = set()
    for edge in store.edges_of_page(row.id):
        store.set_edge_terms(edge.id, scope, _terms(edge))
        texts.update((edge.source_text, edge.target_text, edge.text))
    stated = store.stated_of_page(row.id)
    for changed in writer.judge(stated, revision):
        texts.update(store.edge_texts(changed))
    writer.judge_alone(stated, revision)
    writer.vectors.settle(texts, {}, revision)


def _terms(edge: PageEdge) -> str:
    return " ".join(terms(triplet_text(edge.source_name, edge.relation, edge.target_name)))
