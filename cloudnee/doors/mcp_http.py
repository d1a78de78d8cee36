"""MCP over streamable HTTP, at `/mcp` of the server, for whoever the server's keys let in.

Each request stands alone: it is checked against the keys like any other, answered as JSON, and no
session is kept, so that a revoked key is out at once and a stop waits for nobody. The SDK is loaded
by the first request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeAlias

from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials
from starlette.requests import Request
from starlette.routing import Route

from cloudnee.doors.http_routes import came

if TYPE_CHECKING:
    from fastapi import FastAPI
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager as Manager
    from starlette.types import Receive, Scope, Send

__all__ = ["PATH", "McpDoor", "mounted"]

PATH = "/mcp"
_MOST_BODY = 24 << 20

Handle: TypeAlias = "Callable[[Scope, Receive, Send], Awaitable[None]]"


def mounted(app: FastAPI) -> McpDoor | None:
    """Put the door into the app; None where the SDK is not installed."""
    if find_spec("mcp") is None:
        return None
    door = McpDoor()
    app.router.routes.append(Route(PATH, endpoint=door, include_in_schema=False))
    return door


class McpDoor:
    """The ASGI app at `/mcp`."""

    def __init__(self) -> None:
        self._handle: Handle | None = None
        self._task: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._stop = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of one who may come in. Raises `Problem` for others."""
        request = Request(scope, receive)
        if request.method != "POST":  # there is no stream to open and no session to end
            refused = {"error": "method-not-allowed", "message": "POST a JSON-RPC message here"}
            await JSONResponse(refused, 405, {"Allow": "POST"})(scope, receive, send)
            return
        request.state.mcp_visitor = await came(request, _bearer(request))
        async with self._starting:
            handle = self._handle or await self._started()
        await handle(scope, receive, send)

    async def _started(self) -> Handle:
        manager = await asyncio.to_thread(_manager)
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(manager, ready))
        await ready
        self._handle = manager.handle_request
        return manager.handle_request

    async def _run(self, manager: Manager, ready: asyncio.Future[None]) -> None:
        async with manager.run():
            ready.set_result(None)
            await self._stop.wait()

    async def close(self) -> None:
        """End what the first request began."""
        self._stop.set()
        if self._task is not None:
            await self._task


def _bearer(request: Request) -> HTTPAuthorizationCredentials | None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.casefold() != "bearer" or not key.strip():
        return None
    return HTTPAuthorizationCredentials(scheme=scheme, credentials=key.strip())


def _manager() -> Manager:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from cloudnee.doors.mcp import Access, Context, make_server

    def enter(ctx: Context) -> Access:
        assert ctx.request is not None  # over HTTP there is one
        visitor = ctx.request.state.mcp_visitor
        return Access(visitor.memory, read_only=bool(visitor.key and visitor.key.read_only))

    return StreamableHTTPSessionManager(
        make_server(enter), json_response=True, stateless=True, max_request_body_size=_MOST_BODY
    )
