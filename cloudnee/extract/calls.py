"""Calls to an OpenAI-compatible endpoint with a bound on everything: time, size, tries, cost.

A fault that may pass (no connection, a broken answer, 429, 5xx) is tried again after a wait that
grows, with jitter, and never shorter than the server's Retry-After. Any other is told at once.
"""

from __future__ import annotations

import json
import random
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from threading import BoundedSemaphore, Event, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from cloudnee.errors import BadInput, BudgetSpent, ExtractionFailed

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

__all__ = ["Budget", "Endpoint", "LlmSettings", "Meter", "Usage", "settings_from"]

_PASSING = frozenset({408, 409, 425, 429})  # and every 5xx
_WAY_OUT = {
    401: "the key in OPENAI_API_KEY was refused",
    403: "the key in OPENAI_API_KEY may not use this model",
    404: "no such model or address: see --llm-model and --llm-base-url",
}


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Where the model is and what a call may take.

    `timeout` bounds one call in seconds, from the first byte sent to the last received. `tries`
    counts calls, the first included. A server that asks for a wait longer than `longest_wait`
    seconds is not waited for. `most_items` bounds the lists of an answer: a chunk states far fewer
    facts, and a small model fills its answer with repetitions. `reply_tokens` and `temperature`
    are left out of the request where they are None: some models refuse them. `mode` is how the
    form of an answer is asked for: "json_schema", "json" or "tools".
    """

    model: str
    base_url: str | None = None
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    tries: int = 4
    first_wait: float = 0.5
    longest_wait: float = 60.0
    concurrency: int = 4
    reply_tokens: int | None = 2_048
    most_items: int = 60
    reply_bytes: int = 262_144
    temperature: float | None = 0.0
    mode: str = "json_schema"


def settings_from(
    environment: Mapping[str, str], model: str | None, base_url: str | None = None
) -> LlmSettings:
    """Settings for a model, with the key from `OPENAI_API_KEY`.

    Raises `BadInput` without a model's name, and without a key where no `base_url` says that the
    endpoint is another than OpenAI's own. No `.env` file is read.
    """
    if not model:
        raise BadInput("the llm extractor needs a model's name: give --llm-model NAME")
    key = environment.get("OPENAI_API_KEY", "").strip()
    if not key and base_url is None:
        raise BadInput(
            "the llm extractor needs a key in OPENAI_API_KEY, "
            "or the address of an endpoint that needs none: --llm-base-url URL"
        )
    return LlmSettings(model=model, base_url=base_url, key=key)


@dataclass(frozen=True, slots=True)
class Usage:
    """What reading took: calls made, tokens in and out, seconds, and replies found in the cache."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.seconds + other.seconds,
            self.cached + other.cached,
        )


class Budget:
    """How many calls and tokens may still be spent; shared by threads. None is without bound."""

    def __init__(self, calls: int | None = None, tokens: int | None = None) -> None:
        self.calls = calls
        self.tokens = tokens
        self._lock = Lock()
        self._calls = 0
        self._tokens = 0

    def take_call(self) -> None:
        """Take one call, or raise `BudgetSpent` before anything is sent."""
        with self._lock:
            if self.calls is not None and self._calls >= self.calls:
                raise BudgetSpent(_spent(f"{self.calls} calls"))
            if self.tokens is not None and self._tokens >= self.tokens:
                raise BudgetSpent(_spent(f"{self.tokens} tokens"))
            self._calls += 1

    def take_tokens(self, tokens: int) -> None:
        """Count what an answer took. The answer is kept even where it goes beyond the budget."""
        with self._lock:
            self._tokens += tokens


def _spent(amount: str) -> str:
    return f"the budget of {amount} is spent: retry continues where this run stopped"


class Meter:
    """Adds up what one request takes, over its tries."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._calls = 0
        self._tokens_in = 0
        self._tokens_out = 0

    def call(self) -> None:
        """One call goes out."""
        self._calls += 1

    def tokens(self, usage: Any) -> int:
        """Count an answer's own account of its tokens; returns their sum."""
        counts = [getattr(usage, name, 0) for name in ("prompt_tokens", "completion_tokens")]
        sent, received = (n if isinstance(n, int) and n > 0 else 0 for n in counts)
        self._tokens_in += sent
        self._tokens_out += received
        return sent + received

    def usage(self) -> Usage:
        """What it came to."""
        return Usage(self._calls, self._tokens_in, self._tokens_out, monotonic() - self._began)


