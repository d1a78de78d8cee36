"""A real HTTP server on loopback that plays an OpenAI-compatible endpoint, well or badly."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from cloudnee.extract.calls import LlmSettings


def reply(*edges: tuple[str, str, str, str], entities: Any = ()) -> str:
    """The content of a well-formed answer."""
    names = ("source", "relation", "target", "line")
    named = [{"name": name, "type": kind} for name, kind in entities]
    return json.dumps(
        {"entities": named, "edges": [dict(zip(names, e, strict=True)) for e in edges]}
    )


@dataclass
class Play:
    """What the server does with one request.

    `content` is the model's text, `body` a whole HTTP body instead. `delay` holds the answer back,
    `cut` breaks the connection after so many bytes, `trickle` sends byte by byte.
    """

    content: str | None = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay: float = 0.0
    cut: int | None = None
    trickle: float = 0.0
    finish: str = "stop"

    def bytes(self) -> bytes:
        """The HTTP body."""
        if self.body is not None:
            return self.body
        if self.status != 200:
            return json.dumps({"error": {"message": "as scripted"}}).encode()
        message = {"role": "assistant", "content": self.content}
        choice = {"index": 0, "finish_reason": self.finish, "message": message}
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        answer = {"id": "x", "object": "chat.completion", "created": 1, "model": "scripted"}
        return json.dumps(answer | {"choices": [choice], "usage": usage}).encode()


Script = Callable[[dict[str, Any], int], Play]


class QuietServer(ThreadingHTTPServer):
    """A server that takes a client's hanging up for granted."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


class ScriptedServer:
    """Answers by `script`, a list of plays (the last is repeated) or a function of the request."""

    def __init__(self) -> None:
        self.script: list[Play] | Script = [Play(reply())]
        self.requests: list[dict[str, Any]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = QuietServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        """The base URL to give to a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def texts(self) -> list[str]:
        """The user's message of each request, in the order of their arrival."""
        return [request["messages"][1]["content"] for request in self.requests]

    def close(self) -> None:
        """Stop; an answer that is held back is let go."""
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def _play(self, request: dict[str, Any]) -> Play:
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
        if callable(self.script):
            return self.script(request, number)
        return self.script[min(number, len(self.script) - 1)]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Play the next part of the script."""
                sent = self.rfile.read(int(self.headers["Content-Length"]))
                with server._lock:
                    server._at_once += 1
                    server.most_at_once = max(server.most_at_once, server._at_once)
                try:
                    self._answer(server._play(json.loads(sent)))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                finally:
                    with server._lock:
                        server._at_once -= 1

            def _answer(self, play: Play) -> None:
                server._over.wait(play.delay)
                body = play.bytes()
                self.send_response(play.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                for name, value in play.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if play.trickle:
                    self._trickle(body, play.trickle)
                    return
                self.wfile.write(body[: play.cut])
                self.close_connection = play.cut is not None

            def _trickle(self, body: bytes, pause: float) -> None:
                for i in range(len(body)):
                    self.wfile.write(body[i : i + 1])
                    self.wfile.flush()
                    if server._over.wait(pause):
                        return

            def log_message(self, *args: Any) -> None:
                """Say nothing."""

        return Handler


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A scripted server, closed after the test."""
    scripted = ScriptedServer()
    yield scripted
    scripted.close()


@pytest.fixture
def settings(server: ScriptedServer) -> LlmSettings:
    """Settings that lead to the scripted server."""
    return LlmSettings(model="scripted", base_url=server.url, key="test-key", timeout=5.0)


@pytest.fixture(name="play")
def play_fixture() -> type[Play]:
    """What makes one part of a script."""
    return Play


@pytest.fixture(name="reply")
def reply_fixture() -> Callable[..., str]:
    """What makes the content of a well-formed answer."""
    return reply
