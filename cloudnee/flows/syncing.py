"""A folder of Markdown files and the memory, brought together.

The folder owns the pages it brought: a file that changed is read anew, the facts of one that went
are retired. A page that another door changed since is never overwritten. Three texts decide: the
file's, the page's, and the one both had last.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cloudnee.errors import BadInput, BadPath, CloudneeError
from cloudnee.flows.folder import (
    Found,
    Scan,
    conflict_file,
    conflict_files,
    file_text,
    put,
    root_of,
    scan,
)
from cloudnee.flows.remembering import Remembering
from cloudnee.model import NewPage, Report, Synced, SyncReport
from cloudnee.pages.page import ParsedPage
from cloudnee.store.folders import GONE, FolderPage, Folders

if TYPE_CHECKING:
    import threading

    from cloudnee.extract.grounding import PlacedEdge

__all__ = ["Progress", "sync", "watch"]

Progress = Callable[[int, int], None]

_OTHER_FOLDER = "belongs to the folder {}: sync that one, or take it over with --force"
_BOTH = "file and page both changed: merge them in the file; --write puts the page's text beside it"
_BESIDE = "both changed: merge {} into the file, then delete it"
_PAGE = "another door changed the page: --write puts it into the file, --force takes the file"
_LOST = "the file went, and another door changed the page since: --write puts it back"


def sync(
    remembering: Remembering,
    folder: str | os.PathLike[str],
    *,
    write: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> SyncReport:
    """Bring a folder and the memory together once.

    Raises `BadInput` where there is no such folder, or where more than a third of its pages would
    be retired and `force` is not given; nothing is done then.
    """
    return _Sync(remembering, root_of(folder), write=write, force=force).run(progress)


def watch(
    remembering: Remembering,
    folder: str | os.PathLike[str],
    *,
    write: bool = False,
    stop: threading.Event | None = None,
    every: int = 2000,
) -> Iterator[SyncReport | CloudneeError]:
    """Sync now and at each change of the folder, or with `write` of the memory, until `stop`.

    Gives each report that tells of more than unchanged pages, and each error instead of ending.
    `every` is how often, in milliseconds, the memory is looked at.
    """
    from watchfiles import watch as changes

    root = root_of(folder)
    first = _attempt(remembering, root, write=write)
    if first is not None:
        yield first
    seen = remembering.store.db.data_version
    for changed in changes(
        root, stop_event=stop, rust_timeout=every, yield_on_timeout=True, raise_interrupt=False
    ):
        version = remembering.store.db.data_version
        if changed or (write and version != seen):
            told = _attempt(remembering, root, write=write)
            seen = remembering.store.db.data_version
            if told is not None:
                yield told


def _attempt(
    remembering: Remembering, root: Path, *, write: bool
) -> SyncReport | CloudneeError | None:
    try:
        report = sync(remembering, root, write=write)
    except CloudneeError as error:
        return error
    quiet = {"unchanged", "passed"}
    return report if set(report.counts) - quiet else None


@dataclass(frozen=True, slots=True)
class _Plan:
    """A page to read from its file, over the text of a hash; `kind` if it is written."""

    found: Found
    over: str
    kind: str


class _Sync:
    def __init__(self, remembering: Remembering, root: Path, *, write: bool, force: bool) -> None:
        self.remembering = remembering
        self.caller = remembering.caller
        self.store = remembering.store
        self.folders = Folders(remembering.store)
        self.root = root
        self.origin = str(root)
        self.write = write
        self.force = force
        self.items: list[Synced] = []
        self.plans: list[_Plan] = []
        self.renamed: set[str] = set()

    def run(self, progress: Progress | None) -> SyncReport:
        """Scan, decide, guard; then rename, read, retire, and write into the folder."""
        held = scan(self.root)
        self.pages = {page.path: page for page in self.folders.pages(self.caller.bit)}
        self._told(held)
        gone = self._gone(held)
        renamed = self._renamed(held, gone)
        self._guard([page for page in gone if page.path not in {was.path for was, _ in renamed}])
        for page, found in renamed:
            self._rename(page, found)
            gone.remove(page)
        for found in held.files.values():
            self._decide(found)
        self._read(progress)
        if gone:
            with self.store.writing():
                for page in gone:
                    self._retire(page)
        if self.write:
            self._put_missing(held)
        self.items.sort(key=lambda item: item.path)
        return SyncReport(self.origin, tuple(self.items))

    def _say(self, path: str, kind: str, reason: str = "") -> None:
        if kind != "unchanged" or path not in self.renamed:
            self.items.append(Synced(path, kind, reason))

    def _told(self, held: Scan) -> None:
        for path, reason in held.faults:
            self._say(path, "failed", reason)
        for path, reason in held.passed:
            self._say(path, "passed", reason)
        for path, first in held.twins():
            self._say(path, "passed", f"differs from {first} by case only; both are read")

    # what went

    def _owned(self) -> list[FolderPage]:
        return [p for p in self.pages.values() if p.origin == self.origin and p.status != GONE]

    def _gone(self, held: Scan) -> list[FolderPage]:
        """The pages of this folder that have no file any more."""
        missing = [p for p in self._owned() if p.path not in held.files]
        for page in missing:
            if page.changed and not self.write and not held.may_hold(page.path):
                self._say(page.path, "conflict", _LOST)
        return [p for p in missing if not p.changed and not held.may_hold(p.path)]

    def _guard(self, gone: list[FolderPage]) -> None:
        owned = len(self._owned())
        if gone and not self.force and len(gone) * 3 > owned:
            raise BadInput(
                f"{len(gone)} of the {owned} pages that {self.root} brought have no file any more, "
                f"such as {gone[0].path}: is the folder complete? If so, sync with --force"
            )

    def _renamed(self, held: Scan, gone: list[FolderPage]) -> list[tuple[FolderPage, Found]]:
        """Pages whose bytes stand under another name now, where it is clear which."""
        new: dict[str, list[Found]] = {}
        for found in held.files.values():
            if found.path not in self.pages or self.pages[found.path].status == GONE:
                new.setdefault(found.content_hash, []).append(found)
        old: dict[str, list[FolderPage]] = {}
        for page in gone:
            old.setdefault(page.content_hash, []).append(page)
        pairs = [(pages, new.get(content, [])) for content, pages in old.items()]
        return [(a[0], b[0]) for a, b in pairs if len(a) == len(b) == 1 and self._free(b[0])]

    def _free(self, found: Found) -> bool:
        """Whether a page can be moved to where a file is: nothing was there, and it is allowed."""
        return found.path not in self.pages and self.caller.rule().may_write(found.path)

    def _rename(self, page: FolderPage, found: Found) -> None:
        from cloudnee.flows.retiring import move

        base = self.store.page(page.path)
        if base is None or base.content_hash != page.content_hash:
            self._say(page.path, "conflict", _LOST)
            return
        given = self.remembering.given(NewPage(page.path, base.text))
        forgotten: Sequence[PlacedEdge] = ()
        if self.store.has_tombstones():
            (draft,) = self.remembering.engine.drafter.drafts([(given, None, list)])
            forgotten = draft.reading or ()
        with self.store.writing():
            move(self.caller.writer(), base, found.path, forgotten)
        self._say(found.path, "renamed", f"was {page.path}")
        self.renamed.add(found.path)
        self.pages.pop(page.path)
        moved = {p.path: p for p in self.folders.pages(self.caller.bit)}
        if found.path in moved:
            self.pages[found.path] = moved[found.path]

    def _retire(self, page: FolderPage) -> None:
        from cloudnee.flows.retiring import retire

        if os.path.lexists(self.root / page.path):  # an editor saves by renaming
            return
        try:
            self.caller.may_write(page.path)
        except CloudneeError as error:
            self._say(page.path, "failed", str(error))
            return
        row = self.store.page(page.path)
        if row is None or row.content_hash != page.content_hash:
            self._say(page.path, "conflict", _LOST)
            return
        ended = retire(self.caller.writer(), row)
        self._say(page.path, "retired", f"{len(ended)} facts ended; history is kept")

    # what is there

    def _decide(self, found: Found) -> None:
        """What becomes of one file."""
        page = self.pages.get(found.path)
        if page is None:
            self._decide_new(found)
        elif page.status == GONE and self._belongs(page):
            self.plans.append(_Plan(found, page.content_hash, "added"))
        elif found.content_hash == page.content_hash:
            self._decide_same(found, page)
        elif self.force or self._may_replace(found, page):
            self.plans.append(_Plan(found, page.content_hash, "changed"))
        elif not self._belongs(page) and page.origin:
            self._say(found.path, "conflict", _OTHER_FOLDER.format(page.origin))
        elif page.synced == found.content_hash and page.origin:
            self._page_changed(found, page)
        else:
            self._both_changed(found, page)

    def _belongs(self, page: FolderPage) -> bool:
        """Whether the page is this folder's: it brought it, or who brought it is not there now."""
        return page.origin == self.origin or bool(page.origin and not Path(page.origin).is_dir())

    def _may_replace(self, found: Found, page: FolderPage) -> bool:
        """Whether the file's text is the next of the page's.

        It is where no other door changed the page, and where the page's text was put beside the
        file and the person is done with it.
        """
        merged = page.conflict == page.content_hash and not conflict_files(found.file)
        return merged or (self._belongs(page) and not page.changed)

    def _decide_new(self, found: Found) -> None:
        if (
            self.store.is_forgotten("page", f"{found.path}\n{found.content_hash}")
            and not self.force
        ):
            self._say(found.path, "forgotten", "stays away until its bytes change")
        else:
            self.plans.append(_Plan(found, "", "added"))

    def _decide_same(self, found: Found, page: FolderPage) -> None:
        ours = page.origin in ("", self.origin) or self._belongs(page)
        if ours and (page.origin, page.synced) != (self.origin, page.content_hash):
            self._mark([(found.path, found.content_hash)])
        if ours and page.status == "written" and page.reading == self._reader:
            self._say(found.path, "unchanged")
        elif ours or self.force:
            self.plans.append(_Plan(found, page.content_hash, "changed"))
        else:
            self._say(found.path, "unchanged", f"belongs to the folder {page.origin}")

    @cached_property
    def _reader(self) -> str:
        """What reads a page that asks for no other extractor."""
        return self.remembering.engine.drafter.reader(ParsedPage("", "", ""))

    def _page_changed(self, found: Found, page: FolderPage) -> None:
        if not self.write:
            self._say(found.path, "conflict", _PAGE)
        else:
            self._put(page, found.file, found.content_hash)

    def _both_changed(self, found: Found, page: FolderPage) -> None:
        if not self.write:
            self._say(found.path, "conflict", _BOTH)
            return
        beside = conflict_files(found.file)
        if page.conflict != page.content_hash or not beside:
            file = conflict_file(found.file)
            try:
                put(self.root, file, self._text(page), None)
            except BadPath as error:
                self._say(found.path, "failed", str(error))
                return
            with self.store.writing():
                self.folders.set_conflict(page.path, page.content_hash)
            beside = [file]
        self._say(found.path, "conflict", _BESIDE.format(", ".join(f.name for f in beside)))

    # reading

    def _read(self, progress: Progress | None) -> None:
        """Remember what the files hold; a file that went meanwhile is for the next sync."""
        done: list[_Plan] = []
        total = len(self.plans)
        over = {plan.found.path: plan.over for plan in self.plans}
        reports = self.remembering.many(self._pages(done, total, progress), over)
        synced = []
        for plan, report in zip(done, reports, strict=True):
            self._say(report.path, self._kind(plan, report), self._reason(report))
            if report.content_hash:
                synced.append((report.path, report.content_hash))
        self._mark(synced)

    def _pages(self, done: list[_Plan], total: int, progress: Progress | None) -> Iterator[NewPage]:
        for at, plan in enumerate(self.plans, 1):
            try:
                text = file_text(plan.found.path, plan.found.file)
            except FileNotFoundError:
                continue
            except CloudneeError as error:
                self._say(plan.found.path, "failed", str(error))
                continue
            done.append(plan)
            yield NewPage(plan.found.path, text, (), plan.found.day)
            if progress is not None:
                progress(at, total)

    def _kind(self, plan: _Plan, report: Report) -> str:
        return (
            plan.kind if report.status == "written" else report.status.replace("pending", "failed")
        )

    def _reason(self, report: Report) -> str:
        return report.reason or "; ".join(report.warnings)

    def _mark(self, synced: Iterable[tuple[str, str]]) -> None:
        """Note what file and page have in common now."""
        pairs = list(synced)
        if pairs:
            with self.store.writing():
                for path, content_hash in pairs:
                    self.folders.set_synced(path, self.origin, content_hash)

    # writing

    def _put_missing(self, held: Scan) -> None:
        """Write the pages that have no file here: made by other doors, or changed since it went."""
        folded = {path.casefold() for path in held.files}
        for page in self.pages.values():
            ours = page.origin in ("", self.origin)
            if not ours or page.status == GONE or page.path in held.files:
                continue
            if page.origin and not page.changed:
                continue
            if held.may_hold(page.path):
                continue
            if page.path.casefold() in folded:
                self._say(page.path, "conflict", "a file here differs in case only: rename one")
            elif not page.path.lower().endswith((".md", ".markdown")):
                self._say(page.path, "passed", "is no .md path: not written")
            else:
                self._put(page, self.root / page.path, None)

    def _put(self, page: FolderPage, file: Path, expected: str | None) -> None:
        try:
            done = put(self.root, file, self._text(page), expected)
        except (BadPath, OSError) as error:
            self._say(page.path, "failed", str(error))
            return
        if done:
            self._mark([(page.path, page.content_hash)])
            self._say(page.path, "put")
        else:
            self._say(page.path, "conflict", "the file changed just now: sync again")

    def _text(self, page: FolderPage) -> str:
        return self.store.page_text(page.path, self.caller.bit)
