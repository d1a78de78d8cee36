"""Errors at the command line: one line that names the thing, an exit code, an unchanged file."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from cloudnee import Memory, errors
from tests.cli.conftest import TAN, Cli

KINDS = [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_error_ends_with_1_and_its_message(
    desk: Cli, monkeypatch: pytest.MonkeyPatch, kind: type[errors.CloudneeError]
) -> None:
    """Text for people, one JSON document for programs, both on stderr; nothing on stdout."""

    def fail(self: Memory, who: str, **_: object) -> None:
        raise kind(f"no {who}: \x1b[31mdo this")

    monkeypatch.setattr(Memory, "read_current", fail)
    ran = desk("current", "Tan")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "cloudnee: no Tan: \\x1b[31mdo this\n"
    ran = desk("current", "Tan", "--json")
    told = {"error": kind.__name__, "message": "no Tan: \x1b[31mdo this"}
    assert (ran.code, ran.out, json.loads(ran.err)) == (1, "", told)


def test_a_usage_error_ends_with_2_and_the_way_out(cli: Cli) -> None:
    """For programs too."""
    ran = cli("curent", "Tan")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "cloudnee: no verb 'curent': did you mean current?\n"
        'run "cloudnee --help" for what there is\n'
    )
    assert json.loads(cli("curent", "--json").err)["error"] == "UsageError"


@pytest.mark.parametrize("data", [b"not a database at all\n" * 100, b"# Mrs Tan\n"])
@pytest.mark.parametrize("verb", [("current", "Tan"), ("remember", "tan.md")])
def test_a_foreign_file_is_refused_and_untouched(
    cli: Cli, tmp_path: Path, data: bytes, verb: tuple[str, ...]
) -> None:
    """A page given as the database by mistake is not overwritten."""
    (tmp_path / "tan.md").write_text(TAN, "utf-8")
    (tmp_path / "other.db").write_bytes(data)
    ran = cli(*verb, "--db", "other.db")
    assert (ran.code, ran.out) == (1, "")
    assert "other.db" in ran.err
    assert (tmp_path / "other.db").read_bytes() == data


def test_the_database_of_another_program_is_refused_and_untouched(cli: Cli, tmp_path: Path) -> None:
    """Even though it is SQLite."""
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = (tmp_path / "other.db").read_bytes()
    ran = cli("current", "Tan", "--db", "other.db")
    assert ran.code == 1
    assert "another program" in ran.err
    assert (tmp_path / "other.db").read_bytes() == before


def test_a_database_of_a_newer_version_is_refused(desk: Cli, tmp_path: Path) -> None:
    """With what to run."""
    connection = sqlite3.connect(tmp_path / "cloudnee.db")
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    ran = desk("current", "Mrs Tan")
    assert ran.code == 1
    assert "9999" in ran.err
    assert "upgrade" in ran.err


def test_an_unknown_audience_is_refused(desk: Cli) -> None:
    """Never answered as another one."""
    ran = desk("current", "Mrs Tan", "--audience", "staff")
    assert (ran.code, ran.out) == (1, "")
    assert "unknown audience 'staff'" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("remember", "services/wash.md"),
        ("note", "hello", "--subject", "Mrs Tan"),
        ("alias", "a", "b"),
        ("forget", "--path", "services/wash.md"),
        ("audiences", "set", "x.yaml"),
    ],
    ids=lambda words: words[0],
)
def test_the_public_writes_nothing(desk: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Each writing verb is refused, and the file stays as it was."""
    before = (tmp_path / "cloudnee.db").read_bytes()
    ran = desk(*words, "--audience", "public")
    assert ran.code == 1
    assert "public" in ran.out + ran.err
    assert (tmp_path / "cloudnee.db").read_bytes() == before


def test_a_bad_ontology_names_its_file(desk: Cli, tmp_path: Path) -> None:
    """A folder that is not there, and a file that is no ontology."""
    (tmp_path / "words").mkdir()
    (tmp_path / "words/mine.yaml").write_text("relations: [", "utf-8")
    ran = desk("remember", "services/wash.md", "--ontology", "words")
    assert ran.code == 1
    assert "mine.yaml" in ran.out + ran.err
    ran = desk("remember", "services/wash.md", "--ontology", "nowhere")
    assert ran.code == 1
    assert "nowhere" in ran.out + ran.err


def test_the_environment_names_database_and_org(
    desk: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options win over it, and an empty variable is none."""
    (tmp_path / "cloudnee.db").rename(tmp_path / "mine.db")
    monkeypatch.setenv("CLOUDNEE_DB", "mine.db")
    assert desk("current", "Mrs Tan").code == 0
    monkeypatch.setenv("CLOUDNEE_ORG", "another")
    assert desk("current", "Mrs Tan").code == 1
    assert desk("current", "Mrs Tan", "--org", "default").code == 0
    assert desk("current", "Mrs Tan", "--db", "none.db").code == 1
    monkeypatch.setenv("CLOUDNEE_DB", "")
    assert "cloudnee.db" in desk("current", "Mrs Tan").err


@pytest.mark.parametrize("option", ["--org", "--audience", "--db", "--ontology"])
def test_an_empty_name_is_refused_not_replaced(desk: Cli, option: str) -> None:
    """A script whose variable was empty does not write into the default memory."""
    ran = desk("remember", "services/wash.md", option, "")
    assert ran.code == 1
    assert ran.out + ran.err != ""
