"""Writes: whole or not at all, failures reported, the same again is no work."""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
import numpy as np
import pytest

from cloudnee import Alias, Memory, NewPage, errors
from cloudnee.extract.base import ExtractedEdge, Extraction
from tests.engine.conftest import WordEmbedder

TAN = "# Mrs Tan\n\n- Town: Bedok\n- Quoted price: 160\n"


class Scripted:
    """An extractor that gives what the test put in, or raises it."""

    name = "scripted"
    version = "1"

    def __init__(self, *outcomes: object) -> None:
        self.outcomes = list(outcomes)
        self.calls = 0

    def extract(self, text: str, *, subject: str, path: str, date: object) -> Extraction:
        self.calls += 1
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome  # type: ignore[return-value]


GOOD = Extraction(edges=(ExtractedEdge("Mrs Tan", "lives_in", "Bedok", "- Town: Bedok"),))


def test_the_same_text_twice(memory: Memory, embedder: WordEmbedder) -> None:
    """The second call says unchanged, asks no model, and the ids are the same."""
    first = memory.remember("a.md", TAN)
    asked = len(embedder.asked)
    assert memory.remember("a.md", TAN).status == "unchanged"
    assert len(embedder.asked) == asked
    assert {e.id for e in memory.read_current("Mrs Tan").edges} == set(first.added)


FAULTS: Sequence[object] = [
    TimeoutError("too slow"),
    ValueError("broken"),
    {},
    None,
    "```json",
    Extraction(edges=(ExtractedEdge("", "lives_in", "Bedok", ""),)),
    Extraction(edges=(ExtractedEdge("Mrs Tan", "lives_in", " ", ""),)),
    Extraction(edges=(ExtractedEdge("Mrs Tan", "lives_in", None, ""),)),  # type: ignore[arg-type]
    Extraction(edges=(ExtractedEdge("Mrs Tan", "likes", "\ud800", "parrot"),)),
    Extraction(edges=("not an edge",)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("fault", FAULTS, ids=ascii)
def test_a_failed_extraction_keeps_yesterdays_facts(
    open_memory: Callable[..., Memory], fault: object
) -> None:
    """The new text is stored and searchable, the facts stay, the status says why."""
    memory = open_memory(extractor=Scripted(GOOD, fault))
    memory.remember("a.md", TAN)
    before = memory.read_current("Mrs Tan").edges
    report = memory.remember("a.md", TAN + "\nShe has a parrot.\n")
    assert report.status == "failed"
    assert report.reason
    assert memory.read_current("Mrs Tan").edges == before
    assert [u.path for u in memory.read_current("Mrs Tan").unread] == ["a.md"]
    assert [u.path for u in memory.recall("parrot").unread] == ["a.md"]
    assert "parrot" in memory.recall("parrot").passages[0].text
    assert memory.check() == []


def test_a_failed_page_is_tried_again(open_memory: Callable[..., Memory]) -> None:
    """The same bytes after a failure are read, and the page is whole."""
    memory = open_memory(extractor=Scripted(TimeoutError("slow"), GOOD))
    assert memory.remember("a.md", TAN).status == "failed"
    assert memory.read_current("Mrs Tan").unread
    assert memory.remember("a.md", TAN).status == "written"
    assert memory.read_current("Mrs Tan").unread == ()


def test_one_failed_page_among_many(open_memory: Callable[..., Memory]) -> None:
    """The others of a run are done, each reported in order."""
    memory = open_memory(extractor=Scripted(GOOD, TimeoutError("slow"), GOOD))
    pages = [NewPage(f"p{i}.md", TAN) for i in range(3)]
    pages.insert(1, NewPage("../x.md", TAN))
    statuses = [report.status for report in memory.remember_many(pages)]
    assert statuses == ["written", "failed", "failed", "written"]


class Broken(WordEmbedder):
    """An embedder that fails, or gives what no index may take, while told to."""

    answer: object = None

    def embed(self, texts: Sequence[str]) -> np.ndarray:  # type: ignore[type-arg]
        if isinstance(self.answer, Exception):
            raise self.answer
        return super().embed(texts) if self.answer is None else self.answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    "answer",
    [RuntimeError("gone"), np.zeros((4, 64)), np.full((4, 64), np.nan), np.ones((4, 3))],
    ids=["raises", "zero", "nan", "shape"],
)
def test_an_embedder_that_fails(open_memory: Callable[..., Memory], answer: object) -> None:
    """No row is called current without a vector; the page is kept, and a retry completes it."""
    embedder = Broken()
    memory = open_memory(embedder=embedder)
    embedder.answer = answer
    report = memory.remember("a.md", TAN)
    assert report.status == "failed"
    assert "embedder" in report.reason
    assert memory.read_current("Mrs Tan").edges == ()
    assert memory.check() == []
    embedder.answer = None
    assert memory.remember("a.md", TAN).status == "written"
    assert len(memory.read_current("Mrs Tan").edges) == 2


def test_an_embedder_that_fails_later(open_memory: Callable[..., Memory]) -> None:
    """Yesterday's facts are whole, the file is clean meanwhile, and the page completes later."""
    embedder = Broken()
    memory = open_memory(embedder=embedder)
    memory.remember("a.md", TAN)
    before = memory.read_current("Mrs Tan").edges
    embedder.answer = RuntimeError("gone")
    assert memory.remember("a.md", TAN + "\n- Likes: parrots\n").status == "failed"
    assert memory.read_current("Mrs Tan").edges == before
    assert memory.check() == []
    embedder.answer = None
    assert [report.status for report in memory.retry()] == ["written"]
    assert len(memory.read_current("Mrs Tan").edges) == len(before) + 1


def test_the_file_is_private(memory: Memory, tmp_path: Path) -> None:
    """Database files are made 0600."""
    memory.remember("a.md", TAN)
    for file in tmp_path.glob("desk.db*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def open_file(path: Path) -> Memory:
    return Memory.open(path, org="o", embedder=WordEmbedder())


def test_foreign_files_are_refused_untouched(tmp_path: Path) -> None:
    """Text, another program's database and a folder are refused by name and not written."""
    text = tmp_path / "text.db"
    text.write_text("this is no database, only words that go on for a while\n" * 20)
    foreign = tmp_path / "foreign.db"
    connection = apsw.Connection(str(foreign))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    for file in (text, foreign, tmp_path):
        before = file.read_bytes() if file.is_file() else b""
        with pytest.raises(errors.NotAStore, match=file.name):
            open_file(file)
        assert not file.is_file() or file.read_bytes() == before


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    """A schema of the future is named, with the way out."""
    open_file(tmp_path / "a.db").close()
    connection = apsw.Connection(str(tmp_path / "a.db"))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(errors.NewerStore, match=r"99.*upgrade"):
        open_file(tmp_path / "a.db")


def test_a_missing_folder_and_a_missing_file(tmp_path: Path) -> None:
    """A place that cannot be made is named; with create=False nothing is made."""
    with pytest.raises(errors.StoreError, match="nowhere"):
        open_file(tmp_path / "nowhere" / "a.db")
    with pytest.raises(errors.StoreError, match=r"no database at .*a\.db"):
        Memory.open(tmp_path / "a.db", org="o", create=False)
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize("text", ["", "   \n", "\ud800 broken", "x" * 10_000_001])
def test_pages_that_cannot_be_taken(memory: Memory, text: str) -> None:
    """An empty page, a lone surrogate and a page over the limit are refused by name."""
    with pytest.raises(errors.BadPage):
        memory.remember("a.md", text)
    assert memory.pages() == []


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\ndata: [DONE]\n</memory>\n",
        "# A\n\nnul \0 inside\n",
        "# A\r\n\r\n- Town: Bedok\r\n",
        "\ufeff# A\n\nbom\n",
    ],
)
def test_text_is_kept_as_it_is(memory: Memory, text: str) -> None:
    """Whatever a page holds is given back byte for byte."""
    memory.remember("a.md", text)
    assert memory.read_page("a.md") == text


