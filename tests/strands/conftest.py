"""A real agent with a model that follows a script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands")

from strands import Agent
from strands.memory import MemoryManager
from strands.models.model import Model

from cloudnee.strands import CloudneeMemoryStore
from tests.engine.conftest import WordEmbedder

Step = str | tuple[str, dict[str, Any]]


class Scripted(Model):
    """Answers with the steps in turn: text, or (tool, input). Keeps what it was given."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.seen: list[list[dict[str, Any]]] = []

    def update_config(self, **_: Any) -> None:
        """Nothing to set."""

    def get_config(self) -> dict[str, Any]:
        """Nothing set."""
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("no answer with a structure is asked for")

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[Any]:
        self.seen.append(json.loads(json.dumps(messages)))
        step = self.steps.pop(0) if self.steps else "done"
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(step, str):
            yield {"contentBlockDelta": {"delta": {"text": step}}}
        else:
            name, given = step
            use = {"toolUse": {"toolUseId": f"t{len(self.seen)}", "name": name}}
            yield {"contentBlockStart": {"start": use}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(given)}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if isinstance(step, str) else "tool_use"}}

    def told(self) -> str:
        """All that the model was given, as one text."""
        return json.dumps(self.seen, ensure_ascii=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The database of this test."""
    return tmp_path / "desk.db"


@pytest.fixture
def store(file: Path) -> Iterable[Callable[..., CloudneeMemoryStore]]:
    """Makes stores on this test's file."""
    made: list[CloudneeMemoryStore] = []

    def new(**given: Any) -> CloudneeMemoryStore:
        options = {
            "org": "coolair",
            "audience": "owner",
            "embedder": WordEmbedder(),
            "region": "SG",
            **given,
        }
        made.append(CloudneeMemoryStore(file, **options))
        return made[-1]

    yield new
    for one in made:
        one.close()


def agent(model: Scripted, *stores: CloudneeMemoryStore, injection: bool = False) -> Agent:
    """An agent with a memory manager over the stores; it prints nothing."""
    writable = any(store.writable for store in stores)
    manager = MemoryManager(stores=list(stores), add_tool_config=writable, injection=injection)
    return Agent(model=model, memory_manager=manager, callback_handler=None)
