"""`sync`: a folder of files and the memory, brought together without losing anything."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cloudnee import Memory, errors
from cloudnee.extract.base import Extraction
from tests.sync.conftest import KOH, LIM, TAN, WASH, Clock, Folder


def current(memory: Memory, who: str) -> set[str]:
    """The current targets of someone."""
    return {edge.target_name for edge in memory.read_current(who).edges}


def test_a_folder_is_read_and_an_unchanged_one_costs_nothing(
    memory: Memory, folder: Folder
) -> None:
    """The first sync reads all, the second writes nothing."""
    first = memory.sync(folder.root)
    assert first.counts == {"added": 4}
    revision = memory._store.revision()
    assert memory.sync(folder.root).counts == {"unchanged": 4}
    assert memory._store.revision() == revision
    assert current(memory, "Mrs Tan") == {"Bedok", "mornings"}
    assert memory.check() == []


def test_a_changed_file_is_read_anew(memory: Memory, folder: Folder) -> None:
    """Only that page changes, and its history is kept."""
    memory.sync(folder.root)
    folder.write("customers/tan.md", TAN.replace("Bedok", "Tampines"))
    report = memory.sync(folder.root)
    assert report.of("changed") == ("customers/tan.md",)
    assert current(memory, "Mrs Tan") == {"Tampines", "mornings"}
    assert {e.target_name for e in memory.history("Mrs Tan")} == {"Bedok", "Tampines", "mornings"}


def test_a_file_that_went_retires_its_facts_and_keeps_their_history(
    memory: Memory, folder: Folder
) -> None:
    """It is not forgotten: the facts ended, the name still leads to their history."""
    memory.sync(folder.root)
    folder.remove("customers/tan.md")
    assert memory.sync(folder.root).of("retired") == ("customers/tan.md",)
    assert current(memory, "Mrs Tan") == set()
    history = memory.history("Mrs Tan")
    assert {(e.target_name, e.ended) for e in history} == {
        ("Bedok", "retired"), ("mornings", "retired"),
    }  # fmt: skip
    assert memory.recall("mornings").passages == ()
    assert memory.read_page("customers/tan.md") == ""
    assert memory.check() == []
    assert memory.sync(folder.root).counts == {"unchanged": 3}
    folder.write("customers/tan.md", TAN)
    assert memory.sync(folder.root).of("added") == ("customers/tan.md",)
    assert current(memory, "Mrs Tan") == {"Bedok", "mornings"}
    assert memory.recall("mornings").passages != ()
    assert memory.check() == []


def test_a_still_stated_value_is_current_again(
    memory: Memory, folder: Folder, clock: Clock
) -> None:
    """When the file that said 160 goes, the page that still says 180 counts again."""
    memory.remember("old.md", WASH.replace("160", "180"))
    clock.turn(days=1)
    memory.sync(folder.root)
    assert current(memory, "Chemical wash") == {"160"}
    folder.remove("services/wash.md")
    memory.sync(folder.root)
    assert current(memory, "Chemical wash") == {"180"}
    assert memory.check() == []


def test_a_forgotten_page_and_fact_stay_away(memory: Memory, folder: Folder) -> None:
    """A page until its bytes change, a fact until its own line does."""
    memory.sync(folder.root)
    memory.forget(path="customers/lim.md")
    rule = next(e for e in memory.read_current("Mrs Tan").edges if e.target_name == "mornings")
    memory.forget(edge_id=rule.id)
    report = memory.sync(folder.root)
    assert report.of("forgotten") == ("customers/lim.md",)
    assert current(memory, "Mrs Tan") == {"Bedok"}
    folder.write("customers/tan.md", TAN.replace("Bedok", "Tampines"))
    folder.write("customers/lim.md", LIM + "\nNew words.\n")
    memory.sync(folder.root)
    assert current(memory, "Mrs Tan") == {"Tampines"}
    assert current(memory, "Mr Lim") == {"Yishun"}
    folder.write("customers/tan.md", TAN.replace("mornings", "early mornings"))
    memory.sync(folder.root)
    assert current(memory, "Mrs Tan") == {"Bedok", "early mornings"}


def test_a_second_folder_leaves_the_first_ones_pages_alone(
    memory: Memory, folder: Folder, make_folder: Callable[[str], Folder]
) -> None:
    """Folder B retires nothing of A, and does not overwrite a page of A."""
    memory.sync(folder.root)
    other = make_folder("other")
    other.write("customers/tan.md", TAN.replace("Bedok", "Changi"))
    other.write("customers/ong.md", "# Mr Ong\n\n- Lives in: Novena\n")
    report = memory.sync(other.root)
    assert report.of("added") == ("customers/ong.md",)
    assert report.of("conflict") == ("customers/tan.md",)
    assert str(folder.root) in next(i.reason for i in report.items if i.kind == "conflict")
    assert current(memory, "Mrs Tan") == {"Bedok", "mornings"}
    assert memory.sync(folder.root).counts == {"unchanged": 4}


def test_a_note_added_to_a_synced_page_is_a_conflict_with_both_texts_kept(
    memory: Memory, folder: Folder
) -> None:
    """Neither side is overwritten until --write or --force says so."""
    memory.sync(folder.root)
    noted = TAN + "- Likes: tea\n"
    memory.remember("customers/tan.md", noted)
    assert memory.sync(folder.root).of("conflict") == ("customers/tan.md",)
    assert memory.read_page("customers/tan.md") == noted
    assert folder.read("customers/tan.md") == TAN
    assert memory.sync(folder.root, write=True).of("put") == ("customers/tan.md",)
    assert folder.read("customers/tan.md") == noted
    assert memory.sync(folder.root).counts == {"unchanged": 4}


def test_both_sides_edited_leaves_both_texts_and_a_way_to_merge(
    memory: Memory, folder: Folder
) -> None:
    """The page's text stands beside the file; deleting it says that the file is the merged one."""
    memory.sync(folder.root)
    noted, edited = TAN + "- Likes: tea\n", TAN + "- Likes: coffee\n"
    memory.remember("customers/tan.md", noted)
    folder.write("customers/tan.md", edited)
    assert memory.sync(folder.root).of("conflict") == ("customers/tan.md",)
    for _ in range(2):
        assert memory.sync(folder.root, write=True).of("conflict") == ("customers/tan.md",)
        assert folder.read("customers/tan.conflict.md") == noted
        assert folder.read("customers/tan.md") == edited
        assert memory.read_page("customers/tan.md") == noted
    assert len(folder.files) == 5
    merged = TAN + "- Likes: tea\n- Likes: coffee\n"
    folder.write("customers/tan.md", merged)
    folder.remove("customers/tan.conflict.md")
    assert memory.sync(folder.root).of("changed") == ("customers/tan.md",)
    assert memory.read_page("customers/tan.md") == merged
    assert memory.sync(folder.root, write=True).counts == {"unchanged": 4}


