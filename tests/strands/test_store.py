"""The store under a real `Agent` and `MemoryManager`: kept, found again, rated, never twice."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands")

from strands.memory import MemoryManager

from cloudnee import Memory
from cloudnee.errors import BadInput, OtherModel
from cloudnee.strands import CloudneeMemoryStore
from tests.engine.conftest import WordEmbedder
from tests.http.conftest import running
from tests.strands.conftest import Scripted, agent

Store = Callable[..., CloudneeMemoryStore]
OPEN = Path("/dev/fd")


def search(store: CloudneeMemoryStore, query: str, most: int = 5) -> list[str]:
    found = asyncio.run(store.search(query, {"max_search_results": most}))
    return [entry.content for entry in found]


def message(text: str, role: str = "user") -> Any:
    return {"role": role, "content": [{"text": text}]}


def test_add_memory_then_another_process_finds_it(file: Path, store: Store) -> None:
    """The first agent keeps it by its tool; a new process answers from the file."""
    model = Scripted(("add_memory", {"entries": ["I prefer mornings"]}), "kept")
    agent(model, store(subject="Mrs Tan"))("remember that I prefer mornings")
    assert '"stored' in model.told() or "stored" in model.told()
    script = (
        "import asyncio, sys; from cloudnee.strands import CloudneeMemoryStore as S\n"
        "from tests.engine.conftest import WordEmbedder\n"
        "s = S(sys.argv[1], org='coolair', audience='owner', embedder=WordEmbedder())\n"
        "print([e.content for e in asyncio.run(s.search('Mrs Tan'))]); s.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)], capture_output=True, text=True, timeout=60
    )
    assert "Mrs Tan prefers mornings" in done.stdout, done.stderr


def test_search_memory_is_a_tool_of_the_agent(store: Store) -> None:
    """A second agent with no shared history answers from memory."""
    agent(Scripted(("add_memory", {"entries": ["I prefer mornings"]})), store(subject="Mrs Tan"))(
        "hi"
    )
    model = Scripted(("search_memory", {"query": "when does Mrs Tan want visits?"}), "mornings")
    agent(model, store())("when does Mrs Tan want visits?")
    assert "Mrs Tan prefers mornings (notes/mrs-tan/" in model.told()


def test_injection_puts_facts_before_the_model(store: Store) -> None:
    """Without any tool call the facts stand in the model's input."""
    held = store(subject="Mrs Tan")
    asyncio.run(held.add("I prefer mornings"))
    model = Scripted("mornings")
    agent(model, held, injection=True)("what does Mrs Tan prefer?")
    assert "Mrs Tan prefers mornings" in model.told()


def test_improve_moves_a_weight(file: Path, store: Store) -> None:
    """The agent rates the fact it used; the batch moves its weight."""
    held = store(subject="Mrs Tan")
    (edge,) = asyncio.run(held.add("I prefer mornings"))["edge_ids"]
    model = Scripted(("improve", {"edge_ids": [edge, "nobody"], "rating": 5}), "thanks")
    agent(model, held)("that was right")
    assert "1 rating taken; unknown: nobody" in model.told()
    with Memory.open(file, org="coolair", embedder=WordEmbedder()) as memory:
        memory.apply_feedback()
        assert memory.read_current("Mrs Tan").edges[0].feedback_weight == 0.55


def test_tools_read_history_and_forget(store: Store) -> None:
    """The tools say what is current, what was, and forget for good."""
    held = store(subject="Mrs Tan")
    asyncio.run(held.add("Quoted price: 180"))
    (edge,) = asyncio.run(held.add("Quoted price: 160"))["edge_ids"]
    model = Scripted(
        ("read_current", {"who": "Mrs Tan"}),
        ("history", {"who": "Mrs Tan"}),
        ("forget", {"edge_id": edge}),
        ("read_current", {"who": "Nobody"}),
    )
    agent(model, held)("what was quoted?")
    told = model.told()
    assert "Mrs Tan quoted price 160" in told
    assert "superseded by 160" in told
    assert "1 interval forgotten" in told
    assert "nothing is known about Nobody" in told
    assert "160" not in "".join(search(held, "Mrs Tan")[:1])


