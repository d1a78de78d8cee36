"""Messages delivered at least once, with numbers that begin anew in each run: kept once, and none
lost."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands")

from strands.memory.types import AddMessagesContext

from cloudnee import Memory
from cloudnee.errors import BadInput
from cloudnee.strands import CloudneeMemoryStore
from tests.engine.conftest import WordEmbedder

Store = Callable[..., CloudneeMemoryStore]


def message(text: str, role: str = "user") -> Any:
    return {"role": role, "content": [{"text": text}]}


def deliver(store: CloudneeMemoryStore, *texts: str, numbers: Sequence[int] | None = None) -> int:
    """Deliver messages with these numbers, from 0 on where none are given; gives how many new."""
    context = AddMessagesContext(list(numbers if numbers is not None else range(len(texts))))
    return asyncio.run(store.add_messages([message(t) for t in texts], context))["written"]


def lines(store: CloudneeMemoryStore) -> list[str]:
    """All notes, without their dates."""
    memory = store.memory
    assert isinstance(memory, Memory)
    pages = [memory.read_page(info.path).split("\n") for info in memory.pages()]
    return [line[14:] for page in pages for line in page if line.startswith("- ")]


def price(store: CloudneeMemoryStore) -> str:
    """The price that is current."""
    edges = store.memory.read_current("Mrs Tan").edges
    (found,) = [edge.target_name for edge in edges if edge.relation == "quoted_price"]
    return found


@pytest.mark.parametrize("other", [False, True], ids=["one store", "a new store each time"])
def test_ten_deliveries_are_kept_once(store: Store, *, other: bool) -> None:
    """The same batch with the same numbers writes nothing the second time."""
    held = store(subject="Mrs Tan")
    written = 0
    for _ in range(10):
        held = store(subject="Mrs Tan") if other else held
        written += deliver(held, "I prefer mornings", "My side gate is blue")
    assert written == 2
    assert lines(held) == ["I prefer mornings", "My side gate is blue"]


def test_a_process_of_its_own_delivers_nothing_new(file: Path, store: Store) -> None:
    """What was delivered stands in the file."""
    held = store(subject="Mrs Tan")
    deliver(held, "Quoted price: 180")
    deliver(held, "Quoted price: 160", numbers=[2])
    script = (
        "import sys; from cloudnee.strands import CloudneeMemoryStore as S\n"
        "from tests.engine.conftest import WordEmbedder\n"
        "from tests.strands.test_deliveries import deliver\n"
        "s = S(sys.argv[1], org='coolair', audience='owner', subject='Mrs Tan',"
        " embedder=WordEmbedder())\n"
        "print(deliver(s, 'Quoted price: 180')); s.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "0\n", done.stderr
    assert price(held) == "160"


def test_a_late_delivery_does_not_bring_an_old_value_back(store: Store) -> None:
    """The price changed since: the first batch once more changes nothing."""
    held = store(subject="Mrs Tan")
    deliver(held, "Quoted price: 180")
    deliver(held, "Quoted price: 160", numbers=[2])
    assert deliver(held, "Quoted price: 180") == 0
    assert deliver(held, "Quoted price: 180", "Quoted price: 160", numbers=[0, 2]) == 0
    assert price(held) == "160"


def test_numbers_begin_anew_with_each_run(store: Store) -> None:
    """Other words under a number are another run's: kept, also those that an earlier run had."""
    held = store(subject="Mrs Tan")
    assert deliver(held, "Quoted price: 180") == 1
    assert deliver(held, "Quoted price: 160") == 1
    assert deliver(held, "Quoted price: 180") == 1
    assert price(held) == "180"
    assert lines(held) == [f"Quoted price: {p}" for p in (180, 160, 180)]


def test_a_new_run_forgets_the_later_numbers_of_the_old(store: Store) -> None:
    """The same words at the same later place of a run that began otherwise are news."""
    held = store(subject="Mrs Tan")
    deliver(held, "Hello there", "Quoted price: 180", "No, quoted price: 160", numbers=[0, 2, 4])
    deliver(held, "Quoted price: 170", numbers=[6])
    assert deliver(held, "Good evening", "Quoted price: 180", numbers=[0, 2]) == 2
    assert price(held) == "180"


def test_runs_of_several_agents_are_told_apart(store: Store) -> None:
    """With a `run` each, the numbers of one say nothing about the other's."""
    one, two = store(subject="Mrs Tan", run="a"), store(subject="Mrs Tan", run="b")
    deliver(one, "Quoted price: 180")
    deliver(two, "Quoted price: 160")
    assert deliver(one, "Quoted price: 180") == 0
    assert deliver(two, "Quoted price: 160") == 0
    assert price(one) == "160"
    assert deliver(store(subject="Mrs Tan", run="c"), "Quoted price: 180") == 1


def test_a_note_refused_as_standing_counts_as_delivered(store: Store) -> None:
    """It came, and stood already; when it has been overtaken, it is still an old delivery."""
    held = store(subject="Mrs Tan")
    asyncio.run(held.add("Quoted price: 180"))
    assert deliver(held, "Quoted price: 180") == 0
    asyncio.run(held.add("Quoted price: 160"))
    assert deliver(held, "Quoted price: 180") == 0
    assert price(held) == "160"


def test_without_numbers_a_standing_note_is_not_repeated(store: Store) -> None:
    """No numbers, no runs: the words alone tell."""
    held = store(subject="Mrs Tan")
    for _ in range(3):
        asyncio.run(held.add_messages([message("I prefer mornings")]))
    assert lines(held) == ["I prefer mornings"]


