"""Who is who across pages: names, phones, two of one name, subjects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cloudnee import Alias, Memory
from cloudnee.errors import Ambiguous, BadInput
from tests.engine.conftest import WordEmbedder


def page(name: str, *lines: str, front: str = "") -> str:
    head = f"---\n{front}\n---\n" if front else ""
    return head + f"# {name}\n\n" + "".join(f"- {line}\n" for line in lines)


def names(memory: Memory, who: str) -> list[str]:
    return [entity.name for entity in memory.read_current(who).entities]


def values(memory: Memory, who: str) -> set[str]:
    return {edge.target_name for edge in memory.read_current(who).edges}


SPELLINGS = [
    "Mrs. Tan",
    "mrs tan",
    "MRS TAN",
    "\uff2d\uff52\uff53 \uff34\uff41\uff4e",
    " Mrs  Tan ",
]


@pytest.mark.parametrize("who", SPELLINGS)
def test_every_spelling_opens_one_entity(memory: Memory, who: str) -> None:
    """The first spelling is shown, whichever is asked for."""
    memory.remember("a.md", page("Mrs Tan", "Town: Bedok"))
    memory.remember("b.md", page("MRS. TAN", "Prefers: mornings"))
    assert names(memory, who) == ["Mrs Tan"]
    assert values(memory, who) == {"Bedok", "mornings"}


@pytest.mark.parametrize(
    "who", ["陈太太", "Пані Коваль", "திருமதி குமார்", "Straße 5", "🦊 Cafe", "Şükrü İnce"]
)
def test_every_script_has_entities(memory: Memory, who: str) -> None:
    """A name in any script is found again."""
    memory.remember("a.md", page(who, "Town: Bedok"))
    assert names(memory, who) == [who]


PHONES = [
    "+65 9123 4567",
    "(+65) 9123-4567",
    "91234567",
    "６５９１２３４５６７",
    "6591234567",
    "9123-4567",
]


@pytest.mark.parametrize("who", PHONES)
def test_a_phone_opens_its_file_without_a_model(
    memory: Memory, embedder: WordEmbedder, who: str
) -> None:
    """However a phone is written, SQL alone finds the one it was given to."""
    memory.remember(
        "customers/6591234567.md", page("Mrs Tan", "Has rule: baby at home"),
        aliases=[Alias("6591234567", "Mrs Tan", kind="phone")],
    )  # fmt: skip
    asked = len(embedder.asked)
    assert values(memory, who) == {"baby at home"}
    assert len(embedder.asked) == asked


def test_a_phone_elsewhere_opens_nobody(memory: Memory) -> None:
    """In prose, in another relation's value or in a file's name a phone is no handle."""
    memory.remember(
        "customers/6598765432.md",
        page("Mrs Tan", "Emergency contact: 6591112222") + "\nHer sister has 6593334444.\n",
    )
    for phone in ("6598765432", "6593334444"):
        assert memory.read_current(phone).entities == ()
    assert "Mrs Tan" not in names(memory, "6591112222")


def test_a_phone_line_under_the_subject_is_a_handle(memory: Memory) -> None:
    """`- Phone:` directly under the subject, or `phone:` in front matter, opens the subject."""
    memory.remember("a.md", page("Mrs Tan", "Phone: 9123 4567", "Town: Bedok"))
    memory.remember("b.md", page("Mr Lim", "Town: Yishun", front="phone: 6598887777"))
    assert names(memory, "+6591234567") == ["Mrs Tan"]
    assert names(memory, "98887777") == ["Mr Lim"]


def test_a_family_phone_opens_both_apart(memory: Memory) -> None:
    """One phone, two people: each with their own facts."""
    memory.remember("a.md", page("Mrs Tan", "Phone: 91234567", "Prefers: mornings"))
    memory.remember("b.md", page("Mr Tan", "Phone: 91234567", "Prefers: evenings"))
    found = memory.read_current("91234567")
    assert [e.name for e in found.entities] == ["Mrs Tan", "Mr Tan"]
    assert {(e.source_name, e.target_name) for e in found.edges} == {
        ("Mrs Tan", "mornings"),
        ("Mr Tan", "evenings"),
    }


def test_two_of_one_name(memory: Memory) -> None:
    """Two Mrs Tans with a phone each are two; the name returns both, told apart."""
    memory.remember("a.md", page("Mrs Tan", "Phone: 91234567", "Quoted price: 160"))
    memory.remember("b.md", page("Mrs Tan", "Phone: 98765432", "Quoted price: 200"))
    assert values(memory, "91234567") == {"160"}
    assert values(memory, "98765432") == {"200"}
    found = memory.read_current("Mrs Tan")
    assert [e.aliases for e in found.entities] == [("91234567",), ("98765432",)]
    assert len({e.id for e in found.entities}) == 2
    assert "98765432" not in found.entities[1].id


def test_same_as_and_entity_settle_it(memory: Memory) -> None:
    """`same_as: PATH` joins a page to another's subject; `entity: WORD` groups pages of a name."""
    memory.remember("a.md", page("Mrs Tan", "Phone: 91234567", "Town: Bedok"))
    memory.remember("b.md", page("Mrs Tan", "Phone: 98765432", "Town: Yishun"))
    memory.remember("c.md", page("Mrs Tan", "Prefers: mornings", front="same_as: b.md"))
    assert values(memory, "98765432") == {"Yishun", "mornings"}
    memory.remember("d.md", page("Mrs Tan", "Likes: tea", front="entity: north"))
    memory.remember("e.md", page("Mrs Tan", "Likes: milk", front="entity: north"))
    apart = [e for e in memory.read_current("Mrs Tan").entities if "d.md" in e.paths]
    assert apart[0].paths == ("d.md", "e.md")


