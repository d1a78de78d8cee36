"""How a whole page is read: chunks, one round of calls, doubt, grounding, merging.

A page is read as a whole or not at all: one chunk that failed fails the page, and what was paid for
the others is kept in the cache. `planned` says what to ask a model, `asked` asks for many pages at
once, `finished` makes facts of the answers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from cloudnee.errors import BudgetSpent, ExtractionFailed
from cloudnee.extract.base import ExtractedEdge, Extraction, Extractor
from cloudnee.extract.calls import Usage
from cloudnee.extract.combined import CombinedExtractor, model_of
from cloudnee.extract.doubt import believable
from cloudnee.extract.grounding import PlacedEdge, Refusal, place_edges
from cloudnee.extract.llm import ChunkOutcome, LlmExtractor
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.prompt import ChunkRequest, headings_before
from cloudnee.extract.relative import absolute_dates
from cloudnee.graph.identity import entity_key
from cloudnee.pages.chunks import Span, chunk_spans
from cloudnee.pages.page import ParsedPage, parse_page

__all__ = ["PageReading", "PageWork", "asked", "finished", "planned"]

Last = Callable[[], tuple[str, Sequence[PlacedEdge]]]


@dataclass(frozen=True, slots=True)
class PageReading:
    """What a page states, and what was said of it and not believed.

    With an `error` nothing is known: there are no edges because nobody read, not because the page
    states nothing.
    """

    edges: tuple[PlacedEdge, ...] = ()
    refused: tuple[Refusal, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: ExtractionFailed | None = None


@dataclass(frozen=True, slots=True)
class PageWork:
    """A page, what was read of it without a model, and what a model is to be asked."""

    extractor: Extractor
    page: ParsedPage
    name: str
    day: datetime
    ontology: Ontology
    first: PageReading = field(default_factory=PageReading)
    spans: tuple[Span, ...] = ()

    @property
    def requests(self) -> list[ChunkRequest]:
        """The chunks to ask about."""
        above = headings_before(self.page.text, [span.start for span in self.spans])
        when = self.day.date().isoformat()
        return [
            ChunkRequest(
                self.page.text[span.start : span.end], self.name, self.page.path, when, headings
            )
            for span, headings in zip(self.spans, above, strict=True)
        ]


def planned(
    extractor: Extractor, page: ParsedPage, *, name: str, day: datetime, ontology: Ontology
) -> PageWork:
    """Read what needs no model. Whatever a plain extractor raises becomes the reading's error."""
    work = PageWork(extractor, page, name, day, ontology)
    if isinstance(extractor, LlmExtractor):
        return replace(work, spans=tuple(chunk_spans(page.text)))
    if isinstance(extractor, CombinedExtractor):
        first = _told(work, lambda: _plainly(replace(work, extractor=extractor.first)))
        unread = _unread(page, chunk_spans(page.text), {edge.line for edge in first.edges})
        return replace(work, first=first, spans=() if first.error else tuple(unread))
    return replace(work, first=_told(work, lambda: _plainly(work)))


def asked(model: LlmExtractor | None, works: Sequence[PageWork]) -> list[list[ChunkOutcome]]:
    """The answers to the chunks of many pages, in one round: no page waits for another's chunks."""
    requests = [work.requests for work in works]
    every = [request for of_page in requests for request in of_page]
    answers = iter(model.extract_many(every) if model and every else ())
    return [[next(answers) for _ in of_page] for of_page in requests]


def finished(
    work: PageWork, outcomes: Sequence[ChunkOutcome], last: Last = lambda: ("", ())
) -> PageReading:
    """What the page states, by all that read it.

    `last` gives the text of the last reading and its edges: what a model read from a line that
    still stands stays, though the model may have forgotten it now.
    """
    if work.first.error or model_of(work.extractor) is None:
        return work.first
    return _told(work, lambda: _finished(work, outcomes, last))


def _finished(work: PageWork, outcomes: Sequence[ChunkOutcome], last: Last) -> PageReading:
    second = _by_model(work, outcomes)
    if second.error:
        return replace(second, refused=work.first.refused)
    text, earlier = last()
    if isinstance(work.extractor, CombinedExtractor) and earlier:
        # The rules need no help to remember: what they read then, they read now or it is gone.
        then = PageWork(
            work.extractor.first, parse_page(work.page.path, text), work.name, work.day,
            work.ontology,
        )  # fmt: skip
        theirs = {_key(edge) for edge in _plainly(then).edges}
        earlier = [edge for edge in earlier if _key(edge) not in theirs]
    reading = _merged(work.first, second)
    more = _still_standing(earlier, reading.edges, work.page, work.name)
    return replace(reading, edges=(*reading.edges, *more))


def _told(work: PageWork, read: Callable[[], PageReading]) -> PageReading:
    try:
        return read()
    except Exception as error:  # noqa: BLE001 - an extractor is anybody's code; it is reported
        told = f"{work.extractor.name}: {type(error).__name__}: {error}"
        return PageReading(error=ExtractionFailed(told[:500]))


