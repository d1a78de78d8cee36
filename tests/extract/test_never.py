"""What is never read as a fact, wherever on a page it stands."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import given, settings
from hypothesis import strategies as st

from cloudnee.extract.grounding import place_edges
from cloudnee.extract.ontology import load_ontology
from cloudnee.extract.rules import RulesExtractor
from cloudnee.pages.chunks import Span
from cloudnee.pages.lines import lines_of
from cloudnee.pages.page import parse_page

# Each holds "zeolite" as what would be a value, and is none.
NEVER = [
    "```\n- Town: zeolite\n```", "~~~\nTown:: zeolite\n[[zeolite]]\n~~~", "    - Town: zeolite",
    "- `Town: zeolite`", "`[[zeolite]]`", "- Prefers: `zeolite`", "She prefers `zeolite`.",
    "- [ ] Town: zeolite", "- [x] [[zeolite]]", "* [ ] prefers [[zeolite]]",
    "> - Town: zeolite", "> [[zeolite]]", "<!-- Town: zeolite [[zeolite]] -->",
    "<!--\n- Town: zeolite\n-->", "- ~~Town: zeolite~~", "![[zeolite.png]]", "![zeolite](a.png)",
    "[zeolite](https://example.com/zeolite)", "<https://example.com/zeolite>",
    "- https://example.com/zeolite", "- [zeolite](zeolite.md)", "[zeolite]: https://example.com",
    "- 10:30 zeolite", "- Todo: zeolite", "- Note: zeolite", "- Fixme: [zeolite](a)",
    "- Town: zeolite?", "- Town: not zeolite", "- Price: was zeolite", "- Town: {{zeolite}}",
    "She does not prefer zeolite.", "She might live in Zeolite.", "Does she prefer zeolite?",
    "She used to live in Zeolite.", "If she prefers zeolite, call.", "She never prefers zeolite.",
    "Her son Ben called. He prefers zeolite.", "Everyone prefers zeolite.", "I prefer zeolite.",
    '"She prefers zeolite," said Ben.', "<div>\n- Town: zeolite\n</div>", "# zeolite and so on",
    "- Phone: zeolite", "- Email: zeolite@example.com", "An ordinary text: zeolite stands here.",
]  # fmt: skip
AROUND = ["", "- Price: 160", "## Visits", "Some text.", "- an item", "| a | b |\n|---|---|", "---"]
pages = st.lists(st.sampled_from(NEVER) | st.sampled_from(AROUND), min_size=1, max_size=8)


@lru_cache
def rules() -> RulesExtractor:
    return RulesExtractor(load_ontology())


@settings(deadline=None, max_examples=300)
@given(pages, st.sampled_from(["\n", "\r\n", "\r"]))
def test_never_a_fact(parts: list[str], end: str) -> None:
    """Code, quotes, checkboxes, comments, web links, doubt and other people state nothing."""
    text = ("# Mrs Tan\n\n" + "\n\n".join(parts)).replace("\n", end)
    page = parse_page("customers/tan.md", text)
    found = rules().extract(text, subject=page.name, path=page.path)
    whole = Span(0, len(text), 1, len(lines_of(text)))
    placed, refused = place_edges(page, [whole], [found], rules().ontology)
    assert not [edge for edge in placed if "zeolite" in edge.target.casefold()]
    assert refused == []
