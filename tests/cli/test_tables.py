"""Tables in a terminal: aligned in every script, wrapped within it, never obeyed by it."""

from __future__ import annotations

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee.doors.cli_tables import clean, table, width

TEXT = st.text(max_size=40)
ROWS = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(TEXT, min_size=n, max_size=n), min_size=1, max_size=5)
)


@given(ROWS, st.sampled_from([0, 30, 80]))
def test_nothing_in_a_table_reaches_the_terminal_raw(rows: list[list[str]], limit: int) -> None:
    """No control character, line break, lone surrogate or direction mark comes out."""
    for line in table(rows, limit=limit):
        assert not [char for char in line if category(char) in ("Cc", "Cs", "Zl", "Zp")]
        assert not set(line) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069")
        line.encode("utf-8")


@given(ROWS)
def test_wrapping_loses_no_letter(rows: list[list[str]]) -> None:
    """A wrapped column, read downwards, has every character but the spaces it was cut at."""
    one_column = [[row[0]] for row in rows]
    told = "".join("".join(table(one_column, limit=20)).split())
    assert told == "".join("".join(clean(row[0]) for row in rows).split())


def test_columns_stand_under_one_another_in_every_script() -> None:
    """Chinese signs take two columns and marks none."""
    rows = [("陈太太", "a"), ("Коваль", "b"), ("e\u0301te", "c"), ("x", "d")]
    lines = list(table(rows, limit=0))
    assert {width(line[:-1]) for line in lines} == {8}


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("陈太太", 6), ("ｅ", 2), ("e\u0301", 1), ("🦊", 2), ("", 0)]
)
def test_width_is_what_a_terminal_gives(text: str, columns: int) -> None:
    """Wide and full-width signs two, combining marks none."""
    assert width(text) == columns


def test_a_long_cell_is_wrapped_at_a_space_within_the_screen() -> None:
    """The widest column gives way; the others stay whole."""
    rule = "baby at home, no chemical wash before noon"
    lines = list(table([("has rule", rule, "customers/6591234567.md:12")], limit=60))
    assert all(width(line) <= 60 for line in lines)
    assert lines == [
        "has rule  baby at home, no        customers/6591234567.md:12",
        "          chemical wash before",
        "          noon",
    ]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc", "a b c"),
        ("abc\u202edef", "abc\\u202edef"),
        ("\x9b31m", "\\x9b31m"),
        ("\ud800", "\\ud800"),
        ("நன்றி 🦊", "நன்றி 🦊"),
    ],
)
def test_signs_that_would_move_the_terminal_are_shown(raw: str, shown: str) -> None:
    """Escape sequences, turned directions and surrogates are shown as what they are."""
    assert clean(raw) == shown
