"""What a memory finds for an agent, as entries of Strands: sentences that can be read alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from strands.memory.types import MemoryEntry

from cloudnee.doors import wording
from cloudnee.graph.identity import looks_like_phone
from cloudnee.graph.question import named_spans
from cloudnee.pages.terms import STOP_WORDS, terms

if TYPE_CHECKING:
    from cloudnee.model import Current, Edge, Forgotten, Passage, Rated, Recall, Report

__all__ = ["Looked", "Source", "entries", "looked"]

_HANDLE = re.compile(r"[^\s@,;()<>]+@[^\s@,;()<>]+\w|(?<![\w-])\+?\(?\d[\d\s().-]{5,18}\d(?![\w-])")
_MOST_PASSAGE = 1200
_ALONE = 80  # characters of a query that may be a name and nothing else
_MOST_NAMES = 6  # runs of capitalised words that are looked up


class Source(Protocol):
    """What a store needs of a memory: a `Memory` has it, and a `Remote`."""

    def read_current(self, who: str) -> Current:
        """What is current about whoever is meant."""

    def history(self, who: str) -> list[Edge]:
        """Every interval about whoever is meant."""

    def recall(self, query: str, top_k: int = ...) -> Recall:
        """The best facts and passages."""

    def note(
        self, text: str, *, subject: str, key: str | None = ..., number: int | None = ...
    ) -> Report:
        """Keep a note."""

    def improve(self, edge_ids: Sequence[str], rating: int, key: str | None = ...) -> Rated:
        """Rate facts."""

    def forget(self, *, edge_id: str) -> Forgotten:
        """Delete a fact."""

    def verify(self) -> None:
        """Raise unless it can be read, and its vectors are of the model at hand."""

    def close(self) -> None:
        """Close it."""


class Looked(NamedTuple):
    """What SQL alone says to a query: about its phones and addresses, and about its names.

    `alone` says that the query asks for nothing else.
    """

    handles: tuple[Current, ...] = ()
    names: tuple[Current, ...] = ()
    alone: bool = False


def looked(memory: Source, query: str) -> Looked:
    """Look up the phones, e-mail addresses and names in a query; no embedder is asked."""
    bare = query.strip().rstrip("?!. ")
    if len(bare) <= _ALONE and (told := memory.read_current(bare)).edges:
        return Looked((told,), alone=True)
    handles: list[Current] = []
    names: list[Current] = []
    rest = query
    for match in _HANDLE.finditer(query):
        who = match.group()
        if ("@" in who or looks_like_phone(who)) and (told := memory.read_current(who)).entities:
            handles.append(told)
            rest = rest.replace(who, " ")
    for who in _names(rest):
        if who in rest and (told := memory.read_current(who)).entities:
            names.append(told)
            rest = rest.replace(who, " ")
    asks = any(term not in STOP_WORDS for term in terms(rest))
    stated = any(told.edges for told in handles + names)
    return Looked(tuple(handles), tuple(names), stated and not asks)


def _names(query: str) -> list[str]:
    """What in a query may be a name, as written: longest first."""
    spans = {query[start:end].strip(" ?!.,;:") for start, end, _ in named_spans(query)}
    worth = [words for words in spans if not _begins_plainly(words)]
    return sorted(worth, key=lambda words: (-len(words), words))[:_MOST_NAMES]


def _begins_plainly(words: str) -> bool:
    first = words.split()[0] if words.split() else ""
    return not words or first.casefold() in STOP_WORDS


def entries(found: Looked, recall: Recall | None, why: str, most: int) -> list[MemoryEntry]:
    """At most `most` entries: facts, then passages; `why` says what could not be answered.

    Passages have up to half of the room: what no fact says is found there alone.
    """
    facts = _Facts()
    several = [_several(told) for told in found.handles + found.names if len(told.entities) > 1]
    for told in found.handles:
        facts.current(told.edges)
    for hit in recall.hits if recall else ():
        facts.add(hit.edge, hit.score)
    for told in found.names:
        facts.current(told.edges)
    unread = [page for told in found.handles + found.names for page in told.unread]
    unread += recall.unread if recall else ()
    said = [_entry(wording.unread(page), "unread", path=page.path) for page in unread[:1]]
    if why:
        part = " in full" if facts.held else ""
        said = [_entry(f"could not answer{part}: {why}", "failure")]
    room = max(1, most - len(several) - len(said))
    passages = [] if recall is None else list(_passages(recall.passages, facts.lines))
    told_facts = facts.held[: room - min(len(passages), room // 2)]
    return [*several, *told_facts, *passages[: room - len(told_facts)], *said][:most]


class _Facts:
    """Facts in the order they are told, each once, and the lines that state them."""

    def __init__(self) -> None:
        self.held: list[MemoryEntry] = []
        self.ids: set[str] = set()
        self.lines: set[tuple[str, int]] = set()

    def current(self, edges: Iterable[Edge]) -> None:
        for edge in edges:
            self.add(edge, 0.0)  # looked up: no distance

    def add(self, edge: Edge, score: float) -> None:
        if edge.id in self.ids:
            return
        self.ids.add(edge.id)
        self.lines.add((edge.path, edge.line))
        place = {"path": edge.path, "line": edge.line, "as_of": edge.as_of.isoformat()}
        self.held.append(_entry(wording.fact(edge), "fact", edge_id=edge.id, score=score, **place))


def _passages(told: Iterable[Passage], stated: set[tuple[str, int]]) -> Iterator[MemoryEntry]:
    """Passages, without those that are the very line of a fact: they would add nothing."""
    for one in told:
        if one.start_line == one.end_line and (one.path, one.start_line) in stated:
            continue
        text = wording.passage(one)
        shown = text if len(text) <= _MOST_PASSAGE else f"{text[:_MOST_PASSAGE]}…"
        place = {"path": one.path, "line": one.start_line, "end_line": one.end_line}
        yield _entry(shown, "passage", score=one.score, **place)


def _several(told: Current) -> MemoryEntry:
    names = "; ".join(wording.entity(one) for one in told.entities[:5])
    return _entry(f"this leads to {len(told.entities)}, ask which is meant: {names}", "ambiguity")


def _entry(text: str, kind: str, **more: Any) -> MemoryEntry:
    return MemoryEntry(text, metadata={"kind": kind, **more})
