"""The tools that read: each calls `Memory` and tells what it gave, as far as it fits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cloudnee.doors import wording
from cloudnee.doors.mcp_told import Told, clipped
from cloudnee.memory import Memory
from cloudnee.model import Chain, Edge, Passage, Unread

__all__ = [
    "edge_line",
    "edge_value",
    "history",
    "list_pages",
    "list_recent",
    "read_current",
    "read_page",
    "recall",
    "search_pages",
]

Asked = dict[str, Any]
_MOST_PASSAGE = 2000


def edge_value(edge: Edge) -> dict[str, Any]:
    """An edge for programs: the Python fields, empty text for none."""
    return {
        "id": edge.id,
        "text": clipped(edge.text),
        "source_id": clipped(edge.source_id),
        "source_name": clipped(edge.source_name),
        "relation": edge.relation,
        "target_id": clipped(edge.target_id),
        "target_name": clipped(edge.target_name),
        "path": edge.path,
        "line": edge.line,
        "as_of": edge.as_of.isoformat(),
        "ended": edge.ended,
        "superseded_by": edge.superseded_by or "",
        "feedback_weight": round(edge.feedback_weight, 6),
    }


def edge_line(sentence: str, edge: Edge) -> str:
    """A sentence about an edge with the edge's id, for clients that show lines alone."""
    return f"{clipped(sentence, 700)} [{edge.id}]"


def read_current(memory: Memory, asked: Asked, told: Told) -> None:
    """What is current about whoever is meant."""
    who, offset = asked["who"], asked.get("offset", 0)
    found = memory.read_current(who)
    if not found.entities:
        told.say(wording.nothing(clipped(who), found.suggestions[:10]))
    told.put("suggestions", [clipped(name) for name in found.suggestions[:10]])
    if len(found.entities) > 1:
        told.say(f"this leads to {len(found.entities)}: ask which one is meant")
    people = (
        (
            {
                "id": clipped(one.id),
                "name": clipped(one.name),
                "type": one.type,
                "aliases": [clipped(alias) for alias in one.aliases[:20]],
                "paths": list(one.paths[:20]),
            },
            clipped(wording.entity(one)),
        )
        for one in found.entities
    )
    lost = told.each("entities", people, len(found.entities))
    told.left(lost, "ask by a phone, an e-mail address or an id for one of them")
    _unread(told, found.unread)
    rows = [(edge_value(edge), edge_line(wording.fact(edge), edge)) for edge in found.edges]
    left = told.each("edges", rows[offset:], max(len(rows) - offset, 0))
    told.left(left, f"read_current with this who and offset {len(rows) - left}")
    told.left(found.more, "ask recall about what you need of them")


def history(memory: Memory, asked: Asked, told: Told) -> None:
    """Every interval, newest first."""
    edges = memory.history(asked["who"])
    if not edges:
        told.say(wording.nothing(clipped(asked["who"])))
    _edges(told, edges, asked.get("offset", 0), "history with this who")


def list_recent(memory: Memory, asked: Asked, told: Told) -> None:
    """The edges written last."""
    edges = memory.recent(asked.get("most", 10))
    if not edges:
        told.say("nothing is remembered yet")
    _edges(told, edges, asked.get("offset", 0), "list_recent with this most")


def _edges(told: Told, edges: Sequence[Edge], offset: int, again: str) -> None:
    by_id = {edge.id: edge for edge in edges}
    rows = (
        (
            edge_value(edge),
            edge_line(wording.interval(edge, by_id.get(edge.superseded_by or "")), edge),
        )
        for edge in edges[offset:]
    )
    left = told.each("edges", rows, max(len(edges) - offset, 0))
    told.left(left, f"{again} and offset {len(edges) - left}")


