"""Page search, first look: every passage an audience sees, by its words, its vector, its place.

`linking` then follows what the best mention and what mentions them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING

import numpy as np

from cloudnee.graph.moments import Span
from cloudnee.graph.passages import FIRST, bm25, idf, reciprocal_ranks, weighted
from cloudnee.graph.question import spans
from cloudnee.pages.passages import ASKS, ASSISTANT, FRONT, TELLS_WHEN, TURN
from cloudnee.pages.terms import STOP_WORDS, terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudnee.store.shelf import Shelf
    from cloudnee.store.store import Store

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

__all__ = ["Finder", "Wanted"]

_MOST_TERMS = 32
_COMMON = 2500  # a term in more passages than this, and in an eighth of all, leads nowhere
_EVERYWHERE = 2000  # passages that a word may stand in and still be part of a phrase looked up
_MOST_IDENTIFIED = 8  # passages that an identifier may stand in and still lead to each
_ROLES = frozenset("user assistant human ai system bot agent tool customer caller operator".split())
_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|how (?:long|recently)"
    r"|which (?:day|month|year))\b",
    re.IGNORECASE,
)
_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name: number for number, name in enumerate(_MONTHS.split(), 1)}
_MAY_BE_A_VERB = frozenset(("may", "march"))
_DATED = re.compile(r"(?:\b(?:in|on|of|since|by|until|during|last|this|\d{1,2}(?:st|nd|rd|th)?) )")


@dataclass(slots=True)
class Wanted:
    """A question as page search asks it.

    `text` has no names of speakers, `rest` no titles either: it is what is embedded. `terms` are
    its content terms in order, `idf` how rare each is. `speakers` are those it names, `named` how
    surely it means a page (by place), `titles` the terms that name one.
    """

    text: str
    rest: str
    terms: tuple[str, ...]
    speakers: frozenset[int] = frozenset()
    named: Mapping[int, float] = field(default_factory=dict)
    titles: frozenset[str] = frozenset()
    idf: dict[str, float] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        """How rare all of it is together."""
        return sum(self.idf.values()) or 1.0


class Finder:
    """Measures the passages of one org for one audience, within `shelf.fresh()`.

    `entities` are those that the question names. `allowed` says which pages may be found at all,
    by their places on the shelf: those that the audience sees, or fewer.
    """

    def __init__(
        self,
        shelf: Shelf,
        store: Store,
        bit: int,
        zone: tzinfo,
        entities: Sequence[int] = (),
    ) -> None:
        self.shelf = shelf
        self.store = store
        self.bit = bit
        self.zone = zone
        self.entities = entities
        self.scopes = [scope for scope, _, _ in store.visible_scopes(bit)]
        self.seen_pages = (shelf.seen_by & bit) != 0
        self.seen = self.seen_pages[shelf.page]
        self.allowed = self.seen
        self.period: Span | None = None
        self.many = int(np.count_nonzero(self.seen))
        self.times: dict[str, Floats] = {}
        self.spots: dict[str, tuple[Places, Places]] = {}
        self.columns: dict[str, Floats] = {}

    # the question

    def wanted(self, query: str) -> Wanted:
        """What a query asks for, against what the audience sees."""
        text, speakers = self._speakers(query)
        named, titles, rest = self._titles(text)
        words = [term for term in terms(text) if term not in STOP_WORDS]
        found = tuple(dict.fromkeys(words))[:_MOST_TERMS]
        return Wanted(text, rest, found, speakers, named, titles)

    def _speakers(self, query: str) -> tuple[str, frozenset[int]]:
        """The query without the names of speakers, and whom it names."""
        shelf = self.shelf
        if not shelf.speakers:
            return query, frozenset()
        here = set(np.unique(shelf.speaker[self.seen]).tolist())
        known = {k: n for k, n in shelf.speakers.items() if n in here and k not in _ROLES}
        found = [span for span in spans(query) if span[2] in known]
        return _without(query, found), frozenset(known[key] for _, _, key in found)

    def _titles(self, text: str) -> tuple[dict[int, float], frozenset[str], str]:
        """(page by place → how surely it is meant, the terms of titles, the text without them)."""
        pages: dict[str, list[int]] = {}
        for key, page, _ in self.store.pages_titled({k for _, _, k in spans(text)}, self.bit):
            pages.setdefault(key, []).append(page)
        known = [span for span in spans(text) if span[2] in pages]
        found = [(s, e, k, sure) for s, e, k in known if (sure := _surely(text, s, e))]
        named: dict[int, float] = {}
        taken: list[tuple[int, int, str]] = []
        titles: set[str] = set()
        for start, end, key, sure in sorted(found, key=lambda span: span[0] - span[1]):
            if any(start < e and s < end for s, e, _ in taken):
                continue
            taken.append((start, end, key))
            places = self.shelf.places_of(pages[key])
            share = sure / max(1, len(places)) ** 0.5
            for place in places.tolist():
                named[place] = max(named.get(place, 0.0), share)
            if share >= 0.5:
                titles.update(terms(text[start:end]))
        about = self.store.pages_about(self.entities, self.bit) if self.entities else []
        for place in self.shelf.places_of([page for _, page in about]).tolist():
            named.setdefault(place, 1.0)
        rest = _without(text, taken)
        return named, frozenset(titles), rest if re.search(r"\w", rest) else text

    # the first look

    def first_look(self, wanted: Wanted, vector: bytes | None) -> Floats:
        """The score of every passage; −inf where it may not be found."""
        self._count(wanted)
        meaning = np.zeros(len(self.shelf.ids))
        if vector is not None:
            near = self.shelf.similarities(np.frombuffer(vector, np.float32))
            meaning[self.seen] = near[self.seen]
        several = (np.diff(self.shelf.first) > 1)[self.shelf.page]
        self._by_words(wanted, several)
        self._by_meaning(meaning, several)
        self._by_place(wanted, several)
        score = weighted(self.columns, FIRST)
        score[~self.allowed] = -np.inf
        return score

    def _count(self, wanted: Wanted) -> None:
        """Look the terms up: how often each stands where, and how rare it is."""
        holding = {term: self._holding(term) for term in wanted.terms}
        most = max(_COMMON, self.many // 8)
        rare = [term for term in wanted.terms if holding[term] <= most]
        wanted.terms = tuple(rare) or wanted.terms[:2]
        for term in wanted.terms:
            ids, spots = self.store.postings(self.scopes, term)
            rows = self.shelf.places(ids)
            self.spots[term] = (rows, spots)
            self.times[term] = np.bincount(rows, minlength=len(self.shelf.ids)).astype(np.float64)
            wanted.idf[term] = idf(self.many, holding[term])

    def stands_everywhere(self, term: str) -> bool:
        """Whether a term stands in so many passages that to read all its places takes long."""
        return self._holding(term) > _EVERYWHERE

    def _holding(self, term: str) -> int:
        """How many of the passages that the audience sees hold a term."""
        return sum(self.shelf.holding(scope, term) for scope in self.scopes)

    def _by_words(self, wanted: Wanted, several: NDArray[np.bool_]) -> None:
        shelf, c = self.shelf, self.columns
        lengths = shelf.lengths
        mean = float(lengths[self.seen].mean())
        lex, cover = np.zeros(len(lengths)), np.zeros(len(lengths))
        for term, times in self.times.items():
            rows = self._around(np.flatnonzero(times))
            own, before = times[rows], times[rows - 1] * ~shelf.opens[rows]
            after = times[(rows + 1) % len(times)] * ~shelf.closes[rows]
            gain = bm25(own + 0.5 * before + 0.2 * after, lengths[rows], mean)
            lex[rows] += wanted.idf[term] * gain
            cover[rows] += wanted.idf[term] * ((own > 0) | (before > 0))
        c["lex"] = lex
        c["words"] = reciprocal_ranks(lex, 200, 8)
        c["coverage"] = cover / wanted.weight
        c["pairs"] = self._pairs(wanted)
        c["date"] = self._dates(wanted)
        c["page words"] = self._best_of_page(c["words"]) * several

    def _around(self, rows: Places) -> Places:
        """These passages and those beside them on their pages."""
        before = rows[~self.shelf.opens[rows]] - 1
        after = rows[~self.shelf.closes[rows]] + 1
        return np.union1d(rows, np.concatenate([before, after]))

    def _by_meaning(self, meaning: Floats, several: NDArray[np.bool_]) -> None:
        c = self.columns
        asks = (self.shelf.record["flags"] & ASKS) != 0
        c["meaning"] = meaning
        c["page meaning"] = self._best_of_page(reciprocal_ranks(meaning, 200, 8)) * several
        c["meaning after"] = self.after(meaning)
        c["meaning before"] = self.before(meaning)
        c["answers"] = self.before(meaning * asks)

    def _by_place(self, wanted: Wanted, several: NDArray[np.bool_]) -> None:
        shelf, c = self.shelf, self.columns
        flags = shelf.record["flags"]
        words = shelf.record["words"].astype(np.float64)
        turn = (flags & TURN) != 0
        front = (flags & FRONT) != 0
        asked_when = bool(_WHEN.search(wanted.text))
        c["front"] = front.astype(np.float64)
        c["first"] = self._opens(front) * several
        c["asks"] = (turn & ((flags & ASKS) != 0)).astype(np.float64)
        c["said"] = turn * np.minimum(words, 25) / 25
        c["length"] = np.log1p(words)
        c["assistant"] = ((flags & ASSISTANT) != 0).astype(np.float64)
        c["time"] = ((flags & TELLS_WHEN) != 0) * float(asked_when)
        alone = next(iter(wanted.speakers)) if len(wanted.speakers) == 1 else -1
        c["speaker"] = (shelf.speaker == alone).astype(np.float64)
        c["named"] = np.zeros(len(flags))
        for page, sure in wanted.named.items():
            c["named"][shelf.span(page)] = sure

    def _opens(self, front: NDArray[np.bool_]) -> Floats:
        """1 for the first passage of each page behind its front matter."""
        opens = np.zeros(len(front))
        opens[self.shelf.first[:-1]] = 1
        return opens * ~front + self.before(opens * front)

    def _pairs(self, wanted: Wanted) -> Floats:
        """The share of the question's neighbouring terms that stand close together, by rarity."""
        found = np.zeros(len(self.shelf.ids))
        total = 0.0
        for left, right in zip(wanted.terms, wanted.terms[1:], strict=False):
            (rows, spots), (there, at) = self.spots[left], self.spots[right]
            ends = (rows << 20) + spots
            begins = (there << 20) + at
            close = _among(begins, ends + 1) | _among(begins, ends + 2)
            together = np.flatnonzero(np.bincount(there[close], minlength=1))
            rare = idf(self.many, len(together))
            total += rare
            found[together] += rare
        return found / total if total else found

    def _dates(self, wanted: Wanted) -> Floats:
        """The share of the question's rarity that the own date of the page answers."""
        found = np.zeros(len(self.shelf.ids))
        asked = _dates_of(wanted.text)
        if not asked:
            return self._in_period(wanted) if self.period else found
        table = self.shelf.dates(self.zone)
        many = max(1, int(np.count_nonzero(self.seen_pages)))
        gain = np.zeros(len(table))
        for part, value in asked:
            same = table[:, part] == value
            gain += same * idf(many, int(np.count_nonzero(same & self.seen_pages)))
        return np.asarray(gain[self.shelf.page] / (2.2 * wanted.weight), np.float64)

    def _in_period(self, wanted: Wanted) -> Floats:
        """The same for words such as "last week": pages whose own date lies in that time."""
        start, end = self.period[:2] if self.period else (0, 0)
        dates = [page.own_date for page in self.shelf.pages]
        inside = np.asarray([date is not None and start <= date < end for date in dates], bool)
        many = max(1, int(np.count_nonzero(self.seen_pages)))
        rare = idf(many, int(np.count_nonzero(inside & self.seen_pages)))
        share = rare / (2.2 * (wanted.weight + rare))
        return np.asarray(inside[self.shelf.page] * share, np.float64)

    # neighbours

    def before(self, column: Floats) -> Floats:
        """The column of the passage before on the same page; 0 for the first."""
        moved = np.zeros_like(column)
        moved[1:] = column[:-1]
        moved[self.shelf.first[:-1]] = 0
        return moved

    def after(self, column: Floats) -> Floats:
        """The column of the passage after on the same page; 0 for the last."""
        moved = np.zeros_like(column)
        moved[:-1] = column[1:]
        moved[self.shelf.first[1:] - 1] = 0
        return moved

    def _best_of_page(self, column: Floats) -> Floats:
        best = np.maximum.reduceat(column, self.shelf.first[:-1])
        return np.asarray(best[self.shelf.page], np.float64)

    # what was found

    def texts(self, places: Sequence[int]) -> dict[int, tuple[str, str]]:
        """place → (path, text) of the passages that the audience sees."""
        shelf = self.shelf
        rows = shelf.page_ids[shelf.page[places]].tolist()
        starts, stops = (shelf.record[part][places].tolist() for part in ("start", "stop"))
        found = self.store.passage_texts(list(zip(rows, starts, stops, strict=True)), self.bit)
        return {places[i]: told for i, told in found.items()}

    def identified(self, places: Places, words: Sequence[str]) -> NDArray[np.int64]:
        """How many of these identifiers stand in each passage. One that many hold (`20th`, `U.S.`)
        identifies nothing."""
        found = np.zeros(len(places), np.int64)
        for word in words:
            if self._holding(word) <= _MOST_IDENTIFIED:
                ids, _ = self.store.postings(self.scopes, word)
                found += np.isin(self.shelf.ids[places], ids)
        return found


