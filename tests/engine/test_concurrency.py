"""Several processes and threads on one file: nothing lost, nothing half seen, no error."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cloudnee import Memory, errors
from cloudnee.extract.base import Extraction
from cloudnee.extract.ontology import load_ontology
from cloudnee.extract.rules import RulesExtractor
from tests.engine.conftest import WordEmbedder

ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from cloudnee import Memory
from tests.engine.conftest import WordEmbedder
file, name = sys.argv[1:]
with Memory.open(file, org="o", embedder=WordEmbedder()) as memory:
    for n in range(100):
        page = f"# {name} {n}\\n\\n- Town: Bedok\\n- Quoted price: {n}\\n- Technician: Team 1\\n"
        report = memory.remember(f"{name}/{n}.md", page)
        assert report.status == "written", report
        assert len(memory.read_current(f"{name} {n}").edges) == 3
"""
READER = """
import sys
from cloudnee import Memory
from tests.engine.conftest import WordEmbedder
with Memory.open(sys.argv[1], org="o", embedder=WordEmbedder()) as memory:
    for n in range(60):
        for page in memory.pages():
            assert page.edges == 3, page
        for hit in memory.recall("who lives in Bedok").hits:
            assert hit.edge.path
"""


def started(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_two_writers_and_two_readers(tmp_path: Path) -> None:
    """Two processes write 100 pages each while two read: 200 pages, no error, whole pages only."""
    file = str(tmp_path / "a.db")
    Memory.open(file, org="o", embedder=WordEmbedder()).close()
    running = [started(WRITER, file, "left"), started(WRITER, file, "right")]
    running += [started(READER, file), started(READER, file)]
    for process in running:
        _, problems = process.communicate(timeout=120)
        assert process.returncode == 0, problems
    with Memory.open(file, org="o", embedder=WordEmbedder()) as memory:
        assert len(memory.pages()) == 200
        assert memory.check() == []
        assert memory.read_current("Bedok").more == 0


def test_many_threads_of_one_memory(memory: Memory) -> None:
    """Threads share a memory: each has its own connection, and every write is there."""
    failed: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for n in range(10):
                memory.remember(f"{name}/{n}.md", f"# {name} {n}\n\n- Town: Bedok\n")
                assert memory.recall(f"where does {name} {n} live").hits
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(memory.pages()) == 60
    assert memory.check() == []


class Meanwhile:
    """The rules, with something happening while they read."""

    name, version, whole_page = "rules", "1", True

    def __init__(self) -> None:
        self.rules = RulesExtractor(load_ontology())
        self.then: Callable[[], object] | None = None

    def extract(self, text: str, *, subject: str, path: str, date: object) -> Extraction:
        then, self.then = self.then, None
        if then is not None:
            then()
        return self.rules.extract(text, subject=subject, path=path, date=date)


def test_a_page_edited_during_a_slow_extraction(open_memory: Callable[..., Memory]) -> None:
    """The work begins again on what is there by then: never old facts on a new page."""
    slow = Meanwhile()
    memory, other = open_memory(extractor=slow), open_memory()
    memory.remember("a.md", "# Mrs Tan\n\n- Quoted price: 180\n")
    slow.then = lambda: other.remember("a.md", "# Mrs Tan\n\n- Quoted price: 170\n")
    memory.remember("a.md", "# Mrs Tan\n\n- Quoted price: 160\n")
    assert [e.target_name for e in memory.read_current("Mrs Tan").edges] == ["160"]
    assert "160" in memory.read_page("a.md")
    assert len(memory.history("Mrs Tan")) == 3


def test_a_page_that_others_change_again_and_again(open_memory: Callable[..., Memory]) -> None:
    """After three tries it is a conflict, and the other's page stands."""
    other = open_memory()
    count = iter(range(100))

    class Always(Meanwhile):
        def extract(self, text: str, **given: object) -> Extraction:  # type: ignore[override]
            other.remember("a.md", f"# Mrs Tan\n\n- Quoted price: {next(count)}\n")
            return Extraction()

    memory = open_memory(extractor=Always())
    with pytest.raises(errors.Conflict, match=r"a\.md"):
        memory.remember("a.md", "# Mrs Tan\n\n- Quoted price: 160\n")
    assert [e.target_name for e in memory.read_current("Mrs Tan").edges] == ["2"]


def test_a_locked_file_is_one_clear_error(
    open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock held too long is named; reading goes on meanwhile."""
    monkeypatch.setattr("cloudnee.store.database.BUSY_MS", 50)
    memory, other = open_memory(), open_memory()
    memory.remember("a.md", "# Mrs Tan\n\n- Quoted price: 160\n")
    with memory._store.writing():
        with pytest.raises(errors.StoreLocked, match="another program"):
            other.remember("b.md", "# Mr Lim\n\n- Quoted price: 200\n")
        assert len(other.read_current("Mrs Tan").edges) == 1
    assert other.remember("b.md", "# Mr Lim\n\n- Quoted price: 200\n").status == "written"
