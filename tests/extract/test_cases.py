"""The golden cases: pages in Markdown with the facts that are read from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from cloudnee.extract.grounding import place_edges
from cloudnee.extract.ontology import load_ontology
from cloudnee.extract.rules import RulesExtractor
from cloudnee.pages.chunks import Span
from cloudnee.pages.page import parse_page

FOLDER = Path(__file__).parent / "cases"
CASE = re.compile(r"^## ([^\n]+)\n=== (\S+)\n(.*?)^=== facts\n(.*?)^===$", re.MULTILINE | re.DOTALL)


def cases() -> Iterator[object]:
    """Each case of each file: path, page, expected rows."""
    for file in sorted(FOLDER.glob("*.md")):
        for name, path, page, facts in CASE.findall(file.read_text("utf-8")):
            yield pytest.param(path, page, facts.split("\n")[:-1], id=f"{file.stem}: {name}")


@lru_cache
def rules() -> RulesExtractor:
    return RulesExtractor(load_ontology())


def read(path: str, text: str) -> list[str]:
    """The facts of a page as rows, as they would be stored."""
    page = parse_page(path, text)
    whole = [Span(0, len(text), 1, text.count("\n") + 1)]
    found = rules().extract(text, subject=page.name, path=path)
    placed, refused = place_edges(page, whole, [found], rules().ontology)
    assert refused == []
    return [f"{edge.source} | {edge.relation} | {edge.target}" for edge in placed]


@pytest.mark.parametrize(("path", "page", "facts"), [*cases()])
def test_a_case(path: str, page: str, facts: list[str]) -> None:
    """What is read from the page is what stands below it, no less and no more."""
    assert sorted(read(path, page)) == sorted(facts)


@pytest.mark.parametrize(("path", "page", "facts"), [*cases()])
def test_a_case_with_other_line_ends(path: str, page: str, facts: list[str]) -> None:
    """Carriage returns and a byte-order mark change nothing."""
    assert sorted(read(path, "\ufeff" + page.replace("\n", "\r\n"))) == sorted(facts)
