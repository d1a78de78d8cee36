"""`search_pages`, and the passages of `recall`: what page search found, as a caller reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from cloudnee.flows.finding import Finder, Wanted
from cloudnee.flows.linking import Linker
from cloudnee.flows.narrowing import Narrowing
from cloudnee.model import Passage
from cloudnee.pages.terms import identifiers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudnee.flows.engine import Engine
    from cloudnee.graph.question import Question
    from cloudnee.store.shelf import Shelf

__all__ = ["found_passages"]

_UNRELATED = 0.5  # the distance from which on texts are taken for unrelated if no model says
_STALE = 3.0  # how much a line falls that states an old price beside a new one
_SPARE = 10  # passages beyond those asked for that may rise in its place
_FADE = 6.0  # how much the score of a passage falls until it is forgotten, where recency counts
_SENTENCE = re.compile(r"(?<=[.!?。！？])[\"'”’)]*\s+|\n+")


def found_passages(
    engine: Engine,
    question: Question,
    bit: int,
    top_k: int,
    narrowing: Narrowing,
    vector: bytes | None = None,
) -> tuple[Passage, ...]:
    """The best passages this audience sees; those with an exact identifier of the question first.

    `vector` is that of the question, where it is embedded already. A page's date is the one it
    gives itself, else that of its facts.
    """
    store = engine.store
    with engine.shelf.fresh() as shelf:
        if not len(shelf.ids):
            return ()
        finder = Finder(shelf, store, bit, engine.zone, sorted(question.entities))
        finder.period = narrowing.period
        pages = _kept(shelf, narrowing)
        finder.allowed = finder.seen & pages[shelf.page]
        if not finder.allowed.any():
            return ()
        wanted = finder.wanted(question.text)
        vector = vector or engine.asked_vector(wanted.rest)
        score = finder.first_look(wanted, vector)
        linker = Linker(finder, wanted, score)
        places, final = linker.ranked()
        if narrowing.recency:
            final = final - _FADE * _faded(shelf, narrowing)[shelf.page[places]]
        least = 1 - (_UNRELATED if engine.unrelated is None else engine.unrelated)
        if not linker.related(places, least):
            return ()  # nothing is known of it, and so we say
        exact = finder.identified(places, identifiers(question.text))
        order = np.lexsort((places, -np.round(final, 9), -exact))[: 2 * top_k + _SPARE]
        places, final, exact = places[order], final[order], exact[order]
        final = final - _STALE * _stale(finder, places)
        best = places[np.lexsort((places, -np.round(final, 9), -exact))[:top_k]].tolist()
        scores = dict(zip(places.tolist(), final.tolist(), strict=True))
        texts = finder.texts(best)
        return tuple(
            _passage(shelf, wanted, place, scores[place], *texts[place])
            for place in best
            if place in texts
        )


def _stale(finder: Finder, places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which passages are one line that states only what is no longer true for this audience."""
    shelf = finder.shelf
    pages = shelf.page_ids[shelf.page[places]].tolist()
    lines = finder.store.stale_lines(pages, finder.bit)
    record = shelf.record[places]
    alone = (record["first"] == record["last"]).tolist()
    held = zip(pages, record["first"].tolist(), alone, strict=True)
    return np.asarray([one and (page, line) in lines for page, line, one in held], bool)


def _kept(shelf: Shelf, narrowing: Narrowing) -> NDArray[np.bool_]:
    """Which pages of the shelf lie within the dates and tags asked for."""
    if narrowing.is_open:
        return np.ones(len(shelf.pages), bool)
    return narrowing.kept(shelf.page_ids, _dates(shelf), _tags(shelf))


def _faded(shelf: Shelf, narrowing: Narrowing) -> NDArray[np.float64]:
    """How far each page of the shelf has faded."""
    return narrowing.age(shelf.page_ids, _dates(shelf), _tags(shelf))


def _dates(shelf: Shelf) -> NDArray[np.int64]:
    return np.asarray([page.as_of for page in shelf.pages], np.int64)


def _tags(shelf: Shelf) -> dict[int, tuple[str, ...]]:
    return {page.page: tuple(t.casefold() for t in page.tags) for page in shelf.pages if page.tags}


def _passage(
    shelf: Shelf, wanted: Wanted, place: int, score: float, path: str, text: str
) -> Passage:
    record = shelf.record[place]
    headings = shelf.pages[int(shelf.page[place])].headings
    return Passage(
        path,
        int(record["first"]),
        int(record["last"]),
        text,
        round(score, 4),
        headings[record["heading"] - 1] if record["heading"] else "",
        _sentence(text, wanted),
    )


def _sentence(text: str, wanted: Wanted) -> str:
    """The sentence with most of what was asked for; the first one where none has any."""
    sentences = [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]
    if len(sentences) < 2:
        return text.strip()

    def gain(sentence: str) -> float:
        folded = sentence.casefold()  # a term is mostly how its word begins
        return sum(rare for term, rare in wanted.idf.items() if term.rstrip("i") in folded)

    return max(sentences, key=gain)