@pytest.mark.parametrize(
    "path",
    [
        "",
        "../../x",
        "/a.md",
        "a//b.md",
        "./a.md",
        "a/../b.md",
        "C:\\x.md",
        "C:/x.md",
        "a\\b.md",
        "a\0.md",
        "customers/",
        ".",
    ],
)
def test_paths_that_lead_out_are_refused(memory: Memory, path: str) -> None:
    """A path that is not canonical is refused by name, and nothing is stored."""
    with pytest.raises(errors.BadPath):
        memory.remember(path, TAN)
    assert memory.pages() == []


def test_one_page_in_any_normal_form(memory: Memory) -> None:
    """Café.md in NFC and NFD is one page."""
    memory.remember("Caf\u00e9.md", TAN)
    assert memory.read_page("Cafe\u0301.md") == TAN


def test_bad_arguments_are_refused_by_name(memory: Memory) -> None:
    """A string where a list belongs, an unknown kind, a number out of range: named."""
    with pytest.raises(errors.BadInput, match="aliases"):
        memory.remember("a.md", TAN, aliases="91234567")  # type: ignore[arg-type]
    with pytest.raises(errors.BadInput, match="fax"):
        memory.remember("a.md", TAN, aliases=[Alias("1234", "Mrs Tan", kind="fax")])
    with pytest.raises(errors.BadInput, match="top_k"):
        memory.recall("x", top_k=0)
    with pytest.raises(errors.BadInput, match="scoring"):
        memory.recall("x", scoring="best")
    with pytest.raises(errors.BadInput, match="feedback_influence"):
        memory.recall("x", feedback_influence=float("nan"))
    with pytest.raises(errors.BadInput, match="visitor"):
        memory.as_audience("visitor")
    with pytest.raises(TypeError, match="colour"):
        memory.recall("x", colour="red")  # type: ignore[call-arg]


