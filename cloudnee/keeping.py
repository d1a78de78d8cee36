"""The care of a memory: folders, pages not read yet, merges, moving, mending.

`Memory` has it all. Each method is one call into a flow.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from cloudnee.flows.caller import Caller
from cloudnee.model import (
    Alias,
    Edge,
    Exported,
    Fault,
    Imported,
    Merge,
    NearNotes,
    NewPage,
    Proposal,
    Report,
    SyncReport,
)

if TYPE_CHECKING:
    import threading

    from cloudnee.embed import Embedder
    from cloudnee.errors import CloudneeError
    from cloudnee.extract.base import Extractor
    from cloudnee.flows.picture import Picture
    from cloudnee.flows.remembering import Remembering
    from cloudnee.graph.supersession import Laws

__all__ = ["Keeping"]


class Keeping:
    """What `Memory` does for the record it keeps, beside remembering and answering."""

    _caller: Caller

    @property
    def _remembering(self) -> Remembering:
        from cloudnee.flows.remembering import Remembering

        return Remembering(self._caller)

    # for doors that answer at once, or draw

    @property
    def embedder(self) -> Embedder:
        """The embedder in force: the one given, else the one of the file's vectors."""
        return self._caller.engine.embedder

    def warm(self) -> str:
        """Load the model, so that the first question need not wait for it; gives its name."""
        self._caller.engine.embedded(["ready"])
        return self.embedder.model

    def duplicates(self) -> list[NearNotes]:
        """Pairs of notes of one subject that may say the same, the nearest first; computed now."""
        from cloudnee.flows.doubling import near_notes

        return near_notes(self._caller)

    def merge_notes(self, one: str, other: str) -> list[Report]:
        """Make one note of two, given as PATH:LINE: the later stays and keeps the other's words
        and place in a comment behind it. Reports the pages written."""
        from cloudnee.flows.doubling import merged_notes

        return merged_notes(self._remembering, one, other)

    @property
    def extractor(self) -> str:
        """What reads this org's pages where neither the caller nor the page says: "rules", "llm"
        or "both"."""
        return self._caller.store.extractor() or "rules"

    def set_extractor(self, name: str) -> None:
        """Choose what reads this org's pages where neither the caller nor the page says.

        With "llm" or "both" a page waits ("pending") while no model is at hand. Only the owner may.
        """
        from cloudnee.errors import BadInput

        self._caller.owner_only("choose the extractor")
        if name not in ("rules", "llm", "both"):
            raise BadInput(f"extractor must be rules, llm or both, not {name!r}")
        with self._caller.store.writing():
            self._caller.found()
            self._caller.store.set_extractor(name)

    def use_extractor(self, extractor: Extractor) -> None:
        """Read pages with this extractor from now on, in this process."""
        self._caller.engine.use_extractor(extractor)

    def reopen(self, edge_id: str) -> bool:
        """Let a fact be current again that a model said contradicts another.

        False where this audience sees no such fact. Raises `Forbidden` where it may not write its
        page.
        """
        from cloudnee.flows.contradicting import reopened

        return reopened(self._caller, edge_id)

    def verify(self) -> None:
        """Raise what a first question would: a file of another kind, schema or embedding model."""
        engine = self._caller.engine
        if engine.store.known:
            engine.vectors.guard(engine.embedder.model, engine.embedder.dimensions)

    def keep(
        self,
        path: str,
        text: str,
        aliases: Sequence[Alias] = (),
        as_of: datetime | str | None = None,
    ) -> Report:
        """Store a page unread, as "pending": its text is found at once, `retry` reads its facts.

        "unchanged" where the same was read already. Raises what `remember` raises.
        """
        remembering = self._remembering
        return remembering.keep(remembering.given(NewPage(path, text, tuple(aliases), as_of)))

    @property
    def writes(self) -> bool:
        """Whether this audience may write any page."""
        return bool(self._caller.rule().writes)

    def unread_counts(self) -> dict[str, int]:
        """How many pages that this audience sees are "pending" and how many "failed"."""
        found = self._caller.store.unread(self._caller.bit, 1_000_000)
        return dict(Counter(status for _, status, _ in found))

    def edges(self, ids: Iterable[str]) -> list[Edge]:
        """The edges with these ids that this audience sees, in this order."""
        reader = self._caller.reader()
        with reader.store.reading():
            found = (reader.store.edge_by_eid(one, reader.bit) for one in ids)
            return reader.judged(filter(None, found), lambda: self._caller.engine.ontology)

    def picture(
        self, who: str | None = None, *, past: bool = False, most: int | None = None
    ) -> Picture:
        """The graph to draw: all of it; with `most`, no more entities, the busiest first; with
        `who`, one step around whoever is meant, `most` edges for each."""
        from cloudnee.flows.picture import around, pictured

        reader = self._caller.reader()

        def laws() -> Laws:
            return self._caller.engine.ontology

        if who is None:
            return pictured(reader, past, laws, most)
        return around(reader, who, past, laws, most or 200)

    # folders

    def sync(
        self,
        folder: str | os.PathLike[str],
        *,
        write: bool = False,
        force: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> SyncReport:
        """Bring a folder of Markdown files and the memory together.

        New and changed files are read, the facts of files that went are retired. A page that
        another door changed since is never overwritten but reported as a conflict. With `write`,
        pages made or changed by other doors are written into the folder; where both changed, the
        page's text is put beside the file as NAME.conflict.md. `force` takes the file's text in
        every conflict, and allows more than a third of the folder's pages to be retired; without
        it that raises `BadInput` and nothing is done. `progress(done, total)` counts pages read.
        """
        from cloudnee.flows.syncing import sync

        return sync(self._remembering, folder, write=write, force=force, progress=progress)

    def watch(
        self,
        folder: str | os.PathLike[str],
        *,
        write: bool = False,
        stop: threading.Event | None = None,
    ) -> Iterator[SyncReport | CloudneeError]:
        """Sync now and whenever the folder, or with `write` the memory, changes; until `stop`.

        Gives the reports that tell of something, and errors instead of ending at them.
        """
        from cloudnee.flows.syncing import watch

        return watch(self._remembering, folder, write=write, stop=stop)

    # who is who

    def merges(self, most: int = 100) -> list[Proposal]:
        """Pairs of entities that may be one, with the reasons, as far as this audience sees them.

        Computed when asked, from names, titles, initials, spelling in other scripts, shared
        handles, shared neighbours and near name vectors. Nothing is merged until `accept_merge`.
        """
        from cloudnee.flows.proposing import proposed

        return proposed(self._caller, most)

    def merged(self) -> list[Merge]:
        """The merges and splits in force; owner only."""
        from cloudnee.flows.merging import listed

        return listed(self._caller)

    def accept_merge(self, first: str, second: str) -> Merge:
        """Make the second entity one with the first; both by id, handle or name. Owner only.

        Names, handles, facts and their history move. Pages read anew keep to it.
        """
        from cloudnee.flows.merging import accept

        return accept(self._caller, first, second)

    def reject_merge(self, first: str, second: str) -> None:
        """Never propose these two again; owner only."""
        from cloudnee.flows.merging import reject

        reject(self._caller, first, second)

    def split(self, who: str, paths: Iterable[str]) -> Merge:
        """Make what these pages call `who` an entity of its own; owner only."""
        from cloudnee.flows.merging import split

        return split(self._caller, who, paths)

    def undo_merge(self, number: int) -> Merge:
        """Take a merge or split back; `merged` lists their numbers. Owner only."""
        from cloudnee.flows.merging import undo

        return undo(self._caller, number)

    # moving

    def backup(self, file: str | os.PathLike[str]) -> None:
        """Copy the database as it is now to another file, while others may write; owner only."""
        self._caller.owner_only("back up the file")
        self._caller.store.db.copy_to(file)

    def export(self, file: str | os.PathLike[str], *, vectors: bool = True) -> Exported:
        """Write the whole org to a new folder, or a .zip file, that people can read; owner only.

        Pages stand in it as files, beside them what pages don't hold. Without `vectors` it is
        smaller, and an import embeds the texts anew.
        """
        from cloudnee.flows.exporting import export

        return export(self._caller, file, vectors=vectors)

    def import_(
        self, source: str | os.PathLike[str], *, kind: str | None = None, into: str = ""
    ) -> Imported:
        """Take in what `export` wrote, or what another program keeps.

        `kind` is seen from the source: "cloudnee" (an export, into an org that holds no page: the
        same ids, dates, scores), "folder" (Markdown files, as of an Obsidian vault or
        basic-memory), "memory-md" (one file, split by heading), "mem0" (its JSON) or "mcp" (the
        JSON lines of the MCP memory server). `into` is a folder for the pages' paths. Broken off,
        it goes on when called again; no page that is there is overwritten.
        """
        from pathlib import Path

        from cloudnee.flows.importing import import_pages

        return import_pages(self._remembering, Path(source), kind=kind, into=into)

    # mending

    def repair(self) -> list[Fault]:
        """Mend what `check` finds, and say of each fault whether it is mended; owner only.

        What rows and indexes lost is made again from other rows and from the pages' texts; what
        no page tells any more is taken away.
        """
        from cloudnee.flows.repairing import repaired

        return repaired(self._remembering)

    def reembed(
        self, embedder: Embedder, progress: Callable[[int, int], None] | None = None
    ) -> int:
        """Make all vectors of the file anew with another embedder, which serves from then on.

        All orgs of the file change at once; until then the old vectors serve. Gives the number of
        texts. Owner only.
        """
        from cloudnee.flows.reembedding import reembed

        return reembed(self._caller, embedder, progress)
