"""The graph page's files. They hold no data: the page asks /v1 for it, with the reader's key."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

__all__ = ["file", "home", "router", "without_slash"]

router = APIRouter(include_in_schema=False)

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@cache
def _files() -> dict[str, bytes]:
    folder = files("cloudnee.doors") / "brain"
    return {f.name: f.read_bytes() for f in folder.iterdir() if f.name.rpartition(".")[2] in _KINDS}


@router.get("/", include_in_schema=False)
async def home() -> Response:
    """A person who opens the address sees the page."""
    return RedirectResponse("/brain/", 307)


@router.get("/brain", include_in_schema=False)
async def without_slash() -> Response:
    """The page's files are named from its folder."""
    return RedirectResponse("/brain/", 307)


@router.get("/brain/{name:path}", include_in_schema=False)
async def file(name: str) -> Response:
    """One file of the page."""
    name = name or "index.html"
    body = _files().get(name)
    if body is None:
        return Response("no such file", 404, media_type="text/plain")
    kind = _KINDS[name.rpartition(".")[2]]
    return Response(body, media_type=kind, headers={"Content-Security-Policy": _POLICY})
