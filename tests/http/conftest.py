"""A real server on loopback, in a thread, on one file with an embedder that costs nothing."""

from __future__ import annotations

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cloudnee import Memory
from cloudnee.doors.http import make_app
from cloudnee.doors.http_desk import Settings
from cloudnee.doors.http_serve import server_of
from cloudnee.store.database import Database
from cloudnee.store.keys import Keys
from tests.engine.conftest import WordEmbedder

TAN = "---\nname: Mrs Tan\nphone: '+65 9123 4567'\n---\n# Mrs Tan\n\n- Lives in: Tampines\n"
WASH = "# Chemical wash\n\n- Quoted price: 160\n"


class Answer(NamedTuple):
    """What came back."""

    status: int
    body: Any
    headers: dict[str, str]


class Client:
    """Speaks to a server with the standard library alone."""

    def __init__(self, address: str, key: str = "") -> None:
        self.address = address
        self.key = key

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        data = raw if raw is not None or body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **(headers or {})}
        if self.key:
            sent.setdefault("Authorization", f"Bearer {self.key}")
        request = urllib.request.Request(self.address + path, data, sent, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as got:
                return Answer(
                    got.status, _body(got), {k.lower(): v for k, v in got.headers.items()}
                )
        except urllib.error.HTTPError as got:
            with got:
                return Answer(got.code, _body(got), {k.lower(): v for k, v in got.headers.items()})

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def post(self, route: str, /, **body: object) -> Answer:
        return self.ask("POST", route, body)


def _body(got: Any) -> Any:
    text = got.read()
    return json.loads(text) if "json" in got.headers.get("content-type", "") else text.decode()


@contextmanager
def running(settings: Settings) -> Iterator[str]:
    """A server in a thread; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    server = server_of(make_app(settings))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()
        assert not thread.is_alive()


Serve = Callable[..., Client]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The database of this test."""
    return tmp_path / "desk.db"


@pytest.fixture
def serve(file: Path) -> Iterator[Serve]:
    """Starts servers on this test's file, for the owner of coolair unless told otherwise."""
    with ExitStack() as stack:

        def started(**options: Any) -> Client:
            given: dict[str, Any] = {
                "org": "coolair", "audience": "owner", "region": "SG", "embedder": WordEmbedder(),
                **options,
            }  # fmt: skip
            return Client(stack.enter_context(running(Settings(str(file), **given))))

        yield started


@pytest.fixture
def client(serve: Serve) -> Client:
    """A client of a server without keys, as the owner."""
    return serve()


@pytest.fixture
def keyed(file: Path) -> Iterator[Callable[..., str]]:
    """Makes keys for this test's file."""
    database = Database(file)

    def made(org: str = "coolair", audience: str = "owner", *, read_only: bool = False) -> str:
        return Keys(database).create(
            org=org, audience=audience, label="test", now=0, read_only=read_only
        )

    yield made
    database.close()


@pytest.fixture
def memory(file: Path) -> Iterator[Memory]:
    """The same file through the Python door."""
    with Memory.open(file, org="coolair", embedder=WordEmbedder(), region="SG") as memory:
        yield memory


def until(true: Callable[[], object], seconds: float = 10) -> None:
    """Wait for something that happens beside, asking again and again."""
    end = time.monotonic() + seconds
    waiting = threading.Event()
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        waiting.wait(0.02)
