"""Facts read from prose by a language model that is trusted with nothing.

One call a chunk against any OpenAI-compatible endpoint. What comes back is checked for its form
here and for its truth to the chunk in `grounding`; a fault is told as `ExtractionFailed` and never
as "this chunk states nothing". Needs the extra `llm`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from cloudnee.errors import BadInput, ExtractionFailed
from cloudnee.extract.base import Extraction
from cloudnee.extract.cache import MemoryCache, ReplyCache, reply_key
from cloudnee.extract.calls import Budget, Endpoint, LlmSettings, Meter, Usage
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.prompt import ChunkRequest, prompt_for
from cloudnee.extract.structured import MODES, answered

if TYPE_CHECKING:
    from cloudnee.extract.reply import Reply

__all__ = ["ChunkOutcome", "Estimate", "LlmExtractor"]

_CHARACTERS_A_TOKEN = 3.5  # English Markdown; other scripts take more tokens


@dataclass(frozen=True, slots=True)
class ChunkOutcome:
    """What became of one chunk: an extraction or the reason why not, and what it took."""

    extraction: Extraction | None
    error: ExtractionFailed | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class Estimate:
    """What reading would take at most: calls, and tokens sent; `cached` chunks cost nothing."""

    calls: int
    tokens: int
    cached: int


class LlmExtractor:
    """Reads chunks with a language model. Safe to share between threads.

    `version` changes with the model and with every word of the prompt, relations included.
    """

    name = "llm"
    whole_page = False

    def __init__(
        self,
        settings: LlmSettings,
        ontology: Ontology,
        *,
        cache: ReplyCache | None = None,
        budget: Budget | None = None,
        endpoint: Endpoint | None = None,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        if settings.mode not in MODES:
            raise BadInput(f"mode {settings.mode!r} is not one of {', '.join(MODES)}")
        self.settings = settings
        self.cache: ReplyCache = MemoryCache() if cache is None else cache
        self._own_cache = cache is not None
        self._endpoint = endpoint or Endpoint(settings, budget or Budget())
        self._prompt = prompt_for(ontology)
        self._today = today

    @property
    def version(self) -> str:
        """What a reading depends on beside the text: the model and the prompt."""
        return f"{self.settings.model}/{self._prompt.version}"

    def extract(
        self, text: str, *, subject: str, path: str, date: datetime | str | None
    ) -> Extraction:
        """The facts of one chunk. Raises `ExtractionFailed`, never gives half an answer."""
        (outcome,) = self.extract_many([ChunkRequest(text, subject, path, _day(date))])
        if outcome.extraction is None:
            raise outcome.error or ExtractionFailed(f"{path}: not read")
        return outcome.extraction

    def extract_many(self, requests: Sequence[ChunkRequest]) -> list[ChunkOutcome]:
        """The outcome of each chunk, in order; one that fails leaves the others alone.

        The cache is read and written by the calling thread alone, each reply as it comes: a run
        that is broken off has kept what it paid for.
        """
        keys = [self.cache_key(request) for request in requests]
        found = {key: kept for key in dict.fromkeys(keys) if (kept := self._kept(key))}
        due = {key: r for key, r in zip(keys, requests, strict=True) if key not in found}
        asked = dict(self._asked(due))
        spent = set(asked)
        outcomes: list[ChunkOutcome] = []
        for key in keys:
            outcome = found.get(key) or asked[key]
            again = key in asked and key not in spent
            outcomes.append(replace(outcome, usage=Usage(cached=1)) if again else outcome)
            spent.discard(key)
        return outcomes

    def estimate(self, requests: Sequence[ChunkRequest]) -> Estimate:
        """What `extract_many` would take, without a call."""
        due = [r for r in requests if self.cache.get(self.cache_key(r)) is None]
        written = sum(len(self._prompt.system) + len(request.text) for request in due)
        tokens = round(written / _CHARACTERS_A_TOKEN)
        return Estimate(len(due), tokens, len(requests) - len(due))

    def cache_key(self, request: ChunkRequest) -> str:
        """Under what the reply to a chunk is kept: a page's date and path are no part of it."""
        return reply_key(self.version, request.subject, *request.headings, "", request.text)

    def keep_in(self, cache: ReplyCache) -> None:
        """Keep replies there, unless a cache was given from the beginning."""
        if not self._own_cache:
            self.cache = cache

    def close(self) -> None:
        """Close the connections to the endpoint."""
        self._endpoint.close()

    def _kept(self, key: str) -> ChunkOutcome | None:
        from cloudnee.extract.reply import Reply, extraction

        kept = self.cache.get(key)
        if kept is None:
            return None
        return ChunkOutcome(extraction(Reply.model_validate_json(kept)), None, Usage(cached=1))

    def _asked(self, due: Mapping[str, ChunkRequest]) -> Iterator[tuple[str, ChunkOutcome]]:
        from cloudnee.extract.reply import extraction

        if not due:
            return
        with ThreadPoolExecutor(min(self.settings.concurrency, len(due))) as pool:
            calls = {pool.submit(self._reply, request): key for key, request in due.items()}
            try:
                for call in as_completed(calls):
                    key, (reply, error, usage) = calls[call], call.result()
                    if reply is not None:
                        self.cache.put(key, reply.model_dump_json(), path=due[key].path)
                    read = None if reply is None else extraction(reply)
                    yield key, ChunkOutcome(read, error, usage)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _reply(self, request: ChunkRequest) -> tuple[Reply | None, ExtractionFailed | None, Usage]:
        from cloudnee.extract.reply import reply_form

        meter, form = Meter(), reply_form(self.settings.most_items)
        messages = self._prompt.messages(request, self._today())
        try:
            return answered(form, self._endpoint, meter, messages), None, meter.usage()
        except ExtractionFailed as error:
            return None, error, meter.usage()


def _day(when: datetime | str | None) -> str | None:
    return when.date().isoformat() if isinstance(when, datetime) else when
