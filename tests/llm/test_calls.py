"""Every fault of an endpoint, played by a real server: what is told, what is tried again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from cloudnee.errors import BadInput, BudgetSpent, ExtractionFailed
from cloudnee.extract.calls import Budget, Endpoint, LlmSettings, settings_from
from cloudnee.extract.llm import ChunkOutcome, LlmExtractor
from cloudnee.extract.ontology import load_ontology
from cloudnee.extract.prompt import ChunkRequest

LINE = "She lives in Bedok."
EDGE = ("Mrs Tan", "lives_in", "Bedok", LINE)
REQUEST = ChunkRequest(f"# Mrs Tan\n{LINE}\n", "Mrs Tan", "customers/tan.md")
ONTOLOGY = load_ontology()


class Reader:
    """An extractor on the scripted server that notes its waits instead of waiting."""

    def __init__(self, settings: LlmSettings, budget: Budget | None = None) -> None:
        self.waits: list[float] = []
        endpoint = Endpoint(settings, budget or Budget(), self.waits.append, draw=lambda: 1.0)
        self.extractor = LlmExtractor(settings, ONTOLOGY, endpoint=endpoint)

    def read(self, request: ChunkRequest = REQUEST) -> ChunkOutcome:
        """What becomes of one chunk."""
        (outcome,) = self.extractor.extract_many([request])
        return outcome

    def reason(self) -> str:
        """Why a chunk failed."""
        outcome = self.read()
        assert outcome.extraction is None
        return str(outcome.error)


@pytest.fixture
def reader(settings: LlmSettings) -> Reader:
    """A reader with the default settings."""
    return Reader(settings)


@pytest.fixture
def good(play: Callable[..., Any], reply: Callable[..., str]) -> Any:
    """A well-formed answer with one edge."""
    return play(reply(EDGE))


def test_an_answer_in_form_is_read(server: Any, reader: Reader, good: Any) -> None:
    """One call, one edge with its line, and what it took."""
    server.script = [good]
    outcome = reader.read()
    assert outcome.extraction is not None
    (edge,) = outcome.extraction.edges
    assert (edge.source, edge.relation, edge.target, edge.line) == EDGE
    assert (outcome.usage.calls, outcome.usage.tokens_in, outcome.usage.tokens_out) == (1, 100, 20)
    assert outcome.usage.seconds > 0


def test_an_empty_answer_is_an_answer(server: Any, reader: Reader) -> None:
    """Two empty lists say that the chunk states nothing: no error, no second call."""
    outcome = reader.read()
    assert outcome.error is None
    assert outcome.extraction is not None
    assert list(outcome.extraction.edges) == []
    assert len(server.requests) == 1


OUT_OF_FORM = {
    "nothing": ("", "Invalid JSON"),
    "an empty object": ("{}", "entities: Field required"),
    "a list missing": ('{"entities": []}', "edges: Field required"),
    "null for a list": ('{"entities": [], "edges": null}', "edges: Input should be a valid array"),
    "fenced": ('```json\n{"entities": [], "edges": []}\n```', "Invalid JSON"),
    "cut in the middle": ('{"entities": [], "edges": [{"source": "Mrs', "Invalid JSON"),
    "no subject": (
        '{"entities": [], "edges": [{"relation": "a", "target": "b", "line": "c"}]}',
        "edges.0.source: Field required",
    ),
    "an empty subject": (
        '{"entities": [], "edges": [{"source": " ", "relation": "a", "target": "b", "line": "c"}]}',
        "edges.0.source: String should have at least 1 character",
    ),
    "a number for a text": (
        '{"entities": [], "edges": [{"source": "a", "relation": "b", "target": 5, "line": "c"}]}',
        "edges.0.target: Input should be a valid string",
    ),
    "a lone surrogate, escaped": (
        '{"entities": [{"name": "\\ud800", "type": ""}], "edges": []}',
        "Invalid JSON",
    ),
    "a lone surrogate": (
        '{"entities": [{"name": "\ud800", "type": ""}], "edges": []}',
        "Invalid JSON",
    ),
    "words": ("I could not find any facts.", "Invalid JSON"),
    "a name of ten thousand letters": (
        json.dumps({"entities": [{"name": "x" * 10_000, "type": ""}], "edges": []}),
        "entities.0.name: String should have at most 300 characters",
    ),
    "a thousand entities": (
        json.dumps({"entities": [{"name": "x", "type": ""}] * 1_000, "edges": []}),
        "entities: List should have at most 60 items",
    ),
}


@pytest.mark.parametrize("kind", OUT_OF_FORM)
def test_out_of_form_twice_is_a_failure(
    server: Any, reader: Reader, play: Callable[..., Any], kind: str
) -> None:
    """The model is shown its error once; out of form again, the chunk has failed and says why."""
    content, reason = OUT_OF_FORM[kind]
    server.script = [play(content)]
    told = reader.reason()
    assert told.startswith("scripted: the answer is out of form: ")
    assert reason in told
    assert len(server.requests) == 2
    assert reader.waits == []


@pytest.mark.parametrize("kind", OUT_OF_FORM)
def test_out_of_form_once_is_mended(
    server: Any, reader: Reader, play: Callable[..., Any], good: Any, kind: str
) -> None:
    """The second request shows the first answer and what was wrong with it; its answer counts."""
    server.script = [play(OUT_OF_FORM[kind][0]), good]
    outcome = reader.read()
    assert outcome.extraction is not None
    assert len(outcome.extraction.edges) == 1
    shown = server.requests[1]["messages"]
    assert [message["role"] for message in shown] == ["system", "user", "assistant", "user"]
    assert "error" in shown[3]["content"]
    assert len(json.dumps(shown)) < 60_000
    assert outcome.usage.calls == 2


def test_ten_thousand_edges_are_cut_off_unread(
    server: Any, reader: Reader, play: Callable[..., Any], reply: Callable[..., str]
) -> None:
    """An answer beyond the bound is dropped while it comes in, and is not asked for again."""
    server.script = [play(reply(*[EDGE] * 10_000))]
    assert reader.reason() == "scripted: the answer is over 262144 bytes"
    assert len(server.requests) == 1


def test_an_answer_at_its_longest_length_is_a_failure(
    server: Any, reader: Reader, play: Callable[..., Any], reply: Callable[..., str]
) -> None:
    """An answer that the server itself calls cut off is not believed, whole as it may look."""
    server.script = [play(reply(EDGE), finish="length")]
    assert "cut off at its longest length" in reader.reason()
    assert len(server.requests) == 1


PASSING = {
    "too many requests": ({"status": 429}, "HTTP 429"),
    "server error": ({"status": 500}, "HTTP 500"),
    "bad gateway": ({"status": 502}, "HTTP 502"),
    "overloaded": ({"status": 529}, "HTTP 529"),
    "no body": ({"body": b""}, "no chat completion"),
    "a web page": ({"body": b"<html>maintenance</html>"}, "no chat completion"),
    "an error as an answer": ({"body": b'{"error": "busy"}'}, "no chat completion"),
    "no choices": ({"body": b'{"choices": []}'}, "no chat completion"),
    "a cut connection": ({"cut": 40}, "broke off"),
}


@pytest.mark.parametrize("kind", PASSING)
def test_what_may_pass_is_tried_again(
    server: Any, reader: Reader, play: Callable[..., Any], good: Any, kind: str
) -> None:
    """A fault of the moment costs a wait and one more call, no more."""
    server.script = [play(**PASSING[kind][0]), good]
    outcome = reader.read()
    assert outcome.extraction is not None
    assert outcome.usage.calls == 2
    assert reader.waits == [0.5]


@pytest.mark.parametrize("kind", PASSING)
def test_what_does_not_pass_fails_after_four_tries(
    server: Any, reader: Reader, play: Callable[..., Any], kind: str
) -> None:
    """The waits double, the tries end, and the reason is the last fault."""
    fault, reason = PASSING[kind]
    server.script = [play(**fault)]
    told = reader.reason()
    assert reason in told
    assert told.endswith("(tries: 4)")
    assert len(server.requests) == 4
    assert reader.waits == [0.5, 1.0, 2.0]


FINAL = {
    400: "scripted: HTTP 400: as scripted",
    401: "scripted: the key in OPENAI_API_KEY was refused (HTTP 401: as scripted)",
    403: "scripted: the key in OPENAI_API_KEY may not use this model (HTTP 403: as scripted)",
    404: "scripted: no such model or address: see --llm-model and --llm-base-url "
    "(HTTP 404: as scripted)",
}


@pytest.mark.parametrize("status", FINAL)
def test_what_will_not_pass_is_told_at_once(
    server: Any, reader: Reader, play: Callable[..., Any], status: int
) -> None:
    """A refusal is not asked again; the message names the way out and never the key."""
    server.script = [play(status=status)]
    told = reader.reason()
    assert told == FINAL[status]
    assert "test-key" not in told
    assert len(server.requests) == 1


def test_retry_after_in_seconds_is_honoured(
    server: Any, reader: Reader, play: Callable[..., Any], good: Any
) -> None:
    """The wait is what the server asked for plus a drawn part, never less."""
    server.script = [play(status=429, headers={"Retry-After": "7"}), good]
    assert reader.read().error is None
    assert reader.waits == [7.5]


def test_retry_after_as_a_date_is_honoured(
    server: Any, reader: Reader, play: Callable[..., Any], good: Any
) -> None:
    """A date is the moment before which nobody comes back."""
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    server.script = [play(status=503, headers={"Retry-After": then}), good]
    assert reader.read().error is None
    assert 17 < reader.waits[0] <= 20.5


def test_a_wait_beyond_all_patience_is_not_begun(
    server: Any, reader: Reader, play: Callable[..., Any]
) -> None:
    """A server that asks for ten minutes is told of, not waited for."""
    server.script = [play(status=429, headers={"Retry-After": "600"})]
    told = "scripted: HTTP 429: as scripted, asks to wait 600 s (tries: 1)"
    assert reader.reason() == told
    assert reader.waits == []


@pytest.mark.parametrize("written", ["soon", "", "Mon, 99 Foo"])
def test_a_retry_after_that_says_nothing_is_left_aside(
    server: Any, reader: Reader, play: Callable[..., Any], good: Any, written: str
) -> None:
    """What is neither number nor date leaves the usual wait."""
    server.script = [play(status=429, headers={"Retry-After": written}), good]
    assert reader.read().error is None
    assert reader.waits == [0.5]


def test_jitter_keeps_clients_apart(settings: LlmSettings, play: Any, server: Any) -> None:
    """Of two clients that fail together, each draws a wait of its own, within half and whole."""
    server.script = [play(status=500)]
    waits: list[float] = []
    for draw in (0.0, 0.5):
        endpoint = Endpoint(settings, Budget(), waits.append, draw=lambda draw=draw: draw)
        LlmExtractor(settings, ONTOLOGY, endpoint=endpoint).extract_many([REQUEST])
    assert waits == [0.25, 0.5, 1.0, 0.375, 0.75, 1.5]


@pytest.mark.parametrize("slowness", [{"delay": 30.0}, {"trickle": 0.02}])
def test_a_slow_answer_ends_at_the_time_out(
    server: Any, settings: LlmSettings, play: Any, good: Any, reply: Any, slowness: dict[str, float]
) -> None:
    """Silence and a trickle of bytes both end after `timeout` seconds, and are tried again."""
    server.script = [play(reply(EDGE), **slowness), good]
    reader = Reader(replace(settings, timeout=0.4))
    outcome = reader.read()
    assert outcome.extraction is not None
    assert outcome.usage.calls == 2
    assert outcome.usage.seconds < 5


def test_always_slow_says_so(server: Any, settings: LlmSettings, play: Any) -> None:
    """The reason names the time that was given."""
    server.script = [play(delay=30.0)]
    reader = Reader(replace(settings, timeout=0.2, tries=2))
    assert reader.reason() == "scripted: no answer within 0.2 s (tries: 2)"


def test_nobody_there_says_so(settings: LlmSettings) -> None:
    """An address where nothing listens is no connection, after as many tries."""
    reader = Reader(replace(settings, base_url="http://127.0.0.1:9/v1"))
    assert "scripted: no connection: " in reader.reason()
    assert len(reader.waits) == 3


def test_a_budget_of_calls_stops_before_the_next_call(
    server: Any, settings: LlmSettings, good: Any
) -> None:
    """What was paid for is kept; what would go beyond is not sent and says how to go on."""
    server.script = [good]
    reader = Reader(settings, Budget(calls=2))
    chunks = [replace(REQUEST, text=f"chunk {i}") for i in range(5)]
    outcomes = [reader.read(chunk) for chunk in chunks]
    assert [outcome.error is None for outcome in outcomes] == [True, True, False, False, False]
    assert isinstance(outcomes[2].error, BudgetSpent)
    assert str(outcomes[2].error) == (
        "the budget of 2 calls is spent: retry continues where this run stopped"
    )
    assert len(server.requests) == 2


def test_a_budget_counts_tries_too(server: Any, settings: LlmSettings, play: Any) -> None:
    """Calls that failed were calls: a budget can't be passed by failing."""
    server.script = [play(status=500)]
    reader = Reader(settings, Budget(calls=2))
    assert "budget of 2 calls" in reader.reason()
    assert len(server.requests) == 2


