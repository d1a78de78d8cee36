"""What is current and what was: dates, intervals, the winner for each audience."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cloudnee import Memory
from cloudnee.errors import BadInput
from tests.engine.conftest import Clock


def page(*lines: str, name: str = "Mrs Tan", front: str = "") -> str:
    head = f"---\n{front}\n---\n" if front else ""
    return head + f"# {name}\n\n" + "".join(f"- {line}\n" for line in lines)


def price(memory: Memory, who: str = "Mrs Tan") -> list[str]:
    edges = memory.read_current(who).edges
    return [e.target_name for e in edges if e.relation == "quoted_price"]


def prices(memory: Memory, who: str = "Mrs Tan") -> list[tuple[str, str]]:
    return [(e.target_name, e.ended) for e in memory.history(who) if e.relation == "quoted_price"]


def test_180_160_180_on_one_page(memory: Memory, clock: Clock) -> None:
    """A price that came back is current, and all three intervals are history with their lines."""
    for amount in (180, 160, 180):
        memory.remember("customers/tan.md", page(f"Quoted price: {amount}"))
        clock.turn(days=1)
    assert price(memory) == ["180"]
    assert prices(memory) == [("180", ""), ("160", "superseded"), ("180", "superseded")]
    edges = [e for e in memory.history("Mrs Tan") if e.relation == "quoted_price"]
    assert len({e.id for e in edges}) == 3
    assert [e.quote for e in edges] == [f"- Quoted price: {a}" for a in (180, 160, 180)]
    assert edges[1].superseded_by == edges[0].id
    assert edges[1].retired_at is not None


def test_180_160_180_as_lines_of_one_page(memory: Memory) -> None:
    """A page that grows by lines: the value said again at its end is current, as on a first
    reading."""
    said = [f"Quoted price: {amount}" for amount in (180, 160, 180)]
    for many in (1, 2, 3):
        memory.remember("customers/tan.md", page(*said[:many]))
        assert price(memory) == [said[many - 1].removeprefix("Quoted price: ")]
    memory.remember("customers/lim.md", page(*said).replace("Tan", "Lim"))
    assert price(memory, "Mrs Lim") == ["180"]


def test_180_160_180_across_two_pages(memory: Memory, clock: Clock) -> None:
    """The value stated last wins wherever it stands."""
    memory.remember("customers/a.md", page("Quoted price: 180"))
    clock.turn(days=1)
    memory.remember("customers/b.md", page("Quoted price: 160"))
    clock.turn(days=1)
    memory.remember("customers/a.md", page("Town: Bedok"))
    memory.remember("customers/a.md", page("Quoted price: 180"))
    assert price(memory) == ["180"]
    assert len(prices(memory)) == 3


def test_a_page_of_last_year_does_not_win(memory: Memory) -> None:
    """An older page imported today is history from the start."""
    memory.remember("customers/new.md", page("Quoted price: 160", front="date: 2026-03-01"))
    memory.remember("customers/old.md", page("Quoted price: 180", front="date: 2024-03-01"))
    assert price(memory) == ["160"]
    assert ("180", "superseded") in prices(memory)


def test_two_prices_on_one_page(memory: Memory) -> None:
    """The later line wins; the earlier is history."""
    memory.remember("customers/tan.md", page("Quoted price: 180", "Quoted price: 160"))
    assert price(memory) == ["160"]
    assert ("180", "superseded") in prices(memory)


def test_an_edit_elsewhere_keeps_a_lines_date(memory: Memory, clock: Clock) -> None:
    """Page A says 180, B says 160; A edited elsewhere: 160 stays. A's own date moved: 180."""
    memory.remember("customers/a.md", page("Quoted price: 180"))
    clock.turn(days=1)
    memory.remember("customers/b.md", page("Quoted price: 160"))
    clock.turn(days=1)
    memory.remember("customers/a.md", page("Quoted price: 180", "Town: Bedok"))
    assert price(memory) == ["160"]
    memory.remember(
        "customers/a.md", page("Quoted price: 180", "Town: Bedok"), as_of="2026-06-03T12:00"
    )
    assert price(memory) == ["180"]


@pytest.mark.parametrize("how", ["edited", "forgotten"])
def test_the_still_stated_price_is_current_again(memory: Memory, clock: Clock, how: str) -> None:
    """When the page that said 160 says nothing or goes, 180 is current again, vector and all."""
    memory.remember("customers/a.md", page("Quoted price: 180"))
    clock.turn(days=1)
    memory.remember("customers/b.md", page("Quoted price: 160"))
    if how == "edited":
        memory.remember("customers/b.md", page("Town: Bedok"))
    else:
        memory.forget(path="customers/b.md")
    assert price(memory) == ["180"]
    assert memory.recall("quoted price 180").hits[0].edge.target_name == "180"
    assert memory.check() == []


def test_two_writes_in_one_second(memory: Memory) -> None:
    """The clock stands still: the later write wins, every time."""
    memory.remember("customers/a.md", page("Quoted price: 180"))
    memory.remember("customers/b.md", page("Quoted price: 160"))
    assert price(memory) == ["160"]


def test_many_values(memory: Memory) -> None:
    """Likes tea, likes coffee: both current."""
    memory.remember("customers/a.md", page("Likes: tea"))
    memory.remember("customers/b.md", page("Likes: coffee"))
    edges = memory.read_current("Mrs Tan").edges
    assert {e.target_name for e in edges if e.relation == "likes"} == {"tea", "coffee"}