def test_an_edited_conflict_text_is_not_overwritten(memory: Memory, folder: Folder) -> None:
    """A second conflict gets a name of its own."""
    memory.sync(folder.root)
    memory.remember("customers/tan.md", TAN + "- Likes: tea\n")
    folder.write("customers/tan.md", TAN + "- Likes: coffee\n")
    memory.sync(folder.root, write=True)
    memory.remember("customers/tan.md", TAN + "- Likes: cocoa\n")
    memory.sync(folder.root, write=True)
    assert "tea" in folder.read("customers/tan.conflict.md")
    assert "cocoa" in folder.read("customers/tan.conflict-2.md")


def test_force_takes_the_file(memory: Memory, folder: Folder) -> None:
    """In a conflict --force makes the file's text the page."""
    memory.sync(folder.root)
    memory.remember("customers/tan.md", TAN + "- Likes: tea\n")
    folder.write("customers/tan.md", TAN + "- Likes: coffee\n")
    assert memory.sync(folder.root, force=True).of("changed") == ("customers/tan.md",)
    assert current(memory, "Mrs Tan") == {"Bedok", "mornings", "coffee"}


def test_pages_of_other_doors_are_written_into_the_folder(memory: Memory, folder: Folder) -> None:
    """With --write the person has the file of a note, and what is edited there comes back."""
    memory.sync(folder.root)
    path = memory.note("Prefers: evenings", subject="Mr Lim").path
    assert path not in folder.files
    assert memory.sync(folder.root, write=True).of("put") == (path,)
    assert folder.read(path) == memory.read_page(path)
    folder.write(path, folder.read(path) + "- Likes: tea\n")
    assert memory.sync(folder.root, write=True).of("changed") == (path,)
    assert "tea" in current(memory, "Mr Lim")


