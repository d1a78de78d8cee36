"""The same questions, the same hits, at every door; and one hidden fact that no door tells."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest

pytest.importorskip("strands")
pytest.importorskip("mcp")

from mcp.shared.exceptions import MCPError

from tests.doors.conftest import Doors, plain

PAGES = {
    f"customers/{name.lower().replace(' ', '-')}.md": (
        f"---\nphone: '9123 45{number:02}'\n---\n# {name}\n\n- Lives in: {town}\n"
        f"- Prefers: {when}\n- Quoted price: {price}\n\nThe {unit} unit at the {town} flat hums.\n"
    )
    for number, (name, town, when, price, unit) in enumerate(
        [
            ("Mrs Tan", "Tampines", "mornings", 160, "left"),
            ("Mr Lim", "Bedok", "evenings", 180, "right"),
            ("Mdm Koh", "Yishun", "mornings", 90, "old"),
            ("Mr Rahman", "Jurong West", "weekends", 250, "new"),
        ]
    )
}
PAGES["services/wash.md"] = "# Chemical wash\n\n- Quoted price: 160\n- Covers: one unit\n"
PAGES["services/repair.md"] = "# Repair\n\n- Quoted price: 90\n\nWe bring Osaka parts.\n"
NAMES = ["Mrs Tan", "Mr Lim", "Mdm Koh", "Mr Rahman", "Chemical wash"]
ASKED = [
    f"{words} {name}?"
    for words, name in product(
        ("where lives", "when wants visits", "what was quoted to", "which unit hums at"), NAMES
    )
]
ASKED += [
    "who prefers mornings?", "who lives in Bedok?", "who was quoted 160?", "+65 9123 4500",
    "mornings in Yishun", "a repair with parts from Osaka", "what covers one unit?",
    "weekends", "zanzibar", "price of a wash",
]  # fmt: skip


@pytest.fixture(scope="module")
def owner(opened: Callable[[str], Doors]) -> Doors:
    doors = opened("owner")
    for path, text in PAGES.items():
        assert doors.memory.remember(path, text).status == "written"
    return doors


def test_thirty_questions_have_the_same_hits_at_every_door(owner: Doors) -> None:
    """Ids and scores of the hits, and places of the passages, in their order."""
    assert len(ASKED) == 30
    answered = 0
    for question in ASKED:
        found = owner.memory.recall(question, top_k=4)
        hits = [(hit.edge.id, round(hit.score, 6)) for hit in found.hits]
        places = [(p.path, p.start_line) for p in found.passages]
        _, told = owner.command("recall", question, "--top-k", "4", "--json")
        printed = json.loads(told)
        assert [(h["edge"]["id"], round(h["score"], 6)) for h in printed["hits"]] == hits
        assert [(p["path"], p["start_line"]) for p in printed["passages"]] == places
        http = owner.http.post("/v1/recall", query=question, topK=4).body
        assert [(h["edge"]["id"], round(h["score"], 6)) for h in http["hits"]] == hits
        assert [(p["path"], p["startLine"]) for p in http["passages"]] == places
        tool = owner.tool("recall", query=question, top_k=4).structured_content
        assert [(h["edge"]["id"], round(h["score"], 6)) for h in tool["hits"]] == hits
        assert [(p["path"], p["start_line"]) for p in tool["passages"]] == places
        entries = asyncio.run(owner.store().search(question, {"max_search_results": 4}))
        told_of = [entry.metadata or {} for entry in entries]
        ids = [about["edge_id"] for about in told_of if about["kind"] == "fact"]
        current = [edge.id for edge in owner.memory.read_current(question).edges]
        expected = current or [edge for edge, _ in hits]  # a name alone is answered by SQL
        assert ids == expected[: len(ids)]
        assert len(ids) >= min(2, len(expected))  # passages have at most half of the four
        shown = [(a["path"], a["line"]) for a in told_of if a["kind"] == "passage"]
        assert [place for place in places if place in shown] == shown
        assert len(entries) <= 4
        answered += bool(hits)
    assert answered >= 28


def test_lookups_and_searches_are_the_same_at_every_door(owner: Doors) -> None:
    """What is current, what was, and passages."""
    for who in ("+65 9123 4500", *NAMES):
        ids = [edge.id for edge in owner.memory.read_current(who).edges]
        assert ids
        printed = json.loads(owner.command("current", who, "--json")[1])
        assert [e["id"] for e in printed["edges"]] == ids
        body = owner.http.ask(
            "GET", f"/v1/current?who={who.replace(' ', '%20').replace('+', '%2B')}"
        )
        assert [e["id"] for e in body.body["edges"]] == ids
        tool = owner.tool("read_current", who=who).structured_content
        assert [e["id"] for e in tool["edges"]] == ids
    for question in ASKED:
        places = [(p.path, p.start_line, p.text) for p in owner.memory.search_pages(question, 5)]
        printed = json.loads(owner.command("search", question, "--top-k", "5", "--json")[1])
        assert [(p["path"], p["start_line"], p["text"]) for p in printed] == places
        body = owner.http.post("/v1/search", query=question, topK=5).body["passages"]
        assert [(p["path"], p["startLine"], p["text"]) for p in body] == places
        tool = owner.tool("search_pages", query=question, top_k=5).structured_content["passages"]
        assert [(p["path"], p["start_line"], p["text"]) for p in tool] == places


SECRET = "Zebedee"
HIDDEN = "customers/zebedee.md"


@pytest.fixture(scope="module")
def public(owner: Doors, opened: Callable[[str], Doors]) -> tuple[Doors, str]:
    """The public's doors, and the id of a fact that it must not learn of."""
    text = (
        f"---\nphone: '98765432'\ntags: [vip]\n---\n# {SECRET} Quux\n\n- Lives in: Atlantis\n"
        f"- Prefers: [[Chemical wash]]\n\n{SECRET} met Mrs Tan about the Chemical wash.\n"
    )
    report = owner.memory.remember(HIDDEN, text)
    return opened("public"), report.added[0]


