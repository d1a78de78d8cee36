"""MCP over streamable HTTP at /mcp of the server, with the same keys as the rest of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from cloudnee import Memory
from cloudnee.store.database import Database
from cloudnee.store.keys import Keys
from tests.http.conftest import Serve
from tests.mcp.conftest import joined, told


def over_http(
    address: str, key: str, work: Callable[[Client], Awaitable[Any]], mode: str = "legacy"
) -> Any:
    """Do something with the SDK's client over HTTP."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client

    return joined(connect, work)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdk_s_client_reads_and_writes_over_http(
    memory: Memory, serve: Serve, keyed: Callable[..., str], mode: str
) -> None:
    """With a key that writes: note, then read it back at once."""
    server, key = serve(), keyed()

    async def work(client: Client) -> str:
        await client.call_tool("note", {"text": "Prefers: evenings", "subject": "Mrs Tan"})
        return told(await client.call_tool("read_current", {"who": "91234567"}))

    assert "Mrs Tan prefers evenings" in over_http(server.address, key, work, mode)


def test_a_key_that_only_reads_is_offered_only_what_reads(
    memory: Memory, serve: Serve, keyed: Callable[..., str]
) -> None:
    """And cannot write by calling a tool that it was not offered."""
    server, key = serve(), keyed(read_only=True)

    async def work(client: Client) -> None:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert "recall" in listed
        assert not listed & {"note", "remember", "forget", "improve", "teach_alias"}
        refused = await client.call_tool("note", {"text": "x", "subject": "Mrs Tan"})
        assert "this connection only reads" in told(refused)

    over_http(server.address, key, work)


def test_without_its_key_nobody_comes_in(
    memory: Memory, serve: Serve, keyed: Callable[..., str]
) -> None:
    """No key, a wrong one, a revoked one: 401, and nothing of the protocol."""
    server = serve()
    keyed()
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({}, {"Authorization": "Bearer cn_wrong"}, {"Authorization": "Basic eDp5"}):
        answer = server.ask("POST", "/mcp", hello, headers=headers)
        assert answer.status == 401
        assert answer.body["error"] == "unauthorized"
        assert answer.headers["www-authenticate"] == "Bearer"


def test_a_revoked_key_is_out_at_once(
    memory: Memory, serve: Serve, keyed: Callable[..., str], file: Path
) -> None:
    """Also within a connection that was let in before."""
    server, key = serve(), keyed()

    async def work(client: Client) -> None:
        assert not (await client.call_tool("list_recent", {})).is_error
        database = Database(file)
        Keys(database).revoke(1, 0)
        database.close()
        with pytest.raises(MCPError):
            await client.call_tool("list_recent", {})

    over_http(server.address, key, work)


def test_a_strange_host_or_origin_is_refused(memory: Memory, serve: Serve) -> None:
    """A page in a browser, or a name that someone's DNS points here, reaches no tool."""
    server = serve()
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for headers in ({"Host": "evil.test"}, {"Origin": "http://evil.test"}):
        answer = server.ask("POST", "/mcp", hello, headers=headers)
        assert answer.status == 403
        assert "access-control-allow-origin" not in answer.headers


def test_there_is_no_stream_to_open(memory: Memory, serve: Serve) -> None:
    """GET and DELETE are answered with 405, as the protocol allows: a stop waits for nobody."""
    server = serve()
    for method in ("GET", "DELETE"):
        answer = server.ask(method, "/mcp", headers={"Accept": "text/event-stream"})
        assert (answer.status, answer.headers["allow"]) == (405, "POST")


def test_a_page_of_ten_megabytes_goes_in_and_a_larger_body_does_not(
    memory: Memory, serve: Serve, keyed: Callable[..., str]
) -> None:
    """The bound of a page is the memory's own, the bound of a body the server's."""
    server, key = serve(), keyed()

    async def work(client: Client) -> None:
        large = {"path": "large.md", "text": "word " * 1_900_000}
        assert not (await client.call_tool("remember", large)).is_error
        larger = await client.call_tool("remember", {**large, "text": "word " * 2_200_000})
        assert larger.is_error
        assert "10,000,000 is the limit" in told(larger)

    over_http(server.address, key, work)
    connection = HTTPConnection(server.address.removeprefix("http://"))
    connection.putrequest("POST", "/mcp")
    connection.putheader("Content-Length", str(25 << 20))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_ten_clients_at_once_read_what_they_wrote(
    memory: Memory, serve: Serve, keyed: Callable[..., str]
) -> None:
    """Each notes and reads back, all beside each other."""
    server, key = serve(), keyed()

    async def work(client: Client) -> None:
        async def one(n: int) -> str:
            said = {"text": f"Likes: tune {n}", "subject": f"Guest {n}"}
            assert not (await client.call_tool("note", said)).is_error
            return told(await client.call_tool("read_current", {"who": f"Guest {n}"}))

        answers = await asyncio.gather(*(one(n) for n in range(10)))
        assert all(f"Guest {n} likes tune {n}" in answer for n, answer in enumerate(answers))

    over_http(server.address, key, work)