def test_a_batch_that_fails_half_way_is_completed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error reaches the manager, which delivers again; what was kept is not written twice."""
    held = store(subject="Mrs Tan")
    note, broken = Memory.note, True

    def failing(self: Memory, text: str, **given: Any) -> Any:
        if broken and "gate" in text:
            raise OSError("the disk is gone")
        return note(self, text, **given)

    monkeypatch.setattr(Memory, "note", failing)
    with pytest.raises(OSError, match="disk"):
        deliver(held, "I prefer mornings", "My side gate is blue", "Quoted price: 180")
    broken = False
    assert deliver(held, "I prefer mornings", "My side gate is blue", "Quoted price: 180") == 2
    assert len(lines(held)) == 3


def test_only_texts_of_the_user_are_kept(store: Store) -> None:
    """No tool calls, results, pictures or reasoning, and nothing that a model said."""
    held = store(subject="Mrs Tan")
    batch: list[Any] = [
        {"role": "user", "content": [{"text": "I prefer mornings"}, {"text": "Quoted price: 180"}]},
        {"role": "assistant", "content": [{"toolUse": {"name": "x", "input": {"a": "gate"}}}]},
        {"role": "user", "content": [{"toolResult": {"content": [{"text": "Atlantis"}]}}]},
        {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b"x"}}}]},
        message("She lives in Atlantis", "assistant"),
        message(" \n\t "),
    ]
    assert asyncio.run(held.add_messages(batch, AddMessagesContext(list(range(6)))))["written"] == 2
    assert lines(held) == ["I prefer mornings", "Quoted price: 180"]
    said = store(subject="Mrs Tan", roles=("user", "assistant"), run="all")
    assert asyncio.run(said.add_messages(batch, AddMessagesContext(list(range(6)))))["written"] == 1
    assert lines(said)[-1] == "She lives in Atlantis"


def test_what_the_memory_said_is_not_learned_again(store: Store) -> None:
    """Its block, and lines that cite a page and a date, are taken out; the rest is kept."""
    held = store(subject="Mrs Tan")
    asyncio.run(held.add("I prefer mornings"))
    (fact,) = [entry.content for entry in asyncio.run(held.search("Mrs Tan"))]
    block = f'<memory>\n<entry source="cloudnee">{fact}</entry>\n</memory>'
    assert deliver(held, f"{block}\n\nMy side gate is blue", f"So:\n- {fact}", block) == 2
    assert lines(held) == ["I prefer mornings", "My side gate is blue", "So:"]


@pytest.mark.parametrize(
    "text",
    ["---", "# Mr Lim", "```\n- Lives in: Oslo\n```", "[DONE]", "\x00", "\ud800", "🦄", "> a"],
)
def test_strange_texts_neither_break_a_batch_nor_the_page(store: Store, text: str) -> None:
    """Kept as a line of text or left out; what follows is kept, and says the same of Mrs Tan."""
    held = store(subject="Mrs Tan")
    deliver(held, text, "Quoted price: 180")
    assert deliver(held, text, "Quoted price: 180") == 0
    assert price(held) == "180"
    memory = held.memory
    assert isinstance(memory, Memory)
    assert memory.check() == []
    assert not memory.read_current("Mr Lim").edges


def test_a_message_is_kept_line_by_line(store: Store) -> None:
    """So that each statement is read; list signs go, rules and code state nothing."""
    held = store(subject="Mrs Tan")
    text = "Two things:\n- Quoted price: 180\n2. I live in Bedok\n---\n```\n- Quoted price: 9\n```"
    assert deliver(held, text) == 4
    assert lines(held)[:3] == ["Two things:", "Quoted price: 180", "I live in Bedok"]
    assert price(held) == "180"
    assert deliver(held, text) == 0


def test_a_document_is_kept_as_running_text(store: Store) -> None:
    """A text of very many lines is one note, not hundreds of writes."""
    held = store(subject="Mrs Tan")
    assert deliver(held, "\n".join(f"row {n} of a log" for n in range(400))) == 1


def test_a_message_with_an_id_is_known_by_it(store: Store) -> None:
    """Where the framework hands the message's own id on, numbers and words do not matter."""
    held = store(subject="Mrs Tan")

    def say(text: str, own: str, number: int) -> int:
        batch: Any = [{**message(text), "tracking_id": own}]
        return asyncio.run(held.add_messages(batch, AddMessagesContext([number])))["written"]

    assert [say("Quoted price: 180", "a", 0), say("Quoted price: 160", "b", 1)] == [1, 1]
    assert [say("Quoted price: 180", "a", 7), say("Quoted price: 180", "c", 0)] == [0, 1]
    assert price(held) == "180"


def test_a_long_message_is_kept_in_parts(store: Store) -> None:
    """A note has at most 10 000 characters; nothing of a longer message is lost."""
    held = store(subject="Mrs Tan")
    words = " ".join(f"word{n}" for n in range(3000))
    assert deliver(held, words) == 3
    assert deliver(held, words) == 0
    assert " ".join(lines(held)).split() == words.split()


def test_a_number_needs_a_run(store: Store) -> None:
    """At the memory itself: refused by name."""
    with Memory.open(":memory:", org="a", embedder=WordEmbedder()) as memory:
        with pytest.raises(BadInput, match="number needs a key"):
            memory.note("x", subject="A", number=1)
        with pytest.raises(BadInput, match="number must be a whole number"):
            memory.note("x", subject="A", key="k", number=-1)
        with pytest.raises(BadInput, match="key must be text"):
            memory.note("x", subject="A", key=7)  # type: ignore[arg-type]
