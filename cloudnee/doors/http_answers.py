"""Answers of the memory as values of the wire: camelCase, times in milliseconds since 1970."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cloudnee.graph.dates import micros
from cloudnee.model import (
    Current,
    Edge,
    Forgotten,
    Hit,
    PageInfo,
    Passage,
    Period,
    Recall,
    Report,
    Source,
    Unread,
)

if TYPE_CHECKING:
    from cloudnee.flows.picture import Picture

__all__ = ["current", "edges", "forgotten", "graph", "page", "recalled", "remembered", "searched"]

Value = dict[str, Any]


def _millis(at: datetime) -> int:
    """Rounded down: the last instant of a day stays in that day."""
    return micros(at) // 1000


def edges(found: Iterable[Edge], org: str) -> list[Value]:
    """Edges."""
    return [_edge(edge, org) for edge in found]


def _edge(edge: Edge, org: str) -> Value:
    return {
        "id": edge.id,
        "orgId": org,
        "sourceId": edge.source_id,
        "sourceName": edge.source_name,
        "relation": edge.relation,
        "targetId": edge.target_id,
        "targetName": edge.target_name,
        "path": edge.path,
        "chunkId": f"{edge.path}#{edge.chunk}",
        "importance": edge.importance,
        "feedbackWeight": edge.feedback_weight,
        "supersededBy": "retired" if edge.ended == "retired" else edge.superseded_by,
        "createdAt": _millis(edge.created_at),
        "text": edge.text,
        "line": edge.line,
        "quote": edge.quote,
        "since": _millis(edge.since),
        "asOf": _millis(edge.as_of),
        "retiredAt": _millis(edge.retired_at) if edge.retired_at else None,
        "ended": edge.ended,
        "sources": _sources(edge.sources),
    }


def _sources(sources: Iterable[Source]) -> list[Value]:
    return [{"edgeId": s.edge_id, "path": s.path, "line": s.line} for s in sources]


def _entity(org: str, eid: str, name: str, kind: str) -> Value:
    return {"orgId": org, "entityId": eid, "displayName": name, "entityType": kind}


def _unread(pages: Iterable[Unread]) -> list[Value]:
    return [{"path": one.path, "status": one.status, "reason": one.reason} for one in pages]


def current(found: Current, org: str) -> Value:
    """What is current, and about whom."""
    return {
        "edges": edges(found.edges, org),
        "entities": [
            {
                **_entity(org, one.id, one.name, one.type),
                "aliases": list(one.aliases),
                "paths": list(one.paths),
            }
            for one in found.entities
        ],
        "unread": _unread(found.unread),
        "suggestions": list(found.suggestions),
        "more": found.more,
    }


def recalled(found: Recall, org: str) -> Value:
    """Hits, passages, subjects and unread pages."""
    return {
        "hits": [_hit(hit, org) for hit in found.hits],
        "chains": [
            {"edges": edges(chain.edges, org), "score": chain.score} for chain in found.chains
        ],
        "period": _period(found.period),
        **searched(found.passages),
        "subjects": [
            {"entityId": one.id, "displayName": one.name, "score": one.score}
            for one in found.subjects
        ],
        "unread": _unread(found.unread),
    }


def _period(found: Period | None) -> Value | None:
    if found is None:
        return None
    return {"words": found.words, "start": _millis(found.start), "end": _millis(found.end)}


def searched(found: Iterable[Passage]) -> Value:
    """Passages as they stand on their pages."""
    return {
        "passages": [
            {
                "path": one.path,
                "startLine": one.start_line,
                "endLine": one.end_line,
                "text": one.text,
                "score": one.score,
                "heading": one.heading,
                "sentence": one.sentence,
            }
            for one in found
        ]
    }


def _hit(hit: Hit, org: str) -> Value:
    return {
        "edge": _edge(hit.edge, org),
        "score": hit.score,
        "parts": dict(hit.parts),
        "sources": _sources(hit.sources),
    }


def remembered(report: Report, wrote: Iterable[Edge], org: str) -> Value:
    """What remembering a page did."""
    return {
        "status": report.status,
        "path": report.path,
        "hash": report.content_hash,
        "edgeIds": list(report.added),
        "edges": edges(wrote, org),
        "closed": list(report.closed),
        "refused": [
            {
                "source": one.source,
                "relation": one.relation,
                "target": one.target,
                "reason": one.reason,
                "text": one.text,
            }
            for one in report.refused
        ],
        "warnings": list(report.warnings),
        "reason": report.reason,
    }


def forgotten(done: Forgotten) -> Value:
    """What was removed."""
    names = ("pages", "edges", "entities", "mentions")
    return {"ok": True, **{name: list(getattr(done, name)) for name in names}}


def graph(picture: Picture, org: str, audience: str, *, may_write: bool, may_rate: bool) -> Value:
    """The graph, or a part of it, with the counts of the whole."""
    return {
        "orgId": org,
        "audience": audience,
        "mayWrite": may_write,
        "mayRate": may_rate,
        "entities": [
            {**_entity(org, node.id, node.name, node.type), "degree": node.degree}
            for node in picture.nodes
        ],
        "edges": edges(picture.edges, org),
        "mentions": [
            {
                "sourceId": one.source_id,
                "targetId": one.target_id,
                "path": one.path,
                "line": one.line,
            }
            for one in picture.mentions
        ],
        "counts": {
            "entities": picture.entities,
            "edges": picture.current,
            "superseded": picture.past,
        },
        "more": max(0, picture.entities - len(picture.nodes)),
    }


def page(info: PageInfo, text: str | None = None) -> Value:
    """A page as listed, with its text where that was asked for."""
    listed: Value = {
        "path": info.path,
        "subject": info.subject,
        "status": info.status,
        "reason": info.reason,
        "hash": info.content_hash,
        "asOf": _millis(info.as_of),
        "updatedAt": _millis(info.updated_at),
        "tags": list(info.tags),
        "edges": info.edges,
    }
    return listed if text is None else {**listed, "markdown": text}
