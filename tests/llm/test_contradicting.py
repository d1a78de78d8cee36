"""The contradiction pass in a memory: losers are history with a reason, and can be reopened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloudnee import Memory
from cloudnee.extract.calls import Budget, Endpoint, LlmSettings
from tests.engine.conftest import Clock, WordEmbedder

Open = Callable[..., Memory]
LONG = "# Mrs Tan\n\n- Likes: long answers\n"
SHORT = "# Mrs Tan\n\n- Likes: short answers\n"


@pytest.fixture
def opened(tmp_path: Path, settings: LlmSettings) -> Any:
    """Opens memories on one file, with a scripted model to ask unless told otherwise."""
    made: list[Memory] = []
    clock = Clock()

    def new(*, asked: bool = True, **given: Any) -> Memory:
        endpoint = Endpoint(settings, Budget(), wait=lambda seconds: None)
        memory = Memory.open(
            tmp_path / "desk.db",
            org="coolair",
            embedder=WordEmbedder(),
            clock=clock,
            contradictions=endpoint if asked else None,
            **given,
        )
        made.append(memory)
        return memory

    yield new
    for memory in made:
        memory.close()


@pytest.fixture
def says(server: Any, play: Any) -> Callable[..., None]:
    """Makes the model answer with these (new, old, reason) triples, or with none."""

    def script(*pairs: tuple[str, str, str]) -> None:
        named = [dict(zip(("new", "old", "reason"), pair, strict=True)) for pair in pairs]
        server.script = [play(json.dumps({"contradictions": named}))]

    script()
    return script


def likes(memory: Memory) -> list[str]:
    return sorted(e.target_name for e in memory.read_current("Mrs Tan").edges)


def test_the_loser_is_history_with_the_reason(opened: Open, says: Any, server: Any) -> None:
    """The newer fact stays, the older ends; history, recall and check agree."""
    memory = opened()
    memory.remember("a.md", LONG)
    says(("N1", "O1", "one or the other"))
    report = memory.remember("b.md", SHORT)
    assert likes(memory) == ["short answers"]
    assert report.calls == 1
    assert "one or the other" in report.warnings[-1]
    (loser,) = report.closed
    ended = {e.target_name: (e.ended, e.superseded_by) for e in memory.history("Mrs Tan")}
    assert ended == {"short answers": ("", None), "long answers": ("contradicted", report.added[0])}
    assert loser in {e.id for e in memory.history("Mrs Tan")}
    assert "long answers" not in {h.edge.target_name for h in memory.recall("long answers").hits}
    assert memory.check() == []
    assert "long answers" in server.requests[-1]["messages"][1]["content"]


def test_what_can_both_be_true_stays(opened: Open, says: Any) -> None:
    """The model names no pair: nothing changes."""
    memory = opened()
    memory.remember("a.md", LONG)
    report = memory.remember("b.md", SHORT)
    assert likes(memory) == ["long answers", "short answers"]
    assert report.closed == ()


def test_reopen_brings_it_back(opened: Open, says: Any) -> None:
    """By the edge's id; a second time there is nothing to reopen."""
    memory = opened()
    memory.remember("a.md", LONG)
    says(("N1", "O1", "no"))
    (loser,) = memory.remember("b.md", SHORT).closed
    assert memory.reopen(loser)
    assert likes(memory) == ["long answers", "short answers"]
    assert not memory.reopen(loser)
    assert not memory.reopen("nobody")
    assert memory.check() == []
    assert memory.remember("b.md", SHORT).status == "unchanged"


@pytest.mark.parametrize("how", ["edited", "forgotten", "fact forgotten", "moved away"])
def test_when_the_winner_goes_the_loser_is_back(opened: Open, says: Any, how: str) -> None:
    """A verdict holds only while the page that won states its fact."""
    memory = opened()
    memory.remember("a.md", LONG)
    says(("N1", "O1", "no"))
    report = memory.remember("b.md", SHORT)
    says()
    if how == "edited":
        memory.remember("b.md", "# Mrs Tan\n\n- Owns: a cat\n")
    elif how == "forgotten":
        memory.forget(path="b.md")
    elif how == "fact forgotten":
        memory.forget(edge_id=report.added[0])
    else:
        memory.remember("b.md", SHORT.replace("Mrs Tan", "Mr Lim"))
    assert "long answers" in likes(memory)
    assert memory.check() == []