def test_another_model_is_refused_with_the_way_out(open_memory: Callable[..., Memory]) -> None:
    """Vectors of another model are refused; lookups and text search still work."""
    open_memory().remember("a.md", TAN)
    other = WordEmbedder()
    other.model = "another"
    memory = open_memory(embedder=other)
    with pytest.raises(errors.OtherModel, match="reembed"):
        memory.recall("Bedok")
    with pytest.raises(errors.OtherModel, match="bag-of-words"):
        memory.remember("b.md", TAN)
    assert len(memory.read_current("Mrs Tan").edges) == 2


def test_an_unknown_audience_leaves_no_file(tmp_path: Path) -> None:
    """A memory that cannot be opened makes nothing."""
    with pytest.raises(errors.BadInput, match="staff"):
        Memory.open(tmp_path / "a.db", org="o", audience="staff")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("most", [0, -3, 1.5, "x", True])
def test_recent_takes_a_number(memory: Memory, most: object) -> None:
    """A count that is none is refused by name."""
    with pytest.raises(errors.BadInput, match="most"):
        memory.recent(most)  # type: ignore[arg-type]


def test_a_date_is_checked_even_where_it_loses(memory: Memory) -> None:
    """An `as_of` that is no date is refused, also where the page has a date of its own."""
    with pytest.raises(errors.BadInput, match="next tuesday"):
        memory.remember("a.md", "---\ndate: 2026-03-01\n---\n" + TAN, as_of="next tuesday")


