"""An Obsidian vault of 1 000 pages: synced, edited on both sides, synced again."""

from __future__ import annotations

import random
from collections.abc import Callable

from cloudnee import Memory
from tests.sync.conftest import Clock, Folder

TOWNS = ("Bedok", "Yishun", "Clementi", "Hougang", "Changi")


def note(n: int) -> str:
    """A note with aliases, tags, links of every kind, an embed and code."""
    return (
        f"---\naliases: [Nick{n}x]\ntags: [group{n % 7}, vault]\n---\n\n# Person{n}x\n\n"
        f"- Lives in: {TOWNS[n % 5]}\n- Knows: [[Person{(n + 1) % 700}x|a friend]]\n"
        f"- Works with: [[Person{(n * 3) % 700}x#Work]]\n\n![[photo{n}.png]]\n\n"
        f"Seen at the [[Club{n % 9}x]] #seen{n % 11}.\n\n```\n- Lives in: Nowhere\n```\n"
    )


def made(make_folder: Callable[[str], Folder]) -> Folder:
    """700 notes in folders, 300 daily notes, attachments, and Obsidian's own folder."""
    vault = make_folder("vault")
    for n in range(700):
        vault.write(f"people/{n % 20}/Person{n}x.md", note(n))
    for n in range(300):
        day = f"20{20 + n // 150}-{n // 25 % 12 + 1:02}-{n % 25 + 1:02}"
        vault.write(f"daily/{day}.md", f"# Chemical wash\n\n- Quoted price: {n}\n- [ ] call\n")
    for n in range(50):
        (vault.root / f"photo{n}.png").write_bytes(b"\x89PNG\x00\xff")
    vault.write(".obsidian/workspace.md", "# Workspace\n\n- Lives in: Obsidian\n")
    return vault


def test_a_vault_of_a_thousand_pages(
    memory: Memory, clock: Clock, make_folder: Callable[[str], Folder]
) -> None:
    """Nothing is lost, conflicts are listed, and a last sync finds nothing to do."""
    vault = made(make_folder)
    assert memory.sync(vault.root).counts == {"added": 1000}
    assert [e.name for e in memory.read_current("Nick7x").entities] == ["Person7x"]
    assert {e.target_name for e in memory.read_current("Chemical wash").edges} == {"299"}
    assert memory.read_current("Nowhere").entities == ()
    assert memory.read_current("Workspace").entities == ()
    assert memory.sync(vault.root, write=True).counts == {"unchanged": 1000}

    clock.turn(days=1)
    chosen = random.Random(7).sample(range(700), 150)
    by_person, by_door, by_both, gone, renamed = (chosen[i : i + 30] for i in range(0, 150, 30))
    path = {n: f"people/{n % 20}/Person{n}x.md" for n in chosen}
    person = {n: note(n) + f"\n- Likes: tea{n}\n" for n in by_person + by_both}
    door = {n: note(n) + f"\n- Prefers: mornings{n}\n" for n in by_door + by_both}
    for n, text in person.items():
        vault.write(path[n], text)
    for n, text in door.items():
        memory.remember(path[n], text)
    for n in gone:
        vault.remove(path[n])
    for n in renamed:
        (vault.root / path[n]).rename(vault.root / f"people/Renamed{n}x.md")

    report = memory.sync(vault.root, write=True)
    assert report.counts == {
        "unchanged": 1000 - 150, "changed": 30, "put": 30, "conflict": 30, "retired": 30,
        "renamed": 30,
    }  # fmt: skip
    assert set(report.of("conflict")) == {path[n] for n in by_both}
    for n in by_person:
        assert memory.read_page(path[n]) == person[n]
    for n in by_door:
        assert vault.read(path[n]) == door[n]
    for n in by_both:
        assert vault.read(path[n]) == person[n]
        assert vault.read(path[n].replace(".md", ".conflict.md")) == door[n]
        assert memory.read_page(path[n]) == door[n]
    for n in gone:
        assert {e.ended for e in memory.history(f"Person{n}x") if e.path == path[n]} == {"retired"}
    for n in renamed:
        facts = [e for e in memory.history(f"Person{n}x") if e.path == f"people/Renamed{n}x.md"]
        assert {e.ended for e in facts} == {""}
        assert len(facts) == 4

    for n in by_both:
        vault.write(path[n], person[n] + f"- Prefers: mornings{n}\n")
        vault.remove(path[n].replace(".md", ".conflict.md"))
    assert memory.sync(vault.root, write=True).counts == {"unchanged": 940, "changed": 30}
    assert memory.sync(vault.root, write=True).counts == {"unchanged": 970}
    for n in by_both:
        likes = {e.target_name for e in memory.read_current(f"Person{n}x").edges}
        assert {f"tea{n}", f"mornings{n}"} <= likes
    assert memory.check() == []
