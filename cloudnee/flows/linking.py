"""Page search, second look: what the best passages mention, and what mentions their pages.

A page is mentioned where a passage has its title in capitals. Nothing of this is stored: titles
are looked up among the words of a few passages, and those of their pages in the text index, so
that it does not matter which page came first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cloudnee.flows.finding import Finder, Wanted
from cloudnee.graph.identity import entity_key
from cloudnee.graph.passages import FINAL, reciprocal_ranks, weighted
from cloudnee.graph.question import named_spans
from cloudnee.pages.terms import STOP_WORDS, terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]

__all__ = ["Linker"]

_POOL = 300  # the best passages of the first look that stay in the race
_SEEDS = 5  # of them, those whose links are followed
_MOST_SEEDS = 14  # with the pages that the question names
_NAMED = 0.3  # how surely a question must name a page for that
_FALL = 8.0  # by how much a score may lie under the best one and still lend something
_BEFORE, _AFTER = 60, 40  # characters beside a mention that tell what is said of it
_MOST_MENTIONS = 60
_MOST_NAMES = 10
_MOST_HOLDERS = 41
_MOST_NAMESAKES = 20
_NAME = re.compile(r"[A-Z][\w’'.-]*(?:\s+(?:(?:of|the|de|van|von|la|le|and)\s+)?[A-Z][\w’'.-]*)*")
Span = tuple[int, int, str]
Titled = Mapping[str, Sequence[int]]
_COLUMNS = ("mentioned", "mentioned near", "completes", "mentions", "rest", "shares")


class Linker:
    """Follows the links of the best passages of a first look."""

    def __init__(self, finder: Finder, wanted: Wanted, score: Floats) -> None:
        self.finder = finder
        self.shelf = finder.shelf
        self.wanted = wanted
        self.score = score
        self.columns = {name: np.zeros(len(score)) for name in _COLUMNS}
        self.reached = np.zeros(len(score), bool)

    def ranked(self) -> tuple[Places, Floats]:
        """(passages, their scores) of what the first look and the links lead to."""
        best = self._best()
        top = float(self.score[best[0]]) if len(best) else 0.0
        seeds = self._seeds(best, top)
        texts = {seed: text for seed, (_, text) in self.finder.texts(list(seeds)).items()}
        spans = {seed: list(named_spans(text)) for seed, text in texts.items()}
        titled = self._mentioned(seeds)
        titled.update(self._titled(key for found in spans.values() for _, _, key in found))
        for seed, text in texts.items():
            mentions = [span for span in spans[seed] if span[2] in titled]
            self._follow(seed, text, seeds[seed], mentions, titled)
        rest = [term for term in self.wanted.terms if term not in self.wanted.titles]
        linked = np.flatnonzero(self.reached)
        self.columns["rest"][linked] = self._share(rest, linked)
        self._by_rank(best, top)
        chosen = np.union1d(best, np.flatnonzero(self.reached & self.finder.allowed))
        columns = {**self.finder.columns, **self.columns}
        return chosen, weighted({name: columns[name][chosen] for name in FINAL}, FINAL)

    def related(self, places: Places, least: float) -> bool:
        """Whether any passage has to do with the question: by a word, name, date or cosine."""
        c = self.finder.columns
        named = (c["lex"][places] > 0) | (c["named"][places] > 0) | (c["date"][places] > 0)
        return bool((named | (c["meaning"][places] >= least)).any())

    def _best(self) -> Places:
        """The best of the first look, best first; ties by place."""
        found = np.flatnonzero(np.isfinite(self.score))
        if len(found) > _POOL:
            least = np.partition(self.score[found], len(found) - _POOL)[len(found) - _POOL]
            found = found[self.score[found] >= least]
        return found[np.lexsort((found, -self.score[found]))][:_POOL]

    def _seeds(self, best: Places, top: float) -> dict[int, float]:
        """The passages to follow, each with how much it counts: the best, and of named pages."""
        seeds = {int(p): max(0.0, 1 + (float(self.score[p]) - top) / _FALL) for p in best[:_SEEDS]}
        for page, sure in self.wanted.named.items():
            span = self.shelf.span(page)
            if sure >= _NAMED and len(seeds) < _MOST_SEEDS and self.finder.seen[span.start]:
                seeds[span.start + int(np.argmax(self.score[span]))] = 1.0
        return seeds

    def _by_rank(self, best: Places, top: float) -> None:
        """What the first score itself lends, to a passage and to its page."""
        fall = np.full(len(self.score), -_FALL)
        fall[best] = np.maximum(self.score[best] - top, -_FALL)
        mass = np.add.reduceat(np.exp(fall), self.shelf.first[:-1])
        several = np.diff(self.shelf.first) > 1
        self.columns["page"] = (np.log(0.01 + mass) * several)[self.shelf.page]
        self.columns["rank"] = reciprocal_ranks(fall + _FALL, _POOL, 5)
        share = sum(self.wanted.idf.get(term, 0.0) for term in self.wanted.titles)
        self.columns["title"] = self.finder.columns["named"] * share / self.wanted.weight

    # links

    def _titled(self, keys: Iterable[str]) -> dict[str, list[int]]:
        """key → places of the pages that are called so, of all that texts may mention."""
        wanted = set(keys)
        pages: dict[str, list[int]] = {}
        for key, row, _ in self.finder.store.pages_titled(wanted, self.finder.bit):
            pages.setdefault(key, []).append(row)
        return {key: self.shelf.places_of(rows).tolist() for key, rows in pages.items()}

    def _mentioned(self, seeds: Iterable[int]) -> dict[str, list[int]]:
        """key → places of the pages about what the passages mention, by any name or alias of it."""
        record, store, bit = self.shelf.record, self.finder.store, self.finder.bit
        rows = [
            (int(self.shelf.page_ids[self.shelf.page[seed]]), int(record["place"][seed]))
            for seed in seeds
        ]
        keys = store.mentions_in(rows, bit)
        known = store.named_entities(keys, bit) if keys else {}
        about: dict[int, list[int]] = {}
        for entity, page in store.pages_about({e for few in known.values() for e in few}, bit):
            about.setdefault(entity, []).append(page)
        return {
            key: self.shelf.places_of([p for e in few for p in about.get(e, ())]).tolist()
            for key, few in known.items()
        }

    def _follow(
        self, seed: int, text: str, sure: float, mentions: Sequence[Span], titled: Titled
    ) -> None:
        """Follow one passage forward, backward, and by the rare names in it."""
        page = int(self.shelf.page[seed])
        title = terms(self.shelf.pages[page].title)
        asked = [term for term in self.wanted.terms if term not in title]
        named = self.wanted.named.get(page, 0.0)
        others = _others(page, text, mentions, titled)
        self._forward(seed, text, asked, others, sure, max(named, 0.3 * sure))
        self._backward(page, title, asked, sure)
        if named >= _NAMED:
            self._sideways(page, text, title, max(named, 0.3))

    def _forward(
        self,
        seed: int,
        text: str,
        asked: Sequence[str],
        mentions: Iterable[tuple[int, int, Sequence[int]]],
        sure: float,
        near: float,
    ) -> None:
        """What the passage mentions: more where the question's words stand beside the mention."""
        lacking = [term for term in asked if not self.finder.times[term][seed]]
        total = sum(self.wanted.idf[term] for term in asked) or 1.0
        for start, end, pages in mentions:
            few = len(pages) ** -0.5
            beside = set(
                terms(f"{text[max(0, start - _BEFORE) : start]} {text[end : end + _AFTER]}")
            )
            around = sum(self.wanted.idf[term] for term in asked if term in beside) / total
            first = self.shelf.first
            rows = np.concatenate([np.arange(first[p], first[p + 1]) for p in pages])
            self._lend("mentioned", rows, sure * few)
            self._lend("mentioned near", rows, near * few * around)
            self._lend("completes", rows, sure * few * self._share(lacking, rows))

    def _backward(self, page: int, title: Sequence[str], asked: Sequence[str], sure: float) -> None:
        """What mentions the passage's page, by how much of the question it has.

        A title with a word that stands everywhere is not looked up in the text index, which would
        read all the places of that word, but among the mentions kept when pages were written.
        """
        if any(self.finder.stands_everywhere(word) for word in title):
            key = entity_key(self.shelf.pages[page].title)
            rows = self._of_others(
                page, self.finder.store.mentioning(key, self.finder.bit, _MOST_MENTIONS)
            )
        else:
            rows = self._with(page, title, _MOST_MENTIONS)
        if len(rows):
            self._lend("mentions", rows, sure * self._share(asked, rows))

    def _sideways(self, page: int, text: str, title: Sequence[str], sure: float) -> None:
        """What shares a rare name with the passage that the question itself does not have."""
        known = {*self.wanted.terms, *title}
        names = dict.fromkeys(match.group() for match in _NAME.finditer(text))
        for name in list(names)[:_MOST_NAMES]:
            words = terms(name)
            if set(words) <= known:
                continue
            rows = self._with(page, words, _MOST_HOLDERS + 1)
            if 0 < len(rows) < _MOST_HOLDERS:
                self._lend("shares", rows, sure / float(np.log2(2 + len(rows))))

    def _with(self, page: int, words: Sequence[str], most: int) -> Places:
        """The passages of other pages that hold these words one after the other."""
        if not words or all(word in STOP_WORDS for word in words):
            return np.empty(0, np.int64)
        if any(self.finder.stands_everywhere(word) for word in words):
            return np.empty(0, np.int64)
        ids = self.finder.store.passages_with(self.finder.scopes, words, most)
        return self._of_others(page, ids)

    def _of_others(self, page: int, ids: Sequence[int]) -> Places:
        """Where passages of the text index stand on the shelf, but for those of this page."""
        rows = self.shelf.places(np.asarray(ids, np.int64))
        return np.asarray(rows[self.shelf.page[rows] != page], np.int64)

    def _lend(self, column: str, rows: Places, gain: float | Floats) -> None:
        """A link's gain to passages: of several links the best counts."""
        self.reached[rows] = True
        self.columns[column][rows] = np.maximum(self.columns[column][rows], gain)

    def _share(self, some: Iterable[str], rows: Places) -> Floats:
        """The share of these terms' rarity that stands in each of the passages."""
        found, total = np.zeros(len(rows)), 0.0
        for term in some:
            total += self.wanted.idf[term]
            found += self.wanted.idf[term] * (self.finder.times[term][rows] > 0)
        return found / total if total else found


def _others(
    page: int, text: str, mentions: Iterable[Span], titled: Titled
) -> Iterator[tuple[int, int, list[int]]]:
    """(start, end, pages by place) of the titles of other pages in a text, longest first."""
    spans: dict[str, tuple[int, int]] = {}
    for start, end, key in mentions:
        spans.setdefault(key, (start, end))
    taken: list[tuple[int, int]] = []
    for key, (start, end) in sorted(spans.items(), key=lambda one: one[1][0] - one[1][1]):
        if any(s <= start and end <= e for s, e in taken):
            continue
        taken.append((start, end))
        others = [place for place in titled[key] if place != page]
        if 0 < len(others) <= _MOST_NAMESAKES and text[start:end].casefold() not in STOP_WORDS:
            yield start, end, others