def recall(memory: Memory, asked: Asked, told: Told) -> None:
    """The best facts, then the best passages."""
    given = {name: value for name, value in asked.items() if name != "offset"}
    offset = asked.get("offset", 0)
    found = memory.recall(**given)
    if not (found.hits or found.passages):
        told.say(wording.nothing(clipped(asked["query"])))
    _unread(told, found.unread)
    hits = [
        (
            {"edge": edge_value(hit.edge), "score": round(hit.score, 6)},
            edge_line(wording.fact(hit.edge), hit.edge),
        )
        for hit in found.hits[offset:]
    ]
    left = told.each("hits", hits, len(hits))
    _chains(told, found.chains if not offset else ())
    passages = () if left else found.passages[max(offset - len(found.hits), 0) :]
    rows = _passage_rows(passages)
    left += told.each("passages", rows, len(rows) if not left else len(found.passages))
    at = len(found.hits) + len(found.passages) - left
    told.left(left, f"recall with the same arguments and offset {at}")


def _chains(told: Told, chains: Sequence[Chain]) -> None:
    rows = [
        (
            {"edges": [edge_value(edge) for edge in one.edges], "score": round(one.score, 6)},
            " → ".join(clipped(wording.fact(edge)) for edge in one.edges),
        )
        for one in chains
    ]
    left = told.each("chains", rows, len(rows))
    told.left(left, "ask with a smaller top_k")


def search_pages(memory: Memory, asked: Asked, told: Told) -> None:
    """The best passages."""
    given = {name: value for name, value in asked.items() if name != "offset"}
    offset = asked.get("offset", 0)
    found = memory.search_pages(**given)
    if not found:
        told.say(wording.nothing(clipped(asked["query"])))
    left = told.each("passages", _passage_rows(found[offset:]), max(len(found) - offset, 0))
    told.left(left, f"search_pages with the same arguments and offset {len(found) - left}")


def _passage_rows(found: Iterable[Passage]) -> list[tuple[Any, str]]:
    return [
        (
            {
                "path": one.path,
                "start_line": one.start_line,
                "end_line": one.end_line,
                "text": clipped(one.text, _MOST_PASSAGE),
                "score": round(one.score, 6),
            },
            clipped(wording.passage(one), _MOST_PASSAGE + 200),
        )
        for one in found
    ]


def _unread(told: Told, pages: Iterable[Unread]) -> None:
    listed = list(pages)
    rows = (
        ({"path": p.path, "status": p.status, "reason": clipped(p.reason)}, wording.unread(p))
        for p in listed[:5]
    )
    told.each("unread", rows, len(listed))
    told.left(len(listed) - 5, "list_pages says which pages are not read yet")


def list_pages(memory: Memory, asked: Asked, told: Told) -> None:
    """The pages by path."""
    found, offset = memory.pages(asked.get("path")), asked.get("offset", 0)
    if not found:
        told.say("there is no such page" if "path" in asked else "there are no pages yet")

    def rows() -> Iterator[tuple[Any, str]]:
        for page in found[offset:]:
            value = {
                "path": page.path,
                "subject": clipped(page.subject),
                "status": page.status,
                "edges": page.edges,
                "updated_at": page.updated_at.isoformat(timespec="seconds"),
            }
            about = f": {clipped(page.subject)}" if page.subject else ""
            facts = wording.counted(page.edges, "fact")
            yield value, f"{page.path}{about} ({page.status}, {facts})"

    left = told.each("pages", rows(), max(len(found) - offset, 0))
    told.left(left, f"list_pages with offset {len(found) - left}")


def read_page(memory: Memory, asked: Asked, told: Told) -> None:
    """A page, or the part of it that fits."""
    path = asked["path"]
    text = memory.read_page(path)
    offset = min(asked.get("offset", 0), len(text))
    told.put("path", path)
    told.put("offset", offset)
    told.put("total", len(text))
    piece = told.part(text, offset)
    told.values["text"] = piece
    told.lines.append(piece if text else f"there is no page {clipped(path)}")
    at = offset + len(piece)
    told.left(len(text) - at, f"read_page with this path and offset {at}, in characters")
