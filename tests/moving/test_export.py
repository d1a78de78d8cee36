"""Export, wipe, import: the same memory, from something people can read."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cloudnee import Memory, errors
from tests.moving.conftest import TIMES, TOWNS, Clock, WordEmbedder, customer

Opener = Callable[..., Memory]

QUESTIONS = (
    [f"what price was quoted to Person{n}" for n in range(80)]
    + [f"who lives in {town} and prefers {time}" for town in TOWNS for time in TIMES]
    + [f"Mrs Person{n} works with" for n in range(80)]
    + [f"{time} in {town}" for town in TOWNS for time in TIMES]
    + ["hvac price", "wash", "tea", "Person4", "nobody at all", "Mr", "200", "9031234", "C++", ""]
)


def answers(memory: Memory) -> list[object]:
    """All that 200 questions answer: hits, scores, ids, passages, subjects."""
    found: list[object] = []
    for question in QUESTIONS:
        answer = memory.recall(question)
        found.append((answer.hits, answer.passages, answer.unread))
    influenced = [memory.recall(q, feedback_influence=0.5).hits for q in QUESTIONS[::20]]
    found.append([[(hit.edge.id, hit.score) for hit in hits] for hits in influenced])
    found.append(memory.recall("who lives in Bedok").subjects)
    return found


def everything(memory: Memory) -> list[object]:
    """What the other doors answer: history, current, pages, aliases, recent, graph."""
    whos = [f"Mrs Person{n}" for n in range(40)] + [f"Mr Person{n}" for n in range(40)]
    whos += [f"9{n:03}1234" for n in range(40)] + [f"8{n:03}5678" for n in range(40)]
    found: list[object] = [(memory.read_current(w), memory.history(w)) for w in whos]
    found += [memory.aliases(who) for who in whos]
    found += [memory.pages(), memory.recent(1000), sorted(memory.graph(past=True).edges(keys=True))]
    found += [memory.read_page(page.path) for page in memory.pages()]
    return found


def test_there_are_two_hundred_questions() -> None:
    """The promise is about 200 of them."""
    assert len(QUESTIONS) == 200


@pytest.mark.parametrize(("name", "vectors"), [("export", True), ("export.zip", False)])
def test_an_import_gives_the_same_answers_scores_and_ids(
    desk: Memory, open_other: Opener, tmp_path: Path, name: str, vectors: bool
) -> None:
    """200 questions, every history and handle, for the owner and the public."""
    done = desk.export(tmp_path / name, vectors=vectors)
    assert done.pages == len(desk.pages()) == 42
    other = open_other("other.db")
    taken = other.import_(tmp_path / name)
    assert (taken.pages, taken.unchanged, taken.left) == (42, 0, ())
    assert taken.facts == done.facts
    assert answers(other) == answers(desk)
    assert everything(other) == everything(desk)
    public, before = other.as_audience("public"), desk.as_audience("public")
    for question in ("wash price", "Mrs Person3", "Bedok"):
        assert public.recall(question).hits == before.recall(question).hits
    assert other.check() == []


def test_with_its_vectors_an_import_embeds_nothing(
    desk: Memory, open_other: Opener, tmp_path: Path, embedder: WordEmbedder
) -> None:
    """The same model's vectors are taken as they are."""
    desk.export(tmp_path / "export")
    embedder.asked.clear()
    open_other("other.db").import_(tmp_path / "export")
    assert embedder.asked == []


def test_ratings_tombstones_and_words_hold(
    desk: Memory, open_other: Opener, tmp_path: Path, clock: Clock
) -> None:
    """Queued ratings are applied once, re-ratings replace, what was forgotten stays away."""
    desk.export(tmp_path / "export")
    other = open_other("other.db")
    other.import_(tmp_path / "export")
    for memory in (desk, other):
        assert memory.apply_feedback().ratings == 5
        memory.improve([e.id for e in memory.recent(30)][:10], rating=2, key="k")
        memory.apply_feedback()
    weights = {e.id: e.feedback_weight for e in desk.recent(1000)}
    assert {e.id: e.feedback_weight for e in other.recent(1000)} == weights
    other.remember("customers/9.md", customer(9, 109) + "- Likes: tea\n")
    relations = {e.relation for e in other.read_current("Mrs Person9").edges}
    assert "likes" in relations
    assert "prefers" not in relations
    folder = tmp_path / "folder"
    (folder / "customers").mkdir(parents=True)
    (folder / "customers/7.md").write_text(customer(7, 107))
    assert other.sync(folder).of("forgotten") == ("customers/7.md",)


def test_both_go_on_alike_after_the_move(
    desk: Memory, open_other: Opener, tmp_path: Path, clock: Clock
) -> None:
    """The same pages remembered in both give the same ids, intervals and people."""
    desk.export(tmp_path / "export")
    other = open_other("other.db")
    other.import_(tmp_path / "export")
    for memory in (desk, other):
        for n in range(0, 40, 5):
            memory.remember(f"customers/{n}.md", customer(n, 300 + n))
        memory.remember("more/tan.md", "# Mr Person0\n\n- Phone: 66660000\n- Likes: tea\n")
        memory.forget(path="customers/8.md")
    assert everything(other) == everything(desk)


def test_it_is_one_readable_folder(desk: Memory, tmp_path: Path) -> None:
    """Pages as files byte for byte, the rest as JSON with dates a person can read."""
    desk.remember("odd/crlf.md", "# Crlf\r\n\r\n- Town: Bedok\r\n")
    desk.export(tmp_path / "export")
    assert (tmp_path / "export/pages/odd/crlf.md").read_bytes().startswith(b"# Crlf\r\n")
    head = json.loads((tmp_path / "export/memory.json").read_text())
    assert (head["format"], head["version"], head["org"]) == ("cloudnee export", 1, "coolair")
    first = json.loads((tmp_path / "export/pages.jsonl").read_text().splitlines()[0])
    assert first["path"] == "customers/0.md"
    assert {fact["since"][:4] for fact in first["facts"]} == {"2026"}
    assert not list(tmp_path.glob(".*.part"))


