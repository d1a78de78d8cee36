"""What an extractor says is believed only where its words stand, and is placed on its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudnee.extract.base import ExtractedEdge, Extraction
from cloudnee.extract.grounding import PlacedEdge, Refusal, place_edges
from cloudnee.extract.ontology import load_ontology
from cloudnee.extract.rules import RulesExtractor
from cloudnee.pages.chunks import Span, chunk_spans
from cloudnee.pages.page import parse_page

ONTOLOGY = load_ontology()
PAGE = """---
phone: 91234567
---
# Mrs Tan

She lives in **Jurong West** and was quoted $160
for the wash of one unit.

- Has dog:   Rex
- Prefers: mornings
"""


def place(
    *edges: ExtractedEdge, text: str = PAGE, path: str = "customers/tan.md"
) -> tuple[list[PlacedEdge], list[Refusal]]:
    page = parse_page(path, text)
    spans = chunk_spans(text)
    found = [Extraction(edges=edges)] + [Extraction()] * (len(spans) - 1)
    return place_edges(page, spans, found, ONTOLOGY)


@pytest.mark.parametrize(
    "edge",
    [
        ExtractedEdge("Mrs Tan", "lives_in", "Jurong West", "She lives in **Jurong West**"),
        ExtractedEdge("mrs. tan", "Lives In", "Jurong West", "she  lives in **jurong west**"),
        ExtractedEdge("Mrs Tan", "lives in", "Jurong West", "She lives in Jurong West"),
        ExtractedEdge("Mrs Tan", "town", "Jurong West", ""),
        ExtractedEdge("Mrs Tan", "LIVES-IN", "Jurong West", PAGE),
    ],
)
def test_an_edge_is_placed_however_it_is_quoted(edge: ExtractedEdge) -> None:
    """Case, spaces, marks and the relation's spelling are forgiven; the line is found."""
    (placed,), refused = place(edge)
    assert refused == []
    assert (placed.relation, placed.line, placed.target) == ("lives_in", 6, "Jurong West")
    assert placed.quote == "She lives in **Jurong West** and was quoted $160"


def test_a_sentence_over_two_lines() -> None:
    """The line that holds the target is the edge's."""
    said = "was quoted $160 for the wash of one unit."
    (placed,), _ = place(ExtractedEdge("Mrs Tan", "quoted_price", "one unit", said))
    assert placed.line == 7


@pytest.mark.parametrize(
    ("edge", "reason"),
    [
        (ExtractedEdge("Mrs Tan", "lives_in", "Bedok", "She lives in **Jurong West**"), "target"),
        (ExtractedEdge("Ann", "lives_in", "Jurong West", "She lives in"), "source"),
        (ExtractedEdge("Mrs Tan", "lives_in", "Jurong West", "She resides there"), "line"),
        (ExtractedEdge("Mrs Tan", "quoted_price", "16", "was quoted $160"), "target"),
        (ExtractedEdge("Mrs Tan", "quoted_price", "1600", "was quoted $160"), "target"),
        (ExtractedEdge("Mrs Tan", "owns_boat", "Rex", "- Has dog:   Rex"), "relation"),
        (ExtractedEdge("Mrs Tan", "likes", "Mrs. Tan", "# Mrs Tan"), "itself"),
        (ExtractedEdge("", "likes", "Rex", "Rex"), "source"),
        (ExtractedEdge("Mrs Tan", "likes", " ", "Rex"), "target"),
        (ExtractedEdge("Mrs Tan", "", "Rex", "Rex"), "relation"),
        (ExtractedEdge("Mrs Tan", "likes", "R" * 400, "Rex"), "300"),
        (ExtractedEdge("Mrs Tan", "likes", None, "Rex"), "text"),  # type: ignore[arg-type]
    ],
)
def test_what_is_refused_says_why(edge: ExtractedEdge, reason: str) -> None:
    """Words that do not stand there, unknown relations, empty names."""
    placed, (refused,) = place(edge)
    assert placed == []
    assert reason in refused.reason


def test_a_relation_of_the_lines_own_words() -> None:
    """Not in the ontology, but its words stand in the line."""
    (placed,), _ = place(ExtractedEdge("Mrs Tan", "has dog", "Rex", "- Has dog: Rex"))
    assert placed.relation == "has_dog"


