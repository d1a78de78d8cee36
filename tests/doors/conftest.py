"""One desk behind every door: Python, command line, HTTP, MCP and Strands, on one file."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("strands")
pytest.importorskip("mcp")

from mcp.client import Client

from cloudnee import Memory
from cloudnee.doors.cli import main
from cloudnee.doors.http_desk import Settings
from cloudnee.strands import CloudneeMemoryStore
from tests.engine.conftest import Clock, WordEmbedder
from tests.http.conftest import Client as Http
from tests.http.conftest import running
from tests.mcp.conftest import inside

ORG = "coolair"


class Doors:
    """Asks one file through each door as one audience."""

    def __init__(self, file: Path, audience: str, address: str) -> None:
        self.file = file
        self.audience = audience
        self.http = Http(address)
        self.memory = Memory.open(
            file, org=ORG, audience=audience, embedder=WordEmbedder(), region="SG", clock=Clock()
        )

    def command(self, *words: str) -> tuple[int, str]:
        """(exit code, all that it printed) of the command line, in this process."""
        told = io.StringIO()
        given = ["--db", str(self.file), "--org", ORG, "--audience", self.audience]
        with redirect_stdout(told), redirect_stderr(told):
            code = main([*words[:1], *given, *words[1:]])
        return code, told.getvalue()

    def mcp(self, work: Callable[[Client], Any]) -> Any:
        """Do something with the SDK's client."""

        async def done() -> Any:
            async with inside(self.memory) as client:
                return await work(client)

        return asyncio.run(done())

    def tool(self, name: str, **given: Any) -> Any:
        """Call a tool; gives its structured answer."""

        async def call(client: Client) -> Any:
            return await client.call_tool(name, given)

        return self.mcp(call)

    def store(self, **given: Any) -> CloudneeMemoryStore:
        """The store of Strands over the same memory."""
        return CloudneeMemoryStore(self.memory, org=ORG, audience=self.audience, **given)

    def close(self) -> None:
        self.memory.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The desk's file."""
    return tmp_path_factory.mktemp("doors") / "desk.db"


@pytest.fixture(scope="module")
def opened(file: Path) -> Iterator[Callable[[str], Doors]]:
    """Opens every door as an audience; the command line uses the same embedder."""
    doors: list[Doors] = []
    stops: list[Any] = []
    patch = pytest.MonkeyPatch()
    embedder = WordEmbedder()
    patch.setattr("cloudnee.embed.default_embedder", lambda *_: embedder)

    def new(audience: str) -> Doors:
        settings = Settings(
            str(file), org=ORG, audience=audience, region="SG", embedder=WordEmbedder()
        )
        server = running(settings)
        doors.append(Doors(file, audience, server.__enter__()))
        stops.append(server)
        return doors[-1]

    yield new
    patch.undo()
    for one in doors:
        one.close()
    for server in stops:
        server.__exit__(None, None, None)


def plain(value: object) -> str:
    """Everything in a value as text, to look for what must not be there."""
    return json.dumps(value, default=repr, ensure_ascii=False)


assert sys.version_info >= (3, 11)