def test_a_file_that_went_while_its_page_was_changed_is_a_conflict(
    memory: Memory, folder: Folder
) -> None:
    """The other door's words are not retired; --write puts them back."""
    memory.sync(folder.root)
    noted = TAN + "- Likes: tea\n"
    memory.remember("customers/tan.md", noted)
    folder.remove("customers/tan.md")
    assert memory.sync(folder.root).of("conflict") == ("customers/tan.md",)
    assert "tea" in current(memory, "Mrs Tan")
    assert memory.sync(folder.root, write=True).of("put") == ("customers/tan.md",)
    assert folder.read("customers/tan.md") == noted


def test_a_page_changed_during_the_sync_is_not_overwritten(
    open_memory: Callable[..., Memory], folder: Folder
) -> None:
    """What another door writes while the file is being read survives, and is named."""
    noted = TAN + "- Likes: tea\n"
    plain = open_memory()
    plain.sync(folder.root)

    class Slow:
        """An extractor during which another door writes the page."""

        name, version, whole_page = "slow", "1", True

        def extract(self, text: str, **_: object) -> Extraction:
            if plain.read_page("customers/tan.md") != noted:
                plain.remember("customers/tan.md", noted)
            return Extraction()

    folder.write("customers/tan.md", TAN + "- Likes: coffee\n")
    report = open_memory(extractor=Slow()).sync(folder.root)
    assert "customers/tan.md" in report.of("failed")
    assert plain.read_page("customers/tan.md") == noted


def test_a_renamed_file_keeps_history_dates_and_ratings(
    memory: Memory, folder: Folder, clock: Clock
) -> None:
    """A new name is no new statement: since, as_of, weight and intervals stay."""
    memory.sync(folder.root)
    clock.turn(days=1)
    folder.write("customers/tan.md", TAN.replace("Bedok", "Tampines"))
    memory.sync(folder.root)
    edge = next(e for e in memory.read_current("Mrs Tan").edges if e.target_name == "Tampines")
    memory.improve([edge.id], rating=5)
    memory.apply_feedback()
    before = [(e.target_name, e.since, e.as_of, e.ended) for e in memory.history("Mrs Tan")]
    clock.turn(days=1)
    (folder.root / "customers/tan.md").rename(folder.root / "customers/mrs tan.md")
    report = memory.sync(folder.root)
    assert report.of("renamed") == ("customers/mrs tan.md",)
    assert report.of("retired") == ()
    history = memory.history("Mrs Tan")
    assert [(e.target_name, e.since, e.as_of, e.ended) for e in history] == before
    assert {e.path for e in history} == {"customers/mrs tan.md"}
    weights = {e.target_name: e.feedback_weight for e in history}
    assert weights["Tampines"] == 0.55
    again = next(e for e in memory.read_current("Mrs Tan").edges if e.target_name == "Tampines")
    memory.improve([again.id], rating=5)
    memory.apply_feedback()
    assert memory.history("Mrs Tan")
    assert memory.check() == []
    assert memory.sync(folder.root).counts == {"unchanged": 4}


