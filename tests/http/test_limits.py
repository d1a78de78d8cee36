"""Sizes, rates, ids, log lines."""

from __future__ import annotations

import http.client
import json
import logging
from collections.abc import Callable, Iterator

import pytest

from cloudnee.doors.http_guard import JsonLines
from cloudnee.doors.http_limits import Limits
from cloudnee.doors.http_problems import Problem
from cloudnee.errors import EmbeddingFailed
from tests.engine.conftest import WordEmbedder
from tests.http.conftest import TAN, WASH, Client, Serve, until


def test_a_body_has_a_limit(serve: Serve) -> None:
    """413 for what is announced as larger, and for what turns out to be."""
    client = serve(most_body=2000, most_page=4000)
    assert client.post("/v1/recall", query="x" * 3000).status == 413
    assert client.post("/v1/remember", path="a.md", markdown="# A\n\n" + "x" * 3000).status == 200
    refused = client.post("/v1/remember", path="a.md", markdown="x" * 5000)
    assert (refused.status, refused.body["error"]) == (413, "too-large")
    assert "4000 bytes" in refused.body["message"]
    link = http.client.HTTPConnection(client.address.removeprefix("http://"))
    link.request(
        "POST",
        "/v1/recall",
        body=iter([b"x" * 1500, b"x" * 1500]),
        headers={"Content-Type": "application/json"},
        encode_chunked=True,
    )
    assert link.getresponse().status == 413
    link.close()


def test_a_page_of_ten_megabytes_is_the_most(serve: Serve) -> None:
    """It is refused as a page, with the words of every other door."""
    client = serve()
    refused = client.post("/v1/remember", path="a.md", markdown="x" * (10 * 1024 * 1024 + 1))
    assert (refused.status, refused.body["error"]) == (400, "bad-input")
    assert client.get("/v1/pages").body["pages"] == []


def test_rates_are_per_key(serve: Serve, keyed: Callable[..., str]) -> None:
    """429 with Retry-After for the one who asked too much, while others are served."""
    server = serve(rate=3)
    eager, calm = Client(server.address, keyed()), Client(server.address, keyed())
    assert [eager.get("/v1/pages").status for _ in range(3)] == [200] * 3
    refused = eager.get("/v1/pages")
    assert (refused.status, refused.body["error"]) == (429, "too-many-requests")
    assert 1 <= int(refused.headers["retry-after"]) <= 20
    assert calm.get("/v1/pages").status == 200


def test_a_bucket_fills_evenly() -> None:
    """Sixty a minute: one more each second, and never more than sixty."""
    now = 0.0
    limits = Limits(60, lambda: now)
    for _ in range(60):
        limits.take("a")
    with pytest.raises(Problem, match="wait 1 s"):
        limits.take("a")
    now = 1.0
    limits.take("a")
    with pytest.raises(Problem):
        limits.take("a")
    now = 1000.0
    for _ in range(60):
        limits.take("a")
    with pytest.raises(Problem):
        limits.take("a")


def test_no_limit_unless_set(client: Client) -> None:
    """A desk's own programs are not held up."""
    assert {client.get("/v1/pages").status for _ in range(100)} == {200}


def test_each_answer_has_a_request_id(client: Client) -> None:
    """The caller's where it is a plain word, else a new one; errors too."""
    assert client.get("/health", X_Request_Id="abc-1.2").headers["x-request-id"] == "abc-1.2"
    made = client.get("/v1/nope", X_Request_Id="a b\tc").headers["x-request-id"]
    assert len(made) == 32
    assert client.get("/health", Host="evil.test").headers["x-request-id"]


def test_answers_are_not_kept_or_guessed_at(client: Client) -> None:
    """No cache keeps what was answered, no browser takes JSON for something else."""
    headers = client.get("/v1/pages").headers
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """What the server logs, as it is written."""
    found: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(JsonLines().format(record))

    handler = Kept()
    loggers = [logging.getLogger(name) for name in ("cloudnee", "uvicorn.error")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    yield found
    for logger in loggers:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


def test_the_log_tells_who_asked_what_and_no_secret(
    serve: Serve, keyed: Callable[..., str], lines: list[str]
) -> None:
    """One line of JSON a request: route, status, time, visitor; no key, query, body or path."""
    server, key = serve(), keyed()
    client = Client(server.address, key)
    client.post("/v1/remember", path="customers/tan.md", markdown=TAN)
    client.get("/v1/current?who=91234567", X_Request_Id="mine")
    client.get("/v1/nowhere/Tampines")
    Client(server.address, "cn_wrong").get("/v1/pages")
    until(lambda: sum('"request"' in line for line in lines) == 4)
    requests = [json.loads(line) for line in lines if '"request"' in line]
    assert [(r["method"], r["route"], r["status"], r["visitor"]) for r in requests] == [
        ("POST", "/v1/remember", 200, "key-1"),
        ("GET", "/v1/current", 200, "key-1"),
        ("GET", "-", 404, "-"),
        ("GET", "/v1/pages", 401, "-"),
    ]
    assert requests[1]["request"] == "mine"
    assert all(r["ms"] >= 0 and r["time"].startswith("20") for r in requests)
    for secret in (key, "cn_wrong", "91234567", "9123 4567", "Tampines", "Mrs Tan", "tan.md"):
        assert not [line for line in lines if secret in line]


class Faulty(WordEmbedder):
    """Fails in a way nobody foresaw, with a page's words in its message."""

    model = "bag-of-words"

    def readable(self, texts: list[str]) -> list[bool]:
        raise RuntimeError(f"cannot read {texts}")


def test_a_fault_is_told_by_kind_and_place(serve: Serve, lines: list[str]) -> None:
    """Whatever an embedder raises, no word of the page is in the log or beside its own answer."""
    client = serve(embedder=Faulty())
    answer = client.post("/v1/remember", path="a.md", markdown=WASH)
    assert (answer.status, answer.body["status"]) == (200, "failed")
    assert not [line for line in lines if "Chemical" in line]


def test_a_failing_model_is_503(serve: Serve) -> None:
    """The question is not at fault: try again later."""
    client = serve()
    client.post("/v1/remember", path="a.md", markdown=WASH)
    failing = serve(embedder=Failing())
    refused = failing.post("/v1/recall", query="price")
    assert (refused.status, refused.body["error"]) == (503, "embedding-failed")
    assert failing.get("/health").status == 503


class Failing(WordEmbedder):
    """Cannot embed."""

    def embed(self, texts: object) -> object:  # type: ignore[override]
        raise EmbeddingFailed("the model is away: try again")


def test_a_log_line_of_an_exception_has_no_words() -> None:
    """Its kind and places only."""
    try:
        raise ValueError("Mrs Tan lives in Tampines")
    except ValueError as error:
        exc = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "p", 1, "Exception in app\nTampines", (), exc)
    line = json.loads(JsonLines().format(record))
    assert (line["error"], line["event"]) == ("ValueError", "Exception in app")
    assert "Tampines" not in str(line)
    assert line["at"][0].startswith("test_limits.py:")
