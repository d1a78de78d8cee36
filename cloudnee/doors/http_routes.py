"""The routes under /v1: each reads its body, calls `Memory` in a thread, and tells what it gave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from cloudnee.doors import http_answers as answers
from cloudnee.doors import http_wire as wire
from cloudnee.doors.http_desk import Visitor
from cloudnee.errors import BadInput
from cloudnee.memory import Memory
from cloudnee.model import Alias

__all__ = [
    "alias",
    "came",
    "current",
    "forget",
    "graph",
    "history",
    "improve",
    "note",
    "pages",
    "recall",
    "recent",
    "remember",
    "router",
    "search",
]

_bearer = HTTPBearer(auto_error=False, description='a key of "cloudnee key create"')
_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": wire.ErrorTold, "description": "what was given cannot be taken as it is"},
    401: {"model": wire.ErrorTold, "description": "no key, or none that is known"},
    403: {"model": wire.ErrorTold, "description": "the key, or the site that asks, may not"},
    409: {"model": wire.ErrorTold, "description": "others changed the page meanwhile: try again"},
    413: {"model": wire.ErrorTold, "description": "the body is too large"},
    429: {"model": wire.ErrorTold, "description": "too many requests: see Retry-After"},
    503: {"model": wire.ErrorTold, "description": "the file or the model cannot serve now"},
}
router = APIRouter(prefix="/v1", responses=_ERRORS)


async def came(
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Visitor:
    """Who asks: checked against the file at each request, so that a revoked key is out at once."""
    app = request.app.state
    token = credentials.credentials if credentials else None
    if token is None and request.headers.get("authorization"):
        token = "?"  # something was sent, and it is no bearer key
    visitor: Visitor = await asyncio.to_thread(app.desk.visitor, token)
    request.state.visitor = visitor.name
    app.limits.take(visitor.name)
    return visitor


Came = Annotated[Visitor, Depends(came)]


async def _told(work: Callable[[], Any], status: int = 200) -> Response:
    """What a piece of work gives, as JSON; both are made in a thread."""
    return await asyncio.to_thread(lambda: JSONResponse(work(), status))


@router.post(
    "/remember",
    response_model=wire.Remembered,
    responses={202: {"model": wire.Remembered, "description": "kept, to be read: see /v1/pages"}},
)
async def remember(
    request: Request,
    body: wire.RememberAsked,
    asked: Annotated[wire.WaitAsked, Query()],
    visitor: Came,
) -> Response:
    """Remember a page, and give the facts it states; with `wait=false`, keep it to be read."""
    links = tuple(Alias(link.alias, link.name, link.kind) for link in body.links)

    def work() -> Response:
        memory = visitor.writing(body.org_id, body.audience)
        take = memory.remember if asked.wait else memory.keep
        report = take(body.path, body.markdown, links, body.as_of)
        if report.status == "pending":
            request.app.state.care.soon(memory.org, report.path)
        told = answers.remembered(report, memory.edges(report.added), memory.org)
        return JSONResponse(told, 202 if report.status == "pending" else 200)

    return await asyncio.to_thread(work)


@router.post("/note", response_model=wire.Remembered)
async def note(body: wire.NoteAsked, visitor: Came) -> Response:
    """Write a dated line about someone or something."""

    def work() -> Any:
        memory = visitor.writing(body.org_id, body.audience)
        report = memory.note(body.text, subject=body.subject, key=body.key, number=body.number)
        return answers.remembered(report, memory.edges(report.added), memory.org)

    return await _told(work)


@router.post("/recall", response_model=wire.Hits)
async def recall(body: wire.RecallAsked, visitor: Came) -> Response:
    """Answer a question with the best facts and passages."""

    def work() -> Any:
        memory = visitor.asking(body.org_id, body.audience)
        found = memory.recall(
            body.query,
            top_k=body.top_k,
            wide_k=body.wide_k,
            feedback_influence=body.feedback_influence,
            scoring=body.scoring,
            hops=body.hops,
            as_of=body.as_of,
            after=body.after,
            before=body.before,
            tags=body.tags,
            recency=body.recency,
        )
        return answers.recalled(found, memory.org)

    return await _told(work)


@router.post("/search", response_model=wire.Found)
async def search(body: wire.SearchAsked, visitor: Came) -> Response:
    """Find the passages of pages that answer a question."""

    def work() -> Any:
        memory = visitor.asking(body.org_id, body.audience)
        found = memory.search_pages(
            body.query,
            body.top_k,
            tags=body.tags,
            after=body.after,
            before=body.before,
            recency=body.recency,
        )
        return answers.searched(found)

    return await _told(work)


@router.post("/improve", response_model=wire.Ok)
async def improve(body: wire.ImproveAsked, visitor: Came) -> Response:
    """Rate the facts of an answer."""

    def work() -> Any:
        memory = visitor.writing(body.org_id, body.audience)
        rated = memory.improve(body.edge_ids, body.score, key=body.key, implicit=body.implicit)
        return {"ok": True, "queued": rated.queued, "unknown": list(rated.unknown)}

    return await _told(work)


@router.post("/alias", response_model=wire.Ok, response_model_exclude_none=True)
async def alias(body: wire.AliasAsked, visitor: Came) -> Response:
    """Teach a word that questions may use for another."""

    def work() -> Any:
        visitor.writing(body.org_id, body.audience).teach_alias(body.alias, body.canonical)
        return {"ok": True}

    return await _told(work)


@router.post("/forget", response_model=wire.Forgotten)
async def forget(body: wire.ForgetAsked, visitor: Came) -> Response:
    """Delete a page, a fact or an entity for good."""

    def work() -> Any:
        memory = visitor.writing(body.org_id, body.audience)
        if body.purge and memory.audience != "owner":
            raise BadInput("purge rewrites the whole file: only the owner may ask for it")
        done = memory.forget(
            path=body.path, edge_id=body.edge_id, entity=body.entity, purge=body.purge
        )
        return answers.forgotten(done)

    return await _told(work)


@router.get("/current", response_model=wire.Edges)
async def current(asked: Annotated[wire.CurrentAsked, Query()], visitor: Came) -> Response:
    """What is true now about a phone, an e-mail address or a name."""

    def work() -> Any:
        memory = visitor.asking(asked.org_id, asked.audience)
        return answers.current(memory.read_current(asked.who, as_of=asked.as_of), memory.org)

    return await _told(work)


@router.get("/history", response_model=wire.Edges)
async def history(asked: Annotated[wire.HistoryAsked, Query()], visitor: Came) -> Response:
    """Everything ever stated, newest first, with why it ended."""

    def work() -> Any:
        memory = visitor.asking(asked.org_id, asked.audience)
        return {"edges": answers.edges(memory.history(asked.who), memory.org)}

    return await _told(work)


@router.get("/recent", response_model=wire.Edges)
async def recent(asked: Annotated[wire.RecentAsked, Query()], visitor: Came) -> Response:
    """The edges written last, newest first."""

    def work() -> Any:
        memory = visitor.asking(asked.org_id, asked.audience)
        return {"edges": answers.edges(memory.recent(asked.limit), memory.org)}

    return await _told(work)


@router.get("/graph", response_model=wire.GraphTold)
async def graph(asked: Annotated[wire.GraphAsked, Query()], visitor: Came) -> Response:
    """The graph as the caller's audience sees it, or a part of it."""

    def work() -> Any:
        memory = visitor.asking(asked.org_id, asked.audience)
        picture = memory.picture(asked.who, past=asked.past, most=asked.limit)
        may_rate = not (visitor.key and visitor.key.read_only)
        return answers.graph(
            picture,
            memory.org,
            memory.audience,
            may_write=may_rate and memory.writes,
            may_rate=may_rate,
        )

    return await _told(work)


@router.get("/pages", response_model=wire.Pages)
async def pages(asked: Annotated[wire.PagesAsked, Query()], visitor: Came) -> Response:
    """The pages with their status; with `path` one of them, with its text."""

    def work() -> Any:
        memory = visitor.asking(asked.org_id, asked.audience)
        return {"pages": _pages(memory, asked.path)}

    return await _told(work)


def _pages(memory: Memory, path: str | None) -> list[Any]:
    if path is None:
        return [answers.page(info) for info in memory.pages()]
    text = memory.read_page(path)
    found = [info for info in memory.pages(path) if text]
    return [answers.page(info, text) for info in found]
