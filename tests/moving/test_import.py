"""Importing what other programs keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cloudnee import Memory, errors

MEMORY_MD = """\
# Memory

Written by an agent.

## Mrs Tan

- Lives in: Bedok

### Visits

- Prefers: mornings

```
## not a heading
```

## Chemical wash

- Quoted price: 160

## Mrs Tan

- Likes: tea
"""


def targets(memory: Memory, who: str) -> set[tuple[str, str]]:
    """(relation, target) of the current facts from someone."""
    found = memory.read_current(who)
    ids = {entity.id for entity in found.entities}
    return {(e.relation, e.target_name) for e in found.edges if e.source_id in ids}


def test_a_memory_md_is_split_by_heading(memory: Memory, tmp_path: Path) -> None:
    """Each section is a page about its heading; together they are the file, byte for byte."""
    file = tmp_path / "MEMORY.md"
    file.write_text(MEMORY_MD)
    done = memory.import_(file)
    assert (done.format, done.pages, done.left) == ("memory-md", 4, ())
    assert {("lives_in", "Bedok"), ("likes", "tea")} <= targets(memory, "Mrs Tan")
    assert ("quoted_price", "160") in targets(memory, "Chemical wash")
    paths = ["memory/memory", "memory/mrs-tan", "memory/chemical-wash", "memory/mrs-tan-2"]
    assert "".join(memory.read_page(f"{path}.md") for path in paths) == MEMORY_MD
    again = memory.import_(file)
    assert (again.pages, again.unchanged) == (0, 4)


def test_a_vault_is_taken_with_its_links_aliases_tags_and_days(
    memory: Memory, tmp_path: Path
) -> None:
    """Attachments are named as left; hidden folders are not looked at."""
    vault = tmp_path / "vault"
    for path, text in {
        "Ann.md": "---\naliases: [Annie]\n---\n\nWorks with [[Bob|B.]].\n\n- Knows: [[Cid#Work]]\n",
        "daily/2026-03-16.md": "# Chemical wash\n\n- Quoted price: 160\n",
        "daily/2026-03-15.md": "# Chemical wash\n\n- Quoted price: 180\n",
        ".obsidian/app.md": "# App\n\n- Likes: tea\n",
    }.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text)
    (vault / "photo.png").write_bytes(b"\x89PNG")
    done = memory.import_(vault, into="vault")
    assert (done.format, done.pages) == ("folder", 3)
    assert done.left == (("photo.png", "is no Markdown"),)
    assert [e.name for e in memory.read_current("Annie").entities] == ["Ann"]
    assert ("knows", "Cid") in targets(memory, "Ann")
    assert ("quoted_price", "160") in targets(memory, "Chemical wash")
    assert {page.path for page in memory.pages()} >= {"vault/Ann.md", "vault/daily/2026-03-16.md"}


def test_basic_memory_notes_keep_observations_and_relations(memory: Memory, tmp_path: Path) -> None:
    """`- [category] words` is a fact of that category; `- relation [[X]]` is a link."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "coffee.md").write_text(
        "---\ntitle: Coffee Brewing\npermalink: coffee-brewing\ntags: [coffee]\n---\n\n"
        "# Coffee Brewing\n\n## Observations\n- [method] Pour over is clear #brewing\n"
        "- [x] done\n\n## Relations\n- requires [[Grinding]]\n"
    )
    memory.import_(notes)
    found = targets(memory, "Coffee Brewing")
    assert ("requires", "Grinding") in found
    assert any(relation == "method" for relation, _ in found)
    assert "- [x] done" in memory.read_page("coffee.md")


def test_mem0_memories_become_a_page_a_day(memory: Memory, tmp_path: Path) -> None:
    """Each memory is a line, dated by its day; what holds no text is named."""
    file = tmp_path / "mem0.json"
    rows = [
        {"id": "1", "memory": "Likes tea", "user_id": "Ann", "created_at": "2026-01-02T10:00:00Z",
         "categories": ["food"]},
        {"id": "2", "memory": "Lives in: Bedok", "user_id": "Ann",
         "created_at": "2026-01-01T10:00:00Z", "updated_at": "2026-01-02T11:00:00Z"},
        {"id": "3", "memory": "Lives in: Yishun", "user_id": "Ann",
         "created_at": "2025-01-01T10:00:00Z"},
        {"id": "4", "memory": "", "user_id": "Ann"},
        "noise",
    ]  # fmt: skip
    file.write_text(json.dumps({"results": rows}))
    done = memory.import_(file)
    assert (done.format, done.pages, len(done.left)) == ("mem0", 2, 2)
    assert ("lives_in", "Bedok") in targets(memory, "Ann")
    assert ("lives_in", "Yishun") not in targets(memory, "Ann")
    assert "Likes tea" in memory.read_page("mem0/ann/2026-01-02.md")
    assert memory.recall("tea").passages != ()


def test_the_lines_of_the_mcp_memory_server(memory: Memory, tmp_path: Path) -> None:
    """Entities with type and observations, relations as links; bad lines are named."""
    lines = [
        {"type": "entity", "name": "Ann Lee", "entityType": "person",
         "observations": ["Lives in: Bedok", "likes\nlong walks"]},
        {"type": "relation", "from": "Ann Lee", "to": "Acme", "relationType": "works with"},
        {"type": "relation", "from": "Acme", "to": "Ann Lee", "relationType": "employs"},
        {"type": "entity", "name": ""},
    ]  # fmt: skip
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n{broken\n")
    done = memory.import_(file)
    assert (done.format, done.pages) == ("mcp", 2)
    assert [what for what, _ in done.left] == ["line 4", "line 5"] or len(done.left) == 2
    assert {("works_with", "Acme"), ("lives_in", "Bedok"), ("type", "person")} <= targets(
        memory, "Ann Lee"
    )
    assert ("employs", "Ann Lee") in targets(memory, "Acme")
    graph = tmp_path / "graph.json"
    graph.write_text(json.dumps({"entities": lines[:1], "relations": []}))
    assert memory.import_(graph, into="again").pages == 1


def test_no_page_that_is_there_is_overwritten(memory: Memory, tmp_path: Path) -> None:
    """Another page at the path is left as it is, and named with the way out."""
    (tmp_path / "v").mkdir()
    (tmp_path / "v/a.md").write_text("# Ann\n\n- Likes: tea\n")
    memory.remember("a.md", "# Ann\n\n- Likes: jam\n")
    done = memory.import_(tmp_path / "v")
    assert done.pages == 0
    assert done.left == (("a.md", "another page is there: import with --into FOLDER"),)
    assert targets(memory, "Ann") == {("likes", "jam")}
    assert memory.import_(tmp_path / "v", into="v").pages == 1


def test_what_is_no_known_source_is_refused(memory: Memory, tmp_path: Path) -> None:
    """By name, with what would do."""
    with pytest.raises(errors.BadInput, match="nothing at"):
        memory.import_(tmp_path / "none")
    (tmp_path / "x.json").write_text('{"a": 1}')
    with pytest.raises(errors.BadInput, match="--format"):
        memory.import_(tmp_path / "x.json")
    with pytest.raises(errors.BadInput, match="unknown format 'csv'"):
        memory.import_(tmp_path / "x.json", kind="csv")
    with pytest.raises(errors.BadInput, match="no list of memories"):
        memory.import_(tmp_path / "x.json", kind="mem0")
