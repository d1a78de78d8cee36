"""No answer is longer than it may be; each says what is left and how to get it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.client import Client
from mcp_types import CallToolResult

from cloudnee import Memory
from cloudnee.doors.mcp_told import ROOM
from tests.mcp.conftest import ask, told


@pytest.fixture
def large(memory: Memory) -> Memory:
    """A memory whose every answer would be too long."""
    lines = "".join(f"- Likes: thing number {n} of a long list, 冷气 {n}\n" for n in range(400))
    memory.remember("people/chen.md", f"# Mr Chen\n\n{lines}")
    memory.remember("people/long.md", f"# Ms Long\n\n- Likes: {'x' * 400} y\n" + "word " * 20_000)
    for n in range(150):
        memory.remember(f"stock/{n:03}.md", f"# Part {n}\n\n- Costs: {n}\n")
    return memory


def size(answer: CallToolResult) -> int:
    """The characters of an answer on the wire."""
    dumped = answer.model_dump(by_alias=True, mode="json", exclude_none=True)
    return len(json.dumps(dumped, ensure_ascii=False))


async def everything(client: Client, name: str, field: str, given: dict[str, Any]) -> list[Any]:
    """All rows of an answer, asked for a part at a time as `next` says."""
    rows: list[Any] = []
    while True:
        answer = await client.call_tool(name, {**given, "offset": len(rows)})
        assert size(answer) <= ROOM
        held = answer.structured_content
        assert held[field]
        rows += held[field]
        assert bool(held["left"]) == bool(held["next"])
        if not held["left"]:
            return rows
        assert f"offset {len(rows)}" in held["next"]
        assert f"[{held['left']} more: " in told(answer)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("read_current", {"who": "Mr Chen"}),
        ("history", {"who": "Mr Chen"}),
        ("list_recent", {"most": 400}),
        ("list_pages", {}),
        ("recall", {"query": "what does Mr Chen like?", "top_k": 300}),
        ("read_page", {"path": "people/long.md"}),
        ("forget", {"path": "people/chen.md"}),
    ],
)
def test_no_answer_is_longer_than_twelve_thousand_characters(
    large: Memory, name: str, given: dict[str, Any]
) -> None:
    """Words and values together, as they go over the wire; and it says that more is there."""

    async def work(client: Client) -> None:
        answer = await client.call_tool(name, given)
        assert not answer.is_error
        assert size(answer) <= ROOM
        assert answer.structured_content["left"] > 0
        assert answer.structured_content["next"]

    ask(large, work)


def test_what_is_left_can_be_had(large: Memory) -> None:
    """Followed to its end, an answer in parts is the whole answer, nothing twice."""

    async def work(client: Client) -> None:
        ever = await everything(client, "history", "edges", {"who": "Mr Chen"})
        assert [e["id"] for e in ever] == [e.id for e in large.history("Mr Chen")]
        pages = await everything(client, "list_pages", "pages", {})
        assert [p["path"] for p in pages] == [p.path for p in large.pages()]
        recent = await everything(client, "list_recent", "edges", {"most": 120})
        assert [e["id"] for e in recent] == [e.id for e in large.recent(120)]

    ask(large, work)


def test_recall_in_parts_gives_all_hits_and_passages(large: Memory) -> None:
    """First the facts, then the passages."""
    given = {"query": "thing number of a long list", "top_k": 60}
    whole = large.recall(given["query"], top_k=60)

    async def work(client: Client) -> None:
        hits: list[str] = []
        passages: list[str] = []
        while True:
            offset = len(hits) + len(passages)
            answer = await client.call_tool("recall", {**given, "offset": offset})
            assert size(answer) <= ROOM
            hits += [h["edge"]["id"] for h in answer.structured_content["hits"]]
            passages += [p["text"] for p in answer.structured_content["passages"]]
            if not answer.structured_content["left"]:
                break
        assert hits == [hit.edge.id for hit in whole.hits]
        assert passages == [
            p.text[:1999] + "…" if len(p.text) > 2000 else p.text for p in whole.passages
        ]

    ask(large, work)


def test_a_page_in_parts_is_the_page(large: Memory) -> None:
    """Read on by characters until nothing is left."""

    async def work(client: Client) -> None:
        text, parts = "", 0
        while True:
            given = {"path": "people/long.md", "offset": len(text)}
            answer = (await client.call_tool("read_page", given)).structured_content
            text, parts = text + answer["text"], parts + 1
            if not answer["left"]:
                break
        assert text == large.read_page("people/long.md")
        assert parts > 5

    ask(large, work)


def test_resources_and_prompts_are_bounded_too(large: Memory) -> None:
    """A page as a resource says how to read on; a prompt about a busy person fits."""

    async def work(client: Client) -> None:
        for uri in ("cloudnee://page/people/long.md", "cloudnee://entity/mrchen"):
            (held,) = (await client.read_resource(uri)).contents
            assert len(held.text) <= ROOM
            assert "more: the tool read_" in held.text
        prompt = await client.get_prompt("what_do_we_know_about", {"who": "Mr Chen"})
        assert len(prompt.messages[0].content.text) <= ROOM

    ask(large, work)


def test_the_bound_can_be_set(large: Memory) -> None:
    """As by --max-chars."""

    async def work(client: Client) -> None:
        answer = await client.call_tool("history", {"who": "Mr Chen"})
        assert size(answer) <= 3000

    ask(large, work, room=3000)