def test_a_forgotten_fact_stays_away_under_another_name(memory: Memory, folder: Folder) -> None:
    """Renaming the file does not bring back what was forgotten."""
    memory.sync(folder.root)
    rule = next(e for e in memory.read_current("Mrs Tan").edges if e.target_name == "mornings")
    memory.forget(edge_id=rule.id)
    (folder.root / "customers/tan.md").rename(folder.root / "customers/t.md")
    assert memory.sync(folder.root).of("renamed") == ("customers/t.md",)
    folder.write("customers/t.md", TAN + "- Likes: tea\n")
    memory.sync(folder.root)
    assert current(memory, "Mrs Tan") == {"Bedok", "tea"}


def test_a_rename_into_a_private_folder_hides_the_page(memory: Memory, folder: Folder) -> None:
    """The path says who sees it: after a rename too."""
    memory.sync(folder.root)
    (folder.root / "private").mkdir()
    (folder.root / "services/wash.md").rename(folder.root / "private/wash.md")
    memory.sync(folder.root)
    public = memory.as_audience("public")
    assert public.read_current("Chemical wash").entities == ()
    assert public.recall("chemical wash price").hits == ()
    assert public.recall("chemical wash price").passages == ()
    assert current(memory, "Chemical wash") == {"160"}
    assert memory.check() == []


def test_more_than_a_third_gone_stops_and_asks(memory: Memory, folder: Folder) -> None:
    """An unmounted disk looks like an empty folder: nothing is done until --force."""
    memory.sync(folder.root)
    folder.remove("customers/tan.md")
    folder.remove("customers/lim.md")
    folder.write("customers/new.md", "# Mr New\n\n- Lives in: Changi\n")
    with pytest.raises(errors.BadInput, match=r"2 of the 4 pages.*--force"):
        memory.sync(folder.root)
    assert current(memory, "Mrs Tan") != set()
    assert memory.read_page("customers/new.md") == ""
    report = memory.sync(folder.root, force=True)
    assert report.of("retired") == ("customers/lim.md", "customers/tan.md")


def test_one_bad_file_among_a_hundred(memory: Memory, make_folder: Callable[[str], Folder]) -> None:
    """99 are done and one is named."""
    folder = make_folder("desk")
    for n in range(99):
        folder.write(f"p{n:02}.md", f"# Person {n}x\n\n- Lives in: Town{n}\n")
    (folder.root / "bad.md").write_bytes(b"\xff\xfe broken")
    report = memory.sync(folder.root)
    assert report.counts == {"added": 99, "failed": 1}
    assert report.of("failed") == ("bad.md",)
    assert "not UTF-8" in next(i.reason for i in report.items if i.kind == "failed")


def test_an_emptied_or_broken_file_does_not_retire_its_page(memory: Memory, folder: Folder) -> None:
    """What cannot be read is named; its facts stay."""
    memory.sync(folder.root)
    folder.write("customers/tan.md", "")
    (folder.root / "customers/lim.md").write_bytes(b"\xff")
    report = memory.sync(folder.root)
    assert report.of("failed") == ("customers/lim.md", "customers/tan.md")
    assert current(memory, "Mrs Tan") == {"Bedok", "mornings"}
    assert current(memory, "Mr Lim") == {"Yishun"}


