"""What a server does by itself: it reads pages that wait and applies ratings."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable

from cloudnee.doors.http_desk import Desk
from cloudnee.errors import CloudneeError

__all__ = ["Care"]

log = logging.getLogger("cloudnee.http")


class Care:
    """One task beside the requests. What it has not done when it stops waits in the file."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.busy = False
        self._lock = threading.Lock()
        self._due: dict[str, dict[str, None]] = {}
        self._woken = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False

    def soon(self, org: str, path: str) -> None:
        """Have a kept page read soon; from any thread."""
        with self._lock:
            self._due.setdefault(org, {})[path] = None
        if self._loop:
            self._loop.call_soon_threadsafe(self._woken.set)

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do now."""
        return not self.busy and not self._due

    def stop(self) -> None:
        """Finish the page in hand, and no more."""
        self._stopping = True
        self._woken.set()

    async def run(self) -> None:
        """Look after everything now, then each hour; between, read what was kept."""
        self._loop = asyncio.get_running_loop()
        await self._do(self._warm)
        await self._do(self._all)
        while not self._stopping:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.desk.settings.care_every):
                    await self._woken.wait()
            await self._do(self._read if self._woken.is_set() else self._all)

    async def _do(self, work: Callable[[], None]) -> None:
        self.busy = True
        try:
            await asyncio.to_thread(work)
        finally:
            self.busy = False

    def _warm(self) -> None:
        try:
            self.desk.warm()
        except CloudneeError as error:
            log.error("the model cannot be loaded", extra=_fields(error))

    def _all(self) -> None:
        for org in self.desk.orgs():
            if not self._stopping:
                self._cared(org, None)

    def _read(self) -> None:
        self._woken.clear()  # before the list is taken: what comes after wakes again
        with self._lock:
            taken, self._due = self._due, {}
        for org, paths in taken.items():
            for path in paths:
                if not self._stopping:
                    self._cared(org, path)

    def _cared(self, org: str, path: str | None) -> None:
        try:
            memory = self.desk.memory(org)
            reports = memory.retry(None if path is None else [path])
            if path is None:
                memory.apply_feedback()
        except CloudneeError as error:
            log.error("care failed", extra=_fields(error))
            return
        if failed := sum(report.status in ("failed", "pending") for report in reports):
            log.warning("pages could not be read", extra={"fields": {"pages": failed}})


def _fields(error: Exception) -> dict[str, object]:
    return {"fields": {"error": type(error).__name__}}
