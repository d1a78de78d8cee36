"""The reading verbs: what people see, what programs get, and what the exit code says."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from cloudnee.model import Alias, Edge, Entity, Hit, PageInfo, Passage, Source, Subject
from tests.cli.conftest import Cli

READING = (
    ("current", "Mrs Tan"),
    ("history", "Mrs Tan"),
    ("recall", "mornings"),
    ("recent",),
    ("improve", "x", "--rating", "5"),
    ("apply-feedback",),
    ("aliases", "Mrs Tan"),
    ("forget", "--path", "a.md"),
    ("pages",),
    ("graph",),
    ("check",),
    ("audiences",),
)


def names(kind: type) -> set[str]:
    """The fields of a value as JSON must have them."""
    return set(kind.__annotations__)


def facts(document: Any) -> list[tuple[str, str, str]]:
    """The triplets of an answer."""
    return [(e["source_name"], e["relation"], e["target_name"]) for e in document["edges"]]


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_a_reading_verb_makes_no_file(cli: Cli, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Without a database the answer says where it was looked for, and none appears."""
    ran = cli(*words)
    assert (ran.code, ran.out) == (1, "")
    assert "no database at cloudnee.db" in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_a_reading_verb_leaves_the_file_as_it_was(
    desk: Cli, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """Asking under an org that does not exist finds nothing and stores nothing."""
    before = (tmp_path / "cloudnee.db").read_bytes()
    desk(*words, "--org", "nobody")
    assert (tmp_path / "cloudnee.db").read_bytes() == before


def test_current_shows_who_it_is_and_where_it_stands(desk: Cli) -> None:
    """Name and handle, then each fact with page, line and date."""
    ran = desk("current", "9123 4567")
    assert ran.code == 0
    first, *rest = ran.out.splitlines()
    assert first == "Mrs Tan · +65 9123 4567"
    rule = next(line for line in rest if "baby" in line)
    assert rule.split("  ")[1:] != []
    assert "has rule" in rule
    assert "customers/tan.md:10  2026-05-04" in rule


def test_current_as_json_has_the_python_fields(desk: Cli) -> None:
    """Entities, edges, unread, suggestions and more, with times as ISO 8601."""
    document = desk("current", "Mrs Tan", "--json").document
    assert list(document) == ["entities", "edges", "unread", "suggestions", "more"]
    assert set(document["entities"][0]) == names(Entity)
    edge = document["edges"][0]
    assert set(edge) == names(Edge)
    assert set(edge["sources"][0]) == names(Source)
    assert datetime.fromisoformat(edge["as_of"]).tzinfo is not None
    assert (edge["retired_at"], edge["superseded_by"]) == (None, None)


@pytest.mark.parametrize("who", ["Mr Nobody", "", "🦊", "x" * 10_000, "'; DROP TABLE edges; --"])
@pytest.mark.parametrize("verb", ["current", "history", "aliases"])
def test_an_unknown_name_is_a_plain_answer(desk: Cli, verb: str, who: str) -> None:
    """Nothing is known: exit code 1, a line that says so, and no error."""
    ran = desk(verb, "--", who)
    assert (ran.code, ran.err) == (1, "")
    assert 0 < len(ran.out.strip()) < 12_000
    assert desk(verb, "--json", "--", who).code == 1


def test_a_near_name_is_suggested(desk: Cli) -> None:
    """A name without its accent, or with one, leads to a suggestion."""
    ran = desk("current", "Mrs Tán")
    assert ran.code == 1
    assert "nothing is known about Mrs Tán\nperhaps: Mrs Tan" in ran.out


def test_history_says_what_replaced_a_value_and_when(desk: Cli) -> None:
    """The price of 2025 stays with its page and the value that won."""
    ran = desk("history", "Chemical wash")
    old = next(line for line in ran.out.splitlines() if "180" in line)
    assert "services/old.md:6" in old
    assert "2025-03-01" in old
    assert "superseded by 160" in old
    document = desk("history", "chemical wash", "--json").document
    assert list(document) == ["edges"]
    ended = {edge["target_name"]: edge["ended"] for edge in document["edges"]}
    assert ended == {"160": "", "180": "superseded"}


def test_recall_shows_score_and_parts(desk: Cli) -> None:
    """Each hit with score, its three parts, place and the id that improve takes."""
    ran = desk("recall", "chemical wash quoted price", "--subjects")
    assert ran.code == 0
    hits = desk("recall", "chemical wash quoted price", "--json").document["hits"]
    assert ran.out.startswith("who satisfies most of it:\n")
    first, second, *_ = ran.out.partition("fact by fact:\n")[2].splitlines()
    assert first == "1  Chemical wash · quoted price · 160"
    parts = [f"{hits[0]['parts'][part]:.3f} {part}" for part in ("source", "relation", "target")]
    assert second.strip().startswith(f"{hits[0]['score']:.3f} = {' + '.join(parts)} · services/")
    assert second.endswith(hits[0]["edge"]["id"])
    assert "services/wash.md:" in ran.out.partition("on the pages:")[2]


def test_recall_as_json_has_the_python_fields(desk: Cli) -> None:
    """Hits, passages, subjects and unread; the parts of a score add up to it."""
    document = desk("recall", "chemical wash an hour", "--json").document
    assert list(document) == ["hits", "chains", "passages", "subjects", "period", "unread"]
    hit = document["hits"][0]
    assert set(hit) == names(Hit)
    parts = hit["parts"]
    assert parts["source"] + parts["relation"] + parts["target"] == pytest.approx(hit["score"])
    assert set(document["passages"][0]) == names(Passage)
    assert set(document["subjects"][0]) == names(Subject)


def test_recall_options_are_those_of_python(desk: Cli) -> None:
    """--top-k cuts the hits; --scoring wide and ratings change no word of the answer's form."""
    assert len(desk("recall", "wash", "--top-k", "1", "--json").document["hits"]) == 1
    wide = desk("recall", "wash", "--scoring", "wide", "--wide-k", "1", "--json")
    assert wide.document["hits"]
    rated = desk("recall", "wash", "--feedback-influence", "0.5", "--json")
    assert rated.document["hits"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--top-k", "0"), "top_k"),
        (("--feedback-influence", "2"), "feedback_influence"),
        (("--feedback-influence", "nan"), "feedback_influence"),
        (("--hops", "9"), "hops"),
    ],
)
def test_a_number_out_of_range_is_refused_by_name(
    desk: Cli, words: tuple[str, ...], told: str
) -> None:
    """Exit code 1 and the setting's name."""
    ran = desk("recall", "wash", *words)
    assert (ran.code, ran.out) == (1, "")
    assert told in ran.err