def test_a_name_without_handle_among_several(memory: Memory) -> None:
    """A page that could mean either keeps its own, and the report says how to settle it."""
    memory.remember("a.md", page("Mrs Tan", "Phone: 91234567"))
    memory.remember("b.md", page("Mrs Tan", "Phone: 98765432"))
    report = memory.remember("c.md", page("Mrs Tan", "Town: Bedok"))
    assert any("same_as" in warning for warning in report.warnings)
    assert values(memory, "91234567") == values(memory, "98765432") == set()


def test_two_files_one_person(memory: Memory) -> None:
    """Two pages of one name are one person, with both paths."""
    memory.remember("customers/tan.md", page("Mrs Tan", "Town: Bedok"))
    memory.remember("notes/tan-visit.md", page("Mrs Tan", "Prefers: mornings"))
    (entity,) = memory.read_current("Mrs Tan").entities
    assert entity.paths == ("customers/tan.md", "notes/tan-visit.md")


def test_the_same_page_again_with_an_alias(memory: Memory, embedder: WordEmbedder) -> None:
    """The text is unchanged, the alias is stored, nothing is extracted or embedded anew."""
    text = page("Mrs Tan", "Town: Bedok")
    first = memory.remember("a.md", text)
    asked = len(embedder.asked)
    report = memory.remember("a.md", text, aliases=[Alias("91234567")])
    assert report.added == report.closed == ()
    assert names(memory, "+65 9123 4567") == ["Mrs Tan"]
    assert memory.remember("a.md", text, aliases=[Alias("91234567")]).status == "unchanged"
    assert memory.remember("a.md", text).status == "unchanged"
    assert len(embedder.asked) == asked
    assert [e.id for e in memory.read_current("Mrs Tan").edges] == list(first.added)


def test_an_alias_given_stays_through_edits(memory: Memory) -> None:
    """What a caller gave is kept until it is removed."""
    memory.remember("a.md", page("Mrs Tan", "Town: Bedok"), aliases=[Alias("91234567")])
    memory.remember("a.md", page("Mrs Tan", "Town: Yishun"))
    assert values(memory, "91234567") == {"Yishun"}
    assert memory.remove_alias("+65 9123 4567", "Mrs Tan") == 1
    assert memory.read_current("91234567").entities == ()


