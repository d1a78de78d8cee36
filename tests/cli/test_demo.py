"""`cloudnee demo`: the desk, with the real model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cloudnee.doors.cli import main
from cloudnee.doors.cli_demo import DESK, desk_pages


def test_the_demo_shows_a_caller_a_question_the_website_and_a_price(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One run, four answers; with --db the desk stays, and a second run does not touch it."""
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--db", "desk.db"]) == 0
    told = capsys.readouterr().out
    calls, asks, website, price = told.split("cloudnee ")[1:5]
    assert "12/12" in told
    assert "baby at home, no chemical wash before noon" in calls
    assert asks.partition("who satisfies most of it:")[2].split()[1] == "Rahman"
    assert "Chemical wash · quoted price · 160" in website
    assert not any(name in website for name in ("Tan", "Koh", "Rahman", "陈", "Коваль"))
    assert "superseded by 160" in price
    before = (tmp_path / "desk.db").read_bytes()
    assert main(["demo", "--db", "desk.db"]) == 1
    assert "desk.db exists" in capsys.readouterr().err
    assert (tmp_path / "desk.db").read_bytes() == before


def test_the_desk_is_of_real_pages_in_the_package() -> None:
    """Markdown files beside the code, as a person would write them."""
    assert [page.path for page in desk_pages()] == sorted(
        file.relative_to(DESK).as_posix() for file in DESK.rglob("*.md")
    )
    assert len(desk_pages()) == 12


def test_the_demo_as_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    """The same four answers for a program, in a folder that goes afterwards."""
    assert main(["demo", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["pages", "current", "recall", "public", "history"]
    assert document["recall"]["subjects"][0]["name"] == "Rahman"
