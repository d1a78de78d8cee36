"""Resources: each page, and each entity as a page about it, listed a part at a time.

A cursor names the last resource told, so that what is written meanwhile moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import quote, unquote

from cloudnee.doors import wording
from cloudnee.doors.mcp_told import Told, clipped
from cloudnee.memory import Memory

__all__ = ["TEMPLATES", "Listed", "listed", "read"]

PAGE, ENTITY = "cloudnee://page/", "cloudnee://entity/"
TEMPLATES = (
    (PAGE + "{+path}", "a page", "The Markdown of a page, by its path.", "text/markdown"),
    (
        ENTITY + "{id}",
        "an entity",
        "What is current about someone or something, and what was, by id, handle or name.",
        "text/plain",
    ),
)
PART = 100  # resources in one answer


class Listed(NamedTuple):
    """A resource as listed."""

    uri: str
    name: str
    about: str
    kind: str


def listed(memory: Memory, cursor: str | None) -> tuple[list[Listed], str | None]:
    """The resources after the one that the cursor names, and a cursor where there are more."""
    after = cursor or ""
    pages = () if after.startswith(ENTITY) else _pages(memory, after)
    found = list(islice(chain(pages, _entities(memory, after)), PART + 1))
    return found[:PART], found[PART - 1].uri if len(found) > PART else None


def _pages(memory: Memory, after: str) -> Iterator[Listed]:
    for page in memory.pages():
        uri = PAGE + quote(page.path)
        if not after or _key(page.path) > _key(_rest(after, PAGE)):
            yield Listed(uri, page.path, clipped(page.subject), "text/markdown")


def _entities(memory: Memory, after: str) -> Iterator[Listed]:
    last = _rest(after, ENTITY) if after.startswith(ENTITY) else ""
    nodes = {node.id: node for node in memory.picture().nodes}
    for eid in sorted(nodes):
        if eid > last:
            node = nodes[eid]
            yield Listed(ENTITY + quote(eid, safe=""), clipped(node.name), node.type, "text/plain")


def _key(path: str) -> bytes:
    """Paths come in the order of their bytes."""
    return path.encode("utf-8", "surrogatepass")


def _rest(uri: str, scheme: str) -> str:
    return unquote(uri.removeprefix(scheme))


def read(memory: Memory, uri: str, room: int) -> tuple[str, str] | None:
    """(text, kind) of a resource, as much as fits; None where this audience sees none there."""
    if uri.startswith(PAGE):
        return _page(memory, _rest(uri, PAGE), room)
    if uri.startswith(ENTITY):
        return _entity(memory, _rest(uri, ENTITY), room)
    return None


def _page(memory: Memory, path: str, room: int) -> tuple[str, str] | None:
    text = memory.read_page(path)
    if not text:
        return None
    piece = Told(room * 2).part(text, 0)  # here it stands once
    left = len(text) - len(piece)
    how = f"\n[{left} characters more: the tool read_page with this path and offset {len(piece)}]"
    return piece + (how if left else ""), "text/markdown"


def _entity(memory: Memory, who: str, room: int) -> tuple[str, str] | None:
    found = memory.read_current(who)
    if not found.entities:
        return None
    told = Told(room)
    for one, edges in wording.about(found):
        told.say(clipped(wording.entity(one)))
        left = told.each("", (("", clipped(wording.fact(edge), 700)) for edge in edges), len(edges))
        told.left(left, "the tool read_current tells them")
    past = [edge for edge in memory.history(who) if edge.ended]
    rows = (("", clipped(wording.interval(edge), 700)) for edge in past)
    left = told.each("", rows, len(past))
    told.left(left + found.more, "the tool history tells what was")
    return told.done().text, "text/plain"
