"""The HTTP door: FastAPI around one database file. `cloudnee serve` runs it.

Every request passes the guard (`http_guard`), then says who it is (`http_routes.came`); the routes
call `Memory` in threads. The graph page is served beside them as plain files, and MCP at `/mcp`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from cloudnee import __version__
from cloudnee.doors import http_wire as wire
from cloudnee.doors.http_brain import router as brain
from cloudnee.doors.http_care import Care
from cloudnee.doors.http_desk import Desk, Settings
from cloudnee.doors.http_guard import Activity, Guard
from cloudnee.doors.http_limits import Limits
from cloudnee.doors.http_problems import Problem, answers
from cloudnee.doors.http_routes import came, router
from cloudnee.doors.mcp_http import mounted

__all__ = ["health", "make_app"]

log = logging.getLogger("cloudnee.http")

_bearer = HTTPBearer(auto_error=False)
_ABOUT = """\
A graph memory: Markdown pages in, current facts and ranked answers out. The key fixes org and
audience; `orgId` and `audience` of a request may only narrow them."""


def make_app(settings: Settings) -> FastAPI:
    """The app for one database file. Its `state` holds the desk, the care, limits and guard."""
    desk = Desk(settings)
    app = FastAPI(
        title="cloudnee",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # that page loads its script from elsewhere
        redoc_url=None,
        lifespan=_life,
        redirect_slashes=False,
    )
    app.state.desk = desk
    app.state.care = Care(desk)
    app.state.limits = Limits(settings.rate)
    app.include_router(router)
    app.include_router(brain)
    app.add_api_route(
        "/health",
        health,
        response_model=wire.Health,
        responses={503: {"model": wire.Health, "description": "not ready"}},
    )
    app.state.mcp = mounted(app)
    answers(app)
    app.state.activity = Activity()
    app.add_middleware(Guard, settings=settings, activity=app.state.activity)
    app.openapi = lambda: _described(app)  # type: ignore[method-assign]
    return app


@asynccontextmanager
async def _life(app: FastAPI) -> AsyncIterator[None]:
    """The care runs as long as the app; the file is closed at the end."""
    care: Care = app.state.care
    task = app.state.caring = asyncio.create_task(care.run())
    task.add_done_callback(_ended)
    try:
        yield
    finally:
        care.stop()
        if app.state.mcp:
            await app.state.mcp.close()
        await task
        app.state.desk.close()


def _ended(task: asyncio.Task[None]) -> None:
    """The care ends with the app; before that something is broken, and /health says so."""
    if not task.cancelled() and (error := task.exception()):
        log.error("care ended", exc_info=error)


async def health(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Response:
    """Whether the server is ready: writes possible, model loaded. With a key, pages not read."""
    desk: Desk = request.app.state.desk
    writes = await asyncio.to_thread(desk.keys.writable)
    model = {"name": await asyncio.to_thread(lambda: desk.model), "loaded": bool(desk.loaded)}
    ready = writes and bool(desk.loaded) and not request.app.state.caring.done()
    found = {"ready": ready, "version": __version__, "writes": writes, "model": model}
    try:
        visitor = await came(request, credentials)
    except Problem:
        return JSONResponse(found, 200 if ready else 503)
    counts = await asyncio.to_thread(visitor.memory.unread_counts)
    pages = {"pending": counts.get("pending", 0), "failed": counts.get("failed", 0)}
    return JSONResponse({**found, "pages": pages}, 200 if ready else 503)


def _described(app: FastAPI) -> dict[str, Any]:
    """OpenAPI, without the answer that FastAPI would give where this door says 400."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, description=_ABOUT, routes=app.routes
        )
        for path in made["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
                operation["security"] = [*operation.get("security", ()), {}]  # loopback needs none
        for name in ("HTTPValidationError", "ValidationError"):
            made["components"]["schemas"].pop(name, None)
        app.openapi_schema = made
    return app.openapi_schema
