"""Jobs of the desk: who calls, what is true now, what the website may say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from acceptance.desk import Desk
from acceptance.jobs import Job, expect, job

__all__ = ["JOBS"]

JOBS: list[Job] = []

FOUR_WORDS = ("+65 9123 4567", "9123-4567", "６５９１２３４５６７", "mrs tan")
TEN_WORDINGS = (
    "who in the east wants mornings and still has an open visit",
    "which customer in the east prefers mornings and has an open visit?",
    "an open visit in the east, mornings only: who is it?",
    "mornings, east, open visit",
    "who can I put on the east route tomorrow morning whose visit is open",
    "east side customer, visit still open, likes the morning",
    "I have a morning free in the east: whose visit is open?",
    "whose visit is open, area east, prefers mornings",
    "find me someone with an open visit who lives in the east and wants mornings",
    "open visits for the morning run in the east",
)
HIDDEN = (
    "customers/",
    "Mrs",
    "9123 4567",
    "baby",
    "Rahman",
    "Koh",
    "陈太太",
    "Коваль",
    "on the wall",
    "gate",
)


def facts(found: dict[str, Any], relation: str, key: str = "edges") -> list[str]:
    """The values of one relation in an answer."""
    return [edge["target_name"] for edge in found[key] if edge["relation"] == relation]


@job("four words still open her file: the baby rule, by SQL alone", JOBS)
def opens_by_phone(desk: Desk) -> str:
    """Each way to write her phone or name opens the rule, with no model to be had."""
    with without_models() as env:
        asked = desk.run("recall", "baby", env=env)
        expect(asked.code != 0 and "is kept away" in asked.err, f"a model was to be had: {asked}")
        times = []
        for word in FOUR_WORDS:
            ran = desk.run("current", word, "--json", env=env)
            expect(ran.code == 0, f"{word}: {ran.err}")
            rules = facts(ran.document, "has_rule")
            expect(any("baby at home" in rule for rule in rules), f"{word}: {ran.out}")
            times.append(ran.seconds)
    return f"{rules[0]}; no embedder importable; at best {1000 * min(times):.0f} ms a process"


@contextmanager
def without_models() -> Iterator[dict[str, str]]:
    """An environment in which whatever embeds cannot be imported."""
    with TemporaryDirectory() as folder:
        for name in ("numpy", "onnxruntime", "tokenizers", "sqlite_vec"):
            refusal = f'raise ImportError("{name} is kept away")\n'
            Path(folder, f"{name}.py").write_text(refusal, "utf-8")
        kept = filter(None, [folder, os.environ.get("PYTHONPATH")])
        yield {"PYTHONPATH": os.pathsep.join(kept)}


@job("two file names, one person", JOBS)
def two_files_one_person(desk: Desk) -> str:
    """A page under her phone and one under her name lead to one Mrs Tan with the facts of both."""
    found = desk.json("current", "Mrs Tan")
    expect(len(found["entities"]) == 1, found)
    [person] = found["entities"]
    paths = {"customers/6591234567.md", "customers/tan-daikin.md"}
    expect(paths <= set(person["paths"]), person)
    expect(facts(found, "has_rule") and facts(found, "has_unit"), found["edges"])
    return f"{person['name']}: {' and '.join(sorted(paths))}"


@job("HVAC finds the aircon page, for the public", JOBS)
def hvac_finds_aircon(desk: Desk) -> str:
    """A word that stands on no page leads the public to the page that says aircon."""
    expect("hvac" not in "".join(pages(desk)).casefold(), "the pages say HVAC themselves")
    found = desk.json("recall", "HVAC", "--audience", "public")
    first = [found[key][0] for key in ("hits", "passages") if found[key]]
    paths = [one.get("path") or one["edge"]["path"] for one in first]
    expect(paths == ["services/aircon.md"] * 2, found)
    return f"first hit and first passage from {paths[0]}"


def pages(desk: Desk) -> Iterator[str]:
    """The texts of the desk's pages."""
    return (file.read_text("utf-8") for file in desk.folder.rglob("*.md"))


