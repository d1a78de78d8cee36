"""What narrows an answer beside its question: dates, tags, and how recent something is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

import numpy as np

from cloudnee.graph.moments import Span, bound, named_span
from cloudnee.store.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]
    Floats = NDArray[np.float64]

__all__ = ["HALF_LIVES", "Narrowing", "narrowed"]

_DAY = 86_400_000_000
HALF_LIVES: Mapping[str, int] = {"task": 7, "work": 90, "context": 180}  # days, by a page's tag
DEFAULT_HALF_LIFE = 30


@dataclass(frozen=True, slots=True)
class Narrowing:
    """`after` and `before` in microseconds; `period` is what the question itself names.

    `tags` are folded, without the sign. With `recency` what is old counts less, seen from `now`.
    """

    now: int
    after: int | None = None
    before: int | None = None
    period: Span | None = None
    tags: frozenset[str] = frozenset()
    recency: bool = False

    @property
    def is_open(self) -> bool:
        """Whether neither dates nor tags were given."""
        return self.after is None and self.before is None and not self.tags

    def kept(
        self, pages: Places, dates: Places, tags: Mapping[int, Sequence[str]]
    ) -> NDArray[np.bool_]:
        """Which of these rows (the page and date of each) may be found at all."""
        keep = np.ones(len(pages), bool)
        if self.after is not None:
            keep &= dates >= self.after
        if self.before is not None:
            keep &= dates < self.before
        if self.tags:
            tagged = [page for page, own in tags.items() if self.tags.intersection(own)]
            keep &= np.isin(pages, np.asarray(tagged, np.int64))
        return keep

    def within(self, dates: Places) -> NDArray[np.bool_]:
        """Which of these dates lie in the period that the question names; all where it names none,
        or where none does."""
        if self.period is None:
            return np.ones(len(dates), bool)
        keep = (dates >= self.period.start) & (dates < self.period.end)
        return keep if keep.any() else np.ones(len(dates), bool)

    def age(self, pages: Places, dates: Places, tags: Mapping[int, Sequence[str]]) -> Floats:
        """How far each has faded: 0 now, 1/2 after its half-life, towards 1."""
        lives = np.full(len(pages), float(DEFAULT_HALF_LIFE))
        for tag, days in HALF_LIVES.items():
            tagged = [page for page, own in tags.items() if tag in own]
            lives[np.isin(pages, np.asarray(tagged, np.int64))] = days
        days_old = np.maximum(self.now - dates, 0) / _DAY
        return np.asarray(1 - np.exp2(-days_old / lives), np.float64)

    def tags_of(self, store: Store, bit: int) -> Mapping[int, Sequence[str]]:
        """The tags of pages, where any of this asks for them."""
        return store.tags_of_pages(bit) if self.tags or self.recency else {}


def narrowed(
    query: str,
    now: int,
    zone: tzinfo,
    *,
    after: object = None,
    before: object = None,
    tags: Iterable[str] = (),
    recency: bool = False,
) -> Narrowing:
    """The arguments of a question read. Raises `BadInput` for a date that is none."""
    return Narrowing(
        now,
        None if after is None else bound("after", after, now, zone),
        None if before is None else bound("before", before, now, zone),
        named_span(query, now, zone),
        frozenset(tag.casefold().lstrip("#") for tag in tags),
        recency,
    )