@pytest.mark.parametrize("what", ["customers", "customers/tan.md"])
def test_what_turns_unreadable_is_not_forgotten(
    memory: Memory, folder: Folder, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder or file without permission is named, and nothing of it is retired."""
    memory.sync(folder.root)
    locked = folder.root / what
    if os.geteuid() == 0:  # root reads everything: say no in its place
        _deny(monkeypatch, locked)
    else:
        locked.chmod(0)
    try:
        report = memory.sync(folder.root)
    finally:
        locked.chmod(0o755)
    assert report.of("retired") == ()
    assert what in report.of("failed")
    assert current(memory, "Mrs Tan") == {"Bedok", "mornings"}


def _deny(monkeypatch: pytest.MonkeyPatch, locked: Path) -> None:
    scandir, read = os.scandir, Path.read_bytes

    def no_list(path: str) -> object:
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    def no_read(self: Path) -> bytes:
        if self == locked:
            raise PermissionError(13, "Permission denied", str(self))
        return read(self)

    monkeypatch.setattr(os, "scandir", no_list)
    monkeypatch.setattr(Path, "read_bytes", no_read)


def test_a_file_that_goes_during_the_scan_is_left_for_the_next(
    memory: Memory, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor that saves by renaming leaves no phantom and ends no fact."""
    memory.sync(folder.root)
    read = Path.read_bytes
    file = folder.root / "customers/tan.md"

    def missing(self: Path) -> bytes:
        if self == file:
            raise FileNotFoundError(2, "gone", str(self))
        return read(self)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", missing)
        report = memory.sync(folder.root)
    assert report.of("retired") == ()
    temporary = folder.write("customers/.tan.md.swp", TAN + "- Likes: tea\n")
    temporary.replace(file)
    assert memory.sync(folder.root).of("changed") == ("customers/tan.md",)
    assert [e.ended for e in memory.history("Mrs Tan")] == ["", "", ""]


def test_links_that_lead_out_are_not_followed(
    memory: Memory, folder: Folder, make_folder: Callable[[str], Folder]
) -> None:
    """Neither a linked file nor a linked folder is read, nor written through."""
    outside = make_folder("outside")
    outside.write("secret.md", "# Secret plan\n\n- Lives in: Nowhere\n")
    (folder.root / "leak.md").symlink_to(outside.root / "secret.md")
    (folder.root / "linked").symlink_to(outside.root, target_is_directory=True)
    report = memory.sync(folder.root)
    assert report.of("passed") == ("leak.md", "linked")
    assert memory.read_current("Secret plan").entities == ()
    memory.remember("linked/new.md", LIM)
    assert memory.sync(folder.root, write=True).of("failed") == ("linked/new.md",)
    assert not (outside.root / "new.md").exists()


def test_twins_by_case_are_both_read_and_named(memory: Memory, folder: Folder) -> None:
    """Two names that differ by case are two pages, and a person is told."""
    folder.write("customers/Tan.md", "# Mdm Tan\n\n- Lives in: Hougang\n")
    twin = (folder.root / "customers/tan.md").read_text() == TAN
    report = memory.sync(folder.root)
    if twin:  # a file system that tells them apart
        assert report.of("passed") == ("customers/tan.md",)
        assert current(memory, "Mdm Tan") == {"Hougang"}
        assert current(memory, "Mrs Tan") == {"Bedok", "mornings"}


def test_names_in_nfc_and_nfd_are_one_page(
    memory: Memory, make_folder: Callable[..., Folder]
) -> None:
    """One is read, the other named."""
    folder = make_folder("desk")
    folder.write("Caf\u00e9.md", TAN)
    folder.write("Cafe\u0301.md", LIM)
    report = memory.sync(folder.root)
    if len(folder.files) == 2:
        assert sorted(report.counts.items()) == [("added", 1), ("failed", 1)]
    assert report.of("added") == ("Caf\u00e9.md",)


def test_a_page_whose_extraction_failed_is_tried_again(
    open_memory: Callable[..., Memory], folder: Folder
) -> None:
    """The next sync reads it, and only it."""

    class Failing:
        name, version, whole_page = "rules2", "1", True
        fails = True

        def extract(self, text: str, **_: object) -> Extraction:
            if self.fails and "Tan" in text:
                raise RuntimeError("no answer")
            return Extraction()

    extractor = Failing()
    memory = open_memory(extractor=extractor)
    report = memory.sync(folder.root)
    assert report.of("failed") == ("customers/tan.md",)
    extractor.fails = False
    assert memory.sync(folder.root).of("changed") == ("customers/tan.md",)


def test_an_ontology_label_added_reads_the_same_pages_anew(
    open_memory: Callable[..., Memory], folder: Folder, tmp_path: Path
) -> None:
    """With the old ontology there is no work; facts keep their dates."""
    memory = open_memory()
    memory.sync(folder.root)
    since = {e.id: e.as_of for e in memory.recent(50)}
    (tmp_path / "own").mkdir()
    (tmp_path / "own/own.yaml").write_text("relations:\n  hums: {labels: [Hums]}\n")
    other = open_memory(ontology=tmp_path / "own")
    assert other.sync(folder.root).counts == {"changed": 4}
    assert other.sync(folder.root).counts == {"unchanged": 4}
    assert {e.id: e.as_of for e in memory.recent(50)} == since


def test_progress_and_unknown_folders(memory: Memory, folder: Folder) -> None:
    """Progress counts the pages read; a folder that is not there is refused by name."""
    seen: list[tuple[int, int]] = []
    memory.sync(folder.root, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(errors.BadInput, match="nowhere is not a folder"):
        memory.sync(folder.root / "nowhere")


def test_an_audience_syncs_what_it_may_write(memory: Memory, folder: Folder) -> None:
    """The public writes nothing: each file is refused by name, nothing is read."""
    public = memory.as_audience("public")
    assert public.sync(folder.root).counts == {"failed": 4}
    assert memory.pages() == []


def test_watching_follows_the_folder_until_it_is_told_to_stop(
    open_memory: Callable[..., Memory], folder: Folder
) -> None:
    """The first report comes at once, the next when a file is saved; the end by an event."""
    stop = threading.Event()
    reports = open_memory().watch(folder.root, stop=stop)
    assert next(reports).counts == {"added": 4}  # type: ignore[union-attr]
    saving = threading.Timer(0.3, lambda: folder.write("customers/koh.md", KOH + "- Likes: tea\n"))
    saving.start()
    assert next(reports).of("changed") == ("customers/koh.md",)  # type: ignore[union-attr]
    stop.set()
    assert list(reports) == []


def test_a_moved_folder_is_the_same_folder(memory: Memory, folder: Folder, tmp_path: Path) -> None:
    """Where the folder that brought the pages is gone, another with them takes over."""
    memory.sync(folder.root)
    moved = folder.root.rename(tmp_path / "moved")
    assert memory.sync(moved).counts == {"unchanged": 4}
    (moved / "customers/tan.md").unlink()
    assert memory.sync(moved).of("retired") == ("customers/tan.md",)


def test_killed_before_it_noted_what_it_read_the_next_sync_goes_on(
    memory: Memory, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages are written, and not yet marked as the folder's: that is made good, nothing is lost."""
    from cloudnee.store.folders import Folders

    memory.sync(folder.root)
    folder.write("customers/tan.md", TAN + "- Likes: tea\n")
    folder.write("customers/new.md", "# Mr New\n\n- Lives in: Changi\n")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Folders, "set_synced", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.sync(folder.root)
    assert memory.check() == []
    assert memory.sync(folder.root).counts == {"unchanged": 5}
    folder.remove("customers/new.md")
    assert memory.sync(folder.root).of("retired") == ("customers/new.md",)


def test_files_lie_as_they_were_when_writing_fails(
    memory: Memory, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk leaves the file whole, no part of another, and says so."""
    memory.sync(folder.root)
    memory.remember("customers/tan.md", TAN + "- Likes: tea\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("cloudnee.flows.folder.os.fsync", full)
        report = memory.sync(folder.root, write=True)
    assert report.of("failed") == ("customers/tan.md",)
    assert folder.read("customers/tan.md") == TAN
    assert len(list(folder.root.rglob("*"))) == len(folder.files) + 2
    assert memory.sync(folder.root, write=True).of("put") == ("customers/tan.md",)
