"""Page search: the passages that answer a question best, out of all that an audience sees.

First every passage is measured by its words, its vector and where it stands. Then a second look
goes from the best ones, and from the pages that the question names, to what they mention and to
what mentions them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cloudnee.graph.passages import bm25, idf, nearest_ranks, weighted
from cloudnee.graph.question import spans
from cloudnee.pages.passages import ASKS, ASSISTANT, TELLS_WHEN, TURN
from cloudnee.pages.terms import STOP_WORDS, terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudnee.store.shelf import Shelf
    from cloudnee.store.store import Store

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

__all__ = ["Finder", "Wanted"]

_MOST_TERMS = 32
_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|how (?:long|recently)|which (?:day|month|year))\b",
    re.I,
)
_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name: i for i, name in enumerate(_MONTHS.split(), 1)}
_ROLES = frozenset("user assistant human ai system bot agent tool customer caller operator".split())

STAGE1 = {
    "den": 3.8,
    "lexrank": 1.8,
    "denrank": 1.1,
    "pagelex": 1.1,
    "date": 27.0,
    "pairs": 0.61,
    "named": 4.7,
    "when": 1.1,
    "cov": 1.2,
    "turn_asks": -0.36,
    "turn_words": 0.55,
    "speaker": 3.2,
    "assistant": -3.9,
    "first": 0.79,
    "next": 1.0,
    "prev_asks": 0.89,
}
STAGE2 = {"score": 1.0, "fwd": 3.6, "back": 4.2, "left": 3.4, "beside": 0.83}


@dataclass(slots=True)
class Wanted:
    """A question as page search asks it.

    `terms` are its content terms in order, each with how rare it is in `idf`; `rest` is what is
    embedded; `speakers` and `named` (place of a page → how surely it is meant) what it names.
    """

    text: str
    rest: str
    terms: tuple[str, ...]
    idf: dict[str, float] = field(default_factory=dict)
    speakers: frozenset[int] = frozenset()
    named: dict[int, float] = field(default_factory=dict)
    title_terms: frozenset[str] = frozenset()


class Finder:
    """Searches the passages of one org for one audience, within `shelf.fresh()`."""

    def __init__(
        self,
        shelf: Shelf,
        store: Store,
        bit: int,
        entities: Sequence[int] = (),
    ) -> None:
        self.shelf = shelf
        self.store = store
        self.bit = bit
        self.entities = entities
        self.scopes = [scope for scope, _, _ in store.visible_scopes(bit)]
        self.seen_page = (shelf.seen_by & bit) != 0
        self.seen = self.seen_page[shelf.page]
        self.many = int(self.seen.sum())
        self.counts: dict[str, Floats] = {}
        self.spots: dict[str, tuple[Places, Places]] = {}
        self.columns: dict[str, Floats] = {}
        self.second: dict[str, Floats] = {}

    # the question

    def wanted(self, query: str) -> Wanted:
        """What a query asks for, against what the audience sees."""
        speakers, text = self._speakers(query)
        named, rest, titles = self._titles(query, text)
        words = [t for t in terms(text) if t not in STOP_WORDS]
        found = tuple(dict.fromkeys(words))[:_MOST_TERMS]
        return Wanted(text, rest, found, {}, speakers, named, titles)

    def _speakers(self, query: str) -> tuple[frozenset[int], str]:
        """The speakers that the query names, and the query without their names."""
        shelf = self.shelf
        here = set(np.unique(shelf.speaker[self.seen]).tolist())
        known = {k: n for k, n in shelf.speakers.items() if n in here and k not in _ROLES}
        found = [(s, e, k) for s, e, k in spans(query) if k in known] if known else []
        text = query
        for start, end, _ in sorted(found, reverse=True):
            text = text[:start] + " " + text[end:]
        return frozenset(known[k] for _, _, k in found), " ".join(text.split())

    def _titles(self, query: str, text: str) -> tuple[dict[int, float], str, frozenset[str]]:
        """Pages that the query names, by place and how surely; the text without what names them."""
        found = list(spans(text))
        rows = self.store.pages_titled({key for _, _, key in found}, self.bit)
        by_key: dict[str, list[int]] = {}
        for key, page, _ in rows:
            by_key.setdefault(key, []).append(page)
        chosen: list[tuple[int, int, str]] = []
        for start, end, key in sorted(found, key=lambda s: s[0] - s[1]):
            if key in by_key and all(end <= s or start >= e for s, e, _ in chosen):
                sure = _surely(text, start, end)
                if sure:
                    chosen.append((start, end, key))
        named: dict[int, float] = {}
        title_terms: set[str] = set()
        for start, end, key in chosen:
            pages = self.shelf.places_of(by_key[key])
            sure = _surely(text, start, end) / max(1, len(pages)) ** 0.5
            for page in pages:
                named[int(page)] = max(named.get(int(page), 0.0), sure)
            if sure >= 0.5:
                title_terms.update(terms(text[start:end]))
        for page in self.shelf.places_of(self.store.pages_about(self.entities, self.bit)):
            named.setdefault(int(page), 1.0)
        rest = text
        for start, end, _ in sorted(chosen, reverse=True):
            rest = rest[:start] + " " + rest[end:]
        rest = " ".join(rest.split())
        return named, rest if re.search(r"\w", rest) else text, frozenset(title_terms)

    def text(self, place: int) -> tuple[str, str] | None:
        """(path, text) of a passage."""
        page, record = int(self.shelf.page[place]), self.shelf.record[place]
        row = int(self.shelf.page_ids[page])
        return self.store.passage_text(row, int(record["start"]), int(record["stop"]), self.bit)

    def related(self, wanted: Wanted, places: Places, least: float) -> NDArray[np.bool_]:
        """Which passages have to do with the question: by a word, a name, a link, or a cosine."""
        c = self.columns
        words = (c["lex"][places] > 0) | (c["named"][places] > 0) | (c["date"][places] > 0)
        near = c["den"][places] >= least
        linked = (self.second["sum"][places] > 0) | (self.second["back"][places] > 0)
        return words | near | linked

    def tagged(self, places: Places, tags: Sequence[str]) -> NDArray[np.bool_]:
        """Which passages are of a page with one of these tags; all where none is asked for."""
        if not tags:
            return np.ones(len(places), bool)
        asked = {tag.casefold().lstrip("#") for tag in tags}
        has = [any(tag.casefold() in asked for tag in page.tags) for page in self.shelf.pages]
        return np.asarray(has, bool)[self.shelf.page[places]]

    def holding(self, places: Places, words: Sequence[str]) -> NDArray[np.int64]:
        """How many of these terms stand in each passage."""
        found = np.zeros(len(places), np.int64)
        for word in words:
            ids, _ = self.store.postings(self.scopes, word)
            found += np.isin(self.shelf.ids[places], ids)
        return found

    # the first look

    def first_look(self, wanted: Wanted, vector: bytes | None) -> Floats:
        """The score of every passage by itself and its neighbours; −inf where it is not seen."""
        shelf, n = self.shelf, len(self.shelf.ids)
        flags, words = shelf.record["flags"], shelf.record["words"]
        turn = (flags & TURN) != 0
        self._count(wanted)
        den = np.zeros(n)
        if vector is not None:
            den = shelf.similarities(np.frombuffer(vector, np.float32)).astype(np.float64)
            den[~self.seen] = 0
        lex, cov = self._words(wanted)
        several = (np.diff(shelf.first) > 1)[shelf.page]
        c = self.columns
        c["den"] = den
        c["lexrank"] = nearest_ranks(lex)
        c["denrank"] = nearest_ranks(den)
        c["lex"] = lex
        c["cov"] = cov
        c["turn_cov"] = cov * turn
        c["pairs"] = self._pairs(wanted)
        c["date"] = self._dates(wanted)
        c["pagelex"] = self._page_best(c["lexrank"]) * several
        c["pageden"] = self._page_best(c["denrank"]) * several
        c["first"] = (shelf.record["place"] == 0) * several * 1.0
        c["next"] = self._next(den) * several
        c["prev"] = self._prev(den) * several
        c["prev_asks"] = self._prev(den * ((flags & ASKS) != 0)) * several
        c["turn_asks"] = turn * ((flags & ASKS) != 0) * 1.0
        c["turn_words"] = turn * np.minimum(words, 25) / 25
        c["len"] = np.log1p(words)
        c["assistant"] = ((flags & ASSISTANT) != 0) * 1.0
        when = bool(_WHEN.search(wanted.text))
        c["when"] = ((flags & TELLS_WHEN) != 0) * (1.0 if when else 0.0)
        one = len(wanted.speakers) == 1
        c["speaker"] = np.isin(shelf.speaker, list(wanted.speakers)) * (1.0 if one else 0.0)
        c["named"] = np.zeros(n)
        for page, sure in wanted.named.items():
            c["named"][shelf.first[page] : shelf.first[page + 1]] = sure
        score = weighted(c, STAGE1)
        score[~self.seen] = -np.inf
        return score

    def _count(self, wanted: Wanted) -> None:
        for term in wanted.terms:
            ids, spots = self.store.postings(self.scopes, term)
            rows = self.shelf.places(ids)
            self.spots[term] = (rows, spots)
            times = np.bincount(rows, minlength=len(self.shelf.ids)).astype(np.float64)
            self.counts[term] = times
            wanted.idf[term] = idf(self.many, int(np.count_nonzero(times)))

    def _words(self, wanted: Wanted) -> tuple[Floats, Floats]:
        """(BM25 with neighbours and date, share of the question's idf that stands here or before)."""
        shelf = self.shelf
        n = len(shelf.ids)
        own = shelf.record["terms"].astype(np.float64)
        lengths = own + 0.5 * self._prev(own) + 0.2 * self._next(own)
        mean = float(lengths[self.seen].mean()) if self.many else 1.0
        lex, cov = np.zeros(n), np.zeros(n)
        total = sum(wanted.idf.values()) or 1.0
        for term, times in self.counts.items():
            before = self._prev(times)
            near = times + 0.5 * before + 0.2 * self._next(times)
            lex += wanted.idf[term] * bm25(near, lengths, mean)
            cov += wanted.idf[term] * ((times > 0) | (before > 0))
        return lex / (2.2 * total), cov / total

    def _pairs(self, wanted: Wanted) -> Floats:
        """The share of the question's neighbouring terms that stand beside each other here."""
        found = np.zeros(len(self.shelf.ids))
        total = 0.0
        for left, right in zip(wanted.terms, wanted.terms[1:], strict=False):
            a, b = self.spots[left], self.spots[right]
            keys = (a[0] << 20) + a[1]
            there = (b[0] << 20) + b[1]
            rows = np.unique(np.concatenate([b[0][np.isin(there, keys + step)] for step in (1, 2)]))
            weight = idf(self.many, len(rows))
            total += weight
            found[rows] += weight
        return found / total if total else found

    def _dates(self, wanted: Wanted) -> Floats:
        """The share of the question's idf that the page's own date answers."""
        text = wanted.text.casefold()
        asked: list[tuple[int, int]] = []
        for word in re.findall(r"[a-z]+|\d{4}|\d{1,2}", text):
            if word in _MONTH and (
                word not in ("may", "march")
                or re.search(
                    rf"\b(?:in|on|of|since|by|{word}) {word}\b|\b\d{{1,2}}(?:st|nd|rd|th)? {word}\b|\b{word},? \d",
                    text,
                )
            ):
                asked.append((1, _MONTH[word]))
            elif word.isdigit() and len(word) == 4:
                asked.append((0, int(word)))
            elif word.isdigit():
                asked.append((2, int(word)))
        found = np.zeros(len(self.shelf.ids))
        if not any(kind == 1 or (kind == 0 and 1900 < v < 2200) for kind, v in asked):
            return found
        table = self._page_dates()
        total = sum(wanted.idf.values()) or 1.0
        gain = np.zeros(len(table))
        for kind, value in dict.fromkeys(asked):
            same = table[:, kind] == value
            holding = int(same[self.seen_page].sum())
            gain += same * idf(max(1, int(self.seen_page.sum())), holding)
        return gain[self.shelf.page] / (2.2 * total)

    def _page_dates(self) -> NDArray[np.int64]:
        from cloudnee.graph.dates import from_micros

        table = np.zeros((len(self.shelf.pages), 3), np.int64)
        for i, page in enumerate(self.shelf.pages):
            if page.own_date is not None:
                day = from_micros(page.own_date)
                table[i] = (day.year, day.month, day.day)
        return table

    def _prev(self, column: Floats) -> Floats:
        """The column of the passage before on the same page."""
        moved = np.zeros_like(column)
        moved[1:] = column[:-1]
        moved[self.shelf.first[:-1]] = 0
        return moved

    def _next(self, column: Floats) -> Floats:
        """The column of the passage after on the same page."""
        moved = np.zeros_like(column)
        moved[:-1] = column[1:]
        moved[self.shelf.first[1:] - 1] = 0
        return moved

    def _page_best(self, column: Floats) -> Floats:
        """The best of each page, for all its passages."""
        if not len(column):
            return column
        return np.maximum.reduceat(column, self.shelf.first[:-1])[self.shelf.page]

    # the second look

    def second_look(self, wanted: Wanted, score: Floats) -> tuple[Places, Floats]:
        """(candidates, their scores) when what the best mention, and what mentions them, counts."""
        shelf, n = self.shelf, len(self.shelf.ids)
        top = float(score.max(initial=-np.inf))
        pool = min(300, self.many)
        best = np.argpartition(-score, pool - 1)[:pool] if pool < n else np.flatnonzero(self.seen)
        best = best[np.lexsort((best, -score[best]))]
        seeds = {int(p): max(0.0, 1 + (float(score[p]) - top) / 8) for p in best[:8]}
        for page, sure in wanted.named.items():
            if sure >= 0.3 and len(seeds) < 14:
                span = slice(shelf.first[page], shelf.first[page + 1])
                seeds[int(shelf.first[page]) + int(np.argmax(score[span]))] = max(1.0, sure)
        res = [t for t in wanted.terms if t not in wanted.title_terms]
        left = self._share(wanted, res)
        f = {
            name: np.zeros(n)
            for name in ("fwd", "ctx", "fres", "pos", "sum", "back", "bres", "left")
        }
        reached = np.zeros(n, bool)
        for seed, sure in seeds.items():
            self._from_seed(wanted, seed, sure, f, reached)
        f["left"][reached] = left[reached]
        chosen = np.unique(np.concatenate([best, np.flatnonzero(reached & self.seen)]))
        several = (np.diff(shelf.first) > 1)[shelf.page]
        safe = np.where(np.isfinite(score), score, top - 50)
        beside = np.maximum(self._prev(safe - top), self._next(safe - top))
        f["beside"] = np.maximum(0, 1 + beside / 8) * several
        mass = np.exp(np.maximum(safe - top, -8)) * self.seen
        sums = np.add.reduceat(mass, shelf.first[:-1])[shelf.page]
        f["page"] = np.log(0.01 + sums) * several
        f["rank"] = nearest_ranks(np.where(self.seen, score - score[best].min() + 1, 0), 300, 5)
        f["named"] = self.columns["named"]
        total = sum(wanted.idf.values()) or 1.0
        heading = sum(wanted.idf.get(t, 0) for t in wanted.title_terms)
        f["nmf"] = self.columns["named"] * heading / total
        f["score"] = safe
        f["sum"] = np.log1p(f["sum"])
        self.second = f
        return chosen, weighted({k: v[chosen] for k, v in f.items()}, STAGE2)

    def _share(self, wanted: Wanted, some: Sequence[str]) -> Floats:
        """The share of these terms' idf that stands in each passage."""
        total = sum(wanted.idf[t] for t in some)
        found = np.zeros(len(self.shelf.ids))
        for term in some:
            found += wanted.idf[term] * (self.counts[term] > 0)
        return found / total if total else found

    def _from_seed(
        self,
        wanted: Wanted,
        seed: int,
        sure: float,
        f: dict[str, Floats],
        reached: NDArray[np.bool_],
    ) -> None:
        shelf = self.shelf
        page = int(shelf.page[seed])
        row = self.text(seed)
        if row is None:
            return
        text = row[1]
        title = shelf.titles[page]
        own = set(terms(title))
        rel = [t for t in wanted.terms if t not in own]
        seen = set(terms(text))
        rem = self._share(wanted, [t for t in rel if t not in seen])
        relshare = self._share(wanted, rel)
        weight = {t: wanted.idf[t] for t in rel}
        total = sum(weight.values()) or 1.0
        named = wanted.named.get(page, 0.0)
        # forward: what this passage mentions
        keys: dict[str, tuple[int, int]] = {}
        for start, end, key in spans(text):
            if text[start].isupper() or text[start].isdigit() or not text[start].isascii():
                keys.setdefault(key, (start, end))
        rows = self.store.pages_titled(keys, self.bit) if keys else []
        groups: dict[str, list[int]] = {}
        for key, other, _ in rows:
            groups.setdefault(key, []).append(other)
        taken: list[tuple[int, int]] = []
        for key in sorted(groups, key=lambda k: keys[k][0] - keys[k][1]):
            start, end = keys[key]
            if any(s <= start and end <= e for s, e in taken):
                continue
            taken.append((start, end))
            if " " not in text[start:end].strip() and text[start:end].casefold() in STOP_WORDS:
                continue
            places = [int(p) for p in shelf.places_of(groups[key]) if p != page]
            if not places or len(places) > 20:
                continue
            a = len(places) ** -0.5
            before = " ".join(text[:start].split()[-8:])
            after = " ".join(text[end:].split()[:5])
            around = set(terms(f"{before} {after}"))
            ctx = sum(w for t, w in weight.items() if t in around) / total
            for other in places:
                span = slice(shelf.first[other], shelf.first[other + 1])
                reached[span] = True
                f["sum"][span] += sure * a
                f["fwd"][span] = np.maximum(f["fwd"][span], sure * a)
                f["fres"][span] = np.maximum(f["fres"][span], sure * a * rem[span])
                f["ctx"][span] = np.maximum(f["ctx"][span], max(named, 0.3 * sure) * a * ctx)
                f["pos"][span] = np.maximum(
                    f["pos"][span], max(named, 0.3 * sure) * a * (1 - start / max(1, len(text)))
                )
        # back: what mentions this passage's page
        words = terms(title)
        if words and not all(w in STOP_WORDS for w in words):
            ids = self.store.passages_with(self.scopes, words, 60)
            rows_ = shelf.places(np.asarray(ids, np.int64)) if ids else np.empty(0, np.int64)
            rows_ = rows_[shelf.page[rows_] != page] if len(rows_) else rows_
            if len(rows_):
                reached[rows_] = True
                b = sure / (1 + np.log(len(rows_)))
                f["back"][rows_] = np.maximum(f["back"][rows_], b)
                f["bres"][rows_] = np.maximum(f["bres"][rows_], sure * relshare[rows_])


def _surely(text: str, start: int, end: int) -> float:
    """How surely these words of a question name the page that is called so."""
    words = text[start:end].split()
    lower = text[start:end] == text[start:end].casefold()
    has_case = text[start:end].casefold() != text[start:end].upper()
    if lower and has_case and (len(words) == 1 or all(w.casefold() in STOP_WORDS for w in words)):
        return 0.0
    sure = 1.0
    if len(words) == 1:
        sure = 0.6 * (0.3 if start == 0 else 1.0)
    if lower and has_case:
        sure *= 0.4
    return sure
