"""Chunks cover a page exactly; passages hold every word that it shows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cloudnee.pages.chunks import chunk_spans, passage_spans
from cloudnee.pages.lines import lines_of
from cloudnee.pages.page import parse_page

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# A", "## B", "- item", "  - below", "1. one", "> quote", "```", "    code", "",
            "| a | b |", "|---|---|", "| c | d |", "word word. Another one!", "<!-- x", "-->",
            "<!-- y --> z",
            "---", "===", "\ttab", "**x:** y", "陈太太住在裕廊西。", "x" * 50, "é\u0301 🦊",
        ]
    ),
    max_size=30,
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def texts(text: str, limit: int = 1200) -> list[str]:
    return [text[s.start : s.end] for s in passage_spans(parse_page("a.md", text), limit)]


@settings(deadline=None)
@given(MARKDOWN, ENDS, st.integers(1, 80))
@example(["a", "", "b"], "\r\n", 2)
def test_chunks_give_the_text_back(lines: list[str], end: str, limit: int) -> None:
    """Joined they are the text; none is empty or longer than the limit; lines count up."""
    text = end.join(lines)
    spans = chunk_spans(text, limit)
    assert "".join(text[s.start : s.end] for s in spans) == text
    assert all(0 < s.end - s.start <= max(limit, 2) for s in spans)
    for span in spans:
        before = text[: span.start].replace("\r\n", "\n").replace("\r", "\n")
        assert span.start_line <= before.count("\n") + 1 <= span.end_line + 1


@given(MARKDOWN, ENDS, st.integers(10, 200))
@settings(max_examples=200)
def test_passages_hold_all_words(lines: list[str], end: str, limit: int) -> None:
    """In order, apart, within the limit and the page; no word outside of headings is lost."""
    text = "x" + end + end.join(lines)
    page = parse_page("a.md", text)
    spans = passage_spans(page, limit)
    assert all(s.end - s.start <= limit for s in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    lines_before = [(len(lines_of(text[: s.start])), len(lines_of(text[: s.end]))) for s in spans]
    assert [(s.start_line, s.end_line) for s in spans] == lines_before
    found = "".join(text[s.start : s.end] for s in spans) + "".join(
        word for span in spans for word in span.heading
    )
    shown = {char for char in text if char.isalnum()}
    assert shown <= set(found)


def test_passages_are_what_a_reader_would_point_at() -> None:
    """Front matter, paragraphs, items, rows and code blocks, with headings and lines."""
    text = (
        "---\nname: Ann\n---\n# Ann\n\nOne\ntwo.\n\n- a\n  more\n  - b\n\n## Prices\n\n"
        "| x | y |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n```\ncode\n```\n\n## Empty\n"
    )
    spans = passage_spans(parse_page("a.md", text))
    assert [(text[s.start : s.end], s.start_line, s.end_line, s.heading) for s in spans] == [
        ("---\nname: Ann\n---", 1, 3, ()),
        ("One\ntwo.", 6, 7, ("Ann",)),
        ("- a\n  more", 9, 10, ("Ann",)),
        ("- b", 11, 11, ("Ann",)),
        ("| x | y |\n|---|---|\n| 1 | 2 |", 15, 17, ("Ann", "Prices")),
        ("| 3 | 4 |", 18, 18, ("Ann", "Prices")),
        ("```\ncode\n```", 20, 22, ("Ann", "Prices")),
        ("## Empty", 24, 24, ("Ann",)),
    ]


def test_who_speaks() -> None:
    """Turns name their speaker and go on until another speaks; a label of another page does not."""
    talk = "**Gina** (D1:1): Hey!\n\n**Jon** (D1:2): Hello.\n\n- He goes on.\n\n"
    talk += "## Later\n\nA remark.\n"
    spans = passage_spans(parse_page("a.md", talk))
    assert [s.speaker for s in spans] == ["Gina", "Jon", None]
    assert [talk[s.start + s.said : s.end] for s in spans][:2] == [
        " Hey!",
        " Hello.\n\n- He goes on.",
    ]
    chat = "**user:** hi\n\n**assistant:** hello\n"
    assert [s.speaker for s in passage_spans(parse_page("a.md", chat))] == ["user", "assistant"]
    listed = "---\nspeakers: [Ann]\n---\nTown: Bedok\n\nAnn: hi\n"
    assert [s.speaker for s in passage_spans(parse_page("a.md", listed))] == [None, None, "Ann"]
    labels = "**Town:** Bedok\n\n**Price:** 160\n"
    assert [s.speaker for s in passage_spans(parse_page("a.md", labels))] == [None, None]


def test_a_long_paragraph_is_cut_at_its_sentences() -> None:
    """A paragraph of 50 000 characters: cut within the limit, after a full stop."""
    text = "This is one sentence of many. " * 1700
    found = texts(text)
    assert all(len(part) <= 1200 for part in found)
    assert all(part.endswith("many.") for part in found)
    assert " ".join(found) == text.strip()


def test_the_rare_word_at_the_end_of_a_long_page() -> None:
    """20 000 characters whose one rare word stands last: a passage holds it."""
    assert "zeolite" in texts("word " * 4000 + "zeolite")[-1]


def test_two_thousand_headings() -> None:
    """Each is a passage where nothing stands below it, and the page is read in little time."""
    text = "".join(f"## Heading {i}\n\n" for i in range(2000))
    assert len(texts(text)) == 2000


@pytest.mark.parametrize("deep", ["> " * 40 + "zeolite", "- " * 40 + "zeolite"])
def test_what_stands_deeper_than_the_parser_goes(deep: str) -> None:
    """A word in forty quotes or lists is found."""
    assert any("zeolite" in part for part in texts(f"# A\n\n{deep}\n"))


@pytest.mark.parametrize(
    "text",
    [
        "x " * 300_000,
        "y" * 1_000_000,
        "# A\n\n" + "[[" * 100_000,
        "**a " * 100_000,
        "`" * 200_000,
        "| a " * 20_000 + "\n" + "|---" * 20_000,
        "<!-- " * 50_000,
        "\n".join("a: b" for _ in range(20_000)),
    ],
)
def test_big_and_odd_pages_are_bounded(text: str) -> None:
    """A megabyte on one line, marks that never close: cut within the limit."""
    assert all(len(part) <= 1200 for part in texts(text))
    assert all(span.end - span.start <= 4000 for span in chunk_spans(text))


def test_a_page_parsed_in_pieces_is_the_same_page() -> None:
    """Beyond the size that is parsed at once, lines, headings and tables go on as before."""
    words = "Some text of an ordinary length. " * 20
    part = f"# Head\n\n{words}\n\n- a: b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\n# code\n```\n\n"
    spans = passage_spans(parse_page("a.md", part * 1_500))
    assert len(spans) == 4 * 1_500
    assert spans[-1].start_line == 14 * 1_499 + 11
    assert {span.heading for span in spans} == {("Head",)}