def asked_of(public: Doors, edge: str) -> Iterator[tuple[str, object]]:
    """(door, all that it says) to everything a visitor may ask about the hidden person."""
    memory, http = public.memory, public.http
    whos = (f"{SECRET} Quux", "zebedeequux", "98765432", "Atlantis", "Chemical wash", edge)
    questions = (f"where does {SECRET} Quux live?", "who lives in Atlantis?", "wash", "vip")
    for who in whos:
        yield "python current", (memory.read_current(who), memory.history(who), memory.aliases(who))
        yield "python picture", memory.picture(who)
        yield (
            "command",
            [
                public.command(verb, who, *j)
                for verb in ("current", "history", "aliases")
                for j in ((), ("--json",))
            ],
        )
        name = who.replace(" ", "%20")
        yield (
            "http",
            [http.get(f"/v1/{r}?who={name}").body for r in ("current", "history", "graph")],
        )
        yield (
            "mcp",
            [public.tool(t, who=who).structured_content for t in ("read_current", "history")],
        )
    for question in questions:
        found = memory.recall(question)
        yield "python recall", (found, found.subjects, memory.search_pages(question, tags=[]))
        yield "python tags", memory.search_pages(question, tags=["vip"])
        yield "command", [public.command(verb, question) for verb in ("recall", "search")]
        yield "http", [http.post(f"/v1/{r}", query=question).body for r in ("recall", "search")]
        yield (
            "mcp",
            [public.tool(t, query=question).structured_content for t in ("recall", "search_pages")],
        )
        yield "strands", asyncio.run(public.store(writable=False).search(question))
    yield (
        "python all",
        (memory.pages(), memory.recent(50), memory.read_page(HIDDEN), memory.merges()),
    )
    yield "graph", [list(memory.graph(mentions=True, past=True).edges(data=True)), memory.picture()]
    for words in (("pages",), ("recent",), ("graph",), ("graph", "--json"), ("merges",)):
        yield "command", public.command(*words)
    yield (
        "http",
        [
            http.get(f"/v1/{r}").body
            for r in ("graph?past=true", "pages", "recent", f"pages?path={HIDDEN}")
        ],
    )
    yield "http health", http.get("/health").body


def test_no_door_tells_the_public_of_a_hidden_fact(public: tuple[Doors, str]) -> None:
    """Hits, counts, graph, history, passages, page view: the secret stands in no answer."""
    doors, edge = public
    for door, told in asked_of(doors, edge):
        text = plain(told).replace(f"{SECRET} Quux", "").replace("zebedeequux", "")
        text = text.replace("who lives in Atlantis?", "")  # what was asked may be told again
        for secret in (
            "Quux",
            "zebedee.md",
            "Atlantis · ",
            "lives in Atlantis",
            "98765432'",
            "vip'",
        ):
            assert secret not in text, (door, secret, text[:2000])


def test_answers_about_the_hidden_are_those_about_nobody(public: tuple[Doors, str]) -> None:
    """An id, a name or a path that is hidden is answered as one that never was."""
    doors, edge = public

    def same(ask: Callable[[str], Any], hidden: str, never: str) -> None:
        assert plain(ask(hidden)).replace(hidden, "X") == plain(ask(never)).replace(never, "X")

    http = doors.http
    same(lambda who: doors.memory.read_current(who), "98765432", "98765499")
    same(lambda who: doors.command("history", who), "98765432", "98765499")
    same(lambda who: http.get(f"/v1/current?who={who}").body, "98765432", "98765499")
    same(lambda path: http.get(f"/v1/pages?path={path}").body, HIDDEN, "customers/nebedee.md")
    same(lambda path: doors.memory.read_page(path), HIDDEN, "customers/nebedee.md")
    nobody = "a" * len(edge)
    same(lambda one: doors.memory.improve([one], 5), edge, nobody)
    same(lambda one: http.post("/v1/improve", edgeIds=[one], score=5).body, edge, nobody)
    same(lambda one: plain(doors.tool("improve", edge_ids=[one], rating=5)), edge, nobody)

    async def read(uri: str) -> str:
        async def work(client: Any) -> str:
            try:
                return plain(await client.read_resource(uri))
            except MCPError as error:
                return f"{type(error).__name__}: {error}"

        return await asyncio.to_thread(doors.mcp, work)

    same(
        lambda uri: asyncio.run(read(uri)),
        f"cloudnee://page/{HIDDEN}",
        "cloudnee://page/customers/nebedee.md",
    )


def test_resources_list_nothing_hidden(public: tuple[Doors, str]) -> None:
    """Neither page nor entity."""
    doors, _ = public

    async def work(client: Any) -> str:
        return plain(await client.list_resources())

    told = doors.mcp(work)
    assert "zebedee" not in told.casefold()
    assert "wash" in told


def test_writes_of_the_public_are_refused_alike(public: tuple[Doors, str]) -> None:
    """A refusal tells of no page."""
    doors, edge = public
    for path in (HIDDEN, "customers/nebedee.md"):
        answer = doors.http.post("/v1/remember", path=path, markdown="# X\n")
        assert (answer.status, answer.body["error"]) == (403, "forbidden")
        assert doors.command("forget", "--path", path)[0] == 1
    assert doors.command("forget", "--edge", edge)[0] == 1
    assert doors.http.post("/v1/forget", edgeId=edge).status in (200, 403)
    assert doors.tool("forget", edge_id=edge).is_error in (True, False)
    assert edge not in [one.id for one in doors.memory.recent(50)]
