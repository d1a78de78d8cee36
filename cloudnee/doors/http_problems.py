"""Errors as answers: a status, a slug for programs, and a sentence that names the way out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from cloudnee import errors

__all__ = ["Problem", "answers", "told"]


class Problem(Exception):
    """A request that is refused by the door itself."""

    def __init__(
        self, status: int, slug: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.slug = slug
        self.headers = dict(headers or {})


_STATUS: tuple[tuple[type[errors.CloudneeError], int], ...] = (
    (errors.BadInput, 400),
    (errors.Forbidden, 403),
    (errors.Conflict, 409),
)
_BUSY = 503  # the file or the model cannot serve now; the message says why
_SLUGS = {404: "not-found", 405: "method-not-allowed", 413: "too-large"}


def told(status: int, slug: str, message: str, headers: Mapping[str, str]) -> JSONResponse:
    """A problem as an answer."""
    shown = message.encode("utf-8", "replace").decode()
    return JSONResponse({"error": slug, "message": shown}, status, dict(headers))


def answers(app: FastAPI) -> None:
    """Have the app answer every error in this form."""
    app.add_exception_handler(errors.CloudneeError, _memory_error)
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(500, _fault)


def _memory_error(_: Request, error: Exception) -> JSONResponse:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), _BUSY)
    slug = re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower()
    return told(status, slug, str(error), {})


def _problem(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Problem)
    return told(error.status, error.slug, str(error), error.headers)


def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    slug = _SLUGS.get(error.status_code, "bad-input")
    return told(error.status_code, slug, str(error.detail), error.headers or {})


def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return told(400, "bad-input", "; ".join(_sentences(error.errors())), {})


def _sentences(found: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for one in found:
        where = ".".join(str(part) for part in one["loc"][1:])[:200] or "the request"
        if one["type"] == "extra_forbidden":
            yield f"{where!r} is not known here: see /openapi.json for what is"
        elif one["type"] == "json_invalid":
            yield "the body is not JSON"
        else:
            yield f"{where}: {one['msg']}"


def _fault(_: Request, __: Exception) -> JSONResponse:
    return told(500, "fault", "this is a fault of the server: its log names it by request id", {})
