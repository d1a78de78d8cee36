"""Running the HTTP door: the socket, signals, the log, and the stop when nobody asks."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import os
import re
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TextIO

import uvicorn
from fastapi import FastAPI

from cloudnee.doors.http import make_app
from cloudnee.doors.http_desk import Settings
from cloudnee.doors.http_guard import JsonLines
from cloudnee.errors import BadInput

__all__ = ["duration", "listening", "serve", "server_of"]

_UNITS = {"s": 1, "m": 60, "h": 3600}
_FIRST_INHERITED = 3  # systemd's sockets begin there
_GRACE = 30  # seconds that requests in hand are given at a stop


def duration(text: str) -> float:
    """Seconds of "90", "90s", "10m" or "1h". Raises `BadInput`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not found or not float(found[1]):
        raise BadInput(f"{text!r} is no length of time: 30s, 10m and 1h are")
    return float(found[1]) * _UNITS[found[2] or "s"]


def listening(host: str, port: int) -> socket.socket:
    """The socket that systemd hands over, else a new one. Raises `BadInput`."""
    if os.environ.get("LISTEN_PID") == str(os.getpid()) and os.environ.get("LISTEN_FDS") == "1":
        return socket.socket(fileno=_FIRST_INHERITED)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        raise BadInput(f"cannot listen on {host} port {port}: {error}: try --port") from error


def _on_loopback(listener: socket.socket) -> bool:
    if listener.family not in (socket.AF_INET, socket.AF_INET6):
        return True  # a socket in the file system, which has its own permissions
    return ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback


def serve(
    settings: Settings,
    listener: socket.socket,
    *,
    idle: float | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until a signal, or until nobody has asked for `idle` seconds.

    `told` gets the address once it answers. Raises `BadInput` where anyone on the network could
    come in without a key.
    """
    host = "" if listener.family == socket.AF_UNIX else str(listener.getsockname()[0])
    app = make_app(replace(settings, hosts=settings.hosts | {host} - {""}))
    if not _on_loopback(listener) and not app.state.desk.keys.any():
        app.state.desk.close()
        listener.close()
        raise BadInput(
            "without a key only loopback is served: make one with "
            '"cloudnee key create --org ORG --audience AUDIENCE --label WHO"'
        )
    _log_to(sys.stderr)
    for name in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises them again when it has stopped
        signal.signal(name, lambda *_: None)
    told(_address(listener))
    asyncio.run(_served(app, listener, idle))


def _address(listener: socket.socket) -> str:
    if listener.family == socket.AF_UNIX:
        return str(listener.getsockname())
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def server_of(app: FastAPI) -> uvicorn.Server:
    """A server for the app, which stops when its `should_exit` is set."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,  # the guard logs, without what is personal
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=_GRACE,
        backlog=512,
    )
    return uvicorn.Server(config)


async def _served(app: FastAPI, listener: socket.socket, idle: float | None) -> None:
    server = server_of(app)
    if listener.family != socket.AF_UNIX:  # asyncio sets it only for sockets made with a protocol
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    watch = asyncio.create_task(_watched(app, server, idle)) if idle else None
    await server.serve(sockets=[listener])
    if watch:
        watch.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watch


async def _watched(app: FastAPI, server: uvicorn.Server, idle: float) -> None:
    """Stop the server when it has had nothing to do for so long."""
    while app.state.activity.idle_for() < idle or not app.state.care.idle:
        await asyncio.sleep(min(idle / 4, 1))
    server.should_exit = True


def _log_to(stream: TextIO) -> None:
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in ("cloudnee", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False
