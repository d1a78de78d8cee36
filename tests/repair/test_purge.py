"""`forget --purge`: the forgotten words stand nowhere in the bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cloudnee import Alias, Memory, errors
from cloudnee.extract.base import Extraction
from tests.repair.conftest import Clock, WordEmbedder

SECRET = "zanzibar"
PAGE = (
    f"---\nphone: +65 9123 4567\nentity: w{SECRET}\ntags: [{SECRET}tag]\n---\n\n# Mrs {SECRET}\n\n"
    f"- Lives in: {SECRET} town\n- Quoted price: 7731\n\nShe keeps {SECRET} curtains.\n"
)
WORDS = (SECRET, "91234567", "9123 4567", "6591234567", "curtain", "7731")


def bytes_of(folder: Path) -> bytes:
    """All bytes of every database and log in a folder, in lower case."""
    return b"".join(f.read_bytes() for f in folder.iterdir() if f.is_file()).lower()


def filled(memory: Memory, clock: Clock) -> None:
    """Someone with history, ratings, handles, a merge and a split, beside others who stay."""
    for n in range(30):
        memory.remember(f"p{n}.md", f"# Person{n}\n\n- Lives in: Town{n % 4}\n- Likes: tea{n}\n")
    memory.remember("secret.md", PAGE, [Alias(f"{SECRET}@mail.sg")])
    clock.turn(days=1)
    memory.remember("secret.md", PAGE.replace("7731", "8842") + f"- Likes: {SECRET} jam\n")
    clock.turn(days=1)
    memory.remember("secret.md", PAGE)
    memory.remember("other.md", f"# Mdm {SECRET}\n\n- Likes: {SECRET} tea\n")
    memory.improve([e.id for e in memory.history(f"Mrs {SECRET}")], rating=5, key="answer")
    memory.apply_feedback()
    memory.accept_merge(memory.read_current("91234567").entities[0].id, f"Mdm {SECRET}")
    memory.recall(f"{SECRET} curtains")


def test_purged_pages_leave_no_bytes(
    memory: Memory, clock: Clock, tmp_path: Path, embedder: WordEmbedder
) -> None:
    """Not in the database, its log, or a backup made afterwards: words, keys, handles, vectors."""
    filled(memory, clock)
    assert SECRET.encode() in bytes_of(tmp_path)
    memory.sync(_folder(tmp_path, PAGE))
    memory.forget(path="other.md")
    memory.forget(path="secret.md", purge=True)
    (tmp_path / "copy").mkdir()
    memory.backup(tmp_path / "copy" / "backup.db")
    for folder in (tmp_path, tmp_path / "copy"):
        held = bytes_of(folder)
        assert [word for word in WORDS if word.encode() in held] == []
        for text in (f"Mrs {SECRET}", f"Mrs {SECRET} quoted price 7731", "7731", "8842"):
            assert embedder.embed([text])[0].tobytes() not in held
    assert memory.check() == []
    assert memory.read_current("Person3").edges != ()


def _folder(tmp_path: Path, page: str) -> Path:
    """A folder beside, that brings the page once more."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "secret.md").write_text(page)
    return folder


def test_a_purged_entity_and_fact_leave_no_bytes(
    memory: Memory, clock: Clock, tmp_path: Path
) -> None:
    """All that is left of an entity is on pages that still name it, and these are listed."""
    filled(memory, clock)
    done = memory.forget(entity=memory.read_current("91234567").entities[0].id)
    assert done.mentions == ("other.md", "secret.md")
    for path in done.mentions:
        memory.forget(path=path, purge=path == "secret.md")
    assert [word for word in WORDS if word.encode() in bytes_of(tmp_path)] == []
    memory.remember("p0.md", "# Person0\n\n- Lives in: Town0\n- Likes: quincejam\n")
    edge = next(e for e in memory.read_current("Person0").edges if e.relation == "likes")
    memory.forget(edge_id=edge.id)
    memory.remember("p0.md", "# Person0\n\n- Lives in: Town0\n")
    memory.forget(path="none.md", purge=True)
    assert b"quincejam" not in bytes_of(tmp_path)


def test_what_a_failed_reading_kept_is_purged_too(
    open_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    """Aliases that wait for a reading, and its reason, go with the page."""

    class Failing:
        name, version, whole_page = "failing", "1", True

        def extract(self, text: str, **_: object) -> Extraction:
            raise RuntimeError(f"no answer about {SECRET}")

    memory = open_memory(extractor=Failing())
    report = memory.remember("secret.md", PAGE, [Alias("+65 9123 4567", f"Mrs {SECRET}")])
    assert report.status == "failed"
    memory.forget(path="secret.md", purge=True)
    assert [word for word in WORDS if word.encode() in bytes_of(tmp_path)] == []


def test_a_purge_beside_a_reader_says_that_its_log_still_holds_it(
    memory: Memory, clock: Clock, open_memory: Callable[..., Memory]
) -> None:
    """It never claims to be done while another program keeps the old bytes alive."""
    filled(memory, clock)
    other = open_memory()
    memory._store.db.connection.set_busy_timeout(50)
    with other._store.reading():
        other.pages()
        with pytest.raises(errors.StoreLocked):
            memory.forget(path="secret.md", purge=True)
    memory.forget(path="secret.md", purge=True)
    assert memory.read_page("secret.md") == ""
