"""Dates, tags, age, days past, and more than one hop."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cloudnee import Memory
from cloudnee.errors import BadInput
from cloudnee.flows.walking import chain_score


def targets(found: object) -> set[str]:
    return {hit.edge.target_name for hit in found.hits}  # type: ignore[attr-defined]


@pytest.fixture
def dated(memory: Memory) -> Memory:
    """Visits of three months, one with a tag."""
    for month, unit in ((3, "north"), (4, "south"), (5, "west")):
        memory.remember(
            f"v{month}.md",
            f"---\ndate: 2026-{month:02}-10\ntags: [{'task' if month == 3 else 'work'}]\n---\n"
            f"# Visit {unit}\n\n- Found: {unit} leak\n\nThe {unit} unit had a leak.\n",
        )
    return memory


def test_after_and_before_narrow_facts_and_passages(dated: Memory) -> None:
    """From the day on, and up to the day; in every form a date may have."""
    assert targets(dated.recall("what leak was found?")) == {
        "north leak",
        "south leak",
        "west leak",
    }
    assert targets(dated.recall("what leak was found?", after="2026-04-10")) == {
        "south leak",
        "west leak",
    }
    assert targets(dated.recall("what leak was found?", before="2026-04-10")) == {"north leak"}
    assert targets(dated.recall("what leak?", after="2026-04-01", before="2026-05-01")) == {
        "south leak"
    }
    found = dated.search_pages("which unit had a leak?", after="2026-05-01")
    assert {p.path for p in found} == {"v5.md"}
    assert dated.recall("what leak?", after="2030-01-01").hits == ()
    for wrong in ("soon", True, object()):
        with pytest.raises(BadInput, match="after must be a date"):
            dated.recall("x", after=wrong)  # type: ignore[arg-type]


def test_time_words_in_the_question_narrow_where_anything_is_left(dated: Memory) -> None:
    """The period is told; where nothing lies in it, all is asked."""
    found = dated.recall("what leak was found in April 2026?")
    assert targets(found) == {"south leak"}
    assert found.period is not None
    assert (found.period.words, found.period.start.date().isoformat()) == (
        "April 2026",
        "2026-04-01",
    )
    assert dated.search_pages("which unit had a leak in April 2026?")[0].path == "v4.md"
    assert len(targets(dated.recall("what leak was found in 2019?"))) == 3
    assert dated.recall("what leak was found?").period is None


def test_tags_narrow_facts_too(dated: Memory) -> None:
    """Only facts of pages that have one of the tags."""
    assert targets(dated.recall("what leak was found?", tags=["task"])) == {"north leak"}
    assert dated.recall("what leak was found?", tags=["none"]).hits == ()


def test_recency_lets_old_facts_count_less(dated: Memory) -> None:
    """Off unless asked; a task fades faster than work."""
    plain = {h.edge.target_name: h.score for h in dated.recall("what leak was found?").hits}
    faded = {
        h.edge.target_name: h.score for h in dated.recall("what leak was found?", recency=True).hits
    }
    assert all(plain[name] < faded[name] <= 2 * plain[name] for name in plain)
    assert faded["north leak"] / plain["north leak"] > faded["west leak"] / plain["west leak"]
    found = dated.search_pages("which unit had a leak?", recency=True)
    assert found[0].path == "v5.md"


def test_as_of_is_what_was_true_on_that_day(memory: Memory) -> None:
    """The price of a day, though two newer ones came; retired facts were true until they went."""
    for day, price in (("2025-01-01", 180), ("2025-06-01", 160), ("2026-01-01", 150)):
        memory.remember(
            f"p{price}.md", f"---\ndate: {day}\n---\n# Wash\n\n- Quoted price: {price}\n"
        )

    def price(day: str) -> list[str]:
        return [e.target_name for e in memory.read_current("Wash", as_of=day).edges]

    assert [price(d) for d in ("2025-03-01", "2025-06-01", "2025-12-31", "2026-02-02")] == [
        ["180"], ["160"], ["160"], ["150"],
    ]  # fmt: skip
    assert price("2024-01-01") == []
    assert targets(memory.recall("what is the price of the wash?", as_of="2025-03-01")) == {"180"}
    assert targets(memory.recall("quoted price", as_of="2025-07-01")) == {"160"}
    assert [e.target_name for e in memory.read_current("Wash").edges] == ["150"]
    with pytest.raises(BadInput):
        memory.read_current("Wash", as_of="soon")


def test_as_of_is_judged_by_what_the_audience_may_see(memory: Memory) -> None:
    """A private newer price does not touch what was public then."""
    memory.remember("a.md", "---\ndate: 2025-01-01\n---\n# Wash\n\n- Quoted price: 180\n")
    memory.remember("private/b.md", "---\ndate: 2025-02-01\n---\n# Wash\n\n- Quoted price: 90\n")
    public = memory.as_audience("public")
    assert [e.target_name for e in public.read_current("Wash", as_of="2025-03-01").edges] == ["180"]
    assert targets(public.recall("price of the wash", as_of="2025-03-01")) == {"180"}
    assert [e.target_name for e in memory.read_current("Wash", as_of="2025-03-01").edges] == ["90"]


@pytest.fixture
def linked(memory: Memory) -> Memory:
    """A customer, her unit, its parts' supplier, and a cycle."""
    memory.remember("tan.md", "# Mrs Tan\n\n- Owns: [[Frostline Nine]]\n- Lives in: Bedok\n")
    memory.remember("nine.md", "# Frostline Nine\n\n- Made by: [[Osaka Works]]\n")
    memory.remember(
        "works.md", "# Osaka Works\n\n- Warranty: five years\n- Made: [[Frostline Nine]]\n"
    )
    return memory


