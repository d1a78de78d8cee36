"""What a memory finds for an agent, as entries of Strands: sentences that can be read alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from strands.memory.types import MemoryEntry

from cloudnee.doors import wording
from cloudnee.graph.identity import handle_kind, looks_like_phone
from cloudnee.model import Current, Edge, Passage, Unread

if TYPE_CHECKING:
    from cloudnee.model import Forgotten, Rated, Recall, Report

__all__ = ["Source", "found"]

_PHONE = re.compile(r"(?<![\w-])\+?\d[\d\s().-]{5,18}\d(?![\w-])")
_MOST_PASSAGE = 1200
_ALONE = 80  # characters of a query that may be a name and nothing else


class Source(Protocol):
    """What a store needs of a memory: a `Memory` has it, and a `Remote`."""

    def read_current(self, who: str) -> Current:
        """What is current about whoever is meant."""

    def history(self, who: str) -> list[Edge]:
        """Every interval about whoever is meant."""

    def recall(self, query: str, top_k: int = ...) -> Recall:
        """The best facts and passages."""

    def note(self, text: str, *, subject: str, key: str | None = ...) -> Report:
        """Keep a note."""

    def improve(self, edge_ids: Sequence[str], rating: int, key: str | None = ...) -> Rated:
        """Rate facts."""

    def forget(self, *, edge_id: str) -> Forgotten:
        """Delete a fact."""

    def verify(self) -> None:
        """Raise unless it can be read, and its vectors are of the model at hand."""

    def close(self) -> None:
        """Close it."""


def found(memory: Source, query: str, most: int) -> list[MemoryEntry]:
    """The entries for a query, `most` of facts and passages together, facts first."""
    if not query.strip():
        return []
    entries = _Entries(most)
    for who in _handles(query):
        entries.current(memory.read_current(who))
    if entries.facts and len(query) <= _ALONE and not re.search(r"[?？]|\s\w+\s\w+\s\w+", query):
        return entries.all()
    answer = memory.recall(query, top_k=most)
    for hit in answer.hits:
        entries.fact(hit.edge, hit.score)
    entries.passages(answer.passages)
    entries.unread(answer.unread)
    return entries.all()


def _handles(query: str) -> Iterator[str]:
    """What in a query opens facts by SQL: all of it where it is short, and each phone in it."""
    bare = query.strip()
    phones = [m.group() for m in _PHONE.finditer(query) if looks_like_phone(m.group())]
    if len(bare) <= _ALONE and handle_kind(bare) != "phone":
        yield bare.rstrip("?!. ")
    yield from dict.fromkeys(phones)


class _Entries:
    """Entries in the order they are told, each fact once."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.facts: dict[str, MemoryEntry] = {}
        self.others: list[MemoryEntry] = []

    def current(self, told: Current) -> None:
        if len(told.entities) > 1:
            names = "; ".join(wording.entity(one) for one in told.entities)
            self.others.append(_entry(f"this leads to several: {names}", "ambiguity"))
        for edge in told.edges:
            self.fact(edge, None)
        self.unread(told.unread)

    def fact(self, edge: Edge, score: float | None) -> None:
        if edge.id not in self.facts and len(self.facts) < self.most:
            self.facts[edge.id] = _entry(
                wording.fact(edge),
                "fact",
                edge_id=edge.id,
                score=score,
                path=edge.path,
                line=edge.line,
                as_of=edge.as_of.isoformat(),
            )

    def passages(self, told: Iterable[Passage]) -> None:
        """As many as there is room for; half of all, where facts would take it."""
        room = max(self.most - len(self.facts), self.most // 2, 1)
        lines = {
            (e.metadata or {})["path"]: (e.metadata or {})["line"] for e in self.facts.values()
        }
        news = [one for one in told if not _said(one, lines)]
        for one in news[:room]:
            text = wording.passage(one)
            shown = text if len(text) <= _MOST_PASSAGE else f"{text[:_MOST_PASSAGE]}…"
            place = {"path": one.path, "line": one.start_line, "end_line": one.end_line}
            self.others.append(_entry(shown, "passage", score=one.score, **place))

    def unread(self, told: Iterable[Unread]) -> None:
        self.others.extend(_entry(wording.unread(p), "unread", path=p.path) for p in list(told)[:1])

    def all(self) -> list[MemoryEntry]:
        return [*self.facts.values(), *self.others]


def _said(passage: Passage, lines: dict[str, int]) -> bool:
    """Whether a fact of that very line is told already: the passage would add nothing."""
    return lines.get(passage.path) == passage.start_line == passage.end_line


def _entry(text: str, kind: str, **more: Any) -> MemoryEntry:
    metadata = {"kind": kind, **{name: value for name, value in more.items() if value is not None}}
    return MemoryEntry(text, metadata=metadata)