def test_a_read_only_store_offers_no_writing(store: Store) -> None:
    """Neither tools nor notes."""
    held = store(writable=False)
    assert {t.tool_name for t in held.get_tools()} == {"read_current", "history"}
    with pytest.raises(BadInput, match="not writable"):
        asyncio.run(held.add("x"))


def test_two_stores_have_tools_of_their_own(store: Store) -> None:
    """Names of tools do not clash."""
    names = [t.tool_name for one in (store(), store(name="desk")) for t in one.get_tools()]
    assert len(names) == len(set(names)) == 8
    assert "improve_desk" in names


def test_a_conversation_is_learned_by_the_manager(store: Store) -> None:
    """Extraction on: the messages of a run end in the memory, what a model said does not."""
    held = store(subject="Mrs Tan", extraction=True)
    manager = MemoryManager(stores=[held], injection=True)
    asyncio.run(held.add("I live in Tampines"))
    from strands import Agent

    async def run() -> None:
        one = Agent(
            model=Scripted("You live in Atlantis"), memory_manager=manager, callback_handler=None
        )
        await one.invoke_async("I prefer mornings. Where do I live, Mrs Tan asks?")
        await manager.flush()

    asyncio.run(run())
    pages = [held.memory.read_page(p.path) for p in held.memory.pages()]  # type: ignore[attr-defined]
    text = "\n".join(pages)
    assert "I prefer mornings" in text
    assert "Atlantis" not in text
    assert text.count("Tampines") == 1  # what was injected is not learned again


def test_a_phone_answers_by_sql_alone(store: Store) -> None:
    """No embedder is asked for a phone or a name."""
    held = store()
    memory = held.memory
    assert isinstance(memory, Memory)
    memory.remember("tan.md", "---\nphone: 9123 4567\n---\n# Mrs Tan\n\n- Lives in: Bedok\n")

    def broken(_: object) -> Any:
        raise AssertionError("asked")

    memory._engine.embedder.embed = broken  # type: ignore[method-assign,assignment]
    assert search(held, "+65 9123-4567") == ["Mrs Tan lives in Bedok (tan.md:6, " + today() + ")"]
    assert search(held, "mrs tan")[0].startswith("Mrs Tan lives in Bedok")


def today() -> str:
    return time.strftime("%Y-%m-%d", time.gmtime())


def test_a_failure_is_not_nothing_found(store: Store) -> None:
    """Slow or broken: the one entry says that it could not answer."""
    held = store(timeout=0.05)
    memory = held.memory
    assert isinstance(memory, Memory)
    memory.remember("tan.md", "# Mrs Tan\n\n- Lives in: Bedok\n")
    embed, release = memory._engine.embedder.embed, threading.Event()

    def slow(texts: Any) -> Any:
        release.wait(10)
        return embed(texts)

    memory._engine.embedder.embed = slow  # type: ignore[method-assign]
    assert search(held, "who lives where in the east of town?") == [
        "could not answer: no answer within 0.05 seconds"
    ]
    release.set()

    def broken(_: object) -> Any:
        raise OSError("out of order")

    memory._engine.embedder.embed = broken  # type: ignore[method-assign,assignment]
    held.timeout = 5
    (told,) = search(held, "who lives where in the east of town?")
    assert told.startswith("could not answer: ")
    assert "out of order" in told


def test_nothing_is_found_for_nothing(store: Store) -> None:
    """An empty memory, an empty query, an unknown word."""
    held = store()
    assert search(held, "who?") == search(held, " ") == []


