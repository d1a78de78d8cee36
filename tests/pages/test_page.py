"""What a page is about, its tags and its handles."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudnee.errors import BadPage
from cloudnee.pages.page import LIMIT, parse_page


def subject(text: str, path: str = "customers/a-page.md") -> str | None:
    return parse_page(path, text).subject


def handles(text: str, path: str = "customers/tan.md") -> list[tuple[str, str, str]]:
    return [(a.kind, a.handle, a.name) for a in parse_page(path, text).aliases]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\nname: Ann\ntitle: T\n---\n# Card\n", "Ann"),
        ("---\ntitle: T\n---\n# Card\n", "Card"),
        ("---\ntitle: T\n---\n## Small\n", "T"),
        ("Text only.", "a page"),
        ("Title\n=====\n", "Title"),
        ("# **Mrs** [Tan](x) `!`\n", "Mrs Tan !"),
        ("```\n# Code\n```\n\n# Real\n", "Real"),
        ("# 6591234567\n", "a page"),
        ("# 2026-03-16\n", "a page"),
        ("# \n\n# Second\n", "Second"),
        ("---\nname: 007\n---\n", "007"),
        ("# 🦊\n", "🦊"),
    ],
)
def test_the_subject_of_a_page(text: str, expected: str) -> None:
    """`name:`, else the first title, else `title:`, else the file's name."""
    assert subject(text) == expected


@pytest.mark.parametrize(
    "path",
    [
        "README.md", "docs/readme.md", "index.md", "notes.md", "customers/6591234567.md",
        "customers/+65 9123 4567.md", "log/2026-03-16.md", "log/2026.md", "chat/session_01.md",
        "notes/tan/2026-12.md", "12.md", "log/March 2026.md", "todo.md", "page-2.md",
    ],
)  # fmt: skip
def test_file_names_that_name_nothing(path: str) -> None:
    """Such a page is about itself: nobody is called by a phone, a date or `readme`."""
    assert subject("Text.", path) is None


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("customers/mrs-tan.md", "mrs tan"),
        ("customers/陈太太.md", "陈太太"),
        ("services/R32.md", "R32"),
        ("x/gas_top-up.md", "gas top up"),
        ("tan.v2.md", "tan.v2"),
    ],
)
def test_file_names_that_are_names(path: str, name: str) -> None:
    """A page without a title is about what its file is called."""
    assert subject("Text.", path) == name


def test_handles_directly_under_the_subject() -> None:
    """In front matter and in lines under the subject, each once, with its line."""
    text = (
        "---\nphone: ['+65 9123 4567', 6234]\naliases: [Mei, mei@example.com]\n---\n"
        "# Mrs Tan\n\nA regular since 2020.\n\n- Phone: 9123 4567 / 9876 5432 (home)\n"
        "- **Email:** tan@example.com\n- Town: Bedok\n"
    )
    assert handles(text) == [
        ("phone", "+65 9123 4567", "Mrs Tan"),
        ("phone", "6234", "Mrs Tan"),
        ("name", "Mei", "Mrs Tan"),
        ("email", "mei@example.com", "Mrs Tan"),
        ("phone", "9123 4567", "Mrs Tan"),
        ("phone", "9876 5432", "Mrs Tan"),
        ("email", "tan@example.com", "Mrs Tan"),
    ]
    assert [alias.line for alias in parse_page("a.md", text).aliases] == [2, 2, 3, 3, 9, 9, 10]


@pytest.mark.parametrize(
    "body",
    [
        "Her phone is 9123 4567.",
        "Phone: 9123 4567",
        "- Emergency contact: 9123 4567",
        "- Town: Bedok, phone 9123 4567",
        "- Sister: Ann\n  - Phone: 9123 4567",
        "## Husband\n\n- Phone: 9123 4567",
        "Her sister helps:\n\n- Phone: 9123 4567",
        "Her husband Ben pays.\n\n- Phone: 9123 4567",
        "- Phone: 9123 4567 (husband)",
        "- Phone: same as before",
        "> - Phone: 9123 4567",
        "```\n- Phone: 9123 4567\n```",
        "<!--\n- Phone: 9123 4567\n-->",
        "- ~~Phone: 9123 4567~~",
        "| Phone | 9123 4567 |\n|---|---|\n| Town | Bedok |",
    ],
)
def test_a_phone_elsewhere_is_no_handle(body: str) -> None:
    """In prose, in another label's value, at another person, in a table or in code."""
    assert handles(f"# Mrs Tan\n\n{body}\n", "customers/6591234567.md") == []


def test_headings_with_a_phone_each() -> None:
    """Siblings that have each a phone are each their own."""
    text = "# Family\n\n## Koh\n\n- Phone: 9123 4567\n\n## Ben\n\n- Phone: 9876 5432\n"
    assert handles(text) == [("phone", "9123 4567", "Koh"), ("phone", "9876 5432", "Ben")]


def test_a_person_below_another() -> None:
    """A heading with a person's title owns its phone."""
    text = "# Mrs Tan\n\n- Phone: 9123 4567\n\n## Mr Lim\n\n- 电话: 9876 5432\n"
    assert handles(text) == [("phone", "9123 4567", "Mrs Tan"), ("phone", "9876 5432", "Mr Lim")]


def test_tags() -> None:
    """Front matter and the body's `#tag`, each once; no code, colours, headings or addresses."""
    text = (
        "---\ntags: [VIP, '#east']\n---\n# Title\n\nA #vip in #north/side, see x.com/#top, #1, "
        "#ff0033 and `#code`.\n\n- #тег\n"
    )
    assert parse_page("a.md", text).tags == ("VIP", "east", "north/side", "тег")
    assert parse_page("a.md", "---\ntags: a, b c\n---\n").tags == ("a", "b", "c")


def test_settling_keys_are_read() -> None:
    """`entity`, `same_as`, `extractor` and `date` are given as written."""
    page = parse_page(
        "a.md", "---\nentity: north\nsame_as: b.md\nextractor: llm\ndate: 16 March 2026\n---\n"
    )
    assert (page.entity_word, page.same_as, page.extractor, page.date) == (
        "north", "b.md", "llm", "16 March 2026",
    )  # fmt: skip


def test_the_hash_is_of_the_bytes() -> None:
    """SHA-256 of the text in UTF-8, line ends and all."""
    text = "# Café\r\n"
    assert parse_page("a.md", text).content_hash == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        (" \n\t\ufeff", "empty"),
        ("one\ntwo \ud800", "line 2"),
        ("é" * (LIMIT // 2 + 1), "10,000,000"),
    ],
)
def test_what_is_no_page(text: str, told: str) -> None:
    """The error names the page and what is the matter."""
    with pytest.raises(BadPage, match=rf"a\.md: .*{told}"):
        parse_page("a.md", text)


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=300))
def test_any_text_is_a_page(text: str) -> None:
    """Odd Markdown is no error, and the text stays as it was."""
    assert parse_page("customers/a.md", f"x{text}").text == f"x{text}"
