"""The care of a memory: folders, pages not read yet, merges, moving, mending.

`Memory` has it all. Each method is one call into a flow.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cloudnee.flows.caller import Caller
from cloudnee.model import SyncReport

if TYPE_CHECKING:
    import threading

    from cloudnee.errors import CloudneeError
    from cloudnee.flows.remembering import Remembering

__all__ = ["Keeping"]


class Keeping:
    """What `Memory` does for the record it keeps, beside remembering and answering."""

    _caller: Caller

    @property
    def _remembering(self) -> Remembering:
        from cloudnee.flows.remembering import Remembering

        return Remembering(self._caller)

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
