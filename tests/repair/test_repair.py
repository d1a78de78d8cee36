"""`check` finds one planted fault of each kind; `repair` mends what can be and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cloudnee import Memory, errors
from tests.repair.conftest import WordEmbedder

PAGES = {
    "customers/tan.md": "# Mrs Tan\n\n- Phone: 91234567\n- Lives in: Bedok\n- Prefers: mornings\n",
    "customers/lim.md": "# Mr Lim\n\n- Phone: 98765432\n- Lives in: Bedok\n- Quoted price: 160\n",
    "services/wash.md": "# Wash\n\n- Quoted price: 90\n\nWater is enough.\n",
}


@pytest.fixture
def desk(memory: Memory) -> Memory:
    """Three pages, one of them with history."""
    memory.remember("services/wash.md", "# Wash\n\n- Quoted price: 80\n")
    for path, text in PAGES.items():
        memory.remember(path, text)
    assert memory.check() == []
    return memory


def run(memory: Memory, statement: str, *values: object) -> None:
    """Plant a fault with a statement of SQL."""
    memory._store.db.vectors().execute(statement, values)


def answers(memory: Memory) -> list[object]:
    """What the desk answers."""
    whos = ("91234567", "98765432", "Mrs Tan", "Mr Lim", "Wash", "Bedok")
    current = [
        sorted((e.id, e.source_name, e.target_name) for e in memory.read_current(who).edges)
        for who in whos
    ]
    questions = ("who lives in Bedok", "wash price", "water", "mornings")
    hits = [[(h.edge.id, h.score) for h in memory.recall(q).hits] for q in questions]
    passages = [[p.text for p in memory.recall(q).passages] for q in questions]
    return [current, hits, passages]


UNIT = np.eye(1, 64, dtype=np.float32).tobytes()
FAULTS = {
    "orphan vector": ["INSERT INTO fact_vectors (rowid, org, vector) VALUES (999, 1, ?)"],
    "missing vector": [
        "DELETE FROM fact_vectors WHERE rowid = (SELECT max(id) FROM texts WHERE kind = 1)"
    ],
    "dangling edge": ["DELETE FROM entities WHERE eid = 'bedok'"],
    "dangling name": ["DELETE FROM entities WHERE eid = 'mrstan'"],
    "orphan entity": [
        "INSERT INTO entities (org, eid, key, folded) VALUES (1, 'ghost', 'ghost', 'ghost')"
    ],
    "wrong hash": ["UPDATE pages SET content_hash = 'x' WHERE path = 'customers/tan.md'"],
    "wrong current_for": ["UPDATE edges SET current_for = 0 WHERE relation = 'prefers'"],
    "wrong audience": ["UPDATE edges SET seen_by = 3, current_for = 3 WHERE relation = 'prefers'"],
    "wrong count": ["UPDATE entities SET uses = 77 WHERE eid = 'bedok'"],
    "wrong text count": ["UPDATE texts SET uses = 77 WHERE text = 'Bedok'"],
    "edge text index": ["DELETE FROM edge_terms WHERE rowid = (SELECT max(id) FROM edges)"],
    "passage text index": ["DELETE FROM passage_terms"],
    "foreign embedding": [
        "UPDATE name_vectors SET vector = ? WHERE rowid = (SELECT id FROM texts WHERE text = '160')"
    ],
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_planted_fault_is_found_and_mended(desk: Memory, kind: str) -> None:
    """Found by its kind, mended, and the answers are those of before."""
    before = answers(desk)
    for statement in FAULTS[kind]:
        run(desk, statement, *((UNIT,) if "?" in statement else ()))
    found = desk.check()
    assert kind in {fault.kind for fault in found}
    assert not any(fault.mended for fault in found)
    mended = desk.repair()
    assert [(f.kind, f.detail) for f in mended] == [(f.kind, f.detail) for f in found]
    assert all(fault.mended for fault in mended)
    assert desk.check() == []
    run(desk, "UPDATE orgs SET generation = generation + 1")
    assert answers(desk) == before


def test_a_broken_text_index_is_built_anew(desk: Memory) -> None:
    """Damage inside the index itself is found by SQLite's own check."""
    before = answers(desk)
    run(desk, "UPDATE passage_terms_data SET block = x'00000000' WHERE id > 10")
    kinds = {fault.kind for fault in desk.check()}
    assert kinds & {"broken text index", "damaged file"}
    assert all(fault.mended for fault in desk.repair())
    assert answers(desk) == before


def test_edges_of_a_page_that_is_gone_are_taken_away(desk: Memory) -> None:
    """What no page tells any more cannot be mended by keeping it."""
    run(desk, "DELETE FROM pages WHERE path = 'customers/tan.md'")
    assert "dangling edge" in {fault.kind for fault in desk.check()}
    assert all(fault.mended for fault in desk.repair())
    assert desk.check() == []
    assert desk.read_current("Mrs Tan").edges == ()
    assert desk.read_current("98765432").edges != ()


