"""The arithmetic of the evaluation, and how sets become pages; no set is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cloudnee import Memory
from tests.engine.conftest import WordEmbedder
from tests.evaluation.measure import interval, mean, recall, unique
from tests.evaluation.rivals import Rivals
from tests.evaluation.sets import beam, locomo, paragraphs


def test_recall_counts_the_gold_among_the_first() -> None:
    """Of two that answer, one among the first two."""
    assert recall(["a", "b", "c"], frozenset({"b", "c"}), 2) == 0.5
    assert recall([], frozenset({"b"}), 5) == 0
    assert unique(["a", "b", "a"]) == ["a", "b"]
    assert mean([]) == 0


def test_an_interval_holds_the_mean() -> None:
    """And is the same each time."""
    values = [0.0, 1.0] * 20
    low, high = interval(values)
    assert low < 0.5 < high
    assert (low, high) == interval(values)


def write(file: Path, *rows: dict[str, object]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_paragraphs_are_pages(tmp_path: Path) -> None:
    """A title is a heading; every line leads to its paragraph."""
    write(
        tmp_path / "corpus.jsonl",
        {"title": "A (film)", "text": "one"},
        {"title": "B", "text": "two"},
    )
    write(tmp_path / "questions.jsonl", {"question": "?", "gold_titles": ["B"], "type": "x"})
    made = paragraphs(tmp_path)
    org = tmp_path.name
    assert made.pages[org]["00000.md"] == "# A (film)\n\none\n"
    assert list(made.found(org, "00001.md", 1, 3)) == [1, 1, 1]
    assert made.questions[0].gold == {1}


def test_turns_are_units(tmp_path: Path) -> None:
    """A turn is found by its line; questions without an answer are left out."""
    (tmp_path / "pages/conv-1").mkdir(parents=True)
    page = "---\nspeakers: [Ann]\n---\n\n**Ann** (D1:1): hello there\n"
    (tmp_path / "pages/conv-1/session_01.md").write_text(page)
    row = {"conversation": "conv-1", "question": "?", "category_name": "x", "evidence": ["D1:1"]}
    write(tmp_path / "questions.jsonl", row | {"category": 1}, row | {"category": 5})
    made = locomo(tmp_path)
    assert list(made.found("conv-1", "session_01.md", 1, 5)) == ["D1:1"]
    assert len(made.questions) == 1


def test_messages_are_turns_that_keep_their_lines(tmp_path: Path) -> None:
    """Headings inside a message stay inside; each passage leads to its message."""
    base = {"conversation": "1", "session": 1, "date": "March-15-2024"}
    write(
        tmp_path / "messages.jsonl",
        base | {"id": 0, "role": "user", "text": "hi\n\n# not a heading\nmore"},
        base | {"id": 1, "role": "assistant", "text": "yes\n- a\n- b"},
    )
    asked = {"conversation": "1", "question": "?", "category": "x", "evidence": [1]}
    write(tmp_path / "questions.jsonl", asked)
    made = beam(tmp_path)
    with Memory.open(tmp_path / "x.db", org="1", embedder=WordEmbedder()) as memory:
        for path, text in made.pages["1"].items():
            memory.remember(path, text)
        found = memory.search_pages("a heading, yes", top_k=10)
    units = {u for p in found for u in made.found("1", p.path, p.start_line, p.end_line)}
    assert units == {0, 1}


@pytest.mark.parametrize("system", ["bm25", "dense", "fused"])
def test_rivals_rank(system: str) -> None:
    """The text with the words of the question comes first."""
    rivals = Rivals({"a": "roof leaks", "b": "cats purr", "c": "dogs bark"}, WordEmbedder().embed)
    assert getattr(rivals, system)("which cats purr?")[0] == "b"
