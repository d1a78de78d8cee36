"""Which extractor reads a page, and how a whole page is read: chunks, calls, grounding, merging.

`rules`, `llm`, or `both`: then the rules read first, and the model only what they left. A page is
read as a whole or not at all: one chunk that failed fails the page, and what was paid for the
others is kept in the cache.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from cloudnee.errors import BudgetSpent, ExtractionFailed
from cloudnee.extract.base import Extraction, Extractor
from cloudnee.extract.calls import Usage
from cloudnee.extract.doubt import believable
from cloudnee.extract.grounding import PlacedEdge, Refusal, place_edges
from cloudnee.extract.llm import ChunkOutcome, Estimate, LlmExtractor
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.prompt import ChunkRequest, headings_before
from cloudnee.extract.relative import absolute_dates
from cloudnee.extract.rules import RulesExtractor
from cloudnee.graph.identity import entity_key
from cloudnee.pages.chunks import Span, chunk_spans
from cloudnee.pages.page import ParsedPage, parse_page

__all__ = ["CombinedExtractor", "PageReading", "chosen", "estimated", "model_of", "read_page"]


class CombinedExtractor:
    """The rules first, then a model for what the rules did not read."""

    name = "both"
    whole_page = True

    def __init__(self, first: Extractor, second: LlmExtractor) -> None:
        self.first = first
        self.second = second

    @property
    def version(self) -> str:
        """What a reading depends on beside the text: both versions."""
        return f"{self.first.version}+{self.second.version}"

    def extract(self, text: str, *, subject: str, path: str, date: Any) -> Extraction:
        """All edges of both, ungrounded: the model reads the text as one chunk."""
        read = self.first.extract(text, subject=subject, path=path, date=date)
        more = self.second.extract(text, subject=subject, path=path, date=date)
        return Extraction([*read.entities, *more.entities], [*read.edges, *more.edges])


@dataclass(frozen=True, slots=True)
class PageReading:
    """What a page states, and what was said of it and not believed.

    With an `error` nothing is known: the edges are none because nobody read, not because the page
    states nothing.
    """

    edges: tuple[PlacedEdge, ...] = ()
    refused: tuple[Refusal, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: ExtractionFailed | None = None


def model_of(extractor: Extractor) -> LlmExtractor | None:
    """The language model among what reads, if there is one."""
    last = extractor.second if isinstance(extractor, CombinedExtractor) else extractor
    return last if isinstance(last, LlmExtractor) else None


def chosen(wanted: str | None, given: Extractor, ontology: Ontology) -> tuple[Extractor, str]:
    """The extractor that a page asks for in its front matter, and a warning where it is not there.

    A page without a wish, or with one that can't be met, is read by the one that was given.
    """
    word, model = (wanted or "").strip().casefold(), model_of(given)
    if word in ("", given.name):
        return given, ""
    if word == "rules":
        return RulesExtractor(ontology), ""
    if word == "llm" and model:
        return model, ""
    if word == "both" and model:
        return CombinedExtractor(RulesExtractor(ontology), model), ""
    reason = "no language model is set up" if word in ("llm", "both") else "rules, llm or both"
    return given, f"front matter: extractor: {word!r}: {reason}: read by {given.name}"


def read_page(
    extractor: Extractor,
    page: ParsedPage,
    *,
    name: str,
    day: datetime,
    ontology: Ontology,
    last: Callable[[], tuple[str, Sequence[PlacedEdge]]] = lambda: ("", ()),
) -> PageReading:
    """Read a page with any extractor. What a plain extractor raises is raised.

    `last` gives the text of the last reading and its edges: what a model read from a line that
    still stands stays, though it may be forgotten by the model now.
    """
    if isinstance(extractor, CombinedExtractor):
        first = _plainly(extractor.first, page, name, day, ontology)
        lines = {edge.line for edge in first.edges}
        spans = _unread(page, chunk_spans(page.text), lines)
        second = _by_model(extractor.second, page, name, day, ontology, spans)
        own = _by_second(extractor, page, name, day, ontology, *last())
        return _kept(_merged(first, second, lines), page, name, own)
    if isinstance(extractor, LlmExtractor):
        every = dict(enumerate(chunk_spans(page.text)))
        return _kept(_by_model(extractor, page, name, day, ontology, every), page, name, last()[1])
    return _plainly(extractor, page, name, day, ontology)


def _by_second(
    extractor: CombinedExtractor,
    page: ParsedPage,
    name: str,
    day: datetime,
    ontology: Ontology,
    text: str,
    edges: Sequence[PlacedEdge],
) -> list[PlacedEdge]:
    """Of the last reading's edges those that were the model's: the rules need no such help."""
    if not edges:
        return []
    rules = _plainly(extractor.first, parse_page(page.path, text), name, day, ontology)
    theirs = {_key(edge) for edge in rules.edges}
    return [edge for edge in edges if _key(edge) not in theirs]


def _kept(
    reading: PageReading, page: ParsedPage, name: str, earlier: Sequence[PlacedEdge]
) -> PageReading:
    if reading.error:
        return reading
    more = _still_standing(earlier, reading.edges, page, name)
    return replace(reading, edges=(*reading.edges, *more))


def estimated(extractor: Extractor, page: ParsedPage, *, name: str, day: datetime) -> Estimate:
    """What reading a page would take at most, without a call: nothing, where no model reads."""
    model = model_of(extractor)
    if model is None:
        return Estimate(0, 0, 0)
    return model.estimate(_requests(page, name, day, chunk_spans(page.text)))


def _plainly(
    extractor: Extractor, page: ParsedPage, name: str, day: datetime, ontology: Ontology
) -> PageReading:
    whole = [Span(0, len(page.text), 1, page.text.count("\n") + 1)]
    spans = whole if getattr(extractor, "whole_page", False) else chunk_spans(page.text)
    found: list[Extraction] = []
    for span in spans:
        text = page.text[span.start : span.end]
        read: object = extractor.extract(text, subject=name, path=page.path, date=day)
        if not isinstance(read, Extraction):
            raise TypeError(f"extract() gave {type(read).__name__}, not an Extraction")
        found.append(read)
    edges, refused = place_edges(page, spans, found, ontology)
    return PageReading(tuple(edges), tuple(refused))


def _by_model(
    model: LlmExtractor,
    page: ParsedPage,
    name: str,
    day: datetime,
    ontology: Ontology,
    spans: dict[int, Span],
) -> PageReading:
    requests = _requests(page, name, day, list(spans.values()))
    outcomes = model.extract_many(requests)
    usage = sum((outcome.usage for outcome in outcomes), Usage())
    if error := _worst(outcomes):
        return PageReading(usage=usage, error=error)
    found: list[Extraction] = []
    doubted: list[Refusal] = []
    for request, outcome in zip(requests, outcomes, strict=True):
        about = (name, *request.headings, *_titles(request.text))
        kept, refused = believable(outcome.extraction or Extraction(), request.text, about)
        found.append(kept)
        doubted += refused
    edges, others = place_edges(page, list(spans.values()), found, ontology)
    dated = [replace(edge, target=absolute_dates(edge.target, day.date())) for edge in edges]
    return PageReading(tuple(dated), (*doubted, *others), usage)


def _titles(text: str) -> list[str]:
    return [line.strip("# 	") for line in _lines(text) if line.startswith("#")]


def _requests(
    page: ParsedPage, name: str, day: datetime, spans: Sequence[Span]
) -> list[ChunkRequest]:
    above = headings_before(page.text, [span.start for span in spans])
    when = day.date().isoformat()
    return [
        ChunkRequest(page.text[span.start : span.end], name, page.path, when, headings)
        for span, headings in zip(spans, above, strict=True)
    ]


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


def _unread(page: ParsedPage, spans: Sequence[Span], read: set[int]) -> dict[int, Span]:
    """The spans, by number, that hold a line of prose which gave no edge."""
    lines = _lines(page.text)
    prose = {
        at
        for at, line in enumerate(lines, 1)
        if at >= page.body_line and at not in read and _is_prose(line)
    }
    return {
        number: span
        for number, span in enumerate(spans)
        if prose.intersection(range(span.start_line, span.end_line + 1))
    }


def _is_prose(line: str) -> bool:
    if _PLAIN.match(line):
        return False
    words = _WORDS.findall(line)
    return len(words) >= 3 or any(len(word) >= 6 and not word.isascii() for word in words)


def _merged(first: PageReading, second: PageReading, read: set[int]) -> PageReading:
    if second.error:
        return replace(second, refused=first.refused)
    known = {_key(edge) for edge in first.edges}
    more = [edge for edge in second.edges if edge.line not in read and _key(edge) not in known]
    return PageReading(
        (*first.edges, *more), (*first.refused, *second.refused), first.usage + second.usage
    )


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