def _plainly(work: PageWork) -> PageReading:
    page, extractor = work.page, work.extractor
    whole = [Span(0, len(page.text), 1, page.text.count("\n") + 1)]
    spans = whole if getattr(extractor, "whole_page", False) else chunk_spans(page.text)
    found: list[Extraction] = []
    for span in spans:
        text = page.text[span.start : span.end]
        read: object = extractor.extract(text, subject=work.name, path=page.path, date=work.day)
        if not isinstance(read, Extraction):
            raise TypeError(f"extract() gave {type(read).__name__}, not an Extraction")
        for edge in read.edges:
            _formed(edge)
        found.append(read)
    edges, refused = place_edges(page, spans, found, work.ontology)
    return PageReading(tuple(edges), tuple(refused))


def _formed(edge: object) -> None:
    """Refuse an edge out of form: whoever gives one has not read the page, and no fact ends by it.

    Raises `TypeError` for what is no text, `ValueError` for a part that is missing or broken.
    """
    if not isinstance(edge, ExtractedEdge):
        raise TypeError(f"an extraction holds {type(edge).__name__}, not an ExtractedEdge")
    for part in ("source", "relation", "target", "line"):
        value: object = getattr(edge, part)
        if not isinstance(value, str):
            raise TypeError(f"an edge's {part} is {type(value).__name__}, not text")
        if not value.strip() and part != "line":
            raise ValueError(f"an edge has no {part}: {edge!r}")
        if not value.isascii():
            value.encode()  # a lone surrogate raises


def _by_model(work: PageWork, outcomes: Sequence[ChunkOutcome]) -> PageReading:
    usage = sum((outcome.usage for outcome in outcomes), Usage())
    if error := _worst(outcomes):
        return PageReading(usage=usage, error=error)
    found: list[Extraction] = []
    doubted: list[Refusal] = []
    for request, outcome in zip(work.requests, outcomes, strict=True):
        about = (work.name, *request.headings, *_titles(request.text))
        kept, refused = believable(outcome.extraction or Extraction(), request.text, about)
        found.append(kept)
        doubted += refused
    edges, others = place_edges(work.page, work.spans, found, work.ontology)
    day = work.day.date()
    dated = [replace(edge, target=absolute_dates(edge.target, day)) for edge in edges]
    return PageReading(tuple(dated), (*doubted, *others), usage)


def _titles(text: str) -> list[str]:
    return [line.strip("# \t") for line in _lines(text) if line.startswith("#")]


def _worst(outcomes: Iterable[ChunkOutcome]) -> ExtractionFailed | None:
    # A chunk that failed says more than one that was not tried for want of budget.
    errors = [outcome.error for outcome in outcomes if outcome.error]
    tried = [error for error in errors if not isinstance(error, BudgetSpent)]
    return next(iter(tried or errors), None)


_PLAIN = re.compile(r"^\s*(?:#{1,6}\s|```|~~~|[|:\-=\s]*$|<!--)")
_WORDS = re.compile(r"[^\W\d_]+")
_NEWLINE = re.compile(r"\r\n?|\n")


def _lines(text: str) -> list[str]:
    return _NEWLINE.split(text)


def _unread(page: ParsedPage, spans: Sequence[Span], read: set[int]) -> list[Span]:
    """The spans that hold a line of prose which gave no edge."""
    lines = _lines(page.text)
    prose = {
        at
        for at, line in enumerate(lines, 1)
        if at >= page.body_line and at not in read and _is_prose(line)
    }
    return [s for s in spans if prose.intersection(range(s.start_line, s.end_line + 1))]


def _is_prose(line: str) -> bool:
    if _PLAIN.match(line):
        return False
    words = _WORDS.findall(line)
    return len(words) >= 3 or any(len(word) >= 6 and not word.isascii() for word in words)


def _merged(first: PageReading, second: PageReading) -> PageReading:
    """Both readings; a line that the first read is the first's alone."""
    read, known = {edge.line for edge in first.edges}, {_key(edge) for edge in first.edges}
    more = [edge for edge in second.edges if edge.line not in read and _key(edge) not in known]
    refused = (*first.refused, *second.refused)
    return PageReading((*first.edges, *more), refused, first.usage + second.usage)


def _key(edge: PlacedEdge) -> tuple[str, str, str]:
    return entity_key(edge.source), edge.relation, entity_key(edge.target)


def _still_standing(
    earlier: Iterable[PlacedEdge], found: Sequence[PlacedEdge], page: ParsedPage, name: str
) -> list[PlacedEdge]:
    """Edges of the last reading that a model left out now, though their lines stand unchanged.

    A model asked twice may forget; the page did not. An edge stays while its line stands and what
    it is about is the page's subject or still named on the page.
    """
    lines = [line.strip() for line in _lines(page.text)]
    places = {line: number for number, line in enumerate(lines, 1) if line}
    spans = chunk_spans(page.text)
    known, about, whole = {_key(edge) for edge in found}, entity_key(name), _folded(page.text)
    kept: list[PlacedEdge] = []
    for edge in earlier:
        number = places.get(edge.quote)
        named = entity_key(edge.source) == about or _folded(edge.source) in whole
        if number is not None and named and _key(edge) not in known:
            chunk = max(i for i, span in enumerate(spans) if span.start_line <= number)
            kept.append(replace(edge, line=number, chunk=chunk))
    return kept


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
