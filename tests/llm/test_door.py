"""The language model from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cloudnee.doors.cli import main

PAGE = "# Mrs Tan\n\nMrs Tan lives in Bedok.\n"
EDGE = ("Mrs Tan", "lives_in", "Bedok", "Mrs Tan lives in Bedok.")


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, Any, str]]:
    """Runs a command in a folder with one page; gives exit code, document and what was said."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "CLOUDNEE_EXTRACTOR", "CLOUDNEE_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    Path("tan.md").write_text(PAGE)

    def ran(*words: str) -> tuple[int, Any, str]:
        code = main([*words, "--json"])
        told = capsys.readouterr()
        return code, json.loads(told.out) if told.out else None, told.err

    return ran


@pytest.fixture
def model(server: Any) -> list[str]:
    """The options that name the scripted server."""
    return ["--extractor", "llm", "--llm-base-url", server.url, "--llm-model", "scripted"]


def test_remember_retry_and_reread_take_a_model(
    run: Any, model: list[str], server: Any, play: Any, reply: Any
) -> None:
    """A failed reading ends with 1 and the reason; retry finishes it; reread pays nothing."""
    server.script = [play(status=400), play(reply(EDGE))]
    code, said, _ = run("remember", "tan.md", *model)
    assert (code, said["reports"][0]["status"]) == (1, "failed")
    assert said["reports"][0]["reason"] == "scripted: HTTP 400: as scripted"
    code, said, _ = run("retry", *model)
    assert (code, said["reports"][0]["status"], said["reports"][0]["calls"]) == (0, "written", 1)
    code, said, _ = run("reread", *model)
    assert (code, said["reports"][0]["calls"]) == (0, 0)
    code, said, _ = run("current", "Mrs Tan")
    assert [edge["target_name"] for edge in said["edges"]] == ["Bedok"]


def test_a_dry_run_writes_nothing(run: Any, model: list[str], server: Any) -> None:
    """Calls and tokens are told, no call is made and no file appears."""
    code, said, _ = run("remember", "tan.md", "--dry-run", *model)
    assert (code, said["calls"]) == (0, 1)
    assert said["tokens"] > 100
    assert server.requests == []
    assert [file.name for file in Path().iterdir()] == ["tan.md"]


def test_a_budget_can_be_given(run: Any, model: list[str], server: Any) -> None:
    """No calls allowed: the page is stored and waits."""
    code, said, _ = run("remember", "tan.md", "--max-calls", "0", *model)
    assert (code, said["reports"][0]["status"]) == (1, "pending")
    assert "the budget of 0 calls is spent" in said["reports"][0]["reason"]
    assert server.requests == []


def test_the_environment_may_choose(
    run: Any, server: Any, play: Any, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Extractor, model and address can stand in the environment."""
    monkeypatch.setenv("CLOUDNEE_EXTRACTOR", "llm")
    monkeypatch.setenv("CLOUDNEE_LLM_MODEL", "scripted")
    monkeypatch.setenv("CLOUDNEE_LLM_BASE_URL", server.url)
    server.script = [play(reply(EDGE))]
    assert run("remember", "tan.md")[1]["reports"][0]["calls"] == 1


@pytest.mark.parametrize(
    ("words", "due"),
    [
        (["--extractor", "llm"], "give --llm-model NAME"),
        (["--extractor", "both", "--llm-model", "x"], "a key in OPENAI_API_KEY"),
        (
            ["--extractor", "llm", "--llm-model", "x", "--llm-base-url", "u", "--llm-items", "0"],
            "must be more than 0",
        ),
    ],
)
def test_what_is_missing_is_named(run: Any, words: list[str], due: str) -> None:
    """Without a model or a key nothing is begun, and no file is made."""
    code, _, said = run("remember", "tan.md", *words)
    assert code == 1
    assert due in said
    assert not Path("cloudnee.db").exists()


def test_without_the_libraries_the_extra_is_named(
    run: Any, model: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command says what to install before it does anything."""
    monkeypatch.setattr("cloudnee.doors.cli_extractor.find_spec", lambda name: None)
    code, _, said = run("remember", "tan.md", *model)
    assert code == 1
    assert 'pip install \\"cloudnee[llm]\\"' in said


def test_an_org_chooses_its_extractor(
    run: Any, model: list[str], server: Any, play: Any, reply: Any
) -> None:
    """Chosen once, a page waits without a model and is read where one is named."""
    server.script = [play(reply(EDGE))]
    assert run("extractor", "llm")[:2] == (0, {"extractor": "llm"})
    assert run("extractor")[1] == {"extractor": "llm"}
    code, told, _ = run("remember", "tan.md")
    assert (code, told["reports"][0]["status"]) == (1, "pending")
    assert server.requests == []
    named = [word for word in model if word not in ("--extractor", "llm")]
    code, told, _ = run("retry", *named)
    assert (code, told["reports"][0]["status"]) == (0, "written")
    assert len(server.requests) == 1
    assert run("remember", "tan.md", "--extractor", "rules")[0] == 0
    assert len(server.requests) == 1