def test_one_holder(memory: Memory, clock: Clock) -> None:
    """Alice was the CEO of Acme, now Bob is; Alice is history."""
    memory.remember("people/alice.md", page("CEO of: Acme", name="Alice"))
    clock.turn(days=1)
    memory.remember("people/bob.md", page("CEO of: Acme", name="Bob"))
    current = memory.read_current("Acme").edges
    assert [e.source_name for e in current if e.relation == "ceo_of"] == ["Bob"]
    past = next(e for e in memory.history("Alice") if e.relation == "ceo_of")
    assert past.ended == "superseded"


def test_prefers_and_refuses(memory: Memory, clock: Clock) -> None:
    """The newer of two that exclude each other holds; the other is back when it goes."""
    memory.remember("customers/a.md", page("Prefers: chemical wash"))
    clock.turn(days=1)
    memory.remember("customers/b.md", page("Refuses: chemical wash"))
    assert [e.relation for e in memory.read_current("Mrs Tan").edges] == ["refuses"]
    lost = next(e for e in memory.history("Mrs Tan") if e.relation == "prefers")
    assert lost.ended == "excluded"
    memory.forget(path="customers/b.md")
    assert [e.relation for e in memory.read_current("Mrs Tan").edges] == ["prefers"]


def test_one_value_two_pages(memory: Memory) -> None:
    """160 on A and B is one current triplet with both sources."""
    memory.remember("customers/a.md", page("Quoted price: 160"))
    memory.remember("customers/b.md", page("Quoted price: 160"))
    (edge,) = memory.read_current("Mrs Tan").edges
    assert {source.path for source in edge.sources} == {"customers/a.md", "customers/b.md"}


def test_a_dated_page_counts_as_the_end_of_its_day(memory: Memory, clock: Clock) -> None:
    """A page dated today beats one remembered undated this morning."""
    memory.remember("customers/a.md", page("Quoted price: 160", front="date: 2026-06-01"))
    clock.turn(hours=1)
    memory.remember("customers/b.md", page("Quoted price: 180"))
    assert price(memory) == ["160"]


def test_the_end_of_a_day_is_the_zones(open_memory: object, clock: Clock) -> None:
    """In Singapore the day of a date ends at 16:00 UTC."""
    memory = open_memory(zone="Asia/Singapore")  # type: ignore[operator]
    memory.remember("customers/a.md", page("Quoted price: 160", front="date: 2026-05-31"))
    (edge,) = memory.read_current("Mrs Tan").edges
    assert edge.as_of == datetime(2026, 5, 31, 15, 59, 59, 999999, tzinfo=UTC)


def test_a_date_to_come_counts_as_now(memory: Memory, clock: Clock) -> None:
    """A page dated next year is taken as of now, with a warning."""
    report = memory.remember("customers/a.md", page("Quoted price: 180", front="date: 2027-06-01"))
    assert any("2027" in warning for warning in report.warnings)
    clock.turn(days=1)
    memory.remember("customers/b.md", page("Quoted price: 160"))
    assert price(memory) == ["160"]


def test_naive_and_aware_dates_compare(memory: Memory) -> None:
    """A naive date in YAML and an aware one from the API are compared without an error."""
    memory.remember("customers/a.md", page("Quoted price: 180", front="date: 2026-03-16T10:00"))
    aware = datetime(2026, 3, 16, 11, 0, tzinfo=UTC)
    memory.remember("customers/b.md", page("Quoted price: 160"), as_of=aware)
    assert price(memory) == ["160"]


def test_a_date_that_is_none(memory: Memory) -> None:
    """Front matter that is no date warns; an argument that is none is refused by name."""
    report = memory.remember("a.md", page("Town: Bedok", front="date: someday"))
    assert any("someday" in warning for warning in report.warnings)
    with pytest.raises(BadInput, match="soon"):
        memory.remember("b.md", page("Town: Bedok"), as_of="soon")


def test_a_restated_fact_keeps_its_weight(memory: Memory) -> None:
    """A weight belongs to the fact and lives through its intervals."""
    memory.remember("a.md", page("Quoted price: 180"))
    (edge,) = memory.read_current("Mrs Tan").edges
    memory.improve([edge.id], rating=5)
    memory.apply_feedback()
    memory.remember("a.md", page("Quoted price: 160"))
    memory.remember("a.md", page("Quoted price: 180"))
    (again,) = memory.read_current("Mrs Tan").edges
    assert again.id != edge.id
    assert again.feedback_weight == 0.55


def test_a_private_price_and_a_public_one(memory: Memory, clock: Clock) -> None:
    """The public reads 150, the owner the newer 160; neither moves when the other's page goes."""
    memory.remember("services/wash.md", page("Quoted price: 150", name="Wash"))
    clock.turn(days=1)
    memory.remember("private/wash.md", page("Quoted price: 160", name="Wash"))
    public = memory.as_audience("public")
    assert (price(public, "Wash"), price(memory, "Wash")) == (["150"], ["160"])
    assert [e.superseded_by for e in public.history("Wash")] == [None]
    memory.forget(path="private/wash.md")
    assert (price(public, "Wash"), price(memory, "Wash")) == (["150"], ["150"])
    memory.remember("private/wash.md", page("Quoted price: 160", name="Wash"))
    memory.forget(path="services/wash.md")
    assert (price(public, "Wash"), price(memory, "Wash")) == ([], ["160"])
