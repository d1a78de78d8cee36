"""What an extractor said, placed on the page and believed only where its words stand.

An edge enters where source and target stand in what was read, or are the page's subject or a
heading above, and where its relation is known to the ontology or its words stand in the line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from cloudnee.extract.base import ExtractedEdge, Extraction
from cloudnee.extract.labels import snake_case
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.owners import Statement, owners
from cloudnee.graph.identity import entity_key
from cloudnee.pages.chunks import Span, chunk_spans
from cloudnee.pages.lines import lines_of
from cloudnee.pages.markup import plain
from cloudnee.pages.outline import outline_of
from cloudnee.pages.page import ParsedPage
from cloudnee.pages.sections import has_parts, owner_of
from cloudnee.pages.terms import terms

__all__ = ["PlacedEdge", "Refusal", "place_edges"]

LONGEST = 300
_TOKEN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class PlacedEdge:
    """A believed edge: where it stands (`line` of the page, `quote` as written) and its chunk."""

    source: str
    relation: str
    target: str
    source_type: str = ""
    target_type: str = ""
    chunk: int = 0
    line: int = 1
    quote: str = ""
    target_declared: bool = False
    source_declared: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """An edge that was not believed, with the reason and the text it came from."""

    source: str
    relation: str
    target: str
    reason: str
    text: str


def place_edges(
    page: ParsedPage,
    spans: Sequence[Span],
    extractions: Sequence[Extraction],
    ontology: Ontology,
) -> tuple[list[PlacedEdge], list[Refusal]]:
    """The believed edges of a page's readings, one for each fact (its later line), and the rest.

    Raises `TypeError` where a reading is out of form altogether: that is a failed extraction.
    """
    types = {entity_key(n): kind for e in extractions for n, kind in e.entities if kind}
    ground = _Ground(page, ontology, types)
    placed: list[PlacedEdge] = []
    refused: list[Refusal] = []
    for span, extraction in zip(spans, extractions, strict=True):
        for edge in extraction.edges:
            if not isinstance(edge, ExtractedEdge):
                raise TypeError(f"an extraction holds {type(edge).__name__}, not an ExtractedEdge")
            found = ground.place(edge, span)
            if isinstance(found, PlacedEdge):
                placed.append(found)
            else:
                refused.append(found)
    return _each_once(_owned(page, placed, ontology)), refused


class _Ground:
    """One page, ready to be asked what stands where."""

    def __init__(self, page: ParsedPage, ontology: Ontology, types: dict[str, str]) -> None:
        self.page = page
        self.ontology = ontology
        self.lines = lines_of(page.text)
        self.types = types
        self.words: dict[Span, _Words] = {}

    @cached_property
    def about(self) -> frozenset[str]:
        """Keys that need not stand in the text: the subject, the file's name, the headings."""
        stem = self.page.path.rpartition("/")[2].rpartition(".")[0]
        names = [self.page.subject or "", stem]
        names += [heading.text for heading in outline_of(self.page.text).headings]
        return frozenset(entity_key(name) for name in names if name)

    @cached_property
    def subject_key(self) -> str:
        return entity_key(self.page.subject or "")

    @cached_property
    def starts(self) -> list[int]:
        return [span.start_line for span in chunk_spans(self.page.text)]

    def place(self, edge: ExtractedEdge, span: Span) -> PlacedEdge | Refusal:
        """Where an edge stands, or why it is not believed."""
        if not all(
            isinstance(v, str) for v in (edge.source, edge.relation, edge.target, edge.line)
        ):
            return _refusal(edge, "not text", "")
        relation = self._relation(edge.relation)
        at = self._line(edge, span)
        reason = self._fault(edge, relation, at, span)
        if reason:
            return _refusal(edge, reason, self.lines[at - 1] if at else edge.line)
        return PlacedEdge(
            source=edge.source.strip(),
            relation=relation,
            target=edge.target.strip(),
            source_type=edge.source_type or self.types.get(entity_key(edge.source), ""),
            target_type=edge.target_type or self._type(edge.target, relation),
            chunk=bisect_right(self.starts, at) - 1,
            line=at,
            quote=self.lines[at - 1].strip(),
            target_declared=edge.declared,
            source_declared=entity_key(edge.source) in self.about,
        )

    def _type(self, target: str, relation: str) -> str:
        return (
            self.types.get(entity_key(target)) or self.ontology.relation(relation).target_type or ""
        )

    def _relation(self, name: str) -> str:
        if name in self.ontology.relations:
            return name
        plain = snake_case(name)
        if plain in self.ontology.relations:
            return plain
        return self.ontology.label_relation(name) or plain

    def _fault(self, edge: ExtractedEdge, relation: str, at: int, span: Span) -> str:
        source, target = entity_key(edge.source), entity_key(edge.target)
        if not source or not target or not relation:
            return "source, relation and target must all show something"
        if max(len(edge.source), len(edge.relation), len(edge.target)) > LONGEST:
            return f"a name of more than {LONGEST} characters"
        if source == target:
            return "it leads to itself"
        if not at:
            return "its line does not stand in what was read"
        line = self.lines[at - 1]
        if source not in self.about and not self._stands(edge.source, line, span):
            return "the source does not stand in what was read"
        if target not in self.about and not self._stands(edge.target, line, span):
            return "the target does not stand in what was read"
        if not self._known(relation, f"{edge.line}\n{line}" if edge.line_number else line):
            return "the relation is unknown and its words do not stand in the line"
        return ""

    def _known(self, relation: str, said: str) -> bool:
        if relation in self.ontology.relations or (relation == "links_to" and "[[" in said):
            return True
        words = set(terms(relation.replace("_", " ")))
        return words <= set(terms(said)) or entity_key(relation) in entity_key(said)

    def _stands(self, name: str, line: str, span: Span) -> bool:
        if _holds(line, name) or _holds(plain(line), name):
            return True
        if span not in self.words:
            self.words[span] = _Words(self.page.text[span.start : span.end])
        return self.words[span].hold(name)

    def _line(self, edge: ExtractedEdge, span: Span) -> int:
        """The page's line that supports an edge; 0 where there is none."""
        if edge.line_number is not None:
            at = span.start_line + edge.line_number - 1
            return at if span.start_line <= at <= len(self.lines) else 0
        numbers = range(span.start_line, min(span.end_line, len(self.lines)) + 1)
        wanted = _flat(edge.line)
        found = self._quoted(wanted, numbers) if wanted else list(numbers)
        held = [at for at in found if _Words(self.lines[at - 1]).hold(edge.target)]
        if not wanted and not held:
            return 0
        return self._best(edge, held or found)

    def _quoted(self, wanted: str, numbers: range) -> list[int]:
        """The lines that a quotation stands in, however it was wrapped, marked or cut."""
        flat = {at: _flat(self.lines[at - 1]) for at in numbers}
        same = [at for at in numbers if flat[at] == wanted]
        within = same or [at for at in numbers if wanted in flat[at]]
        if within:
            return within
        shown = [at for at in numbers if flat[at]]
        starts = [0, *accumulate(len(flat[at]) + 1 for at in shown)]
        begin = " ".join(flat[at] for at in shown).find(wanted)
        if begin >= 0:  # a sentence that the page wraps
            first, last = (bisect_right(starts, p) - 1 for p in (begin, begin + len(wanted) - 1))
            return shown[first : last + 1]
        parts = [at for at in numbers if len(flat[at]) > 3 and flat[at] in wanted]
        key = entity_key(wanted)
        return parts or [at for at in numbers if key and key in entity_key(flat[at])]

    def _best(self, edge: ExtractedEdge, lines: Sequence[int]) -> int:
        """Of several lines: one that names the source, or stands under it, else the last."""
        source = entity_key(edge.source)
        named = [at for at in lines if source and source in entity_key(self.lines[at - 1])]
        under = [at for at in lines if source in self._above(at)] if len(lines) > 1 else []
        return (named or under or list(lines) or [0])[-1]

    def _above(self, line: int) -> set[str]:
        outline = outline_of(self.page.text)
        starts = [heading.line for heading in outline.headings]
        above = outline.above(bisect_right(starts, line) - 1)
        return {entity_key(outline.headings[i].text) for i in above}


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _holds(text: str, name: str) -> bool:
    """Whether a name stands in a text as a whole: 16 does not stand in 160."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before = at > 0 and _joined(text[at - 1], name[0])
        after = end < len(text) and _joined(name[-1], text[end])
        if not before and not after:
            return True
        at = text.find(name, at + 1)
    return False


def _joined(one: str, two: str) -> bool:
    """Whether two characters side by side belong to one word or number."""
    return one.isalnum() and two.isalnum() and (one.isascii() or two.isascii())


def _refusal(edge: ExtractedEdge, reason: str, text: str) -> Refusal:
    source, relation, target = (
        str(value).strip()[:LONGEST] for value in (edge.source, edge.relation, edge.target)
    )
    return Refusal(source, relation, target, reason, text.strip()[:LONGEST])


class _Words:
    """The words of a text: whether a name's words all stand in it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self.text))

    @cached_property
    def numbers(self) -> frozenset[str]:
        tokens = (t for t in _TOKEN.findall(self.text) if any(map(str.isdigit, t)))
        return frozenset(entity_key(token) for token in tokens)

    @cached_property
    def key(self) -> str:
        return entity_key(self.text)

    def hold(self, name: str) -> bool:
        """Inflection is allowed for words; a number must stand as it is."""
        digits = [token for token in _TOKEN.findall(name) if any(map(str.isdigit, token))]
        if any(entity_key(token) not in self.numbers for token in digits):
            return False
        wanted = terms(name)
        if not wanted:
            return entity_key(name) in self.key
        return set(wanted) <= self.terms


