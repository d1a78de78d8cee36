"""Clients of the MCP door: in this process, over stdio to a process of its own, over HTTP."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from cloudnee import Alias, Memory
from cloudnee.doors.mcp import Access, make_server
from tests.engine.conftest import Clock, WordEmbedder
from tests.http.conftest import keyed, serve

__all__ = ["ROOT", "TAN", "ask", "inside", "joined", "keyed", "serve", "stdio", "told"]

ROOT = Path(__file__).parents[2]
RUN = "import sys; from cloudnee.doors.cli import main; sys.exit(main())"
TAN = "# Mrs Tan\n\n- Lives in: Tampines\n- Quoted price: 180\n- Prefers: mornings\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The database of this test."""
    return tmp_path / "desk.db"


@pytest.fixture
def memory(file: Path) -> Any:
    """A memory that knows Mrs Tan, with an embedder that costs nothing."""
    clock = Clock()
    with Memory.open(
        file, org="coolair", embedder=WordEmbedder(), region="SG", clock=clock
    ) as memory:
        memory.remember("customers/tan.md", TAN, [Alias("91234567", "Mrs Tan", "phone")])
        memory.remember("services/wash.md", "# Chemical wash\n\n- Quoted price: 160\n")
        yield memory


@asynccontextmanager
async def inside(memory: Memory, **options: Any) -> AsyncIterator[Client]:
    """The SDK's client, joined to a server in this process."""
    room = {"room": options.pop("room")} if "room" in options else {}
    server = make_server(lambda _: Access(memory, **options), **room)
    async with Client(server, mode="legacy") as client:
        yield client


def stdio(*words: str, **env: str) -> StdioServerParameters:
    """The server as a process, as a client's settings would start it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-c", RUN, "mcp", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )


def told(result: CallToolResult) -> str:
    """The words of an answer."""
    return "\n".join(block.text for block in result.content if block.type == "text")


def ask(memory: Memory, work: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    """Do something with a client in this process."""
    return joined(lambda: inside(memory, **options), work)


def joined(
    connect: Callable[[], AbstractAsyncContextManager[Client]],
    work: Callable[[Client], Awaitable[Any]],
) -> Any:
    """Do something with a client; what fails is raised as it is, not within groups."""

    async def done() -> tuple[Any, BaseException | None]:
        async with connect() as client:
            try:
                return await work(client), None
            except (AssertionError, MCPError) as error:
                return None, error

    result, error = asyncio.run(done())
    if error is not None:
        raise error
    return result
