"""Who is who: two stay two until someone says so, and what was said can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cloudnee import Memory, errors
from tests.merges.conftest import Clock

FIRST = "# Mrs Tan\n\n- Phone: 91234567\n- Lives in: Bedok\n- Prefers: mornings\n"
SECOND = "# Mrs Tan\n\n- Phone: 98765432\n- Lives in: Yishun\n- Likes: tea\n"


def two(memory: Memory) -> tuple[str, str]:
    """Two people of one name; their ids."""
    memory.remember("customers/a.md", FIRST)
    memory.remember("customers/b.md", SECOND)
    first, second = (memory.read_current(p).entities[0].id for p in ("91234567", "98765432"))
    return first, second


def facts(memory: Memory, who: str) -> dict[str, set[str]]:
    """id → current targets of whoever is meant."""
    found = memory.read_current(who)
    return {
        e.id: {edge.target_name for edge in found.edges if edge.source_id == e.id}
        for e in found.entities
    }


def reasons(memory: Memory) -> dict[tuple[str, str], tuple[str, ...]]:
    """names → reasons of each proposal."""
    return {(p.first.name, p.second.name): p.reasons for p in memory.merges()}


def test_two_of_one_name_stay_two_and_are_proposed(memory: Memory) -> None:
    """Each phone opens its own; the pair is listed with what tells them apart."""
    first, second = two(memory)
    assert first != second
    assert facts(memory, "91234567") == {first: {"Bedok", "mornings"}}
    (proposal,) = memory.merges()
    assert (proposal.first.id, proposal.second.id) == (first, second)
    assert proposal.reasons == ("the same name, told apart by handles",)
    assert proposal.first.aliases == ("91234567",)
    assert proposal.second.paths == ("customers/b.md",)


def test_an_accepted_merge_holds_through_edits_and_new_pages(memory: Memory) -> None:
    """One person, both phones; pages read anew keep to it, and so does a third page."""
    first, second = two(memory)
    memory.accept_merge(first, second)
    assert memory.merges() == []
    for phone in ("91234567", "98765432", "Mrs Tan"):
        assert list(facts(memory, phone)) == [first]
    assert memory.check() == []
    memory.remember("customers/b.md", SECOND + "- Has: a dog\n")
    memory.remember("customers/a.md", FIRST + "- Has: a cat\n")
    memory.remember("notes/c.md", "# Mrs Tan\n\n- Has: a bird\n")
    found = facts(memory, "98765432")
    assert {"a dog", "a cat", "a bird", "mornings", "tea"} <= found[first]
    assert memory.check() == []
    memory.remember("customers/d.md", "# Mrs Tan\n\n- Phone: 60001000\n- Has: a fish\n")
    assert first not in facts(memory, "60001000")


def test_a_merge_decides_single_values_anew(memory: Memory, clock: Clock) -> None:
    """Of two towns the newer is current; undone, each has its own again."""
    memory.remember("customers/a.md", FIRST)
    clock.turn(days=1)
    memory.remember("customers/b.md", SECOND)
    first, second = (memory.read_current(p).entities[0].id for p in ("91234567", "98765432"))
    merge = memory.accept_merge(first, second)
    assert facts(memory, "91234567") == {first: {"Yishun", "mornings", "tea"}}
    assert {e.target_name: e.ended for e in memory.history("Mrs Tan")}["Bedok"] == "superseded"
    memory.undo_merge(merge.number)
    assert facts(memory, "91234567") == {first: {"Bedok", "mornings"}}
    assert facts(memory, "98765432") == {second: {"Yishun", "tea"}}
    assert memory.merged() == []
    assert memory.check() == []


def test_undoing_gives_everything_back_after_edits(memory: Memory) -> None:
    """Handles, history and names mean again what they meant, on pages edited since too."""
    first, second = two(memory)
    before = [(e.id, e.source_id, e.target_name) for e in memory.history("98765432")]
    merge = memory.accept_merge(first, second)
    memory.remember("customers/b.md", SECOND + "- Has: a dog\n")
    memory.undo_merge(merge.number)
    assert facts(memory, "98765432") == {second: {"Yishun", "tea", "a dog"}}
    assert set(before) <= {(e.id, e.source_id, e.target_name) for e in memory.history("98765432")}
    memory.remember("customers/b.md", SECOND)
    assert facts(memory, "98765432") == {second: {"Yishun", "tea"}}
    assert facts(memory, "91234567") == {first: {"Bedok", "mornings"}}
    assert memory.check() == []


def test_a_rejected_pair_is_never_proposed_again(memory: Memory) -> None:
    """Not after edits, and not after its pages were forgotten and came again."""
    first, second = two(memory)
    memory.reject_merge(first, second)
    assert memory.merges() == []
    memory.remember("customers/b.md", SECOND + "- Has: a dog\n")
    assert memory.merges() == []
    memory.forget(path="customers/b.md")
    memory.remember("customers/b.md", SECOND)
    assert len(memory.read_current("Mrs Tan").entities) == 2
    assert memory.merges() == []


def test_one_is_split_in_two(memory: Memory, clock: Clock) -> None:
    """Pages of one name that are about somebody else become an entity of their own."""
    memory.remember("a.md", "# Ann Lee\n\n- Lives in: Bedok\n")
    clock.turn(days=1)
    memory.remember("b.md", "# Ann Lee\n\n- Lives in: Yishun\n- Likes: tea\n")
    (ann,) = facts(memory, "Ann Lee")
    done = memory.split("Ann Lee", ["b.md"])
    assert facts(memory, "Ann Lee") == {ann: {"Bedok"}, done.gone: {"Yishun", "tea"}}
    assert memory.check() == []
    clock.turn(days=1)
    memory.remember("b.md", "# Ann Lee\n\n- Lives in: Changi\n")
    memory.remember("a.md", "# Ann Lee\n\n- Lives in: Hougang\n")
    assert facts(memory, "Ann Lee") == {ann: {"Hougang"}, done.gone: {"Changi"}}
    memory.undo_merge(done.number)
    assert list(facts(memory, "Ann Lee")) == [ann]
    assert memory.check() == []


def test_merges_are_undone_from_the_last(memory: Memory) -> None:
    """A merge under a later one names it; the way back leads through it."""
    first, second = two(memory)
    memory.remember("c.md", "# Mdm Tan\n\n- Likes: coffee\n")
    one = memory.accept_merge(first, second)
    two_ = memory.accept_merge("Mdm Tan", first)
    assert len(facts(memory, "Mdm Tan")) == 1
    with pytest.raises(errors.BadInput, match=f"merge {two_.number} came after"):
        memory.undo_merge(one.number)
    memory.undo_merge(two_.number)
    assert facts(memory, "Mdm Tan") == {"mdmtan": {"coffee"}}
    memory.undo_merge(one.number)
    assert facts(memory, "98765432") == {second: {"Yishun", "tea"}}
    assert memory.check() == []


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Mrs Tan Mei", "Mdm Tan Mei", "the same name but for a title"),
        ("Dr Koh Wei", "Koh Wei", "the same name but for a title"),
        ("José Ruiz", "Jose Ruiz", "the same letters but for their marks"),
        ("Іван Коваль", "Ivan Koval", "the same in Latin letters"),
        ("J. Tanaka", "John Tanaka", "the same name but for an initial"),
    ],
)
def test_why_two_names_may_be_one(memory: Memory, one: str, other: str, reason: str) -> None:
    """Titles, marks, scripts and initials are reasons; nothing merges by itself."""
    memory.remember("a.md", f"# {one}\n\n- Likes: tea\n")
    memory.remember("b.md", f"# {other}\n\n- Likes: coffee\n")
    assert reason in reasons(memory)[(one, other)]
    assert len(facts(memory, one)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mr Tan Mei", "Mrs Tan Mei"),
        ("Ticket 12", "Ticket 13"),
        ("James Tanaka", "John Tanaka"),
        ("Model C", "Model C++"),
    ],
)
def test_what_is_not_proposed(memory: Memory, one: str, other: str) -> None:
    """Husband and wife, other numbers, other first names, other signs stay apart unasked."""
    memory.remember("a.md", f"# {one}\n\n- Likes: tea\n")
    memory.remember("b.md", f"# {other}\n\n- Likes: coffee\n")
    assert reasons(memory) == {}


def test_a_shared_handle_and_shared_neighbours_are_reasons(memory: Memory) -> None:
    """A family phone, or the same three rare things, put two on the list."""
    shared = "- Works with: [[Zed]]\n- Sells: [[Quince jam]]\n- Covers: [[Pulau Ubin]]\n"
    memory.remember("a.md", "# Ann\n\n- Phone: 91234567\n" + shared)
    memory.remember("b.md", "# Bob\n\n- Phone: 91234567\n")
    memory.remember("c.md", "# Ann of Ubin\n\n" + shared)
    found = reasons(memory)
    assert found[("Ann", "Bob")] == ("share the phone 91234567",)
    assert found[("Ann", "Ann of Ubin")] == ("3 things in common that few others have",)


def test_near_names_of_one_type_are_proposed(memory: Memory) -> None:
    """A cosine of .85 and more, no other number, and one of them declared."""
    long = "Singapore Cool Air Engineering Services Private"
    memory.remember("a.md", f"# {long} Limited\n\n- Sells: wash\n")
    memory.remember("b.md", f"# {long}\n\n- Sells: repair\n")
    memory.remember("c.md", f"# Zed\n\n- Note of: {long} Unlimited\n- Note at: {long} 7\n")
    found = reasons(memory)
    assert any("alike to the model" in why for why in found[(f"{long} Limited", long)])
    assert not any("7" in name for pair in found for name in pair)


def test_proposals_show_an_audience_only_what_it_sees(memory: Memory) -> None:
    """No name, phone or reason comes from a page hidden from it; it decides nothing."""
    memory.remember("services/a.md", "# Cool Air\n\n- Phone: 91234567\n- Sells: wash\n")
    memory.remember("customers/b.md", "# Hidden Friend\n\n- Phone: 91234567\n- Likes: tea\n")
    memory.remember("customers/c.md", "# Cool Air\n\n- Phone: 61112222\n- Sells: repair\n")
    public = memory.as_audience("public")
    assert public.merges() == []
    assert len(memory.merges()) == 2
    memory.accept_merge("hiddenfriend", "coolair")
    memory.remember("services/d.md", "# Hidden Friend\n\n- Sells: cake\n")
    assert public.merges() == []
    for attempt in (
        lambda: public.accept_merge("coolair", "hiddenfriend"),
        lambda: public.reject_merge("coolair", "hiddenfriend"),
        lambda: public.split("coolair", ["services/a.md"]),
        lambda: public.undo_merge(1),
        public.merged,
    ):
        with pytest.raises(errors.Forbidden):
            attempt()


def test_what_cannot_be_said_is_refused_with_a_reason(memory: Memory) -> None:
    """Unknown, ambiguous and senseless requests change nothing."""
    first, second = two(memory)
    with pytest.raises(errors.Ambiguous, match="leads to 2"):
        memory.accept_merge("Mrs Tan", second)
    with pytest.raises(errors.Ambiguous, match="nothing is known by 'Nobody'"):
        memory.accept_merge("Nobody", second)
    with pytest.raises(errors.BadInput, match="one entity already"):
        memory.accept_merge(first, first)
    with pytest.raises(errors.BadInput, match="no merge 99"):
        memory.undo_merge(99)
    with pytest.raises(errors.BadInput, match=r"not named on x\.md"):
        memory.split(first, ["x.md"])
    with pytest.raises(errors.BadInput, match="all its pages"):
        memory.split(first, ["customers/a.md"])


def test_a_family_phone_given_to_both_survives_merge_and_undo(memory: Memory) -> None:
    """One handle of two is one handle of the merged, and of each again."""
    memory.remember("a.md", "# Ann\n\n- Phone: 91234567\n- Likes: tea\n")
    memory.remember("b.md", "# Bob\n\n- Phone: 91234567\n- Likes: jam\n")
    merge = memory.accept_merge("Ann", "Bob")
    assert facts(memory, "91234567") == {"ann": {"tea", "jam"}}
    assert memory.read_current("Bob").entities[0].id == "ann"
    memory.undo_merge(merge.number)
    assert facts(memory, "91234567") == {"ann": {"tea"}, "bob": {"jam"}}


def test_merges_move_with_an_export(
    memory: Memory, open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    """Merges, splits and rejections hold in another file, and can be undone there."""
    first, second = two(memory)
    memory.accept_merge(first, second)
    memory.remember("c.md", "# Dr Koh Wei\n\n- Likes: tea\n")
    memory.remember("d.md", "# Koh Wei\n\n- Likes: tea\n")
    memory.reject_merge("Dr Koh Wei", "Koh Wei")
    memory.export(tmp_path / "export")
    memory.close()
    (tmp_path / "desk.db").unlink()
    for log in tmp_path.glob("desk.db-*"):
        log.unlink()
    other = open_memory()
    other.import_(tmp_path / "export")
    assert other.merges() == []
    other.remember("customers/b.md", SECOND + "- Has: a dog\n")
    assert list(facts(other, "98765432")) == [first]
    other.undo_merge(other.merged()[0].number)
    assert facts(other, "98765432") == {second: {"Yishun", "tea", "a dog"}}
    assert other.check() == []