def _owned(page: ParsedPage, edges: Sequence[PlacedEdge], ontology: Ontology) -> list[PlacedEdge]:
    """Edges of the page's subject given to the headings that are the subjects of their lines."""
    outline = outline_of(page.text)
    if not has_parts(outline):
        return list(edges)
    starts = [heading.line for heading in outline.headings]
    about = entity_key(page.name)
    places = [bisect_right(starts, edge.line) - 1 for edge in edges]
    stated = [
        Statement(None, edge.relation, edge.target, edge.line, "", place)
        for edge, place in zip(edges, places, strict=True)
        if entity_key(edge.source) == about and not _names(edge.quote, about)
    ]
    own = owners(outline, page.name, stated, ontology)
    if not own:
        return list(edges)
    return [
        _given(edge, owner_of(outline, place, own), about)
        for edge, place in zip(edges, places, strict=True)
    ]


def _given(edge: PlacedEdge, owner: str | None, about: str) -> PlacedEdge:
    """An edge of the page's subject, given to the owner of its section."""
    if owner is None or entity_key(edge.source) != about or _names(edge.quote, about):
        return edge
    if entity_key(edge.target) == entity_key(owner):
        return edge
    return replace(edge, source=owner, source_declared=True)


def _names(quote: str, about: str) -> bool:
    return bool(about) and about in entity_key(quote)


def _each_once(edges: Iterable[PlacedEdge]) -> list[PlacedEdge]:
    """One edge for each fact: the one of the later line."""
    found: dict[tuple[str, str, str], PlacedEdge] = {}
    for edge in sorted(edges, key=lambda edge: edge.line):
        fact = (entity_key(edge.source), edge.relation, entity_key(edge.target))
        found.pop(fact, None)
        found[fact] = edge
    return list(found.values())
