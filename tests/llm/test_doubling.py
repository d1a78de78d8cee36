"""`duplicates`: near notes are listed when asked and merged on request, with both sources kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloudnee import Memory
from cloudnee.errors import BadInput
from tests.engine.conftest import Clock, WordEmbedder


class Alike(WordEmbedder):
    """All texts look alike, as the most careless model would have it."""

    def embed(self, texts: Any) -> Any:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        rows[:, 0] = 1
        return rows


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with Memory.open(tmp_path / "d.db", org="x", embedder=Alike(), clock=Clock()) as memory:
        yield memory


def test_near_notes_are_listed_and_merged(memory: Memory) -> None:
    """The later stays a note, the other's words and place stay on the page."""
    memory.note("Please ring the bell twice", subject="Mrs Tan")
    memory.note("Please ring the door bell twice", subject="Mrs Tan")
    (pair,) = memory.duplicates()
    assert {pair.one_text, pair.other_text} == {
        "Please ring the bell twice", "Please ring the door bell twice",
    }  # fmt: skip
    assert pair.cosine == 1
    (report,) = memory.merge_notes(pair.one, pair.other)
    assert report.status == "written"
    text = memory.read_page(report.path)
    assert text.count("\n- ") == 1
    assert "bell twice <!-- also 20" in text
    assert "Please ring the bell twice" in text
    assert "Please ring the door bell twice" in text
    assert memory.duplicates() == []
    assert memory.check() == []


def test_what_differs_in_a_number_name_or_negation_is_no_duplicate(memory: Memory) -> None:
    """However near the vectors are; nor are notes of two subjects."""
    for text in ("left unit leaks", "right unit leaks", "left unit does not leak", "code is 12",
                 "code is 13", "met Ann today", "met Bob today"):  # fmt: skip
        memory.note(text, subject="Mrs Tan")
    memory.note("left unit leaks", subject="Mr Lim")
    assert memory.duplicates() == []


def test_only_what_the_caller_sees(memory: Memory) -> None:
    """The public has no notes."""
    memory.note("ring the bell twice", subject="Mrs Tan")
    memory.note("ring the door bell twice", subject="Mrs Tan")
    public = memory.as_audience("public")
    assert public.duplicates() == []
    (pair,) = memory.duplicates()
    with pytest.raises(BadInput, match="is no note"):
        public.merge_notes(pair.one, pair.other)


@pytest.mark.parametrize("place", ["x", "notes/a.md", "notes/mrs-tan/2026-01.md:99", "a.md:1"])
def test_what_is_no_note_is_named(memory: Memory, place: str) -> None:
    """Both must be notes."""
    memory.remember("a.md", "- 2026-01-01: hello\n")
    with pytest.raises(BadInput, match="is no note"):
        memory.merge_notes(place, place)
