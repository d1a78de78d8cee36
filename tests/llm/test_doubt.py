"""What a model says and is not believed, though its words may stand on the page."""

from __future__ import annotations

import pytest

from cloudnee.extract.base import ExtractedEdge, Extraction
from cloudnee.extract.doubt import believable

TAN = "Mrs Tan"


def reason(
    text: str, target: str, *, line: str = "", relation: str = "r", source: str = TAN
) -> str:
    """Why an edge read in a text is refused; "" where it is believed."""
    edge = ExtractedEdge(source, relation, target, line or text)
    kept, refused = believable(Extraction((), [edge]), text, [TAN])
    assert len(kept.edges) + len(refused) == 1
    return refused[0].reason if refused else ""


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("She lives in Bedok.", "Bedok"),
        ("She lives in Bedok, but not in June.", "Bedok"),
        ("Mrs. Tan lives in Bedok. She does not like Simei.", "Bedok"),
        ("Visit on 2 May 2026", "2 May 2026"),
        ("- Quoted price: 160", "160"),
        ("No Signboard Seafood is where she eats.", "No Signboard Seafood"),
        ("Two units leak", "two units"),
        ("她住在勿洛。", "勿洛"),
    ],
)
def test_what_is_stated_is_believed(text: str, target: str) -> None:
    """A plain statement passes, whatever the next sentence denies."""
    assert reason(text, target) == ""


@pytest.mark.parametrize(
    ("text", "target", "due"),
    [
        ("She does not live in Bedok.", "Bedok", "its line denies"),
        ("She doesn’t live in Bedok.", "Bedok", "its line denies"),
        ("She no longer lives in Bedok.", "Bedok", "its line denies"),
        ("She does not see Dr. Koh.", "Koh", "its line denies"),
        ("她不住在勿洛。", "勿洛", "its line denies"),
        ("Does she live in Bedok?", "Bedok", "its line asks"),
        ("If she moves to Bedok, call.", "Bedok", "its line supposes, plans or tells of the past"),
        ("She used to live in Bedok.", "Bedok", "its line supposes, plans or tells of the past"),
        ("She may move to Bedok.", "Bedok", "its line supposes, plans or tells of the past"),
        ("She plans to buy a Daikin.", "Daikin", "its line supposes, plans or tells of the past"),
    ],
)
def test_what_is_not_stated_is_refused(text: str, target: str, due: str) -> None:
    """Denied, asked, supposed, planned and past: no current fact."""
    assert reason(text, target) == due


def test_a_line_cut_short_does_not_hide_the_denial() -> None:
    """The sentence on the page counts, not the piece of it that the model copied."""
    assert reason("She does not live in Bedok.", "Bedok", line="live in Bedok") == "its line denies"
    assert (
        reason("She does\nnot live in Bedok.", "Bedok", line="live in Bedok.") == "its line denies"
    )


def test_another_sentence_does_not_vouch_for_a_denied_one() -> None:
    """Her sister living in Bedok is no reason to believe that she does."""
    text = "She does not live in Bedok. Her sister lives in Bedok."
    assert reason(text, "Bedok", line="She does not live in Bedok.") == "its line denies"


def test_a_denial_states_a_refusal() -> None:
    """What someone does not want, they refuse: a relation of refusing may rest on a denial."""
    text = "She does not want Saturday visits."
    assert reason(text, "Saturday visits", relation="refuses") == ""
    assert reason(text, "Saturday visits", relation="prefers") == "its line denies"


@pytest.mark.parametrize("line", ["", "  "])
def test_no_line_no_fact(line: str) -> None:
    """A fact without the line that supports it is refused."""
    edge = ExtractedEdge(TAN, "r", "Bedok", line)
    assert believable(Extraction((), [edge]), "She lives in Bedok.", [TAN])[1][0].reason == (
        "no line supports it"
    )


def test_a_line_must_hold_its_target() -> None:
    """A name from elsewhere, even from the same chunk, is not what the line says."""
    text = "She lives in Bedok.\n\nWe have a shop in Tampines."
    line = "She lives in Bedok."
    assert reason(text, "Tampines", line=line) == "its line does not hold the target"


def test_the_subject_may_be_the_target() -> None:
    """A line about the subject may leave the name out, if it holds the other end."""
    assert reason("She is the boss of Acme.", TAN, source="Acme", relation="boss") == ""
    assert reason("She is the boss.", TAN, source="Acme") == (
        "its line holds neither source nor target"
    )


@pytest.mark.parametrize("name", ["She", "I", "they", "him", "This."])
def test_a_pronoun_is_no_name(name: str) -> None:
    """`She` would be an entity that every page shares."""
    assert reason("She lives in Bedok.", "Bedok", source=name) == "a pronoun is no name"