def test_a_budget_of_tokens_stops_too(server: Any, settings: LlmSettings, good: Any) -> None:
    """Each answer's own account of its tokens counts; the one that crosses the line is kept."""
    server.script = [good]
    reader = Reader(settings, Budget(tokens=200))
    outcomes = [reader.read(replace(REQUEST, text=f"chunk {i}")) for i in range(3)]
    assert [outcome.error is None for outcome in outcomes] == [True, True, False]
    assert "the budget of 200 tokens is spent" in str(outcomes[2].error)


def test_the_key_comes_from_the_environment() -> None:
    """`OPENAI_API_KEY` is the key; it is not shown where settings are printed."""
    settings = settings_from({"OPENAI_API_KEY": " sk-secret "}, "gpt")
    assert settings.key == "sk-secret"
    assert "secret" not in repr(settings)


def test_a_local_endpoint_needs_no_key(server: Any, good: Any) -> None:
    """With an address of its own, a server may ask for no key."""
    server.script = [good]
    assert Reader(settings_from({}, "scripted", server.url)).read().error is None


def test_missing_settings_are_named() -> None:
    """No key, or no model: the message says what to give."""
    with pytest.raises(BadInput, match=r"a key in OPENAI_API_KEY.*--llm-base-url"):
        settings_from({}, "gpt")
    with pytest.raises(BadInput, match="give --llm-model NAME"):
        settings_from({"OPENAI_API_KEY": "x"}, None)


def test_extract_raises_what_failed(server: Any, reader: Reader, play: Any) -> None:
    """The plain protocol, one chunk a call, raises the reason."""
    server.script = [play(status=400)]
    with pytest.raises(ExtractionFailed, match="HTTP 400: as scripted"):
        reader.extractor.extract("text", subject="x", path="x.md", date=None)
