"""A desk with a history, to be moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cloudnee import Alias, Memory
from tests.engine.conftest import Clock, WordEmbedder, clock, embedder, memory, open_memory

__all__ = ["Clock", "WordEmbedder", "clock", "embedder", "memory", "open_memory"]

TOWNS = ("Bedok", "Yishun", "Clementi", "Hougang", "Changi")
TIMES = ("mornings", "evenings", "weekends")


def customer(n: int, price: int) -> str:
    """A customer's page; some share a name."""
    return (
        f"# {'Mrs' if n % 2 else 'Mr'} Person{n // 2 if n % 10 == 0 else n}\n\n"
        f"- Phone: 9{n:03}1234\n- Lives in: {TOWNS[n % 5]}\n- Prefers: {TIMES[n % 3]}\n"
        f"- Quoted price: {price}\n- Works with: [[Person{(n * 7) % 40}]]\n"
    )


@pytest.fixture
def desk(memory: Memory, clock: Clock) -> Memory:
    """Forty customers, edited, rated, taught, partly forgotten."""
    for n in range(40):
        memory.remember(f"customers/{n}.md", customer(n, 100 + n), [Alias(f"+65 8{n:03}5678")])
        clock.turn(minutes=1)
    memory.remember("services/wash.md", "---\ndate: 2026-02-01\n---\n# Wash\n\n- Quoted price: 9\n")
    for n in range(0, 40, 4):
        clock.turn(hours=1)
        memory.remember(f"customers/{n}.md", customer(n, 200 + n))
    for n in range(0, 40, 8):
        clock.turn(hours=1)
        memory.remember(f"customers/{n}.md", customer(n, 100 + n))
    memory.remember("old.md", "# Person4\n\n- Lives in: Nowhere\n", as_of="2020-01-01")
    memory.note("Likes: tea", subject="Mrs Person3")
    memory.teach_alias("hvac", "wash")
    edges = [e.id for e in memory.recent(30)]
    memory.improve(edges[:10], rating=5, key="k")
    memory.improve(edges[5:15], rating=1)
    memory.apply_feedback()
    memory.improve(edges[15:20], rating=4, key="later")
    memory.forget(path="customers/7.md")
    forgotten = next(e for e in memory.read_current("Mrs Person9").edges if e.relation == "prefers")
    memory.forget(edge_id=forgotten.id)
    return memory


@pytest.fixture
def open_other(
    tmp_path: Path, embedder: WordEmbedder, clock: Clock
) -> Iterator[Callable[..., Memory]]:
    """Opens memories on other files of this test."""
    held: list[Memory] = []

    def opened(name: str, **options: object) -> Memory:
        given: dict[str, object] = {
            "org": "coolair", "embedder": embedder, "clock": clock, "region": "SG", **options,
        }  # fmt: skip
        made = Memory.open(tmp_path / name, **given)  # type: ignore[arg-type]
        held.append(made)
        return made

    yield opened
    for each in held:
        each.close()
