"""The writing verbs: files as pages, notes, ratings, words, forgetting."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from cloudnee.model import Applied, Forgotten, Rated, Report
from tests.cli.conftest import OLD, TAN, WASH, Cli


def page(tmp_path: Path, path: str, data: str | bytes) -> str:
    """Write a file, as given; gives its relative name."""
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_a_relative_file_is_its_own_page_path(cli: Cli, tmp_path: Path) -> None:
    """However the shell wrote it; the second time nothing is left to do."""
    page(tmp_path, "customers/tan.md", TAN)
    ran = cli("remember", "./customers//tan.md", "--json")
    assert ran.code == 0
    [report] = ran.document["reports"]
    assert (report["path"], report["status"]) == ("customers/tan.md", "written")
    assert set(report) == set(Report.__annotations__)
    again = cli("remember", "customers/tan.md")
    assert (again.code, again.out) == (0, "customers/tan.md: unchanged\n")


def test_many_files_are_told_one_by_one_and_summed(cli: Cli, tmp_path: Path) -> None:
    """One line each, in their order, and a sum."""
    page(tmp_path, "b.md", WASH)
    page(tmp_path, "a.md", OLD)
    lines = cli("remember", "b.md", "a.md").out.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["b.md", "a.md"]
    assert lines[-1] == "2 written, 0 unchanged, 0 failed"


def test_one_bad_file_is_named_and_the_others_are_done(cli: Cli, tmp_path: Path) -> None:
    """Missing, a folder, not UTF-8, empty: each with its reason; exit code 1."""
    page(tmp_path, "good.md", WASH)
    page(tmp_path, "latin.md", "caf\xe9".encode("latin-1"))
    page(tmp_path, "empty.md", "")
    page(tmp_path, "folder/x.md", WASH)
    ran = cli("remember", "gone.md", "latin.md", "good.md", "folder", "empty.md")
    assert ran.code == 1
    for told in (
        "gone.md: No such file",
        "latin.md: not UTF-8 text (byte 0xe9 at 3)",
        "folder: a folder: name the files in it",
        "empty.md",
        "1 written, 0 unchanged, 4 failed",
    ):
        assert told in ran.out
    assert [p["path"] for p in cli("pages", "--json").document["pages"]] == ["good.md"]


def test_no_database_is_made_when_no_file_can_be_read(cli: Cli, tmp_path: Path) -> None:
    """A mistyped name leaves the folder as it was."""
    assert cli("remember", "gone.md").code == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ["../out.md", "a/../../out.md"])
def test_a_file_outside_is_refused_with_the_way_out(cli: Cli, file: str) -> None:
    """A page path is relative to the folder of the pages."""
    ran = cli("remember", file)
    assert ran.code == 1
    assert "--path" in ran.out


def test_an_absolute_file_needs_a_path(cli: Cli, tmp_path: Path) -> None:
    """Refused without --path, remembered with it."""
    file = str(tmp_path / page(tmp_path, "x/tan.md", TAN))
    refused = cli("remember", file)
    assert refused.code == 1
    assert f"{file}: a page path is relative" in refused.out
    assert cli("remember", file, "--path", "customers/tan.md").code == 0
    assert cli("current", "91234567").code == 0


@pytest.mark.parametrize("path", ["/x.md", "a/../x.md", "a//b.md", "C:\\x.md", ""])
def test_a_bad_page_path_is_refused(cli: Cli, tmp_path: Path, path: str) -> None:
    """By name, with exit code 1."""
    page(tmp_path, "tan.md", TAN)
    ran = cli("remember", "tan.md", "--path", path)
    assert ran.code == 1
    assert "failed" in ran.out


def test_standard_input_is_a_page_with_a_path(cli: Cli) -> None:
    """`-` reads it; without --path it has no name."""
    assert cli("remember", "-", "--path", "services/wash.md", given=WASH.encode()).code == 0
    assert cli("current", "Chemical wash").code == 0
    nameless = cli("remember", "-", given=WASH.encode())
    assert nameless.code == 1
    assert "--path" in nameless.out


def test_aliases_and_date_are_given_with_the_page(cli: Cli, tmp_path: Path) -> None:
    """A phone leads to the person named, one without a name to the page's subject."""
    page(tmp_path, "lim.md", "# Mr Lim\n\n- Lives in: Bedok\n")
    ran = cli(
        "remember", "lim.md", "--alias", "9000 1111=Mr Lim", "--alias", "lim@example.com=",
        "--as-of", "2026-02-03",
    )  # fmt: skip
    assert ran.code == 0
    for handle in ("+65 9000 1111", "LIM@example.com"):
        found = cli("current", handle, "--json").document
        assert [entity["name"] for entity in found["entities"]] == ["Mr Lim"]
    assert found["edges"][0]["as_of"].startswith("2026-02-03")
    assert cli("aliases", "Mr Lim", "--remove", "90001111").code == 0
    assert cli("current", "90001111").code == 1
    assert cli("aliases", "Mr Lim", "--remove", "90001111").code == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("a.md", "b.md", "--path", "c.md"), "--path names the page of one FILE"),
        (("a.md", "--alias", "91234567"), "--alias takes HANDLE=NAME"),
        (("a.md", "--alias", "=Tan"), "--alias takes HANDLE=NAME"),
    ],
)
def test_options_that_make_no_sense_are_a_usage_error(
    cli: Cli, words: tuple[str, ...], told: str
) -> None:
    """Exit code 2, with where to look."""
    ran = cli("remember", *words)
    assert ran.code == 2
    assert told in ran.err
    assert 'run "cloudnee remember --help"' in ran.err


