"""Jobs of the desk: pages that change, people who share a name or a phone, dates and audiences."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from acceptance.desk import Desk
from acceptance.jobs import Job, expect, job
from acceptance.reading import facts, priced

__all__ = ["JOBS"]

JOBS: list[Job] = []

WASH = "services/chemical-wash.md"
# Stays open in its own process and answers each line with the price it recalls.
READER = """
import sys
from cloudnee import Memory
with Memory.open(sys.argv[1], org="default") as memory:
    for line in sys.stdin:
        hits = memory.recall("what is the quoted price of Chemical wash").hits
        print(hits[0].edge.target_name, flush=True)
"""


def remember(desk: Desk, *paths: str) -> None:
    """Remember pages of the folder; all must be written."""
    ran = desk.run("remember", *paths, "--json")
    expect(ran.code == 0, ran.out + ran.err)


@job("an edited page is the next read", JOBS)
def edited_is_next(desk: Desk) -> str:
    """A person changes one line in an editor; the next question has it, the old one is history."""
    remember(desk, desk.edit("customers/rahman.md", "mornings", "evenings"))
    found = desk.json("current", "8200 1177")
    expect(facts(found, "prefers") == ["evenings"], found["edges"])
    past = [e for e in desk.json("history", "Rahman")["edges"] if e["target_name"] == "mornings"]
    expect([edge["ended"] for edge in past] == ["retired"], past)
    return "prefers evenings; mornings retired"


@job("another process sees 160 at once", JOBS)
def other_process_sees(desk: Desk) -> str:
    """A process that asked before, and stays open, gives the new price when asked again."""
    remember(desk, desk.edit(WASH, "160", "175"))
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(desk.db)],
        cwd=desk.folder,
        env=desk.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        before = ask(reader)
        remember(desk, desk.edit(WASH, "175", "160"))
        after = ask(reader)
        reader.communicate()
    expect((before, after) == ("175", "160"), (before, after))
    return f"{before}, then {after}, in one open process"


def ask(reader: subprocess.Popen[str]) -> str:
    """Ask the open process once."""
    if reader.stdin is None or reader.stdout is None:
        return ""
    reader.stdin.write("ask\n")
    reader.stdin.flush()
    return reader.stdout.readline().strip()


@job("a family phone opens both people apart", JOBS)
def family_phone(desk: Desk) -> str:
    """One phone, two people: each with their own facts, not a mixture."""
    remember(desk, desk.add("customers/lim-boon.md"), desk.add("customers/lim-mei.md"))
    found = desk.json("current", "+65 8444 9090")
    names = {entity["id"]: entity["name"] for entity in found["entities"]}
    expect(sorted(names.values()) == ["Lim Boon", "Lim Mei"], names)
    prefers = {names[e["source_id"]]: e["target_name"] for e in found["edges"] if preferred(e)}
    expect(prefers == {"Lim Boon": "evenings", "Lim Mei": "Saturdays"}, prefers)
    shown = desk.run("current", "+65 8444 9090").out
    expect(shown.index("Lim Boon") < shown.index("evenings"), shown)
    return "Lim Boon prefers evenings, Lim Mei Saturdays"


def preferred(edge: dict[str, Any]) -> bool:
    """Whether an edge states a preference."""
    return bool(edge["relation"] == "prefers")


@job("two Mrs Tans stay two", JOBS)
def two_of_a_name(desk: Desk) -> str:
    """Another Mrs Tan with another phone: each phone opens its own, the name shows both."""
    remember(desk, desk.add("customers/6598765432.md"))
    first = desk.json("current", "9123 4567")
    second = desk.json("current", "9876 5432")
    both = desk.json("current", "Mrs Tan")
    expect([len(f["entities"]) for f in (first, second, both)] == [1, 1, 2], both["entities"])
    expect(not facts(second, "has_rule") and facts(second, "lives_in") == ["Clementi"], second)
    expect(facts(first, "lives_in") == ["Tampines"], first)
    expect(len({str(e["aliases"]) for e in both["entities"]}) == 2, both["entities"])
    return "Tampines by 9123 4567, Clementi by 9876 5432, both by name, told apart by phone"


@job("180, then 160, then 180 again", JOBS)
def there_and_back(desk: Desk) -> str:
    """The value of today is 180; the three intervals stay."""
    page = "# Duct cleaning\n\n- Quoted price: {}\n"
    for price in (180, 160, 180):
        remember(desk, desk.write("services/duct.md", page.format(price)))
    found = desk.json("current", "Duct cleaning")
    expect(facts(found, "quoted_price") == ["180"], found["edges"])
    past = [e for e in desk.json("history", "Duct cleaning")["edges"] if priced(e)]
    expect([e["target_name"] for e in past] == ["180", "160", "180"], past)
    expect([e["ended"] for e in past] == ["", "superseded", "superseded"], past)
    return "180 current, three intervals"


@job("last year's page, imported today, does not win", JOBS)
def late_import(desk: Desk) -> str:
    """The date on the page decides, not the day it was remembered."""
    text = "---\ndate: 2025-06-01\n---\n# Chemical wash\n\n- Quoted price: 170\n"
    remember(desk, desk.write("services/found-in-a-drawer.md", text))
    found = desk.json("current", "Chemical wash")
    expect(facts(found, "quoted_price") == ["160"], found["edges"])
    past = [e for e in desk.json("history", "Chemical wash")["edges"] if priced(e)]
    expect(("170", "superseded") in [(e["target_name"], e["ended"]) for e in past], past)
    return "160 current, 170 of 2025-06-01 superseded"


@job("a private price and a public one", JOBS)
def private_price(desk: Desk) -> str:
    """The owner reads the newer, private price; the public one stays for the public."""
    text = "---\ndate: 2026-06-01\n---\n# Chemical wash\n\n- Quoted price: 140\n"
    remember(desk, desk.write("private/offer.md", text))
    owner = facts(desk.json("current", "Chemical wash"), "quoted_price")
    public = facts(desk.json("current", "Chemical wash", "--audience", "public"), "quoted_price")
    expect((owner, public) == (["140"], ["160"]), (owner, public))
    told = desk.run("history", "Chemical wash", "--audience", "public", "--json").out
    expect('"140"' not in told and "private/" not in told, told)
    desk.run("forget", "--path", "private/offer.md")
    again = facts(desk.json("current", "Chemical wash"), "quoted_price")
    expect(again == ["160"], again)
    return "owner 140, public 160; the private page gone: 160 for both"