def test_a_broken_ontology_is_told_once(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """Many pages under a broken ontology are one error, not a report each."""
    (tmp_path / "bad.yaml").write_text("relations: 7")
    memory = open_memory(ontology=tmp_path)
    with pytest.raises(errors.BadOntology, match=r"bad\.yaml"):
        memory.remember_many([NewPage("a.md", TAN), NewPage("b.md", TAN)])


def test_a_label_added_reads_pages_anew(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """After a change of ontology the same bytes are read anew; else there is no work."""
    text = "# Mrs Tan\n\n- Abode: Bedok\n"
    plain = open_memory()
    plain.remember("a.md", text)
    folder = tmp_path / "ontology"
    folder.mkdir()
    (folder / "own.yaml").write_text("relations: {lives_in: {labels: [abode]}}")
    taught = open_memory(ontology=folder)
    assert taught.remember("a.md", text).status == "written"
    assert [e.relation for e in taught.read_current("Mrs Tan").edges] == ["lives_in"]
    assert taught.remember("a.md", text).status == "unchanged"


def test_five_megabytes_on_one_line(memory: Memory) -> None:
    """A huge line is stored as it is, and its one rare word is found at its very end."""
    text = "# Log\n\n" + "word " * 1_000_000 + "zanzibar"
    assert memory.remember("log.md", text).status == "written"
    assert memory.read_page("log.md") == text
    found = memory.recall("zanzibar").passages[0]
    assert found.text.endswith("zanzibar")
    assert len(found.text) <= 1200


def test_a_full_disk_keeps_nothing_of_the_write(memory: Memory) -> None:
    """Where the file cannot grow, one clear error is raised and all is as before."""
    memory.remember("a.md", TAN)
    connection = memory._store.db.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchall()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(errors.StoreFull, match="free some space"):
        memory.remember("b.md", "# Mr Lim\n\n- Town: Yishun\n\n" + "word " * 20_000)
    connection.execute("PRAGMA max_page_count = 1000000")
    assert [page.path for page in memory.pages()] == ["a.md"]
    assert memory.check() == []
    memory.remember("b.md", "# Mr Lim\n\n- Town: Yishun\n")


def test_a_read_only_file_reads(
    memory: Memory, open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that may not be written is read, and a write says so."""
    memory.remember("a.md", TAN)
    monkeypatch.setattr("cloudnee.store.database.os.access", lambda *_: False)
    reader = open_memory()
    assert len(reader.read_current("Mrs Tan").edges) == 2
    with pytest.raises(errors.StoreReadOnly, match="permissions"):
        reader.remember("b.md", TAN)


def test_a_damaged_file_is_named(memory: Memory, tmp_path: Path) -> None:
    """A page of the file overwritten with noise is told as damage, not as an empty answer."""
    memory.remember_many(
        NewPage(f"p{n}.md", f"# Customer {n}\n\n- Town: Bedok\n") for n in range(50)
    )
    memory.close()
    file = tmp_path / "desk.db"
    held = bytearray(file.read_bytes())
    held[4096 : len(held)] = b"\xff" * (len(held) - 4096)
    file.write_bytes(held)
    with pytest.raises(errors.StoreError, match=r"desk\.db"):
        Memory.open(file, org="coolair", embedder=WordEmbedder()).read_current("Customer 7")


@pytest.mark.parametrize("answer", [np.zeros((1, 64)), np.full((1, 64), np.nan), np.ones((1, 3))])
def test_a_bad_vector_of_a_question(open_memory: Callable[..., Memory], answer: object) -> None:
    """A zero, non-finite or wrongly shaped vector is refused at the question too."""
    embedder = Broken()
    memory = open_memory(embedder=embedder)
    memory.remember("a.md", TAN)
    embedder.answer = answer
    with pytest.raises(errors.BadVector, match="embedder gave"):
        memory.recall("who lives there")


def test_long_vectors_are_normalised(open_memory: Callable[..., Memory]) -> None:
    """Vectors that are not of length 1 are brought to it."""

    class Long(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> np.ndarray:  # type: ignore[override, type-arg]
            return super().embed(texts) * 3

    memory = open_memory(embedder=Long())
    memory.remember("a.md", TAN)
    assert 0 <= memory.recall("Mrs Tan lives in Bedok").hits[0].score < 6


def test_a_batch_of_ratings_is_applied_whole_or_not(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted between applying and marking, nothing is applied; the next time all is, once."""
    memory.remember("a.md", TAN)
    edges = memory.read_current("Mrs Tan").edges
    memory.improve([edge.id for edge in edges], rating=5)
    real = type(memory._store).apply_weight

    def interrupted(store: object, fact: str, weight: float, revision: int) -> None:
        real(memory._store, fact, weight, revision)
        raise KeyboardInterrupt

    monkeypatch.setattr(type(memory._store), "apply_weight", interrupted)
    with pytest.raises(KeyboardInterrupt):
        memory.apply_feedback()
    monkeypatch.undo()
    assert {e.feedback_weight for e in memory.read_current("Mrs Tan").edges} == {0.5}
    for _ in range(2):
        memory.apply_feedback()
    assert {e.feedback_weight for e in memory.read_current("Mrs Tan").edges} == {0.55}


def test_twenty_readmes_are_nobody(memory: Memory) -> None:
    """Pages called README without a heading are themselves, joined to nothing by name."""
    memory.remember_many(
        NewPage(f"folder{n}/README.md", f"- Owner: Team {n}\n\nSome words.\n") for n in range(20)
    )
    assert memory.read_current("readme").entities == ()
    found = {memory.read_current(f"Team {n}").edges[0].source_id for n in range(20)}
    assert len(found) == 20


WRONG_TYPES: dict[str, Callable[[Memory], object]] = {
    "who": lambda m: m.read_current(None),  # type: ignore[arg-type]
    "the who of a history": lambda m: m.history(91234567),  # type: ignore[arg-type]
    "one alias for a list": lambda m: m.remember("b.md", TAN, aliases=Alias("91234567")),  # type: ignore[arg-type]
    "a handle": lambda m: m.remember("b.md", TAN, aliases=[Alias(91234567, "x")]),  # type: ignore[arg-type]
    "as_of": lambda m: m.remember("b.md", TAN, as_of=20260316),  # type: ignore[arg-type]
    "one page for a list": lambda m: m.remember_many("b.md"),  # type: ignore[arg-type]
    "a path for a page": lambda m: m.remember_many(["b.md"]),  # type: ignore[list-item]
    "one path for a list": lambda m: m.retry("a.md"),
    "no ids": lambda m: m.improve(None, 5),  # type: ignore[arg-type]
    "an id": lambda m: m.improve([7], 5),  # type: ignore[list-item]
    "a key": lambda m: m.improve(["x"], 5, key=7),  # type: ignore[arg-type]
    "implicit": lambda m: m.improve(["x"], 5, implicit="yes"),  # type: ignore[arg-type]
    "influence": lambda m: m.recall("tea", feedback_influence=True),
}


@pytest.mark.parametrize("call", WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_a_wrong_type(memory: Memory, call: Callable[[Memory], object]) -> None:
    """Whatever is of the wrong type is refused by name, and nothing is written."""
    memory.remember("a.md", TAN)
    with pytest.raises(errors.BadInput, match="must be"):
        call(memory)
    assert [page.path for page in memory.pages()] == ["a.md"]
    assert memory.apply_feedback().ratings == 0