def test_a_question_about_nothing_is_answered_plainly(cli: Cli, tmp_path: Path) -> None:
    """An empty memory: exit code 1, no invention."""
    (tmp_path / "a.md").write_text("# A\n\n- Field: x\n", "utf-8")
    cli("remember", "a.md")
    cli("forget", "--path", "a.md")
    ran = cli("recall", "who wants mornings?")
    assert (ran.code, ran.out) == (1, "nothing is known about who wants mornings?\n")
    assert cli("recent").out == "nothing is known yet\n"
    assert cli("pages").out == "no pages\n"
    assert [cli(verb).code for verb in ("recent", "pages", "graph")] == [1, 1, 1]


@pytest.mark.parametrize("query", ["", "  ", '"', "*", "NEAR(", "--", "C++", "🦊", "a" * 10_000])
def test_odd_questions_end_without_an_error(desk: Cli, query: str) -> None:
    """Signs that mean something to a search engine mean nothing here."""
    ran = desk("recall", "--json", "--", query)
    assert ran.code in (0, 1)
    assert ran.err == ""
    assert set(ran.document) == {"hits", "chains", "passages", "subjects", "period", "unread"}


def test_recent_is_bounded_and_newest_first(desk: Cli) -> None:
    """As many as asked for."""
    document = desk("recent", "2", "--json").document
    assert list(document) == ["edges"]
    assert len(document["edges"]) == 2
    assert "current" in desk("recent", "9").out
    assert "superseded by 160" in desk("recent", "9").out


