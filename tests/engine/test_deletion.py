"""Forgetting: rows, vectors, index entries and ratings are gone at once, and stay away."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloudnee import Alias, Memory, errors

PAGE = "# Mrs Tan\n\n- Town: Bedok\n- Has rule: zanzibar curtains\n"


def test_a_forgotten_page_leaves_nothing(memory: Memory) -> None:
    """No row, vector, index entry or alias is left; what others state stays."""
    memory.remember("a.md", PAGE, aliases=[Alias("91234567")])
    memory.remember("b.md", "# Mr Lim\n\n- Town: Bedok\n")
    done = memory.forget(path="a.md")
    assert done.pages == ("a.md",)
    assert memory.read_current("91234567").entities == ()
    assert memory.recall("zanzibar").passages == ()
    assert [e.source_name for e in memory.read_current("Bedok").edges] == ["Mr Lim"]
    assert memory.check() == []
    memory.remember("a.md", PAGE)
    assert len(memory.read_current("Mrs Tan").edges) == 2


def test_a_forgotten_fact_stays_away_until_its_line_changes(memory: Memory) -> None:
    """Editing another line does not bring it back; changing its own line does."""
    memory.remember("a.md", PAGE)
    rule = next(e for e in memory.read_current("Mrs Tan").edges if "zanzibar" in e.target_name)
    assert memory.forget(edge_id=rule.id).edges == (rule.id,)
    memory.remember("a.md", PAGE + "- Prefers: mornings\n")
    assert "zanzibar" not in str(memory.read_current("Mrs Tan").edges)
    assert memory.check() == []
    memory.remember("a.md", PAGE.replace("- Has rule: zanzibar", "- Has rule: new zanzibar"))
    assert "new zanzibar" in str(memory.read_current("Mrs Tan").edges)


def test_a_forgotten_entity_lists_who_still_mentions_it(memory: Memory) -> None:
    """Its facts, names and aliases go; pages whose text names it are listed."""
    memory.remember("a.md", PAGE, aliases=[Alias("91234567")])
    memory.remember("b.md", "# Mr Lim\n\n- Town: Bedok\n\nHe knows Mrs Tan.\n")
    done = memory.forget(entity="Mrs Tan")
    assert len(done.edges) == 2
    assert done.mentions == ("a.md", "b.md")
    assert memory.read_current("Mrs Tan").entities == ()
    assert memory.check() == []


def test_forgetting_one_of_several_asks_which(memory: Memory) -> None:
    """A name of two people is refused with both; an id forgets one."""
    memory.remember("a.md", PAGE, aliases=[Alias("91234567")])
    memory.remember("b.md", PAGE, aliases=[Alias("98765432")])
    with pytest.raises(errors.Ambiguous, match="98765432"):
        memory.forget(entity="Mrs Tan")
    second = memory.read_current("98765432").entities[0].id
    memory.forget(entity=second)
    assert memory.read_current("98765432").entities == ()
    assert len(memory.read_current("91234567").edges) == 2


def test_forgetting_what_is_not_there(memory: Memory) -> None:
    """Unknown pages, facts and entities are an empty answer; two at once are refused."""
    memory.remember("a.md", PAGE)
    assert memory.forget(path="b.md").pages == ()
    assert memory.forget(edge_id="nothing").edges == ()
    assert memory.forget(entity="nobody").entities == ()
    with pytest.raises(errors.BadInput, match="exactly one"):
        memory.forget(path="a.md", entity="Mrs Tan")
    with pytest.raises(errors.BadInput, match="exactly one"):
        memory.forget()


def test_purge_leaves_no_bytes(memory: Memory, tmp_path: Path) -> None:
    """After a purge the forgotten words stand nowhere in the file or its log."""
    memory.remember("a.md", PAGE)
    memory.remember("b.md", "# Mr Lim\n\n- Town: Yishun\n")
    memory.recall("zanzibar")
    memory.forget(path="a.md", purge=True)
    memory.close()
    for file in tmp_path.glob("desk.db*"):
        held = file.read_bytes().lower()
        assert b"zanzibar" not in held
        assert b"mrs tan" not in held
        assert b"mrstan" not in held


def test_the_public_forgets_nothing(memory: Memory) -> None:
    """An audience that writes nothing may not forget, and learns nothing of hidden pages."""
    memory.remember("customers/a.md", PAGE)
    memory.remember("services/s.md", "# Aircon\n\n- Sells: wash\n")
    public = memory.as_audience("public")
    for path in ("customers/a.md", "customers/none.md", "services/s.md"):
        with pytest.raises(errors.Forbidden):
            public.forget(path=path)
    hidden = memory.read_current("Mrs Tan").edges[0].id
    assert public.forget(edge_id=hidden).edges == ()
    assert public.forget(entity="Mrs Tan").entities == ()
    assert len(memory.read_current("Mrs Tan").edges) == 2