class _Passing(Exception):
    """A fault that may pass; `after` is the wait that the server asked for, in seconds."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def _wait(seconds: float) -> None:
    Event().wait(seconds)


class Endpoint:
    """Chat completions of one model at one address, `concurrency` of them at once at most.

    Safe to share between threads.
    """

    def __init__(
        self,
        settings: LlmSettings,
        budget: Budget,
        wait: Callable[[float], None] = _wait,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.settings = settings
        self._budget = budget
        self._wait = wait
        self._draw = draw
        self._lock = Lock()
        self._places = BoundedSemaphore(settings.concurrency)
        self._client: Any = None

    def complete(self, meter: Meter, **request: Any) -> ChatCompletion:
        """One answer. Raises `ExtractionFailed` when all tries failed, or one for good."""
        tries = self.settings.tries
        for number in range(1, tries + 1):
            try:
                with self._places:
                    self._budget.take_call()
                    meter.call()
                    answer = self._once(request)
            except _Passing as fault:
                wait = self._wait_before(number, fault.after)
                if number == tries or wait > self.settings.longest_wait:
                    raise self._failed(f"{fault} (tries: {number})") from fault
                self._wait(wait)
            else:
                self._budget.take_tokens(meter.tokens(answer.usage))
                return answer
        raise self._failed("no try was allowed: tries must be 1 or more")

    def close(self) -> None:
        """Close the connections; a later call opens them again."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def _wait_before(self, number: int, after: float | None) -> float:
        # Half fixed, half drawn: clients that failed together do not come back together.
        grown = self.settings.first_wait * 2 ** (number - 1)
        drawn: float = grown * (0.5 + self._draw() / 2)
        return drawn if after is None else after + drawn

    def _once(self, request: dict[str, Any]) -> ChatCompletion:
        import openai

        deadline = monotonic() + self.settings.timeout
        try:
            with self._opened().chat.completions.with_streaming_response.create(
                model=self.settings.model, **request
            ) as response:
                return _completion(self._body(response, deadline))
        except openai.APITimeoutError as error:
            raise _Passing(f"no answer within {self.settings.timeout:g} s") from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise _Passing(f"no connection: {_brief(cause)}") from error
        except openai.APIStatusError as error:
            raise self._refusal(error) from error

    def _body(self, response: Any, deadline: float) -> bytes:
        # The client's own time-out starts anew with every byte; a trickle would never end.
        body = bytearray()
        try:
            for part in response.iter_bytes():
                body += part
                if len(body) > self.settings.reply_bytes:
                    raise self._failed(f"the answer is over {self.settings.reply_bytes} bytes")
                if monotonic() > deadline:
                    raise _Passing(f"no answer within {self.settings.timeout:g} s")
        except _transport_error(response) as error:
            raise _Passing(f"the answer broke off: {_brief(error)}") from error
        return bytes(body)

    def _refusal(self, error: Any) -> Exception:
        status = int(error.status_code)
        body = error.body
        said = f"HTTP {status}: {_brief(body.get('message') if isinstance(body, dict) else error)}"
        if status in _PASSING or status >= 500:
            after = _retry_after(error.response.headers)
            asked = "" if after is None else f", asks to wait {after:.0f} s"
            return _Passing(said + asked, after)
        way_out = _WAY_OUT.get(status)
        return self._failed(f"{way_out} ({said})" if way_out else said)

    def _failed(self, reason: str) -> ExtractionFailed:
        return ExtractionFailed(f"{self.settings.model}: {reason}")

    def _opened(self) -> Any:
        import openai

        with self._lock:
            if self._client is None:
                self._client = openai.OpenAI(
                    api_key=self.settings.key or "none",
                    base_url=self.settings.base_url,
                    timeout=self.settings.timeout,
                    max_retries=0,
                )
                weakref.finalize(self, self._client.close)
            return self._client


def _transport_error(response: Any) -> type[Exception]:
    # The client's HTTP library changed its name between versions; its errors have one root.
    library = import_module(type(response.http_response).__module__.partition(".")[0])
    root: type[Exception] = library.HTTPError
    return root


def _completion(body: bytes) -> ChatCompletion:
    from openai.types.chat import ChatCompletion

    try:
        data = json.loads(body)
        message = data["choices"][0]["message"]
        message["content"] = _sendable(message.get("content") or "")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _Passing(f"the answer is no chat completion: {_brief(body[:80])}") from error
    return ChatCompletion.construct(**data)


def _sendable(content: str) -> str:
    # What can't be written as UTF-8 is no answer, and could not be sent back to be corrected.
    try:
        content.encode("utf-8")
    except UnicodeEncodeError:
        return ""
    return content


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The wait that a server asks for, in seconds: a number or a date."""
    written = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(written))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(written)
    except ValueError:
        return None
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _brief(thing: object) -> str:
    text = thing.decode("utf-8", "replace") if isinstance(thing, bytes) else str(thing)
    line = " ".join(text.split()) or type(thing).__name__
    return line if len(line) <= 200 else line[:199] + "…"