def test_the_public_sees_no_customer(store: Store) -> None:
    """Search and tools of a public store."""
    owner = store()
    memory = owner.memory
    assert isinstance(memory, Memory)
    memory.remember("customers/tan.md", "# Mrs Tan\n\n- Lives in: Zanzibar\n")
    memory.remember("shop.md", "# Shop\n\n- Opens: 9 am\n")
    public = store(audience="public", writable=False)
    model = Scripted(("read_current", {"who": "Mrs Tan"}), ("history", {"who": "Mrs Tan"}))
    agent(model, public)("who is Mrs Tan?")
    assert "Zanzibar" not in model.told() + str(search(public, "who lives in a town? Mrs Tan"))
    with pytest.raises(Exception, match="may not write"):
        asyncio.run(store(audience="public").add("x"))


def test_it_works_across_event_loops_and_threads(store: Store) -> None:
    """One store, several loops one after the other, many searches at once."""
    held = store(subject="Mrs Tan")
    asyncio.run(held.add("I prefer mornings"))

    async def many() -> list[Any]:
        return await asyncio.gather(*(held.search("Mrs Tan") for _ in range(20)))

    for _ in range(2):
        assert all(found[0].content.startswith("Mrs Tan prefers") for found in asyncio.run(many()))


def test_initialize_checks_the_file(file: Path, store: Store) -> None:
    """Another model's vectors are refused before the agent runs, with the way out."""
    asyncio.run(store(subject="A").add("Likes: tea"))

    class Other(WordEmbedder):
        model = "another"

    with pytest.raises(OtherModel, match="reembed"):
        agent(Scripted("hi"), store(embedder=Other()))("hi")


def test_a_server_as_source(file: Path) -> None:
    """The same through `cloudnee serve`, with a key: kept, found, rated, forgotten."""
    from cloudnee.doors.http_desk import Settings
    from cloudnee.store.database import Database
    from cloudnee.store.keys import Keys

    with Memory.open(file, org="coolair", embedder=WordEmbedder()) as memory:
        memory.remember("tan.md", "---\nphone: '91234567'\n---\n# Mrs Tan\n\n- Side: east\n")
    database = Database(file)
    key = Keys(database).create(
        org="coolair", audience="owner", label="agent", read_only=False, now=0
    )
    database.close()
    settings = Settings(str(file), org="coolair", audience="owner", embedder=WordEmbedder())
    with running(settings) as address:
        held = CloudneeMemoryStore(
            address, key=key, org="coolair", audience="owner", subject="Mrs Tan"
        )
        asyncio.run(held.initialize())
        asyncio.run(held.add("I prefer mornings"))
        assert asyncio.run(held.add("I prefer mornings"))["status"] == "unchanged"
        told = search(held, "91234567")
        assert any("Mrs Tan side east" in line for line in told)
        assert any("prefers mornings" in line for line in search(held, "what does Mrs Tan prefer?"))
        model = Scripted(
            ("history", {"who": "Mrs Tan"}),
            ("forget", {"edge_id": "nobody"}),
            ("improve", {"edge_ids": ["nobody"], "rating": 5}),
        )
        agent(model, held)("hello")
        assert "nothing was there to forget" in model.told()
        assert "unknown: nobody" in model.told()
        locked = CloudneeMemoryStore(address, key="wrong", org="coolair", audience="owner")
        with pytest.raises(PermissionError):
            asyncio.run(locked.initialize())
    assert search(held, "who prefers?")[0].startswith("could not answer: ")


def test_many_calls_of_a_sync_agent_leave_nothing_open(store: Store) -> None:
    """Each call has an event loop and threads of its own; their connections go with them."""
    held = store(subject="Mrs Tan")
    asyncio.run(held.add("I prefer mornings"))

    async def both() -> None:
        await asyncio.gather(held.search("Mrs Tan"), held.initialize(), held.add("I like tea"))

    asyncio.run(both())
    before = len(list(OPEN.iterdir()))
    for _ in range(30):
        asyncio.run(both())
    assert len(list(OPEN.iterdir())) <= before + 20  # the eight threads of searches
