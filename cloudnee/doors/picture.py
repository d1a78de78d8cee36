"""The graph as a picture in a file: SVG, or a page that holds it. Laid out by networkx.

The file stands alone: no script, no request, dark and light by the reader's choice. Names are
text.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import networkx

__all__ = ["page", "svg"]

Point = tuple[float, float]

_SPREAD = 130  # pixels between neighbours, about
_EDGE = 90
_COLOURS = (
    ("#7d8896", "#8793a3"),
    ("#3f74d6", "#6f9ff5"),
    ("#1f8f6b", "#4cc39a"),
    ("#b9770e", "#e6ad4e"),
    ("#a63d8f", "#dd85c9"),
    ("#c2503c", "#f08f7d"),
    ("#6a55c7", "#a695f5"),
    ("#2a8696", "#5cc3d3"),
)
_FEW = 150  # up to so many things, each relation is written on its line
_CORE = 400  # so many things are laid out by forces
_GOLDEN = 2.399963  # an angle that never comes round to itself


def svg(graph: networkx.MultiDiGraph[str]) -> str:
    """The picture. Things are coloured by type, facts that are past are dashed."""
    places, width, height = _places(graph)
    title = f"{graph.number_of_nodes()} things, {graph.number_of_edges()} facts"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}">',
            f"<title>{title}</title>",
            f"<style>{_style()}</style>",
            '<rect class="ground" width="100%" height="100%"/>',
            *_lines(graph, places),
            *_dots(graph, places),
            "</svg>\n",
        ]
    )


def page(graph: networkx.MultiDiGraph[str]) -> str:
    """An HTML page with the picture in it."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="color-scheme" content="light dark">\n<title>cloudnee</title>\n'
        "<style>body{margin:0}svg{max-width:100%;height:auto;display:block;margin:auto}</style>\n"
        f"</head>\n<body>\n{svg(graph)}</body>\n</html>\n"
    )


def _style() -> str:
    """Colours by class, so that a reader in the dark gets others."""
    light = "".join(f".t{n}{{fill:{one}}}" for n, (one, _) in enumerate(_COLOURS))
    dark = "".join(f".t{n}{{fill:{two}}}" for n, (_, two) in enumerate(_COLOURS))
    return (
        ".ground{fill:#f6f7f9}text{font:12px system-ui,'Noto Sans',sans-serif;fill:#1c2430;"
        "text-anchor:middle;paint-order:stroke;stroke:#f6f7f9;stroke-width:3px}"
        ".r{font-size:10px;fill:#5c6675}line{stroke:#aab4c2;stroke-width:1.2}"
        f".past{{stroke-dasharray:5 4}}{light}"
        "@media (prefers-color-scheme:dark){.ground{fill:#14171c}text{fill:#e6eaf0;"
        f"stroke:#14171c}}.r{{fill:#9aa5b5}}line{{stroke:#55606f}}{dark}}}"
    )


def _places(graph: networkx.MultiDiGraph[str]) -> tuple[dict[str, Point], int, int]:
    """Where each thing stands, in pixels, and the size of it all."""
    count = graph.number_of_nodes()
    if not count:
        return {}, 400, 120
    simple: networkx.Graph[str] = networkx.Graph()
    simple.add_nodes_from(graph.nodes)
    simple.add_edges_from((a, b) for a, b in graph.edges() if a != b)
    found = _laid_out(simple)
    side = _SPREAD * math.sqrt(count) * 0.75 + 60
    points = {node: (float(x) * side * 1.3, float(y) * side) for node, (x, y) in found.items()}
    left = min(x for x, _ in points.values()) - _EDGE
    top = min(y for _, y in points.values()) - _EDGE / 2
    moved = {node: (x - left, y - top) for node, (x, y) in points.items()}
    width = max(x for x, _ in moved.values()) + _EDGE
    height = max(y for _, y in moved.values()) + _EDGE / 2
    return moved, round(width), round(height)


def _laid_out(graph: networkx.Graph[str]) -> dict[str, Point]:
    """Forces for the busiest things; of very many, the others stand around their neighbours.

    Forces take the square of the number: with all of 5 000 they take minutes.
    """
    busiest = sorted(graph.nodes, key=lambda node: -graph.degree(node))
    core = graph.subgraph(busiest[:_CORE])
    laid = networkx.forceatlas2_layout(
        core, seed=7, max_iter=300, gravity=0.3, scaling_ratio=10, strong_gravity=True
    )
    reach = max((abs(float(z)) for point in laid.values() for z in point), default=0) or 1
    found = {node: (float(x) / reach, float(y) / reach) for node, (x, y) in laid.items()}
    for at, node in enumerate(busiest[_CORE:]):
        near = [found[other] for other in graph[node] if other in found] or [(0.0, 0.0)]
        x, y = (sum(values) / len(near) for values in zip(*near, strict=True))
        turn, far = at * _GOLDEN, 0.03 + 0.35 * math.sqrt((at + 1) / len(busiest))
        found[node] = (x + far * math.cos(turn), y + far * math.sin(turn))
    return found


def _lines(graph: networkx.MultiDiGraph[str], places: dict[str, Point]) -> Iterator[str]:
    alike: dict[tuple[str, str, bool], list[dict[str, Any]]] = {}
    for source, target, data in graph.edges(data=True):
        if source != target:
            alike.setdefault((source, target, bool(data.get("ended"))), []).append(data)
    for (source, target, past), facts in alike.items():
        (x1, y1), (x2, y2) = places[source], places[target]
        told = "; ".join(dict.fromkeys(str(fact.get("text", "")) for fact in facts))
        yield (
            f'<line{" class=" + quoteattr("past") if past else ""} x1="{x1:.1f}" y1="{y1:.1f}" '
            f'x2="{x2:.1f}" y2="{y2:.1f}"><title>{_text(told)}</title></line>'
        )
        if graph.number_of_nodes() <= _FEW:
            names = dict.fromkeys(str(fact.get("relation", "")) for fact in facts)
            shown = _text(_short(", ".join(names).replace("_", " ")))
            x, y = x1 + (x2 - x1) * 0.58, y1 + (y2 - y1) * 0.58 + 3
            yield f'<text class="r" x="{x:.1f}" y="{y:.1f}">{shown}</text>'


def _dots(graph: networkx.MultiDiGraph[str], places: dict[str, Point]) -> Iterator[str]:
    types = sorted({str(data.get("type", "")) for _, data in graph.nodes(data=True)} - {""})
    colours = {kind: 1 + at % (len(_COLOURS) - 1) for at, kind in enumerate(types)}
    for node, data in graph.nodes(data=True):
        x, y = places[node]
        name, kind = str(data.get("name", node)), str(data.get("type", ""))
        radius = 4 + 1.8 * math.sqrt(min(graph.degree(node), 40))
        yield (
            f'<circle class="t{colours.get(kind, 0)}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
            f"<title>{_text(name)}</title></circle>"
            f'<text x="{x:.1f}" y="{y + radius + 12:.1f}">{_text(_short(name))}</text>'
        )


def _short(text: str, most: int = 28) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(text: str) -> str:
    """Text for XML: escaped, without the characters that XML cannot hold."""
    shown = "".join(
        c if c.isprintable() or c in "\t\n" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
    return escape(shown)
