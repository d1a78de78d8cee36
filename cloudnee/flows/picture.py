"""The graph as an audience sees it: all of it, a part of it for a page, or as networkx."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloudnee.flows.reading import Reader
from cloudnee.graph.supersession import Laws
from cloudnee.model import Edge
from cloudnee.store.store import EdgeRow

if TYPE_CHECKING:
    import networkx

__all__ = ["Mention", "Node", "Picture", "around", "drawn", "pictured"]

_FAN = 7  # of its neighbours, what each entity brings into a picture that cannot show all


@dataclass(frozen=True, slots=True)
class Node:
    """An entity in a picture; `degree` counts its current edges, also those not in the picture."""

    id: str
    name: str
    type: str
    degree: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A line of a page about one entity that names another, where no fact there joins the two."""

    source_id: str
    target_id: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Picture:
    """Entities and edges. The counts are of all that this audience sees, drawn or not."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    mentions: tuple[Mention, ...] = ()
    entities: int = 0
    current: int = 0
    past: int = 0


def pictured(
    reader: Reader, past: bool, laws: Callable[[], Laws], most: int | None = None
) -> Picture:
    """The whole graph; or of a larger one than `most` entities, those around its busiest."""
    with reader.store.reading():
        rows = reader.store.edges_all(reader.bit, past=True)
        live = [row for row in rows if row.current_for & reader.bit]
        degrees = Counter(e for row in live for e in dict.fromkeys((row.source, row.target)))
        kept = _kept(live, degrees, most)
        wanted = rows if past else live
        if kept is not None:
            wanted = [row for row in wanted if row.source in kept and row.target in kept]
        ends = [entity for row in wanted for entity in (row.source, row.target)]
        nodes = _nodes(reader, dict.fromkeys([*ends, *(kept or ())]), degrees)
        edges = tuple(reader.judged(wanted, laws))
        mentions = _mentioned(reader, nodes, edges)
    counts = (len(degrees), len(live), len(rows) - len(live))
    return Picture(nodes, edges, mentions, *counts)


def _mentioned(reader: Reader, nodes: Iterable[Node], edges: Iterable[Edge]) -> tuple[Mention, ...]:
    """What the pages about some entities say of others among them, each pair once."""
    here = {node.id for node in nodes}
    joined = {frozenset((edge.source_id, edge.target_id)) for edge in edges}
    rows = reader.store.every_mention(reader.bit)
    known = reader.store.named_entities({key for _, key, _, _ in rows}, reader.bit) if rows else {}
    shown: dict[int, str] = {}
    found: dict[tuple[str, str], Mention] = {}
    for source, key, path, line in rows:
        for target in known.get(key, ()):
            ends = [shown.setdefault(e, reader.shown(e)[0]) for e in (source, target)]
            pair = (ends[0], ends[1])
            if pair[0] != pair[1] and here.issuperset(pair) and frozenset(pair) not in joined:
                found.setdefault(pair, Mention(*pair, path, line))
    return tuple(found.values())


def _kept(
    rows: Sequence[EdgeRow], degrees: Counter[int], most: int | None
) -> dict[int, None] | None:
    """Of more entities than `most`: the busiest, and some that are near them; None for all."""
    if most is None or len(degrees) <= most:
        return None
    nearby: dict[int, list[int]] = {}
    for row in rows:
        nearby.setdefault(row.source, []).append(row.target)
        nearby.setdefault(row.target, []).append(row.source)
    kept: dict[int, None] = {}
    for start, _ in degrees.most_common():
        queue = [start]
        for entity in queue:  # grows meanwhile: the nearest come first
            if len(kept) >= most:
                return kept
            if entity not in kept:
                kept[entity] = None
                busiest = sorted(dict.fromkeys(nearby[entity]), key=lambda other: -degrees[other])
                queue.extend([other for other in busiest if other not in kept][:_FAN])
    return kept


def around(
    reader: Reader, who: str, past: bool, laws: Callable[[], Laws], most: int = 200
) -> Picture:
    """What leads from and to whoever is meant: one step, `most` edges for each entity at most."""
    with reader.store.reading():
        entities = reader.entities(who)
        rows: dict[int, EdgeRow] = {}
        for entity in entities:
            found = (
                reader.store.edges_ever(entity, reader.bit, most)
                if past
                else reader.store.current_edges(entity, reader.bit, most)
            )
            rows.update((row.id, row) for row in found)
        ends = [entity for row in rows.values() for entity in (row.source, row.target)]
        shown = dict.fromkeys([*entities, *ends])
        degrees = Counter({e: reader.store.count_current(e, reader.bit) for e in shown})
        edges = tuple(reader.judged(rows.values(), laws))
        nodes = _nodes(reader, shown, degrees)
        mentions = _mentioned(reader, nodes, edges)
    ended = sum(1 for edge in edges if edge.ended)
    return Picture(nodes, edges, mentions, len(nodes), len(edges) - ended, ended)


def _nodes(reader: Reader, entities: Iterable[int], degrees: Counter[int]) -> tuple[Node, ...]:
    return tuple(Node(*reader.shown(entity), degrees[entity]) for entity in entities)


def drawn(
    reader: Reader, past: bool, laws: Callable[[], Laws], *, mentions: bool = False
) -> networkx.MultiDiGraph[str]:
    """Entities as nodes (id; `name`, `type`), edges by id with what an `Edge` holds.

    With `mentions` also an edge of relation "mentions" for each line that names another entity.
    """
    import networkx

    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    picture = pictured(reader, past, laws)
    for node in picture.nodes:
        graph.add_node(node.id, name=node.name, type=node.type)
    for edge in picture.edges:
        graph.add_edge(
            edge.source_id,
            edge.target_id,
            key=edge.id,
            relation=edge.relation,
            text=edge.text,
            path=edge.path,
            line=edge.line,
            weight=edge.feedback_weight,
            as_of=edge.as_of.isoformat(),
            ended=edge.ended,
        )
    for one in picture.mentions if mentions else ():
        key = f"{one.path}:{one.line}"
        graph.add_edge(
            one.source_id, one.target_id, key=key, relation="mentions", path=one.path, line=one.line
        )
    return graph
