"""A copy of one org's passages in memory: where each stands, what it is like, and its vector.

It is checked against the file at each call, as the copy of the edges is; the words stay in the
file's text index.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloudnee.graph.dates import from_micros
from cloudnee.graph.identity import entity_key
from cloudnee.pages.passages import FIELDS
from cloudnee.store.passages import PLACE_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudnee.store.store import Store

__all__ = ["Shelf", "ShelvedPage"]

_RECORD = np.dtype(FIELDS)
_BLOCK = 1024


class ShelvedPage(NamedTuple):
    """What is known of a page beside its passages: `own_date` (if it gives itself one) and `as_of`
    in microseconds."""

    page: int
    seen_by: int
    own_date: int | None
    as_of: int
    tags: tuple[str, ...]
    title: str
    headings: tuple[str, ...]
    speakers: tuple[int, ...]


class Shelf:
    """The passages of an org as arrays, in the order of their pages and their places there.

    `ids` are their rows in the text index, `page` the place of each one's page in `pages`, `record`
    what `FIELDS` says, `speaker` who speaks by `speakers` (0: nobody), `rows` and `scales` the
    vectors. `opens` and `closes` say which begin and end their page, `lengths` how many index terms
    each has, its neighbours' at a part. A page's passages are consecutive: those of page i begin at
    `first[i]`.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._at = (-1, -1)
        self.pages: list[ShelvedPage] = []
        self.speakers: dict[str, int] = {}
        self._holding: dict[tuple[int, str], int] = {}
        self._dates: tuple[tzinfo, NDArray[np.int64]] | None = None
        self._set([], [], [], [])

    @contextmanager
    def fresh(self) -> Iterator[Shelf]:
        """Hold the copy still, brought up to date, in one read transaction."""
        with self._lock, self.store.reading():
            at = self.store.revision()
            if at != self._at:
                self._renew(-1 if at[1] != self._at[1] else self._at[0])
                self._at = at
            yield self

    def similarities(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosine of the query to every passage (error about 0.003); 0 without a vector."""
        found = np.zeros(len(self.ids), np.float32)
        buffer = np.empty((min(_BLOCK, len(self.ids)), self.rows.shape[1]), np.float32)
        if self.rows.shape[1] == len(query):
            for start in range(0, len(self.ids), _BLOCK):
                rows = self.rows[start : start + _BLOCK]
                np.copyto(buffer[: len(rows)], rows)
                np.dot(buffer[: len(rows)], query, out=found[start : start + len(rows)])
        return np.asarray(found * self.scales, np.float32)

    def places(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where passages of the text index stand in the copy. All of them must be there."""
        return np.searchsorted(self.ids, ids)

    def places_of(self, pages: Sequence[int]) -> NDArray[np.int64]:
        """The places in `pages` of these page rows, of those that the copy holds."""
        rows = np.asarray(pages, np.int64)
        at = np.searchsorted(self.page_ids, rows)
        at[at == len(self.page_ids)] = 0
        return at[self.page_ids[at] == rows] if len(self.page_ids) else at[:0]

    def span(self, page: int) -> slice:
        """Where the passages of the page at this place stand."""
        return slice(int(self.first[page]), int(self.first[page + 1]))

    def holding(self, scope: int, term: str) -> int:
        """How many passages of a scope hold a term."""
        held = self._holding.get((scope, term))
        if held is None:
            held = self._holding[(scope, term)] = self.store.passages_holding([scope], term)
        return held

    def dates(self, zone: tzinfo) -> NDArray[np.int64]:
        """(year, month, day) of each page's own date in a zone; zeros where it has none."""
        if self._dates is None or self._dates[0] is not zone:
            table = np.zeros((len(self.pages), 3), np.int64)
            for place, page in enumerate(self.pages):
                if page.own_date is not None:
                    day = from_micros(page.own_date).astimezone(zone)
                    table[place] = day.year, day.month, day.day
            self._dates = (zone, table)
        return self._dates[1]

    # bringing it up to date

    def _renew(self, since: int) -> None:
        self._holding, self._dates = {}, None
        rows = self.store.passages_since(since)
        old = [] if since < 0 else self.pages
        fresh = {row[0] for row in rows}
        kept = [i for i, page in enumerate(old) if page.page not in fresh]
        parts: list[tuple[ShelvedPage, NDArray[Any], NDArray[np.int8], NDArray[np.float32]]] = []
        if len(kept) == len(old) and all(row[0] > old[-1].page for row in rows if old):
            self._append(old, rows)
            return
        for i in kept:
            span = slice(self.first[i], self.first[i + 1])
            parts.append((old[i], self.record[span], self.rows[span], self.scales[span]))
        parts.extend(part for row in rows if (part := self._part(row)))
        parts.sort(key=lambda part: part[0].page)
        pages, records, vectors, scales = zip(*parts, strict=True) if parts else ((), (), (), ())
        self._set(list(pages), list(records), list(vectors), list(scales))

    def _append(self, old: list[ShelvedPage], rows: list[tuple[Any, ...]]) -> None:
        parts = [part for row in rows if (part := self._part(row))]
        if old and not parts:
            return
        pages, records, vectors, scales = zip(*parts, strict=True) if parts else ((), (), (), ())
        before = [[self.record], [self.rows], [self.scales]] if old else [[], [], []]
        self._set(
            [*old, *pages], [*before[0], *records], [*before[1], *vectors], [*before[2], *scales]
        )

    def _part(
        self, row: tuple[Any, ...]
    ) -> tuple[ShelvedPage, NDArray[Any], NDArray[np.int8], NDArray[np.float32]] | None:
        (
            page,
            seen_by,
            own_date,
            as_of,
            tags,
            title,
            many,
            packed,
            headings,
            speakers,
            vectors,
            scales,
        ) = row
        if not many:
            return None
        names = speakers.split("\n") if speakers else ()
        numbers = tuple(
            self.speakers.setdefault(entity_key(name), len(self.speakers) + 1) for name in names
        )
        known = ShelvedPage(
            page,
            seen_by,
            own_date,
            as_of,
            tuple(tags.split("\n")) if tags else (),
            title,
            tuple(headings.split("\n")) if headings else (),
            numbers,
        )
        held = np.frombuffer(vectors, np.int8).reshape(many, -1) if vectors else None
        return (
            known,
            np.frombuffer(packed, _RECORD),
            held if held is not None else np.zeros((many, 0), np.int8),
            np.frombuffer(scales, np.float32) if vectors else np.zeros(many, np.float32),
        )

    def _set(
        self,
        pages: list[ShelvedPage],
        records: list[NDArray[Any]],
        vectors: list[NDArray[np.int8]],
        scales: list[NDArray[np.float32]],
    ) -> None:
        width = max((held.shape[1] for held in vectors), default=1)
        whole = [
            held if held.shape[1] == width else np.zeros((len(held), width), np.int8)
            for held in vectors
        ]
        self.pages = pages
        self.page_ids = np.asarray([page.page for page in pages], np.int64)
        self.seen_by = np.asarray([page.seen_by for page in pages], np.int64)
        self.record = np.concatenate([np.empty(0, _RECORD), *records])
        self.rows = np.concatenate([np.empty((0, width), np.int8), *whole])
        self.scales = np.concatenate([np.empty(0, np.float32), *scales])
        self._number()

    def _number(self) -> None:
        """What follows from the records: whose page each passage is of, its row, who speaks."""
        starts = np.flatnonzero(self.record["place"] == 0)
        self.first = np.append(starts, len(self.record))
        self.page = np.repeat(np.arange(len(self.pages)), np.diff(self.first))
        self.ids = (self.page_ids[self.page] << PLACE_BITS) + self.record["place"]
        self.opens = np.zeros(len(self.ids), bool)
        self.opens[starts] = True
        self.closes = np.zeros(len(self.ids), bool)
        self.closes[self.first[1:] - 1] = True
        own = self.record["terms"].astype(np.float64)
        before, after = np.roll(own, 1) * ~self.opens, np.roll(own, -1) * ~self.closes
        self.lengths = own + 0.5 * before + 0.2 * after
        most = max((len(page.speakers) for page in self.pages), default=0)
        table = np.zeros((len(self.pages), most + 1), np.int64)
        for i, page in enumerate(self.pages):
            if page.speakers:
                table[i, 1 : len(page.speakers) + 1] = page.speakers
        self.speaker = table[self.page, self.record["speaker"]]
