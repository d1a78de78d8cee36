"""Names become keys, handles become keys, and a page's name finds its entity."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee.graph.identity import (
    Candidate,
    entity_key,
    folded_key,
    handle_keys,
    handle_kind,
    phone_digits,
    settle,
)

ONE = [
    ("Mrs. Tan", "mrs tan", "MRS TAN", "\uff2d\uff52\uff53\u3000\uff34\uff41\uff4e", "Mrs  Tan"),
    ("Straße", "STRASSE", "strasse"),
    ("İstanbul", "istanbul", "I\u0307stanbul"),
    ("José", "Jose\u0301"),
    ("O’Brien", "O'Brien", "O\u02bcBrien".replace("\u02bc", "’")),
    ("$160", "160", "160.00", "$160.00"),
    ("16,000", "16000"),
    ("3-5", "3–5"),
]
MANY = [
    ("C", "C++", "C#"),
    ("Иван 2", "Пётр 2"),
    ("160.50", "16,050"),
    ("1.5", "15", "1,5"),
    ("2026-06-01", "20260601"),
    ("2.1", "2.10"),
    ("€160", "$160"),
    ("50%", "50"),
    ("-5", "5"),
    ("10:30", "1030"),
    ("José", "Jose"),
    ("陈太太", "陈先生"),
    ("🦊 Cafe", "Cafe"),
    ("!!!", "???"),
]


@pytest.mark.parametrize("names", ONE)
def test_spellings_of_one_name_have_one_key(names: tuple[str, ...]) -> None:
    """Case, width, punctuation, normal form and money signs do not make another person."""
    assert len({entity_key(name) for name in names}) == 1


@pytest.mark.parametrize("names", MANY)
def test_different_things_have_different_keys(names: tuple[str, ...]) -> None:
    """Signs and separators that carry meaning keep names apart."""
    assert len({entity_key(name) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["陈太太", "Пані Коваль", "திருமதி குமார்", "🦊", "!!!", "~", "…"])
def test_a_name_that_shows_something_has_a_key(name: str) -> None:
    """No script and no sign makes a name vanish."""
    assert entity_key(name)


@given(st.text(max_size=40))
def test_a_key_is_its_own_key_and_ignores_normal_forms(name: str) -> None:
    """Keys are stable: taking the key again, or of another normal form, changes nothing."""
    key = entity_key(name)
    assert entity_key(unicodedata.normalize("NFD", name)) == key
    assert key.startswith("=") or "~" not in key


@given(st.text(max_size=40))
def test_a_key_is_empty_only_for_what_shows_nothing(name: str) -> None:
    """A key is empty exactly where the folded name holds no sign that can be seen."""
    shown = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    visible = [c for c in shown if unicodedata.category(c)[0] not in "CZ"]
    if not entity_key(name):
        assert not [c for c in visible if c not in "\ufe0e\ufe0f"] or shown.strip() == "\u0307"


def test_folding_takes_marks_away() -> None:
    """A lookup of Jose can suggest José."""
    assert folded_key(entity_key("José")) == folded_key(entity_key("Jose"))


@pytest.mark.parametrize(
    "written",
    ["+65 9123 4567", "9123-4567", "(+65) 9123-4567", "６５９１２３４５６７", "6591234567"],
)
def test_a_phone_is_found_however_it_is_written(written: str) -> None:
    """The digits of each way of writing a phone are among the keys it was stored under."""
    keys = handle_keys("+65 9123 4567", "phone", "SG")
    assert phone_digits(written) in keys
    assert handle_keys(written, "phone", "SG")[0] == keys[0]


def test_kinds_are_seen_from_the_handle() -> None:
    """A phone, an e-mail address and a name tell themselves apart."""
    assert handle_kind("+65 9123 4567") == "phone"
    assert handle_kind("tan@example.sg") == "email"
    assert handle_kind("Auntie May") == "name"


PHONE_A = frozenset({("phone", "1")})
PHONE_B = frozenset({("phone", "2")})


def test_another_phone_makes_another_person() -> None:
    """A page whose phone differs from the name's known phone is about somebody else."""
    assert settle([Candidate(7, handles=PHONE_A)], handles=PHONE_B).entity is None


def test_the_same_phone_is_the_same_person() -> None:
    """Of two with one name, the one with the page's phone is meant."""
    both = [Candidate(7, handles=PHONE_A), Candidate(8, handles=PHONE_B)]
    assert settle(both, handles=PHONE_B).entity == 8


def test_a_name_without_handle_joins_the_only_one() -> None:
    """A page without a phone belongs to the one entity of its name."""
    assert settle([Candidate(7, handles=PHONE_A)]).entity == 7


def test_a_name_without_handle_keeps_apart_from_several() -> None:
    """Where several bear the name, a page without a handle is its own, and says so."""
    settled = settle([Candidate(7, handles=PHONE_A), Candidate(8, handles=PHONE_B)])
    assert settled.entity is None
    assert settled.ambiguous


def test_a_page_keeps_whom_it_had() -> None:
    """A page that belonged to one of several stays with that one."""
    both = [Candidate(7, handles=PHONE_A), Candidate(8, handles=PHONE_B)]
    assert settle(both, current=8).entity == 8


def test_what_the_readers_cannot_see_makes_nothing_ambiguous() -> None:
    """Hidden entities of the name neither join nor raise a warning where one is visible."""
    seen = Candidate(7)
    hidden = [Candidate(8, visible=False), Candidate(9, visible=False)]
    assert settle([seen, *hidden]).entity == 7
    assert not settle(hidden).ambiguous
    with_hidden_phone = Candidate(7, hidden=PHONE_A)
    assert settle([with_hidden_phone], handles=PHONE_B).entity == 7
    assert settle([with_hidden_phone._replace(visible=False)], handles=PHONE_B).entity is None


def test_a_word_names_one_of_them() -> None:
    """Pages of one name and `entity:` word are one; another word is another."""
    known = [Candidate(7, word="north")]
    assert settle(known, word="north").entity == 7
    assert settle(known, word="south").entity is None
