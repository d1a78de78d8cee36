"""Fact ids and the diff between what a page stated and what it states now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloudnee.graph.facts import Read, StatedFact, changes, edge_id, fact_id

names = st.text(max_size=8)
facts = st.lists(st.sampled_from("abcdef"), unique=True)


@given(st.tuples(names, names, names, names), st.tuples(names, names, names, names))
def test_a_fact_id_is_made_of_all_its_parts(
    one: tuple[str, str, str, str], two: tuple[str, str, str, str]
) -> None:
    """Two facts share an id only where path, source, relation and target are the same."""
    assert (fact_id(*one) == fact_id(*two)) == (one == two)


def test_intervals_are_told_apart() -> None:
    """The first interval has the fact's id, later ones a number after it."""
    assert edge_id("abc", 1) == "abc"
    assert edge_id("abc", 3) == "abc.3"


@given(facts, facts, st.booleans())
def test_the_diff_leads_from_the_old_to_the_new(
    before: list[str], after: list[str], moved: bool
) -> None:
    """What stays, begins and ends adds up to the new reading, each fact once."""
    stored = [StatedFact(i, fact, "line") for i, fact in enumerate(before)]
    change = changes(stored, [Read(fact, "line") for fact in after], date_moved=moved)
    staying = {stored[i].fact for i in (*change.kept, *change.restated)}
    assert staying | {read.fact for read in change.added} == set(after)
    assert {stored[i].fact for i in change.ended} == set(before) - set(after)
    assert not (moved and change.kept)


def test_a_changed_line_restates() -> None:
    """A fact whose line was rewritten takes the new date; an untouched line keeps its own."""
    stored = [StatedFact(1, "a", "- Price: 160"), StatedFact(2, "b", "- Town: Bedok")]
    reading = [Read("a", "- Price: 160 (confirmed)"), Read("b", "- Town: Bedok")]
    change = changes(stored, reading, date_moved=False)
    assert (change.restated, change.kept) == ((1,), (2,))


def test_a_replaced_value_is_superseded_and_a_dropped_one_retired() -> None:
    """The reason tells whether the page named another value in the same breath."""
    stored = [StatedFact(1, "a", "", (7, "price")), StatedFact(2, "b", "", (7, "town"))]
    change = changes(stored, [Read("c", "")], date_moved=False, replaced=[(7, "price")])
    assert change.ended == {1: "superseded", 2: "retired"}


def test_a_value_said_again_below_another_is_restated() -> None:
    """Only what moved below a value of its group takes the new date; lines put in between do not
    matter."""
    group = (7, "price")
    stored = [StatedFact(n, fact, "", group, 10 * n) for n, fact in enumerate("abc", 1)]

    def restated(**lines: int) -> tuple[int, ...]:
        reading = [Read(fact, "", line) for fact, line in lines.items()]
        return changes(stored, reading, date_moved=False, replaced=[group]).restated

    assert restated(a=11, b=22, c=33) == ()
    assert restated(a=40, b=20, c=30) == (1,)
    assert restated(a=25, b=20, c=30) == (1,)
    assert restated(b=40, c=30) == (2,)
    assert changes(stored, [Read("a", "", 40), Read("b", "", 20)], date_moved=False).restated == ()
