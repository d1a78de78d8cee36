"""`cloudnee graph --out`: the graph as a picture in a file."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import networkx
import pytest

from cloudnee.doors.picture import page, svg

NAME = "{http://www.w3.org/2000/svg}"


def test_a_picture_holds_every_thing_and_fact(desk: Any, tmp_path: Path) -> None:
    """As SVG that any reader of XML takes: a dot a thing, a line a pair, with what it says."""
    assert desk("graph", "--out", "desk.svg", "--past").code == 0
    root = ET.parse(tmp_path / "desk.svg").getroot()
    told = [element.text for element in root.iter(f"{NAME}title")]
    assert {"Mrs Tan", "Tampines", "Mrs Tan lives in Tampines"} <= set(told)
    assert len(root.findall(f"{NAME}circle")) == int((told[0] or "").split()[0])
    dashed = [line for line in root.iter(f"{NAME}line") if line.get("class") == "past"]
    assert len(dashed) == 1


def test_a_page_asks_nothing_of_anybody(desk: Any, tmp_path: Path) -> None:
    """One file, with no script and no address to fetch from."""
    assert desk("graph", "--out", "desk.html", "--audience", "public").code == 0
    text = (tmp_path / "desk.html").read_text("utf-8")
    assert "<script" not in text
    assert "default-src 'none'" in text
    assert text.count("http") == text.count("http-equiv") + text.count("www.w3.org/2000/svg")
    assert "Chemical wash" in text
    assert "Tan" not in text


def test_another_ending_is_refused_with_those_there_are(desk: Any) -> None:
    """The ending says the form."""
    ran = desk("graph", "--out", "desk.png")
    assert ran.code == 1
    assert ".svg" in ran.err


def hostile() -> networkx.MultiDiGraph[str]:
    """Names that would be markup, and characters that XML cannot hold."""
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    names = ["<script>x</script>", '"><img src=x>', "a\0b\x1b", "]]>", "&amp;", "\ufffe", "x" * 999]
    for at, name in enumerate(names):
        graph.add_node(str(at), name=name, type=name)
        graph.add_edge(str(at), "0", key=str(at), relation=name, text=name, ended=name)
    return graph


def test_names_are_text() -> None:
    """Whatever a page calls things, the picture stays a picture."""
    root = ET.fromstring(svg(hostile()))
    assert {e.tag.removeprefix(NAME) for e in root.iter()} == {
        "svg", "title", "style", "rect", "line", "text", "circle",
    }  # fmt: skip
    assert "<script>" not in page(hostile())


def test_an_empty_graph_has_a_picture() -> None:
    """Of nothing."""
    assert ET.fromstring(svg(networkx.MultiDiGraph())).tag == f"{NAME}svg"


@pytest.mark.parametrize("count", [1, 2, 3000])
def test_however_many(count: int) -> None:
    """One, two or thousands: each at a place of its own, the same at every run."""
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for at in range(count):
        graph.add_node(str(at), name=f"thing {at}", type="")
        if at:
            graph.add_edge(str(at), str(at % 37), key=str(at), relation="in", text="t", ended="")
    made = svg(graph)
    root = ET.fromstring(made)
    places = {(dot.get("cx"), dot.get("cy")) for dot in root.iter(f"{NAME}circle")}
    assert len(places) > count * 0.98
    assert made == svg(graph)
