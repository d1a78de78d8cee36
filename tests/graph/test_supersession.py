"""Which stated edges are current, for each audience by what it sees alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from cloudnee.graph.supersession import Stated, current_masks, verdicts

OWNER, PUBLIC = 1, 2


@dataclass(frozen=True)
class Law:
    functional: bool = False
    inverse_functional: bool = False
    excludes: frozenset[str] = field(default_factory=frozenset)


class Laws:
    laws: ClassVar[dict[str, Law]] = {
        "price": Law(functional=True),
        "ceo_of": Law(inverse_functional=True),
        "prefers": Law(excludes=frozenset({"refuses"})),
        "refuses": Law(excludes=frozenset({"prefers"})),
    }

    def relation(self, name: str) -> Law:
        return self.laws.get(name, Law())


def price(row: int, target: int, as_of: int, seen_by: int = OWNER) -> Stated:
    return Stated(row, 1, "price", target, as_of, row, row, seen_by)


def current(edges: list[Stated], bit: int = OWNER) -> set[int]:
    return {row for row, mask in current_masks(edges, Laws()).items() if mask & bit}


def test_the_newest_value_wins() -> None:
    """Of two prices the later dated is current; the other is superseded by it."""
    edges = [price(1, 180, as_of=10), price(2, 160, as_of=20)]
    assert current(edges) == {2}
    assert verdicts(edges, Laws(), OWNER)[1].winner == 2


def test_the_winner_is_a_value() -> None:
    """Every stated edge of the winning value is current, however old."""
    assert current([price(1, 160, 10), price(2, 180, 15), price(3, 160, 20)]) == {1, 3}


def test_equal_dates_go_by_write_then_line() -> None:
    """On one date the later write wins, within one write the later line."""
    same = [price(1, 180, 10), price(2, 160, 10)]
    assert current(same) == {2}
    first, second = (edge._replace(written=5) for edge in same)
    assert current([first, second]) == {2}


def test_a_private_price_does_not_touch_the_public_one() -> None:
    """The public reads its newest visible price, the owner the newest of all."""
    edges = [price(1, 150, 10, OWNER | PUBLIC), price(2, 160, 20, OWNER)]
    assert current(edges, PUBLIC) == {1}
    assert current(edges, OWNER) == {2}


def test_one_holder() -> None:
    """An inverse-functional relation has one source for a target."""
    edges = [Stated(1, 10, "ceo_of", 5, 1, 1, 1, OWNER), Stated(2, 11, "ceo_of", 5, 2, 2, 2, OWNER)]
    assert current(edges) == {2}


def test_exclusion_names_its_reason() -> None:
    """Of prefers and refuses for one thing the newer holds; the other is excluded."""
    edges = [
        Stated(1, 1, "prefers", 5, 1, 1, 1, OWNER),
        Stated(2, 1, "refuses", 5, 2, 2, 2, OWNER),
        Stated(3, 1, "prefers", 6, 1, 3, 3, OWNER),
    ]
    assert current(edges) == {2, 3}
    assert verdicts(edges, Laws(), OWNER)[1].reason == "excluded"


def test_other_relations_never_retire_one_another() -> None:
    """Likes tea, likes coffee: both."""
    edges = [Stated(i, 1, "likes", i, i, i, i, OWNER) for i in (1, 2, 3)]
    assert current(edges) == {1, 2, 3}


stated = st.builds(
    Stated,
    id=st.integers(1, 10**6),
    source=st.integers(1, 3),
    relation=st.sampled_from(["price", "ceo_of", "prefers", "refuses", "likes"]),
    target=st.integers(1, 3),
    as_of=st.integers(0, 5),
    written=st.integers(0, 5),
    line=st.integers(1, 5),
    seen_by=st.sampled_from([OWNER, OWNER | PUBLIC]),
)
graphs = st.lists(stated, max_size=12, unique_by=lambda edge: edge.id)


@given(graphs, st.randoms())
def test_judgement_does_not_depend_on_order(edges: list[Stated], random: object) -> None:
    """The same rows in any order are judged the same."""
    shuffled = list(edges)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert current_masks(edges, Laws()) == current_masks(shuffled, Laws())


@given(graphs)
def test_an_audience_is_judged_by_what_it_sees_alone(edges: list[Stated]) -> None:
    """Taking away all that the public cannot see changes nothing for the public."""
    visible = [edge for edge in edges if edge.seen_by & PUBLIC]
    assert current(edges, PUBLIC) == current(visible, PUBLIC)


@given(graphs)
def test_every_group_has_a_current_value(edges: list[Stated]) -> None:
    """A source with stated prices always has exactly one current price value."""
    now = current(edges)
    for source in {e.source for e in edges if e.relation == "price"}:
        values = {
            e.target for e in edges if e.id in now and (e.source, e.relation) == (source, "price")
        }
        assert len(values) == 1
