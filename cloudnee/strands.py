"""A `MemoryStore` for Strands Agents (extra `strands`): what an agent keeps and finds again.

from strands import Agent
from strands.memory import MemoryManager
from cloudnee.strands import CloudneeMemoryStore

store = CloudneeMemoryStore("desk.db", org="coolair", audience="owner", subject="Mrs Tan")
agent = Agent(model=…, memory_manager=MemoryManager(stores=[store], add_tool_config=True))
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from strands.memory.types import MemoryEntry, MemoryStore

from cloudnee.doors.remote import Remote
from cloudnee.doors.strands_found import Looked, entries, looked
from cloudnee.doors.strands_said import lines, said
from cloudnee.errors import BadInput, CloudneeError, Conflict
from cloudnee.memory import Memory

if TYPE_CHECKING:
    from strands.memory.extraction.types import ExtractionConfig
    from strands.memory.types import AddMessagesContext, SearchOptions
    from strands.types.content import Message
    from strands.types.tools import AgentTool

    from cloudnee.doors.strands_found import Source
    from cloudnee.model import Recall, Report

__all__ = ["CloudneeMemoryStore"]

T = TypeVar("T")
_ABOUT = (
    "Facts that people wrote down, each with its date and page: what is current about a person, "
    "phone number, thing or price, and passages of the pages themselves."
)
_TRIES = 3
_MOST = 5  # entries of a search that names no number
_log = logging.getLogger(__name__)


class CloudneeMemoryStore(MemoryStore):
    """One org's memory, as one audience, for an agent.

    `source` is a `Memory` (which stays its opener's to close), the path of a database, or the
    `http(s)://` address of `cloudnee serve` with `key` (else CLOUDNEE_KEY in the environment).
    `subject` is whom notes are about, so that "I prefer mornings" has a subject; it defaults to
    the store's name. `roles` are those whose messages are kept when conversations are delivered:
    what a model said is no fact. `run` tells conversations apart, as a session's id does.
    `timeout` in seconds bounds a search. `options` go to `Memory.open`. Safe in several threads
    and event loops; it opens its file at first use.
    """

    def __init__(
        self,
        source: Memory | str | os.PathLike[str],
        *,
        org: str,
        audience: str,
        subject: str | None = None,
        name: str = "cloudnee",
        writable: bool = True,
        extraction: ExtractionConfig | bool | None = None,
        description: str | None = _ABOUT,
        max_search_results: int | None = _MOST,
        roles: Iterable[str] = ("user",),
        run: str = "",
        timeout: float = 10.0,
        key: str | None = None,
        **options: Any,
    ) -> None:
        self.name = name
        self.description = description
        self.writable = writable
        self.extraction = extraction
        self.max_search_results = max_search_results
        self.subject = subject or name
        self.roles = _roles(roles)
        self.run = run
        self.timeout = timeout
        self._lock = threading.Lock()
        self._owned = not isinstance(source, Memory)
        self._held: Source | None = _of(source, org, audience)
        self._open = _opener(source, org, audience, key, options)

    def __repr__(self) -> str:
        return f"CloudneeMemoryStore({self.name!r}, subject={self.subject!r})"

    @property
    def memory(self) -> Source:
        """The memory behind the store, opened when it is first needed."""
        with self._lock:
            if self._held is None:
                self._held = self._open()
            return self._held

    def close(self) -> None:
        """Close the file, where the store opened it."""
        with self._lock:
            if self._owned and self._held is not None:
                self._held.close()
                self._held = None

    # what Strands calls

    async def initialize(self) -> None:
        """Open the memory and check that its schema, model and key can be used; else raise."""
        await asyncio.to_thread(lambda: self.memory.verify())

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Facts as sentences with dates and pages, then passages, best first.

        Phones, e-mail addresses and names are looked up by SQL at once; a query that is nothing
        else is answered so. Where the memory cannot answer in time, or at all, an entry says so:
        that nothing is known is never said for a failure.
        """
        if not query.strip():
            return []
        most = (options or {}).get("max_search_results") or self.max_search_results or _MOST
        found, recall, why = Looked(), None, ""
        try:
            async with asyncio.timeout(self.timeout):
                found = await _given_up_freely(lambda: looked(self.memory, query))
                if not found.alone:
                    recall = await _given_up_freely(lambda: self._recall(query, most))
        except TimeoutError:
            why = f"no answer within {self.timeout:g} seconds"
        except CloudneeError as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - whatever failed, an agent must learn that it did
            _log.exception("store %s could not search", self.name)
            why = f"{type(error).__name__}: {error}"
        return entries(found, recall, why, most)

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
        """Keep a note about the subject (`metadata["subject"]`, else the store's), once.

        Each line that says something is a note. Gives the page's path, the status ("written", or
        "unchanged" where the same words stand), the ids of the facts read from it, and warnings.
        Raises where it could not be kept.
        """
        given = metadata or {}
        subject = str(given.get("subject") or self.subject)
        return await asyncio.to_thread(lambda: self._add(content, subject))

    async def add_messages(
        self, messages: list[Message], context: AddMessagesContext | None = None
    ) -> dict[str, int]:
        """Keep what was said in a conversation: the text of the messages as notes, once.

        A message is known again by its number and words, also in another process, so a batch that
        is delivered again writes nothing; other words under a number begin a new run. What came
        out of the memory into the prompt (its fence, and lines that cite a page and date) is not
        learned. Gives how many notes were written.
        """
        numbers = (context.sequence_numbers if context else None) or []
        return await asyncio.to_thread(lambda: self._keep(messages, numbers))

    def get_tools(self) -> list[AgentTool]:
        """The tools that Strands has none for: read_current, history, and of a writable store
        improve and forget."""
        from cloudnee.doors.strands_tools import tools

        return tools(lambda: self.memory, self.name, writable=self.writable)

    # in a thread

    def _recall(self, query: str, most: int) -> Recall:
        return self.memory.recall(query, top_k=most)

    def _add(self, content: str, subject: str) -> dict[str, Any]:
        notes = lines(content)
        if not notes:
            raise BadInput("a note needs words: this one says nothing")
        reports = [self._note(note, subject) for note in notes]
        told = [report.status for report in reports]
        return {
            "path": reports[-1].path,
            "status": next((status for status in told if status != "unchanged"), "unchanged"),
            "edge_ids": [edge for report in reports for edge in report.added],
            "reason": "; ".join(filter(None, (report.reason for report in reports))),
            "warnings": [warning for report in reports for warning in report.warnings],
        }

    def _keep(self, messages: Sequence[Message], numbers: Sequence[int]) -> dict[str, int]:
        run = "\n".join((self.name, self.subject, self.run))
        told = said(messages, numbers, self.roles, run)
        reports = [self._note(one.text, self.subject, one.key, one.number) for one in told]
        return {"written": sum(report.status != "unchanged" for report in reports)}

    def _note(
        self, text: str, subject: str, key: str | None = None, number: int | None = None
    ) -> Report:
        if not self.writable:
            raise BadInput(f"store {self.name!r} is not writable")
        return _persisted(lambda: self.memory.note(text, subject=subject, key=key, number=number))


async def _given_up_freely(work: Callable[[], T]) -> T:
    """As `asyncio.to_thread`, in a thread that no event loop waits for when it ends: a sync
    `Agent` has a loop for each call, and would wait for a search that was given up."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_threads(), context.run, work)


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(8, "cloudnee")


def _roles(given: Iterable[str]) -> frozenset[str]:
    roles = frozenset([given] if isinstance(given, str) else given)
    if unknown := roles - {"user", "assistant"}:
        raise BadInput(f"roles are user and assistant, not {', '.join(sorted(map(str, unknown)))}")
    return roles


def _of(source: Memory | str | os.PathLike[str], org: str, audience: str) -> Memory | None:
    """The memory that was given, as this audience."""
    if not isinstance(source, Memory):
        return None
    if org != source.org:
        raise BadInput(f"the memory is of org {source.org!r}, not {org!r}")
    return source if audience == source.audience else source.as_audience(audience)


def _opener(
    source: Memory | str | os.PathLike[str],
    org: str,
    audience: str,
    key: str | None,
    options: dict[str, Any],
) -> Callable[[], Source]:
    if isinstance(source, Memory):
        return lambda: source
    if isinstance(source, str) and source.startswith(("http://", "https://")):
        if options:
            raise BadInput(f"a server has its own {', '.join(options)}: leave them out")
        return lambda: Remote(source, key, org=org, audience=audience)
    if os.fspath(source) == ":memory:":
        raise BadInput("a store works in several threads, which share no ':memory:': give a file")
    return lambda: Memory.open(source, org=org, audience=audience, **options)


def _persisted(work: Callable[[], T]) -> T:
    """Try again where others wrote at the same moment."""
    for _ in range(_TRIES - 1):
        try:
            return work()
        except Conflict:
            continue
    return work()
