"""Simple pages are read without the parser, and come out as if it had read them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloudnee.pages import outline, simple

MARKS = ["# ", "## ", "- ", "* ", "+ ", "1. ", "12) ", "> ", "  ", "\t", "---", "***", "===", ""]
MARKS += [
    "| a | b |",
    "|---|---|",
    "```",
    "<b>",
    "**Bold** ",
    "[[Ann]] ",
    "[a]: b",
    "- - ",
    "#",
    "_",
]
WORDS = [
    "Price: 160",
    "Mrs Tan",
    "ends  ",
    "**Town:** Bedok",
    "2026-03-16: call",
    "住在",
    "a | b",
    "C#",
]
WORDS += [
    "",
    "-",
    "#tag",
    "[ ] do",
    "1. one",
    "$160",
    "back\\",
    "<i>x</i>",
    "\u00a0",
    "x\u3000",
    "`c`",
]
PLAIN = [
    "# Mrs Tan",
    "- Price: 160",
    "- **Town:** Bedok",
    "She prefers mornings.",
    "## 住在",
    "- 住在",
]
lines = st.builds("{}{}".format, st.sampled_from(MARKS), st.sampled_from(WORDS))
plain_lines = st.builds(
    "{}{}".format, st.sampled_from(["", "- ", "# "]), st.sampled_from(WORDS[:7])
)
pages = st.lists(lines | plain_lines | plain_lines | st.just(""), max_size=12).map("\n".join)


def parsed(text: str) -> outline.Outline:
    """The outline by way of the parser, whatever the page's form."""
    longer = text + "\n" + "\n" * simple.MOST  # a page of this length goes to the parser
    return outline.outline_of(longer)


@given(pages)
def test_the_parser_says_the_same(text: str) -> None:
    """What is read without the parser is what the parser gives."""
    if simple.simple_parts(text) is not None:
        assert outline.outline_of(text) == parsed(text)


@given(st.lists(st.sampled_from(PLAIN), max_size=12).map("\n\n".join))
def test_a_desk_page_needs_no_parser(text: str) -> None:
    """Headings, items and paragraphs at the margin are all that a simple page needs."""
    assert simple.simple_parts(text) is not None


def test_what_needs_the_parser() -> None:
    """Lists in lists, tables, quotes, code, comments and wrapped items go to the parser."""
    nested = ("- a\n  - b", "- a\nb", "- - a", "> a", "1. a")
    for text in (*nested, "a | b\n---|---", "```\na", "<!-- a -->", "a\n===", "a\n---", "\ta"):
        assert simple.simple_parts(text) is None, text