def test_taught_words_and_phones_live_side_by_side(memory: Memory) -> None:
    """A taught word of two words expands; a phone equal to a taught word overwrites nothing."""
    memory.remember("a.md", page("Aircon", "Sells: chemical wash"))
    memory.remember("b.md", page("Mrs Tan", "Phone: 91234567", "Town: Bedok"))
    memory.teach_alias("cold machine", "aircon")
    memory.teach_alias("91234567", "aircon")
    memory.teach_alias("冷气", "aircon")
    for query in ("cold machine", "冷气", "91234567"):
        assert memory.recall(query).hits[0].edge.source_name == "Aircon"
    assert names(memory, "91234567") == ["Mrs Tan"]


def test_an_entity_goes_with_its_last_page(memory: Memory) -> None:
    """What only a forgotten page named is gone, with its vectors."""
    memory.remember("a.md", page("Mrs Tan", "Town: Bedok"))
    memory.forget(path="a.md")
    assert memory.read_current("Mrs Tan").entities == ()
    assert memory.read_current("Bedok").entities == ()
    assert memory.check() == []


def test_a_lookup_without_marks_is_a_suggestion(memory: Memory) -> None:
    """Jose finds nobody and suggests José."""
    memory.remember("a.md", page("José", "Town: Bedok"))
    found = memory.read_current("Jose")
    assert found.entities == ()
    assert found.suggestions == ("José",)


def test_a_type_that_differs_is_reported(memory: Memory) -> None:
    """A company called like a person: both types are kept, and the report says so."""
    memory.remember("a.md", page("Acme", "Works with: [[Ann]]"))
    assert memory.read_current("Ann").entities[0].name == "Ann"


@pytest.mark.parametrize(
    "who", ["", " ", "nobody", "+65 0000 0000", "a@b.c", "'; DROP TABLE edges; --", "x" * 5000]
)
def test_unknown_names_give_an_empty_answer(memory: Memory, who: str) -> None:
    """Whoever is asked for, an unknown name is an empty answer and no error."""
    memory.remember("a.md", page("Mrs Tan", "Town: Bedok"))
    assert memory.read_current(who).edges == ()
    assert memory.history(who) == []


def test_a_note_needs_one_subject(memory: Memory) -> None:
    """A note about one of two Mrs Tans asks which; by phone it goes to the right one."""
    memory.remember("a.md", page("Mrs Tan", "Phone: 91234567"))
    memory.remember("b.md", page("Mrs Tan", "Phone: 98765432"))
    with pytest.raises(Ambiguous, match="98765432"):
        memory.note("Prefers mornings now", subject="Mrs Tan")
    memory.note("Prefers: mornings", subject="98765432")
    assert {e.name for e in memory.read_current("98765432").entities} == {"Mrs Tan"}
    assert any("notes/" in path for path in memory.read_current("98765432").entities[0].paths)


def test_notes_are_lines_of_a_month(memory: Memory) -> None:
    """Each note is a dated line under the subject's heading."""
    memory.note("Prefers mornings now", subject="Mrs Tan")
    memory.note("Has a new\ndog", subject="mrs tan")
    text = memory.read_page("notes/mrs-tan/2026-06.md")
    assert text == "# Mrs Tan\n\n- 2026-06-01: Prefers mornings now\n- 2026-06-01: Has a new dog\n"
    with pytest.raises(BadInput, match="note"):
        memory.note("  ", subject="Mrs Tan")
    with pytest.raises(BadInput, match="nobody"):
        memory.note("hello", subject="6591112222")


def test_another_region(open_memory: Callable[..., Memory]) -> None:
    """Phones without a country code are read in the org's region."""
    memory = open_memory(region="DE")
    memory.remember("a.md", page("Frau Berg", "Phone: 030 901820"))
    assert names(memory, "+49 30 901820") == ["Frau Berg"]
