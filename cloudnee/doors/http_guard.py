"""What every request passes, whichever route it is for: Host, Origin, size, an id, a log line.

A log line says who asked for which route, with what outcome, in what time. It holds no key, no
query, no body and no text of a page: a phone number in an address is personal too.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import re
import time
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloudnee.doors.http_problems import Problem, told

if TYPE_CHECKING:
    from cloudnee.doors.http_desk import Settings

__all__ = ["Activity", "Guard", "JsonLines"]

log = logging.getLogger("cloudnee.http")

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PAGE_ROUTES = ("/v1/remember", "/mcp")
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Activity:
    """How many requests are in hand, and when the last one ended."""

    def __init__(self) -> None:
        self.active = 0
        self.last = time.monotonic()

    def idle_for(self) -> float:
        """Seconds since the last request ended; 0 while there is one."""
        return 0.0 if self.active else time.monotonic() - self.last


class Guard:
    """ASGI middleware around everything the server serves, mounted apps included."""

    def __init__(self, app: ASGIApp, settings: Settings, activity: Activity) -> None:
        self.app = app
        self.settings = settings
        self.activity = activity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # no route speaks WebSocket
            await send({"type": "websocket.close", "code": 1008})
            return
        self.activity.active += 1
        try:
            await self._request(scope, receive, send)
        finally:
            self.activity.active -= 1
            self.activity.last = time.monotonic()

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.monotonic()
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        name = given if _ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request"] = name
        status = 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                held = MutableHeaders(scope=message)
                held["X-Request-Id"] = name
                for key, value in _SAFE.items():
                    held.setdefault(key, value)
            await send(message)

        try:
            if problem := self._refusal(scope, headers):
                shown = told(problem.status, problem.slug, str(problem), problem.headers)
                await shown(scope, receive, answer)
            else:
                await self.app(scope, self._measured(scope, receive), answer)
        finally:
            _logged(scope, name, status, time.monotonic() - began)

    def _refusal(self, scope: Scope, headers: Headers) -> Problem | None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            return Problem(
                403, "forbidden", "this server has another name: --allow-host NAME adds one"
            )
        origin = headers.get("origin")
        if origin is not None and not self._same_site(origin, host):
            return Problem(403, "forbidden", "pages of other sites may not ask here")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._most(scope):
            return _too_large(self._most(scope))
        return None

    def _is_ours(self, host: str) -> bool:
        """A name that anyone's DNS can point here is refused; an address cannot be borrowed."""
        name = (urlsplit(f"//{host}").hostname if _split(host) else None) or ""
        return name == "localhost" or name in self.settings.hosts or _is_address(name)

    def _same_site(self, origin: str, host: str) -> bool:
        parts = _split(origin.partition("://")[2])
        return bool(parts) and origin.partition("://")[2].casefold() == host.casefold()

    def _most(self, scope: Scope) -> int:
        page = scope["path"] in _PAGE_ROUTES
        return self.settings.most_page if page else self.settings.most_body

    def _measured(self, scope: Scope, receive: Receive) -> Receive:
        """The body as it comes, cut off where it is larger than it may be."""
        most, seen = self._most(scope), 0

        async def measured() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                problem = _too_large(most)
                raise HTTPException(413, str(problem), {"Connection": "close"})
            return message

        return measured


def _too_large(most: int) -> Problem:
    return Problem(413, "too-large", f"a body may have {most} bytes: send less", _CLOSE)


_CLOSE = {"Connection": "close"}


def _split(host: str) -> bool:
    """Whether this can be a host with a port, and nothing that hides another."""
    return re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?", host) is not None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _logged(scope: Scope, name: str, status: int, seconds: float) -> None:
    state = scope.get("state", {})
    route = scope.get("route")
    log.info(
        "request",
        extra={
            "fields": {
                "request": name,
                "method": scope["method"],
                "route": getattr(route, "path", "-"),
                "status": status,
                "ms": round(seconds * 1000, 1),
                "visitor": state.get("visitor", "-"),
            }
        },
    )


class JsonLines(logging.Formatter):
    """A record as one line of JSON. Of an exception it tells the kind and place, not the words:
    they may hold text of a page.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage().splitlines()[0] if record.getMessage() else "",
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["at"] = _places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False)


def _places(trace: object) -> list[str]:
    import traceback
    from types import TracebackType

    if not isinstance(trace, TracebackType):
        return []
    return [f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in traceback.extract_tb(trace)][-5:]
