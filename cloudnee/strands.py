"""A `MemoryStore` for Strands Agents (extra `strands`): what an agent keeps and finds again.

from strands import Agent
from strands.memory import MemoryManager
from cloudnee.strands import CloudneeMemoryStore

store = CloudneeMemoryStore("desk.db", org="coolair", audience="owner", subject="Mrs Tan")
agent = Agent(model=…, memory_manager=MemoryManager(stores=[store], add_tool_config=True))
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from strands.memory.types import MemoryEntry, MemoryStore

from cloudnee.doors import strands_found
from cloudnee.doors.remote import Remote
from cloudnee.doors.wording import unfenced
from cloudnee.errors import BadInput, CloudneeError, Conflict
from cloudnee.memory import Memory

if TYPE_CHECKING:
    import os

    from strands.memory.extraction.types import ExtractionConfig
    from strands.memory.types import AddMessagesContext, SearchOptions
    from strands.types.content import Message
    from strands.types.tools import AgentTool

    from cloudnee.doors.strands_found import Source

__all__ = ["CloudneeMemoryStore"]

T = TypeVar("T")
_ABOUT = (
    "Facts that people wrote down, each with its date and page: what is current about a person, "
    "phone number, thing or price, and passages of the pages themselves."
)
_TRIES = 3
_LONGEST = 10_000  # characters of one note


class CloudneeMemoryStore(MemoryStore):
    """One org's memory, as one audience, for an agent.

    `source` is a `Memory` (which stays its opener's to close), the path of a database, or the
    `http(s)://` address of `cloudnee serve` with `key` (else CLOUDNEE_KEY in the environment).
    `subject` is whom notes are about, so that "I prefer mornings" has a subject; it defaults to
    the store's name. `roles` are those whose messages are kept when conversations are delivered:
    what a model said is no fact. `timeout` in seconds bounds a search. `options` go to
    `Memory.open`. Safe in several threads and event loops; it opens its file at first use.
    """

    def __init__(
        self,
        source: Memory | str | os.PathLike[str],
        *,
        org: str = "default",
        audience: str = "owner",
        subject: str | None = None,
        name: str = "cloudnee",
        description: str | None = _ABOUT,
        writable: bool = True,
        extraction: ExtractionConfig | bool | None = None,
        max_search_results: int | None = 5,
        roles: Iterable[str] = ("user",),
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
        self.roles = frozenset(roles)
        self.timeout = timeout
        self._lock = threading.Lock()
        self._owned = not isinstance(source, Memory)
        self._held: Source | None = source if isinstance(source, Memory) else None
        self._open = _opener(source, org, audience, key, timeout, options)
        if isinstance(source, Memory) and (audience, org) != (source.audience, source.org):
            if org not in ("default", source.org):
                raise BadInput(f"the memory is of org {source.org!r}, not {org!r}")
            self._held = source.as_audience(audience)

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
        await _in_thread(lambda: self.memory.verify())

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Facts as sentences with dates and pages, then passages, best first.

        A query that is a phone, an e-mail address or a name is answered by SQL alone. Where the
        memory cannot answer in time, the one entry says so: nothing is never said for a failure.
        """
        most = (options or {}).get("max_search_results") or self.max_search_results or 5
        try:
            work = _in_thread(lambda: strands_found.found(self.memory, query, most))
            return await asyncio.wait_for(work, self.timeout)
        except TimeoutError:
            return [_unanswered(f"no answer within {self.timeout:g} seconds")]
        except CloudneeError as error:
            return [_unanswered(str(error))]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
        """Keep a note about the subject (`metadata["subject"]`, else the store's), once.

        Gives the note's path, its status ("written", or "unchanged" where the same words stand)
        and the ids of the facts read from it. Raises where it could not be kept.
        """
        given = metadata or {}
        subject = str(given.get("subject") or self.subject)
        key = str(given["key"]) if given.get("key") else None
        return await _in_thread(lambda: self._note(content, subject, key))

    async def add_messages(
        self, messages: list[Message], context: AddMessagesContext | None = None
    ) -> dict[str, int]:
        """Keep what was said in a conversation: the text of each message as a note, once.

        A message is known again by its number and words, also in another process, so a batch that
        is delivered again writes nothing. What came out of the memory into the prompt (its fence,
        and lines that cite a page and date) is not learned. Gives how many were written.
        """
        numbers = (context.sequence_numbers if context else None) or []
        numbered = list(numbers) + [-1] * (len(messages) - len(numbers))
        return await _in_thread(lambda: self._keep(list(messages), numbered))

    def get_tools(self) -> list[AgentTool]:
        """The tools that Strands has none for: read_current, history, and of a writable store
        improve and forget."""
        from cloudnee.doors.strands_tools import tools

        return tools(lambda: self.memory, self.name, writable=self.writable)

    # in a thread

    def _note(self, content: str, subject: str, key: str | None) -> dict[str, Any]:
        if not self.writable:
            raise BadInput(f"store {self.name!r} is not writable")
        report = _persisted(lambda: self.memory.note(content, subject=subject, key=key))
        return {
            "path": report.path,
            "status": report.status,
            "edge_ids": list(report.added),
            "reason": report.reason,
        }

    def _keep(self, messages: list[Message], numbers: list[int]) -> dict[str, int]:
        kept = 0
        for number, message in zip(numbers, messages, strict=True):
            if message["role"] not in self.roles:
                continue
            for place, text in enumerate(_said(message)):
                key = _delivery(self.subject, number, place, message["role"], text)
                kept += self._note(text, self.subject, key)["status"] == "written"
        return {"written": kept}


async def _in_thread(work: Callable[[], T]) -> T:
    """In a thread of our own: a loop that ends waits for those of its own, also where a search
    was given up because it took too long."""
    return await asyncio.get_running_loop().run_in_executor(_threads(), work)


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(8, "cloudnee")


def _opener(
    source: Memory | str | os.PathLike[str],
    org: str,
    audience: str,
    key: str | None,
    timeout: float,
    options: dict[str, Any],
) -> Callable[[], Source]:
    if isinstance(source, Memory):
        return lambda: source
    if isinstance(source, str) and source.startswith(("http://", "https://")):
        return lambda: Remote(source, key, org=org, audience=audience, timeout=timeout)
    return lambda: Memory.open(source, org=org, audience=audience, **options)


def _said(message: Message) -> Iterable[str]:
    """The text of a message in notes of a bounded length, without what the memory put there."""
    texts = (unfenced(block["text"]) for block in message["content"] if "text" in block)
    for text in texts:
        words = " ".join(text.split())
        for start in range(0, len(words), _LONGEST):
            yield words[start : start + _LONGEST]


def _delivery(subject: str, number: int, place: int, role: str, text: str) -> str:
    """What a message is known again by. Numbers begin anew with each run: the words tell runs
    apart, and the same words said again are no news."""
    told = "\n".join((subject, str(number), str(place), role, text))
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def _persisted(work: Callable[[], T]) -> T:
    """Try again where others wrote at the same moment."""
    for _ in range(_TRIES - 1):
        try:
            return work()
        except Conflict:
            continue
    return work()


def _unanswered(why: str) -> MemoryEntry:
    """Not the same as nothing found."""
    return MemoryEntry(f"could not answer: {why}", metadata={"kind": "failure"})
