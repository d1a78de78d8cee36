"""The graph for people and for files: networkx is imported here and nowhere on a quick path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx

from cloudnee.doors import picture
from cloudnee.doors.cli_json import plain
from cloudnee.doors.cli_show import counted
from cloudnee.doors.cli_tables import table
from cloudnee.errors import BadInput

__all__ = ["document", "save", "table_lines"]


def document(graph: networkx.MultiDiGraph[str]) -> dict[str, Any]:
    """Nodes and edges with their fields (networkx's node-link form)."""
    found: dict[str, Any] = plain(networkx.node_link_data(graph, edges="edges"))
    return found


def table_lines(graph: networkx.MultiDiGraph[str]) -> Iterator[str]:
    """Each fact as an arrow between two names."""
    if not graph.nodes:
        yield "nothing is known yet"
        return
    names = {node: str(data.get("name", node)) for node, data in graph.nodes(data=True)}
    rows = [
        (names[source], str(data.get("relation", key)).replace("_", " "), names[target])
        for source, target, key, data in graph.edges(keys=True, data=True)
    ]
    yield from table(sorted(rows))
    yield f"\n{counted(len(names), 'thing')}, {counted(len(rows), 'fact')}"


def save(graph: networkx.MultiDiGraph[str], file: str) -> None:
    """Write .svg, .html, .json (node-link) or .graphml; `BadInput` for another ending or place."""
    writers = {".html": _page, ".svg": _svg, ".json": _json, ".graphml": _graphml}
    ending = Path(file).suffix.lower()
    if ending not in writers:
        raise BadInput(f"{file}: the ending says the form: {', '.join(writers)}")
    try:
        Path(file).write_bytes(writers[ending](graph))
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror}") from error


def _json(graph: networkx.MultiDiGraph[str]) -> bytes:
    return json.dumps(document(graph), ensure_ascii=False, indent=2).encode()


def _svg(graph: networkx.MultiDiGraph[str]) -> bytes:
    return picture.svg(graph).encode()


def _page(graph: networkx.MultiDiGraph[str]) -> bytes:
    return picture.page(graph).encode()


def _graphml(graph: networkx.MultiDiGraph[str]) -> bytes:
    """GraphML knows text, numbers and truth only; the rest is put as JSON."""
    flat: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for node, data in graph.nodes(data=True):
        flat.add_node(node, **_flat(data))
    for source, target, key, data in graph.edges(keys=True, data=True):
        flat.add_edge(source, target, key, **_flat(data))
    return "\n".join(networkx.generate_graphml(flat)).encode()


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    return {key: _flat_value(plain(value)) for key, value in data.items() if value is not None}


def _flat_value(value: Any) -> Any:
    if isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False)
