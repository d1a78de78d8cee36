"""Forgetting much takes seconds."""

from __future__ import annotations

import time

from cloudnee import Memory


def test_thirteen_thousand_facts_are_forgotten_in_seconds(memory: Memory) -> None:
    """One entity on one page: the work grows with the facts, not with their square."""
    lines = "".join(f"- Likes: thing number {n}q\n" for n in range(13_000))
    assert len(memory.remember("a.md", f"# Mrs Tan\n\n{lines}").added) == 13_000
    began = time.process_time()
    assert len(memory.forget(entity="Mrs Tan").edges) == 13_000
    assert time.process_time() - began < 30
    assert memory.check() == []