def test_front_matter_is_text_of_the_page() -> None:
    """A fact may stand in the front matter."""
    (placed,), _ = place(ExtractedEdge("Mrs Tan", "phone", "91234567", "phone: 91234567"))
    assert placed.line == 2


def test_the_chunk_must_hold_it() -> None:
    """What stands in another chunk of the page does not support an edge."""
    text = "# Log\n\n" + "filler words here.\n\n" * 400 + "Rex is a dog.\n"
    spans = chunk_spans(text)
    page = parse_page("log.md", text)
    edge = ExtractedEdge("Log", "likes", "Rex", "Rex is a dog.")
    for number in range(len(spans)):
        found = [Extraction(edges=(edge,) if i == number else ()) for i in range(len(spans))]
        placed, refused = place_edges(page, spans, found, ONTOLOGY)
        here = number == len(spans) - 1
        assert [edge.chunk for edge in placed] == ([number] if here else [])
        assert len(refused) == (0 if here else 1)


def test_siblings_own_their_lines() -> None:
    """An extractor that gave both prices to the page's subject is put right."""
    text = "# Quotes\n\n## Mrs Tan\n\n- Price: 160\n\n## Mr Lim\n\n- Price: 180\n"
    placed, _ = place(
        ExtractedEdge("Quotes", "quoted_price", "160", "- Price: 160"),
        ExtractedEdge("Quotes", "quoted_price", "180", "- Price: 180"),
        text=text,
    )
    assert [(edge.source, edge.target) for edge in placed] == [
        ("Mrs Tan", "160"),
        ("Mr Lim", "180"),
    ]


def test_equal_lines_under_two_headings() -> None:
    """The line under the heading that names the source is meant."""
    text = "# Quotes\n\n## Mrs Tan\n\n- Price: 160\n\n## Mr Lim\n\n- Price: 160\n"
    placed, _ = place(
        ExtractedEdge("Mrs Tan", "quoted_price", "160", "- Price: 160"),
        ExtractedEdge("Mr Lim", "quoted_price", "160", "- Price: 160"),
        text=text,
    )
    assert [(edge.source, edge.line) for edge in placed] == [("Mrs Tan", 5), ("Mr Lim", 9)]


def test_one_edge_for_a_fact() -> None:
    """Said twice, it stands once, on its later line."""
    text = "# Mrs Tan\n\n- Town: Bedok\n\nShe lives in Bedok.\n"
    (placed,), _ = place(
        ExtractedEdge("Mrs Tan", "lives_in", "Bedok", "She lives in Bedok."),
        ExtractedEdge("MRS TAN", "lives_in", "bedok", "- Town: Bedok"),
        text=text,
    )
    assert placed.line == 5


def test_kinds_come_with_the_entities() -> None:
    """What the extractor says of a name's kind is the edge's; else the relation's."""
    page = parse_page("a.md", "# Ann\n\nAnn works with Acme in Bedok. Town: Bedok\n")
    edges = (
        ExtractedEdge("Ann", "works_with", "Acme", "Ann works with Acme"),
        ExtractedEdge("Ann", "lives_in", "Bedok", "Town: Bedok"),
    )
    found = Extraction([("Ann", "person"), ("Acme", "company")], edges)
    placed, _ = place_edges(page, chunk_spans(page.text), [found], ONTOLOGY)
    kinds = [(edge.source_type, edge.target_type) for edge in placed]
    assert kinds == [("person", "company"), ("person", "place")]


def test_what_is_no_edge_fails_the_reading() -> None:
    """An extraction out of form is a failed one, not an empty one."""
    with pytest.raises(TypeError, match="ExtractedEdge"):
        place("Mrs Tan likes tea")  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=200), st.text(max_size=20))
def test_rules_never_fail_and_are_always_supported(text: str, name: str) -> None:
    """Whatever a page says, what the rules read from it stands on it."""
    page = parse_page("notes/a.md", f"# N{text}\n\n- Town: {name}\n\n{text}\n")
    whole = [Span(0, len(page.text), 1, page.text.count("\n") + 1)]
    read = RulesExtractor(ONTOLOGY).extract(page.text, subject=page.name, path=page.path)
    placed, _ = place_edges(page, whole, [read], ONTOLOGY)
    for edge in placed:
        assert edge.line >= 1
        assert edge.source.strip()
        assert edge.target.strip()