def test_an_audience_that_does_not_see_the_winner_keeps_the_loser(opened: Open, says: Any) -> None:
    """What the public reads is a function of what the public may see."""
    memory = opened()
    memory.remember("news.md", LONG)
    says(("N1", "O1", "no"))
    memory.remember("customers/tan.md", SHORT)
    assert likes(memory) == ["short answers"]
    public = memory.as_audience("public")
    assert likes(public) == ["long answers"]
    assert [(e.ended, e.superseded_by) for e in public.history("Mrs Tan")] == [("", None)]
    assert not public.reopen(memory.history("Mrs Tan")[-1].id)
    assert memory.check() == []


def test_a_failure_changes_nothing_and_is_told(
    opened: Open, says: Any, server: Any, play: Any
) -> None:
    """The page is written; the report says that contradictions were not looked for."""
    memory = opened()
    memory.remember("a.md", LONG)
    server.script = [play(status=500)]
    report = memory.remember("b.md", SHORT)
    assert report.status == "written"
    assert "contradictions were not looked for" in report.warnings[-1]
    assert likes(memory) == ["long answers", "short answers"]


def test_an_invented_pair_is_dropped(opened: Open, says: Any) -> None:
    """Labels that were not shown lead nowhere, and the report says so."""
    memory = opened()
    memory.remember("a.md", LONG)
    says(("N7", "O9", "made up"))
    report = memory.remember("b.md", SHORT)
    assert likes(memory) == ["long answers", "short answers"]
    assert "not asked about" in report.warnings[-1]


def test_off_asks_nobody(opened: Open, says: Any, server: Any) -> None:
    """Without a model for it no call is made."""
    memory = opened(asked=False)
    memory.remember("a.md", LONG)
    memory.remember("b.md", SHORT)
    assert server.requests == []


def test_many_pages_and_notes_are_held_against_others_too(opened: Open, says: Any) -> None:
    """`remember_many` and `note` go the same way."""
    from cloudnee import NewPage

    memory = opened()
    memory.remember("a.md", LONG)
    says(("N1", "O1", "no"))
    (report,) = memory.remember_many([NewPage("b.md", SHORT)])
    assert len(report.closed) == 1
    says(("N1", "O1", "no"))
    memory.note("Likes: emails", subject="Mrs Tan")
    assert likes(memory) == ["emails"]


def test_verdicts_go_with_an_export(opened: Open, says: Any, tmp_path: Path) -> None:
    """An import knows the same losers."""
    memory = opened()
    memory.remember("a.md", LONG)
    says(("N1", "O1", "no"))
    memory.remember("b.md", SHORT)
    memory.export(tmp_path / "out")
    with Memory.open(tmp_path / "other.db", org="coolair", embedder=WordEmbedder()) as other:
        other.import_(tmp_path / "out")
        assert likes(other) == ["short answers"]
        assert other.check() == []


def test_the_command_line(
    opened: Open, says: Any, settings: LlmSettings, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    """`--contradictions llm` asks, `reopen` undoes."""
    from cloudnee.doors.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cloudnee.embed.default_embedder", lambda *_: WordEmbedder())
    Path("a.md").write_text(LONG)
    Path("b.md").write_text(SHORT)
    model = ["--llm-base-url", settings.base_url, "--llm-model", "scripted"]
    base = ["--db", "cli.db"]
    assert main(["remember", "a.md", *base]) == 0
    says(("N1", "O1", "one or the other"))
    assert main(["remember", "b.md", *base, "--contradictions", "llm", *model]) == 0
    told = capsys.readouterr().out
    assert "one or the other" in told
    (edge,) = [
        word
        for word in told.split()
        if len(word) == 16 and word in told.split("is contradicted")[0]
    ]
    assert main(["reopen", edge, *base]) == 0
    assert main(["reopen", edge, *base]) == 1
    assert main(["current", "Mrs Tan", *base]) == 0
    assert "long answers" in capsys.readouterr().out