def test_a_vector_of_no_length_is_foreign(desk: Memory) -> None:
    """Zero and non-finite vectors would rank first: they are found without the model."""
    for vector in (np.zeros(64, np.float32), np.full(64, np.nan, np.float32)):
        run(desk, "UPDATE fact_vectors SET vector = ? WHERE rowid = "
            "(SELECT max(id) FROM texts WHERE kind = 1)", vector.tobytes())  # fmt: skip
        assert [fault.kind for fault in desk.check()] == ["foreign embedding"]
        assert [fault.mended for fault in desk.repair()] == [True]


def test_repair_of_a_clean_file_does_nothing_and_is_the_owners(desk: Memory) -> None:
    """No fault, no write; others may not."""
    revision = desk._store.revision()
    assert desk.repair() == []
    assert desk._store.revision() == revision
    with pytest.raises(errors.Forbidden):
        desk.as_audience("public").repair()


class OtherModel(WordEmbedder):
    """Another model, with other dimensions."""

    model, dimensions = "other-words", 32


def test_reembed_changes_the_model_of_the_whole_file(
    desk: Memory, open_memory: Callable[..., Memory]
) -> None:
    """Every org's vectors are the new model's; the old one is refused, the facts are the same."""
    second = open_memory(org="second")
    second.remember("a.md", "# Ann\n\n- Likes: tea\n")
    seen: list[tuple[int, int]] = []
    ids = [e.id for e in desk.recent(100)]
    count = desk.reembed(OtherModel(), progress=lambda *at: seen.append(at))
    assert seen == [(count, count)]
    assert desk.check() == []
    assert "Bedok" in {hit.edge.target_name for hit in desk.recall("who lives in Bedok").hits}
    assert [e.id for e in desk.recent(100)] == ids
    with pytest.raises(errors.OtherModel, match="cloudnee reembed"):
        second.recall("tea")
    other = open_memory(org="second", embedder=OtherModel())
    assert other.recall("who likes tea").hits[0].edge.target_name == "tea"
    desk.remember("b.md", "# Bob\n\n- Likes: tea\n")
    assert desk.check() == []


def test_a_parked_vector_is_embedded_anew_too(
    desk: Memory, open_memory: Callable[..., Memory]
) -> None:
    """A fact that lost is current again under the new model when the winner goes."""
    desk.remember("old.md", "# Wash\n\n- Quoted price: 70\n", as_of="2020-01-01")
    desk.reembed(OtherModel())
    desk.forget(path="services/wash.md")
    assert desk.recall("Wash price").hits[0].edge.target_name == "70"
    assert desk.check() == []


def test_a_reembedding_that_fails_changes_nothing(desk: Memory) -> None:
    """The old vectors serve on."""

    class Failing(OtherModel):
        def embed(self, texts: object) -> object:  # type: ignore[override]
            raise RuntimeError("no weights")

    before = answers(desk)
    with pytest.raises(errors.EmbeddingFailed, match="no weights"):
        desk.reembed(Failing())
    assert answers(desk) == before
    with pytest.raises(errors.Forbidden):
        desk.as_audience("public").reembed(OtherModel())


def test_backup_while_another_writes(
    desk: Memory, open_memory: Callable[..., Memory], tmp_path: Path, embedder: WordEmbedder
) -> None:
    """The copy is one moment of the file, whole and private, whatever is written meanwhile."""
    import threading

    stop = threading.Event()
    other = open_memory()

    def write() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            other.remember(f"w/{n}.md", f"# Writer {n}a\n\n- Likes: tea{n}\n")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for name in ("one.db", "two.db", "one.db"):
            desk.backup(tmp_path / name)
    finally:
        stop.set()
        thread.join()
    for name in ("one.db", "two.db"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
        with Memory.open(tmp_path / name, org="coolair", embedder=embedder) as copy:
            assert copy.check() == []
            assert copy.read_current("91234567").edges != ()


def test_a_backup_overwrites_no_other_file(desk: Memory, tmp_path: Path) -> None:
    """A file of something else, a folder, and the database itself are refused."""
    (tmp_path / "letter.txt").write_text("dear all " * 200)
    with pytest.raises(errors.NotAStore):
        desk.backup(tmp_path / "letter.txt")
    for target in (tmp_path, tmp_path / "desk.db"):
        with pytest.raises(errors.BadInput):
            desk.backup(target)
    with pytest.raises(errors.Forbidden):
        desk.as_audience("public").backup(tmp_path / "x.db")
    assert (tmp_path / "letter.txt").read_text().startswith("dear all")