def test_an_import_broken_off_goes_on(
    desk: Memory, open_other: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was taken stays whole, the next run takes the rest, with the same answers."""
    monkeypatch.setattr("cloudnee.flows.moving.TOGETHER", 10)
    desk.export(tmp_path / "export")
    other = open_other("other.db")
    passages = "cloudnee.flows.moving.page_passages"

    def broken(page: object, name: str) -> object:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        from cloudnee.pages.passages import page_passages

        counted = iter(range(1000))
        patch.setattr(passages, lambda *a: broken(*a) if next(counted) > 24 else page_passages(*a))
        with pytest.raises(KeyboardInterrupt):
            other.import_(tmp_path / "export")
    assert 0 < len(other.pages()) < 42
    assert other.check() == []
    taken = other.import_(tmp_path / "export")
    assert taken.unchanged + taken.pages == 42
    assert taken.unchanged >= 10
    assert everything(other) == everything(desk)
    assert other.import_(tmp_path / "export").unchanged == 42


def test_what_cannot_be_taken_is_named(desk: Memory, open_other: Opener, tmp_path: Path) -> None:
    """A missing file, a broken one, a bad line: the rest is taken."""
    desk.export(tmp_path / "export")
    pages = tmp_path / "export/pages"
    (pages / "customers/1.md").unlink()
    (pages / "customers/2.md").write_bytes(b"\xff")
    (pages / "customers/3.md").write_text(customer(3, 999))
    (pages / "customers/new.md").write_text("# Mrs New\n\n- Lives in: Novena\n")
    lines = (tmp_path / "export/pages.jsonl").read_text().splitlines()
    lines[4] = lines[4][:100]
    lines[5] = json.dumps({"path": "customers/5.md", "n": 6})
    (tmp_path / "export/pages.jsonl").write_text("\n".join(lines))
    other = open_other("other.db")
    taken = other.import_(tmp_path / "export")
    left = dict(taken.left)
    assert "missing" in left["customers/1.md"]
    assert "UTF-8" in left["customers/2.md"]
    assert "changed since the export" in left["customers/3.md"]
    assert "added to the export by hand" in left["customers/new.md"]
    assert "not a line" in left["pages.jsonl, line 5"]
    assert "customers/5.md" in left
    assert "999" in {e.target_name for e in other.read_current("Mrs Person3").edges}
    assert other.read_current("Mrs New").edges
    assert other.check() == []


def test_a_full_org_and_foreign_or_newer_exports_are_refused(
    desk: Memory, open_other: Opener, tmp_path: Path
) -> None:
    """With the way out; nothing is done."""
    desk.export(tmp_path / "export")
    with pytest.raises(errors.BadInput, match="holds 42 pages already"):
        desk.import_(tmp_path / "export")
    with pytest.raises(errors.BadInput, match="there already"):
        desk.export(tmp_path / "export")
    head = tmp_path / "export/memory.json"
    head.write_text(head.read_text().replace('"version": 1', '"version": 9'))
    with pytest.raises(errors.BadInput, match="version 9"):
        open_other("other.db").import_(tmp_path / "export")
    head.write_text(head.read_text().replace('"version": 9', '"version": 1'))
    for move in (desk.as_audience("public").export, desk.as_audience("public").import_):
        with pytest.raises(errors.Forbidden):
            move(tmp_path / "export")


def test_another_model_embeds_anew(desk: Memory, open_other: Opener, tmp_path: Path) -> None:
    """Vectors of another model are not taken; the facts are."""
    desk.export(tmp_path / "export")

    class Other(WordEmbedder):
        model, dimensions = "other", 32

    other = open_other("other.db", embedder=Other())
    assert other.import_(tmp_path / "export").pages == 42
    assert other.check() == []
    assert [e.id for e in other.recent(1000)] == [e.id for e in desk.recent(1000)]


def test_an_export_beside_another_org_keeps_its_order(
    desk: Memory, open_other: Opener, tmp_path: Path
) -> None:
    """A file that holds another org takes it too, and neither mixes with the other."""
    desk.export(tmp_path / "export.zip")
    first = open_other("other.db", org="first")
    first.remember("a.md", "# Mrs Person3\n\n- Lives in: Elsewhere\n")
    other = open_other("other.db")
    other.import_(tmp_path / "export.zip")
    assert everything(other) == everything(desk)
    assert len(first.recent(100)) == 1
    assert first.check() == other.check() == []


def test_names_a_zip_must_not_hold_lead_nowhere(
    desk: Memory, open_other: Opener, tmp_path: Path
) -> None:
    """A path that leads out is refused by name, and no file is made."""
    desk.export(tmp_path / "export.zip")
    with zipfile.ZipFile(tmp_path / "export.zip", "a") as held:
        held.writestr("pages/../../evil.md", "# Evil\n")
    taken = open_other("other.db").import_(tmp_path / "export.zip")
    assert [what for what, _ in taken.left] == ["../../evil.md"]
    assert not list(tmp_path.rglob("evil.md"))


def test_an_empty_org_moves_too(open_other: Opener, tmp_path: Path) -> None:
    """Nothing in, nothing out."""
    assert open_other("empty.db").export(tmp_path / "export").pages == 0
    assert open_other("other.db").import_(tmp_path / "export").pages == 0
