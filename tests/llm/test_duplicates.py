"""When two notes are one: the same words, and nothing less."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee.extract.duplicates import may_be_merged, near_pairs, same_note, standing_note

words = st.lists(st.text("abcdefg", min_size=1, max_size=6), min_size=1, max_size=8)


@given(words, st.randoms())
def test_order_case_and_punctuation_make_no_other_note(
    said: list[str], chance: random.Random
) -> None:
    """A note with its words in another order, in capitals and with marks says the same."""
    other = [word.upper() for word in said]
    chance.shuffle(other)
    assert same_note(" ".join(said) + ".", "- " + ", ".join(other) + "!")


@given(words, words)
def test_other_words_are_another_note(one: list[str], other: list[str]) -> None:
    """Two notes are one only where each word occurs as often in both."""
    assert same_note(" ".join(one), " ".join(other)) == (sorted(one) == sorted(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("left unit leaks", "right unit leaks"),
        ("call at 9", "call at 19"),
        ("paid 160", "paid 160.50"),
        ("paid €160", "paid $160"),
        ("gate code -5", "gate code 5"),
        ("uses C++", "uses C"),
        ("visit on 2026-03-16", "visit on 2026-03-17"),
        ("wants it 🙂", "wants it 🙁"),
        ("冷气坏了", "沙发坏了"),
    ],
)
def test_what_differs_is_never_the_same(one: str, other: str) -> None:
    """A side, a number, a sign, a date or a picture that differs makes two notes."""
    assert not same_note(one, other)
    assert standing_note(one, [("n1", other)]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("left unit leaks", "right unit leaks"),
        ("prefers mornings", "prefers evenings"),
        ("She does want the wash", "She does not want the wash"),
        ("She wants the wash", "She doesn't want the wash"),
        ("the invoice of 160 is paid", "the invoice of 180 is paid"),
        ("please call Ann back", "please call Bob back"),
        ("unit upstairs is loud", "unit downstairs is loud"),
    ],
)
def test_near_vectors_are_no_reason_to_merge(one: str, other: str) -> None:
    """However near their vectors, notes that differ in what matters are not even proposed."""
    assert not may_be_merged(one, other)
    assert near_pairs([("n1", one), ("n2", other)], lambda i, j: 0.99) == []


def test_a_standing_note_is_named() -> None:
    """The id of the note that says the same; nothing for an empty text."""
    standing = [("n1", "left unit leaks"), ("n2", "Prefers mornings.")]
    assert standing_note("mornings PREFERS", standing) == "n2"
    assert standing_note("prefers mornings now", standing) is None
    assert standing_note("…", [("n1", "…")]) is None


def test_pairs_come_nearest_first() -> None:
    """The same words count as 1 without a vector; below .85 nothing is shown."""
    notes = [
        ("a", "likes tea a lot"),
        ("b", "really likes tea"),
        ("c", "a lot likes tea"),
        ("d", "leaks"),
    ]
    near = {(0, 1): 0.9, (1, 2): 0.9}
    found = near_pairs(notes, lambda i, j: near.get((i, j), 0.2))
    assert found == [("a", "c", 1.0), ("a", "b", 0.9), ("b", "c", 0.9)]
