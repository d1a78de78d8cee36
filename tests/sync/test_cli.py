"""The verbs that keep the record, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import TAN, Cli, HashedWords, cli, desk, remembered

__all__ = ["cli", "desk", "remembered"]

OTHER = '---\nname: Mrs Tan\nphone: "+65 8765 4321"\n---\n# Mrs Tan\n\n- Lives in: Yishun\n'


def test_sync_says_what_happened_to_each_kind(desk: Cli, tmp_path: Path) -> None:
    """Files of the desk are the folder's; a change elsewhere is a conflict until --write."""
    assert desk("sync", ".").out == "3 unchanged\n"
    desk("note", "Prefers: mornings", "--subject", "Mrs Tan")
    ran = desk("sync", ".", "--write")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "1 put, 3 unchanged")
    assert list(tmp_path.glob("notes/mrs-tan/*.md"))
    (tmp_path / "customers/tan.md").write_text(TAN + "- Likes: tea\n")
    (tmp_path / "bad.md").write_bytes(b"\xff")
    ran = desk("sync", ".", "--json")
    assert (ran.code, ran.document["counts"]) == (1, {"failed": 1, "changed": 1, "unchanged": 3})


def test_sync_stops_before_it_retires_most(desk: Cli, tmp_path: Path) -> None:
    """More than a third gone is refused with the way out."""
    desk("sync", ".")
    for name in ("wash", "old"):
        (tmp_path / f"services/{name}.md").unlink()
    ran = desk("sync", ".")
    assert (ran.code, "--force" in ran.err) == (1, True)
    assert "2 retired" in desk("sync", ".", "--force").out
    assert desk("sync", "nowhere").code == 1
    assert desk("sync", ".", "--watch", "--force").code == 2


def test_merges_are_listed_accepted_and_undone(desk: Cli, tmp_path: Path) -> None:
    """With the words that a person needs to decide, and the way back."""
    assert "nobody looks like" in desk("merges").out
    (tmp_path / "customers/tan2.md").write_text(OTHER)
    desk("remember", "customers/tan2.md")
    listed = desk("merges", "--json").document["proposals"]
    first, second = listed[0]["first"]["id"], listed[0]["second"]["id"]
    out = desk("merges").out
    assert "told apart by handles" in out
    assert "+65 8765 4321" in out
    assert "undo 1" in desk("merges", "accept", first, second).out
    assert "1  merge of" in desk("merges").out
    assert "taken back" in desk("merges", "undo", "1").out
    assert desk("merges", "reject", first, second).code == 0
    assert "nobody looks like" in desk("merges").out
    assert "apart" not in desk("merges", "split", first, "services/old.md").out
    for words in (("accept", first), ("undo", "x"), ("split", first), ("marry", "a", "b")):
        assert desk("merges", *words).code == 2


def test_export_wipe_import_backup(desk: Cli, tmp_path: Path) -> None:
    """The moved desk answers as before; the backup opens."""
    before = desk("recall", "chemical wash price", "--json").out
    assert "3 pages" in desk("export", "moved.zip").out
    assert desk("backup", "copy.db").code == 0
    (tmp_path / "cloudnee.db").unlink()
    for log in tmp_path.glob("cloudnee.db-*"):
        log.unlink()
    ran = desk("import", "moved.zip")
    assert (ran.code, "3 pages taken" in ran.out) == (0, True)
    assert desk("recall", "chemical wash price", "--json").out == before
    assert desk("--db", "copy.db", "recall", "chemical wash price", "--json").out == before
    assert desk("export", "moved.zip").code == 0
    assert desk("import", "services").code == 0
    assert desk("import", "none").code == 1


def test_import_of_other_programs(cli: Cli, tmp_path: Path) -> None:
    """The format is seen from the file; what was left is told, and the exit code says so."""
    lines = [{"type": "entity", "name": "Ann", "entityType": "person", "observations": ["x"]}]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n{")
    ran = cli("import", "m.jsonl")
    assert (ran.code, "mcp: 1 pages taken" in ran.out, "line 2" in ran.out) == (1, True, True)
    ran = cli("import", "m.jsonl", "--into", "other", "--json")
    assert ran.document["format"] == "mcp"


def test_check_repair_says_what_it_mended(desk: Cli, tmp_path: Path) -> None:
    """Exit 1 with a fault, 0 once it is mended."""
    import apsw

    planted = apsw.Connection(str(tmp_path / "cloudnee.db"))
    planted.execute("UPDATE entities SET uses = 99 WHERE eid = 'mrstan'")
    planted.close()
    assert desk("check").code == 1
    ran = desk("check", "--repair")
    assert (ran.code, "mended" in ran.out) == (0, True)
    assert desk("check").out == "nothing is wrong\n"


def test_reembed_by_the_name_of_a_model(desk: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is opened with that model from then on."""

    class Named(HashedWords):
        def __init__(self, model: str | None = None) -> None:
            self.model = model or HashedWords.model
            self.dimensions = 384 if model is None else 48

    monkeypatch.setattr("cloudnee.embed.default_embedder", Named)
    ran = desk("reembed", "--model", "some/model", "--json")
    assert ran.document["model"] == "some/model"
    assert ran.document["dimensions"] == 48
    assert desk("recall", "wash").code == 0
    assert desk("check").code == 0
