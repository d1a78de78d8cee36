"""A memory behind the HTTP door, with the verbs and values of `Memory` as far as an agent needs.

Only the standard library: a request each, no connection held, so that it is safe in any thread.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from cloudnee.errors import BadInput, CloudneeError, Conflict, Forbidden, StoreError
from cloudnee.model import (
    Current,
    Edge,
    Entity,
    Forgotten,
    Hit,
    Passage,
    Rated,
    Recall,
    Refused,
    Report,
    Source,
    Unread,
)

__all__ = ["Remote"]

_KINDS: Mapping[int, type[CloudneeError]] = {
    400: BadInput,
    401: Forbidden,
    403: Forbidden,
    409: Conflict,
    413: BadInput,
    429: Conflict,
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Remote:
    """The server at an address, asked with a key (else the environment's CLOUDNEE_KEY)."""

    def __init__(
        self, address: str, key: str | None = None, *, org: str, audience: str, timeout: float = 30
    ) -> None:
        if urlsplit(address).scheme not in ("http", "https"):
            raise BadInput(f"{address!r} is no address of a server: http://… or https://…")
        self.address = address.rstrip("/")
        self.org = org
        self.audience = audience
        self._key = key if key is not None else os.environ.get("CLOUDNEE_KEY", "")
        self._timeout = timeout
        self._opener = build_opener(ProxyHandler({}) if _is_local(address) else ProxyHandler())

    def __repr__(self) -> str:
        return f"Remote({self.address!r}, org={self.org!r}, audience={self.audience!r})"

    def verify(self) -> None:
        """Raise unless the server is there and this key may read."""
        self._get("/v1/recent", limit=1)

    def read_current(self, who: str) -> Current:
        """What is current about a phone, an e-mail address or a name."""
        told = self._get("/v1/current", who=who)
        return Current(
            tuple(
                Entity(
                    one["entityId"],
                    one["displayName"],
                    one["entityType"],
                    tuple(one["aliases"]),
                    tuple(one["paths"]),
                )
                for one in told["entities"]
            ),
            _edges(told["edges"]),
            _unread(told["unread"]),
            tuple(told["suggestions"]),
            told["more"],
        )

    def history(self, who: str) -> list[Edge]:
        """Every interval about whoever is meant, newest first."""
        return list(_edges(self._get("/v1/history", who=who)["edges"]))

    def recall(self, query: str, top_k: int = 5) -> Recall:
        """The best facts and passages for a question."""
        told = self._post("/v1/recall", query=query, topK=top_k)
        hits = tuple(
            Hit(_edge(hit["edge"]), hit["score"], hit["parts"], _sources(hit["sources"]))
            for hit in told["hits"]
        )
        passages = tuple(
            Passage(
                one["path"],
                one["startLine"],
                one["endLine"],
                one["text"],
                one["score"],
                one["heading"],
                one["sentence"],
            )
            for one in told["passages"]
        )
        return Recall(hits, passages, _unread(told["unread"]))

    def note(
        self, text: str, *, subject: str, key: str | None = None, number: int | None = None
    ) -> Report:
        """Write a dated line about someone."""
        told = self._post("/v1/note", text=text, subject=subject, key=key, number=number)
        return Report(
            path=told["path"],
            status=told["status"],
            content_hash=told["hash"],
            added=tuple(told["edgeIds"]),
            closed=tuple(told["closed"]),
            refused=tuple(
                Refused(no["source"], no["relation"], no["target"], no["reason"], no["text"])
                for no in told["refused"]
            ),
            warnings=tuple(told["warnings"]),
            reason=told["reason"],
        )

    def improve(self, edge_ids: Sequence[str], rating: int, key: str | None = None) -> Rated:
        """Rate facts."""
        told = self._post("/v1/improve", edgeIds=list(edge_ids), score=rating, key=key)
        return Rated(told["queued"], tuple(told["unknown"]))

    def forget(self, *, edge_id: str) -> Forgotten:
        """Delete a fact for good."""
        told = self._post("/v1/forget", edgeId=edge_id)
        return Forgotten(
            tuple(told["pages"]),
            tuple(told["edges"]),
            tuple(told["entities"]),
            tuple(told["mentions"]),
        )

    def close(self) -> None:
        """Nothing is held open."""

    # the wire

    def _get(self, route: str, **asked: object) -> Any:
        given = {"orgId": self.org, "audience": self.audience, **asked}
        return self._ask(Request(f"{self.address}{route}?{urlencode(given)}"))

    def _post(self, route: str, **asked: object) -> Any:
        given = {"orgId": self.org, "audience": self.audience, **asked}
        body = json.dumps({name: value for name, value in given.items() if value is not None})
        headers = {"Content-Type": "application/json"}
        return self._ask(Request(f"{self.address}{route}", body.encode(), headers))

    def _ask(self, request: Request) -> Any:
        if self._key:
            request.add_header("Authorization", f"Bearer {self._key}")
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return json.loads(answer.read())
        except HTTPError as error:
            with error:
                raise self._refused(error) from error
        except (URLError, TimeoutError, ConnectionError, ValueError) as error:
            raise StoreError(f"{self.address} does not answer: {error}") from error

    def _refused(self, error: HTTPError) -> CloudneeError:
        """What the server says is wrong, as the error that Python gives."""
        try:
            told = json.loads(error.read())["message"]
        except (ValueError, KeyError, TypeError):
            told = f"answered {error.code}"
        return _KINDS.get(error.code, StoreError)(f"{self.address}: {told}")


def _is_local(address: str) -> bool:
    return urlsplit(address).hostname in ("127.0.0.1", "localhost", "::1")


def _when(millis: int | None) -> datetime | None:
    return None if millis is None else _EPOCH + timedelta(milliseconds=millis)


def _at(millis: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=millis)


def _edges(told: Sequence[Mapping[str, Any]]) -> tuple[Edge, ...]:
    return tuple(_edge(one) for one in told)


def _edge(told: Mapping[str, Any]) -> Edge:
    winner = told["supersededBy"]
    return Edge(
        id=told["id"],
        source_id=told["sourceId"],
        source_name=told["sourceName"],
        relation=told["relation"],
        target_id=told["targetId"],
        target_name=told["targetName"],
        path=told["path"],
        chunk=int(told["chunkId"].rpartition("#")[2]),
        line=told["line"],
        text=told["text"],
        quote=told["quote"],
        importance=told["importance"],
        feedback_weight=told["feedbackWeight"],
        since=_at(told["since"]),
        as_of=_at(told["asOf"]),
        created_at=_at(told["createdAt"]),
        retired_at=_when(told["retiredAt"]),
        superseded_by=None if winner == "retired" else winner,
        ended=told["ended"],
        sources=_sources(told["sources"]),
    )


def _sources(told: Sequence[Mapping[str, Any]]) -> tuple[Source, ...]:
    return tuple(Source(one["edgeId"], one["path"], one["line"]) for one in told)


def _unread(told: Sequence[Mapping[str, Any]]) -> tuple[Unread, ...]:
    return tuple(Unread(one["path"], one["status"], one["reason"]) for one in told)