def test_two_hops_lead_further(linked: Memory) -> None:
    """A chain of facts from what the question names; one hop has none."""
    assert linked.recall("who made the unit that Mrs Tan owns?").chains == ()
    chains = linked.recall("who made the unit that Mrs Tan owns?", hops=2).chains
    best = [edge.text for edge in chains[0].edges]
    assert best[0].startswith("Mrs Tan owns")
    assert "Osaka Works" in best[1]
    assert all(len(chain.edges) == 2 for chain in chains)


def test_three_hops_and_no_way_back(linked: Memory) -> None:
    """No chain visits anyone twice, and a longer one has a worse score unless it answers better."""
    chains = linked.recall(
        "what warranty has the maker of the unit that Mrs Tan owns?", 9, hops=3
    ).chains
    texts = [[edge.text for edge in chain.edges] for chain in chains]
    assert any("five years" in chain[-1] for chain in texts)
    for chain in chains:
        ends = [
            chain.edges[0].source_id,
            *(n for e in chain.edges for n in (e.source_id, e.target_id)),
        ]
        assert len(set(ends)) == len(chain.edges) + 1
    assert [c.score for c in chains] == sorted(c.score for c in chains)


def test_a_longer_chain_must_earn_its_place() -> None:
    """Equal edges: a quarter more for each further one."""
    assert chain_score([2.0]) == 2
    assert chain_score([2.0, 2.0]) == 2.5
    assert chain_score([2.0, 1.0]) < 2


def test_hops_stay_within_the_audience(linked: Memory) -> None:
    """A hidden page is no bridge."""
    linked.remember("private/x.md", "# Osaka Works\n\n- Owned by: [[Zebedee]]\n")
    public = linked.as_audience("public")
    shown = repr(public.recall("who owns the maker of the unit of Mrs Tan?", 20, hops=3).chains)
    assert "Zebedee" not in shown
    assert "Zebedee" in repr(
        linked.recall("who owns the maker of Mrs Tan's unit?", 20, hops=3).chains
    )


@pytest.mark.parametrize("hops", [0, 4, True, "2", 1.5])
def test_hops_are_one_to_three(memory: Memory, hops: object) -> None:
    """Anything else is refused by name."""
    with pytest.raises(BadInput, match="hops must be a whole number from 1 to 3"):
        memory.recall("x", hops=hops)  # type: ignore[arg-type]


def test_the_examples_of_the_docs_run(linked: Memory) -> None:
    """The calls of docs/retrieval.md as they stand there."""
    page = (Path(__file__).parents[2] / "docs/retrieval.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    calls = [line for line in block.splitlines() if line.startswith("memory.")]
    assert len(calls) == 5
    for call in calls:
        assert eval(call, {"memory": linked}) is not None