def _among(values: Places, known: Places) -> NDArray[np.bool_]:
    """Which values stand among others, which are sorted here."""
    if not len(known):
        return np.zeros(len(values), bool)
    known = np.sort(known)
    at = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.asarray(known[at] == values, bool)


def _without(text: str, found: Sequence[tuple[int, int, str]]) -> str:
    for start, end, _ in sorted(found, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return " ".join(text.split())


def _surely(text: str, start: int, end: int) -> float:
    """How surely these words of a question name the page that is called so, from 0 to 1.

    One word alone may mean another thing, more so as the question's first; so may words in small
    letters, where the script has others.
    """
    named = text[start:end]
    alone = len(named.split()) == 1
    small = named == named.casefold() != named.upper().casefold() or named.islower()
    if small and (alone or all(word in STOP_WORDS for word in named.split())):
        return 0.0
    sure = 0.6 if alone else 1.0
    if alone and start == 0:
        sure *= 0.3
    return sure * 0.4 if small else sure


def _dates_of(text: str) -> list[tuple[int, int]]:
    """(0 year, 1 month or 2 day; its number) that a text names, where it names a year or month."""
    text = text.casefold()
    found: dict[tuple[int, int], None] = {}
    for match in re.finditer(r"[^\W\d_]+|\d+", text):
        word = match.group()
        number = int(word) if word.isdigit() and word.isascii() and len(word) <= 4 else -1
        if word in _MONTH:
            dated = _DATED.search(text[: match.start()][-7:]) or re.match(
                r",? \d", text[match.end() :]
            )
            if word not in _MAY_BE_A_VERB or dated:
                found[(1, _MONTH[word])] = None
        elif 1900 < number < 2200:
            found[(0, number)] = None
        elif 1 <= number <= 31:
            found[(2, number)] = None
    return list(found) if any(part < 2 for part, _ in found) else []