def test_a_bad_date_is_refused(cli: Cli, tmp_path: Path) -> None:
    """A page is not dated by a guess."""
    page(tmp_path, "a.md", "# A\n\n- Lives in: Bedok\n")
    ran = cli("remember", "a.md", "--as-of", "next tuesday")
    assert ran.code == 1
    assert "next tuesday" in ran.out


def test_a_device_is_not_a_page(cli: Cli) -> None:
    """Reading it would never end."""
    ran = cli("remember", "/dev/zero", "--path", "zero.md")
    assert ran.code == 1
    assert "not a file" in ran.out


def test_what_is_not_believed_is_told(desk: Cli, tmp_path: Path) -> None:
    """Warnings and refused statements of a page stand under its line."""
    page(tmp_path, "odd.md", "---\nname: Ann\nid: 7\n---\n# Ann\n\n- Lives in: Bedok\n")
    ran = desk("remember", "odd.md")
    assert ran.code == 0
    assert "warning:" in ran.out


def test_a_note_is_current_at_once(desk: Cli) -> None:
    """On the notes page of its subject, with the same report as a page."""
    ran = desk("note", "Prefers: mornings", "--subject", "Mrs Tan", "--json")
    assert ran.code == 0
    assert set(ran.document) == set(Report.__annotations__)
    assert ran.document["path"].startswith("notes/")
    current = desk("current", "Mrs Tan", "--json").document
    assert "mornings" in [edge["target_name"] for edge in current["edges"]]


def test_a_rating_waits_and_is_taken_in_once(desk: Cli) -> None:
    """Unknown ids are named, the others count; the batch is applied by command."""
    edge = desk("recent", "1", "--json").document["edges"][0]["id"]
    ran = desk("improve", edge, "nobody", "--rating", "5", "--key", "answer-17", "--json")
    assert (ran.code, ran.document) == (1, {"queued": 1, "unknown": ["nobody"]})
    assert set(ran.document) == set(Rated.__annotations__)
    assert desk("improve", edge, "--rating", "4", "--key", "answer-17").code == 0
    applied = desk("apply-feedback", "--json").document
    assert applied == {"ratings": 1, "facts": 1}
    assert set(applied) == set(Applied.__annotations__)
    assert desk("apply-feedback").out == "0 ratings taken in, 0 facts weighed anew\n"


@pytest.mark.parametrize("rating", ["0", "6", "-1"])
def test_a_rating_out_of_range_is_refused(desk: Cli, rating: str) -> None:
    """1 to 5."""
    ran = desk("improve", "x", "--rating", rating)
    assert ran.code == 1
    assert "rating" in ran.err


def test_a_taught_word_expands_a_question(desk: Cli) -> None:
    """Taught once, it holds for every later process."""
    assert desk("alias", "deep clean", "chemical wash").code == 0
    hits = desk("recall", "deep clean", "--json").document["hits"]
    assert hits[0]["edge"]["source_name"] == "Chemical wash"
    assert desk("alias", "", "aircon").code == 1


def test_forgetting_takes_a_page_a_fact_or_a_thing(desk: Cli) -> None:
    """Gone at once; what still names a forgotten thing is listed."""
    edge = desk("history", "Mrs Tan", "--json").document["edges"][0]
    ran = desk("forget", "--edge", edge["id"], "--json")
    assert ran.code == 0
    assert set(ran.document) == set(Forgotten.__annotations__)
    assert edge["target_name"] not in desk("current", "Mrs Tan").out
    assert desk("forget", "--path", "services/old.md", "--purge").code == 0
    assert "180" not in desk("history", "Chemical wash").out
    gone = desk("forget", "--entity", "Mrs Tan")
    assert "still named on customers/tan.md" in gone.out
    assert desk("current", "Mrs Tan").code == 1
    assert desk("check").code == 0


def test_forgetting_names_exactly_one_thing(desk: Cli) -> None:
    """None or two is a usage error; something unknown is nothing found."""
    assert desk("forget").code == 2
    assert desk("forget", "--path", "a.md", "--edge", "x").code == 2
    assert desk("forget", "--path", "none.md").code == 1
    assert desk("forget", "--entity", "Nobody").code == 1
    assert desk("forget", "--edge", "nothing").code == 1


def test_progress_is_shown_to_who_watches(
    desk: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a terminal, on stderr: a program that reads stdout gets the report alone."""
    watched = io.StringIO()
    monkeypatch.setattr(watched, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", watched)
    ran = desk("remember", "services/wash.md", "services/old.md")
    assert "remembering" in watched.getvalue()
    assert "remembering" not in ran.out
