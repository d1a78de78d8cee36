"""The graph as networkx sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cloudnee.flows.reading import Reader
from cloudnee.graph.supersession import Laws

if TYPE_CHECKING:
    import networkx

__all__ = ["drawn"]


def drawn(reader: Reader, past: bool, laws: Callable[[], Laws]) -> networkx.MultiDiGraph[str]:
    """Entities as nodes (id; `name`, `type`), edges by id with what an `Edge` holds."""
    import networkx

    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    with reader.store.reading():
        rows = reader.store.edges_all(reader.bit, past=past)
        for row in rows:
            for entity in (row.source, row.target):
                eid, name, kind = reader.shown(entity)
                graph.add_node(eid, name=name, type=kind)
        for edge in reader.judged(rows, laws):
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
    return graph
