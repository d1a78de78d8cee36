"""Front matter: values as written, and a page that works however broken it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudnee.pages.front import read_front
from cloudnee.pages.page import parse_page


def front(inner: str) -> dict[str, object]:
    return dict(parse_page("a.md", f"---\n{inner}\n---\ntext\n").front)


def warnings(text: str) -> tuple[str, ...]:
    return parse_page("a.md", text).warnings


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0123", "0123"),
        ("+6591234567", "+6591234567"),
        ("yes", "yes"),
        ("007", "007"),
        ('"Call: Ann"', "Call: Ann"),
        ("'it''s'", "it's"),
        ("2026-03-16", "2026-03-16"),
        ("1_000", "1_000"),
        ("null", "null"),
        ("0x1F", "0x1F"),
        ("12:30:00", "12:30:00"),
        ("[a, 'b, c', 007]", ("a", "b, c", "007")),
        ("[[Ann]]", ("[[Ann]]",)),
        ("\n  - one\n  - '2'", ("one", "2")),
        ("a # remark", "a"),
        ("", ""),
    ],
)
def test_values_stay_as_written(written: str, value: object) -> None:
    """No number, date or truth value is made of what a person wrote."""
    assert front(f"key: {written}") == {"key": value}


@pytest.mark.parametrize(
    ("inner", "line", "kept"),
    [
        ("name: Ann\ntitle: Call: Ann", 3, {"name": "Ann", "title": "Call: Ann"}),
        ("name: Ann\nlist: [a, b", 3, {"name": "Ann"}),
        ("name: Ann\n\tx: y", 3, {"name": "Ann"}),
        ("name: Ann\nsize: 'a", 3, {"name": "Ann"}),
    ],
)
def test_broken_yaml_keeps_its_plain_lines(inner: str, line: int, kept: dict[str, object]) -> None:
    """A warning names the line; lines that are plainly `key: value` still count."""
    text = f"---\n{inner}\n---\n# Page\n"
    page = parse_page("a.md", text)
    assert kept.items() <= dict(page.front).items()
    assert page.subject == "Ann"
    assert any(warning.startswith(f"line {line}: ") for warning in page.warnings)


def test_front_matter_that_is_never_closed() -> None:
    """The page works as text, and the warning names the line."""
    page = parse_page("a.md", "---\nname: Ann\n\n# Bob\n\n- Town: Bedok\n")
    assert page.subject == "Bob"
    assert page.body_start == 0
    assert page.warnings[0].startswith("line 1: ")


@pytest.mark.parametrize("text", ["---\n\nA text.\n\n---\n", "---\n# Title\n---\n", "----\na: b\n"])
def test_a_rule_is_no_front_matter(text: str) -> None:
    """A line of dashes over a text opens nothing."""
    assert read_front(text).lines == 0


def test_dashes_in_the_body_end_nothing() -> None:
    """Only the first block is front matter."""
    page = parse_page("a.md", "---\nname: Ann\n---\n\ntext\n\n---\nname: Bob\n---\n")
    assert page.subject == "Ann"
    assert page.body_line == 4


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark(end: str, mark: str) -> None:
    """The same values, offsets in the text as given."""
    text = mark + "---\nname: Ann\nlist:\n  - a\n---\nbody\n".replace("\n", end)
    page = parse_page("a.md", text)
    assert (page.subject, page.front["list"], page.body_line) == ("Ann", ("a",), 6)
    assert text[page.body_start :].startswith("body")


def test_powerless_keys_warn_with_their_lines() -> None:
    """`audience`, `org` and `id` say that they have no effect."""
    found = warnings("---\naudience: public\nname: Ann\norg: x\nid: 7\n---\n")
    assert [warning.split(":")[:2] for warning in found] == [
        ["line 2", " audience"], ["line 4", " org"], ["line 5", " id"]
    ]  # fmt: skip


def test_what_is_not_read_is_named() -> None:
    """Nested keys, aliases and repeated keys warn; the rest is read."""
    text = "---\na: {b: c}\nd: &x e\nf: *x\ng: 1\ng: 2\n---\n"
    page = parse_page("a.md", text)
    assert dict(page.front) == {"d": "e", "g": "2"}
    lines = {warning.split(":")[0] for warning in page.warnings}
    assert lines == {"line 2", "line 4", "line 6"}


@pytest.mark.parametrize(
    "inner",
    [
        "a: " + "[" * 20_000,
        "- " * 20_000 + "x",
        "a: &a [x]\n" + "\n".join(f"b{i}: [*a, *a]" for i in range(2_000)),
        "a: !!python/object/apply:os.system ['x']",
        "? [a]\n: b",
        "%YAML 9.9",
        "a: \0",
    ],
)
def test_nothing_in_yaml_can_grow_or_run(inner: str) -> None:
    """Bombs, tags and odd keys are read as far as they are plain, at once."""
    assert parse_page("a.md", f"---\nname: Ann\n{inner}\n---\n").subject in ("Ann", "a")


@settings(deadline=None)
@given(st.text(alphabet="-:[]{}&*!|>'\"%@`# \n\t\\abcé0,?~.", max_size=120))
def test_no_front_matter_is_an_error(inner: str) -> None:
    """Whatever stands between the marks, the page is parsed and its text found."""
    text = f"---\nname: Ann\n{inner}\n---\nbody\n"
    page = parse_page("a.md", text)
    assert page.text[page.body_start :].endswith("body\n")