def test_aliases_lists_handles(desk: Cli) -> None:
    """Handle, kind and name."""
    document = desk("aliases", "mrs tan", "--json").document
    assert list(document) == ["aliases"]
    assert set(document["aliases"][0]) == names(Alias)
    assert "+65 9123 4567  phone" in desk("aliases", "mrs tan").out


def test_pages_lists_pages_and_gives_their_text_back(desk: Cli, tmp_path: Path) -> None:
    """The list has status and facts; --read prints the page as it was given."""
    document = desk("pages", "--json").document
    assert [page["path"] for page in document["pages"]] == sorted(
        ["customers/tan.md", "services/old.md", "services/wash.md"]
    )
    assert set(document["pages"][0]) == names(PageInfo)
    assert "services/wash.md" in desk("pages").out
    text = (tmp_path / "customers/tan.md").read_text("utf-8")
    assert desk("pages", "--read", "customers/tan.md").out == text
    assert desk("pages", "--read", "customers/tan.md", "--json").document["text"] == text
    missing = desk("pages", "--read", "customers/lim.md")
    assert (missing.code, missing.out) == (1, "no page at customers/lim.md\n")


def test_graph_is_shown_and_saved(desk: Cli, tmp_path: Path) -> None:
    """As arrows, as node-link JSON, and as GraphML that networkx reads."""
    import networkx

    assert "Chemical wash  quoted price  160" in desk("graph").out
    document = desk("graph", "--json").document
    assert {"nodes", "edges"} <= set(document)
    assert desk("graph", "--out", "desk.graphml", "--past").code == 0
    read = networkx.read_graphml(tmp_path / "desk.graphml", force_multigraph=True)
    assert len(read.edges) > len(document["edges"])
    desk("graph", "--out", "desk.json")
    saved = json.loads((tmp_path / "desk.json").read_text("utf-8"))
    assert len(saved["edges"]) == len(document["edges"])
    for out in ("desk.png", "none/desk.json"):
        refused = desk("graph", "--out", out)
        assert refused.code == 1
        assert out in refused.err


def test_check_finds_nothing_wrong(desk: Cli) -> None:
    """A clean file: exit code 0."""
    assert desk("check").out == "nothing is wrong\n"
    assert desk("check", "--json").document == {"faults": []}


def test_audiences_are_listed_and_changed(desk: Cli, tmp_path: Path) -> None:
    """The rules in force; set puts others in force for every later process."""
    assert "customers/**" in desk("audiences").out
    rules = (
        "audiences:\n  owner: {see: ['**'], write: ['**']}\n"
        "  public: {see: ['**'], hide: ['services/**']}\n"
    )
    (tmp_path / "who.yaml").write_text(rules, "utf-8")
    assert desk("audiences", "set", "who.yaml").code == 0
    listed = desk("audiences", "--json").document["audiences"]
    assert [rule["name"] for rule in listed] == ["owner", "public"]
    assert desk("current", "Mrs Tan", "--audience", "public").code == 0
    assert desk("current", "Chemical wash", "--audience", "public").code == 1
    assert desk("audiences", "set").code == 2


def test_a_public_question_has_no_trace_of_a_customer(desk: Cli) -> None:
    """Not in facts, passages, graph, pages or the newest."""
    for words in (("recall", "baby"), ("graph",), ("pages",), ("recent",), ("current", "91234567")):
        ran = desk(*words, "--audience", "public", "--json")
        assert "Tan" not in ran.out + ran.err
        assert "baby" not in ran.out + ran.err