@job("east + mornings + an open visit is Rahman, in ten wordings", JOBS)
def right_one_of_three(desk: Desk) -> str:
    """Of three people who each satisfy two parts or more, only the one with all three is first."""
    wrong = []
    for wording in TEN_WORDINGS:
        subjects = desk.json("recall", wording)["subjects"]
        first = subjects[0]["name"] if subjects else "nobody"
        if first != "Rahman":
            wrong.append(f"{wording!r}: {[(s['name'], s['score']) for s in subjects[:3]]}")
    expect(not wrong, f"{len(wrong)} of ten: {'; '.join(wrong)}")
    return "ten of ten"


@job("the old price stays, the answer says 160", JOBS)
def old_price_stays(desk: Desk) -> str:
    """The price of 2025 is history with page and reason; recall gives the new one first."""
    hits = desk.json("recall", "how much is a chemical wash")["hits"]
    edge = hits[0]["edge"]
    expect((edge["source_name"], edge["target_name"]) == ("Chemical wash", "160"), hits[:2])
    expect(all(hit["edge"]["target_name"] != "180" for hit in hits), hits)
    prices = [e for e in desk.json("history", "Chemical wash")["edges"] if priced(e)]
    told = {edge["target_name"]: edge["ended"] for edge in prices}
    expect(told == {"160": "", "180": "superseded"}, told)
    return "160 current, 180 superseded, services/2025-prices.md:" + str(
        next(e["line"] for e in prices if e["ended"])
    )


def priced(edge: dict[str, Any]) -> bool:
    """Whether an edge states a price."""
    return bool(edge["relation"] == "quoted_price")


@job("the website never receives her file", JOBS)
def website_never_sees(desk: Desk) -> str:
    """No verb lets the public learn that a customer exists, nor tells known from unknown."""
    desk.run("improve", "--rating", "5", desk.json("recent", "1")["edges"][0]["id"])
    questions = ("who has a child at home", "whose gate code changes", "whose phone is 91234567")
    asked: list[tuple[str, ...]] = [("recall", question) for question in questions]
    asked += [("pages",), ("recent", "50"), ("graph",), ("audiences",), ("check",)]
    asked += [("current", "Tampines"), ("history", "mornings"), ("aliases", "Bedok")]
    for words in asked:
        ran = desk.run(*words, "--audience", "public", "--json")
        expect(not seen_in(ran.out + ran.err), f"{words}: {seen_in(ran.out + ran.err)}")
    same_as_unknown(desk, ("Mrs Tan", "+65 9123 4567", "koh@example.com", "陈太太"))
    path = "customers/koh.md"
    read = desk.run("pages", "--read", path, "--audience", "public")
    expect(read.code == 1 and "west" not in read.out, read.out)
    return f"{len(asked)} questions, not a word; known and unknown answered alike"


def seen_in(text: str) -> list[str]:
    """The hidden words that a text holds. (The rules of the audiences may name the folder.)"""
    return [word for word in HIDDEN if word in text.replace("customers/**", "")]


def same_as_unknown(desk: Desk, known: Iterable[str]) -> None:
    """To the public, a customer and someone who never was are the same."""
    for verb in ("current", "history", "aliases"):
        unknown = desk.run(verb, "Zed Nobody", "--audience", "public")
        for who in known:
            ran = desk.run(verb, who, "--audience", "public")
            same = ran.out.replace(who, "Zed Nobody") == unknown.out
            expect(same and ran.code == unknown.code == 1, f"{verb} {who}: {ran.out}")


@job("customers written in Chinese and in Ukrainian are found", JOBS)
def every_script(desk: Desk) -> str:
    """By phone, by name and by a word of their pages."""
    for phone, name in (("9333 8080", "陈太太"), ("81114242", "Пані Коваль")):
        for who in (phone, name):
            found = desk.json("current", who)
            expect([e["name"] for e in found.get("entities", ())] == [name], f"{who}: {found}")
            expect(len(found["edges"]) >= 3, found)
    for question, path in (("脱鞋", "customers/chen.md"), ("захід", "customers/koval.md")):
        found = desk.json("recall", question)
        expect(path in str(found["hits"]) + str(found["passages"]), f"{question}: {found}")
    return "陈太太, Пані Коваль: facts by phone and name, words of their pages by recall"
