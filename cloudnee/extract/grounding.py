"""What an extractor said, placed on the page and believed only where its words stand.

An edge enters where source and target stand in what was read, or are the page's subject or a
heading above, and where its relation is known to the ontology or its words stand in the line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from cloudnee.extract.base import ExtractedEdge, Extraction
from cloudnee.extract.labels import snake_case
from cloudnee.extract.ontology import Ontology
from cloudnee.graph.identity import entity_key
from cloudnee.pages.chunks import Span, chunk_spans
from cloudnee.pages.page import ParsedPage, is_name
from cloudnee.pages.terms import terms

__all__ = ["PlacedEdge", "Refusal", "place_edges", "section_subjects"]

LONGEST = 300
_NEWLINE = re.compile(r"\r\n?|\n")
_TOKEN = re.compile(r"\S+")
Section = tuple[int, str, int]


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
    sections = section_subjects(page, placed, ontology)
    if sections:
        above = _sections(page)
        placed = [_under(page, edge, sections, above.get(edge.line, ())) for edge in placed]
    return _each_once(placed), refused


class _Ground:
    """One page, ready to be asked what stands where."""

    def __init__(self, page: ParsedPage, ontology: Ontology, types: dict[str, str]) -> None:
        self.page = page
        self.ontology = ontology
        self.lines = _NEWLINE.split(page.text)
        self.types = types
        self.words: dict[Span, _Words] = {}

    @cached_property
    def about(self) -> frozenset[str]:
        """Keys that need not stand in the text: the subject, the file's name, the headings."""
        stem = self.page.path.rpartition("/")[2].rpartition(".")[0]
        names = [self.page.subject or "", stem]
        names += [text for block in self.page.blocks for _, text, _ in block.headings]
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
        if edge.line_number is None and not self._known(relation, line):
            return "the relation is unknown and its words do not stand in the line"
        return ""

    def _known(self, relation: str, line: str) -> bool:
        if relation in self.ontology.relations:
            return True
        return set(terms(relation.replace("_", " "))) <= set(terms(line))

    def _stands(self, name: str, line: str, span: Span) -> bool:
        if span not in self.words:
            self.words[span] = _Words(self.page.text[span.start : span.end])
        return name in line or self.words[span].hold(name)

    def _line(self, edge: ExtractedEdge, span: Span) -> int:
        """The page's line that supports an edge; 0 where there is none."""
        if edge.line_number is not None:
            at = span.start_line + edge.line_number - 1
            return at if 1 <= at <= len(self.lines) else 0
        wanted = " ".join(edge.line.split())
        numbers = range(span.start_line, min(span.end_line, len(self.lines)) + 1)
        if not wanted:
            return self._best_line(edge, numbers)
        first = " ".join(next(part for part in edge.line.splitlines() if part.strip()).split())
        for sought in dict.fromkeys((wanted, first)):
            for at in reversed(numbers):
                line = " ".join(self.lines[at - 1].split())
                if sought == line or sought in line:
                    return at
        return 0

    def _best_line(self, edge: ExtractedEdge, numbers: range) -> int:
        held = [at for at in numbers if _Words(self.lines[at - 1]).hold(edge.target)]
        both = [at for at in held if _Words(self.lines[at - 1]).hold(edge.source)]
        return (both or held or [0])[-1]


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


def section_subjects(
    page: ParsedPage, edges: Iterable[PlacedEdge], ontology: Ontology
) -> frozenset[Section]:
    """The headings that are the subjects of their lines.

    They are siblings of which more than one states the same single-valued relation (or a phone) of
    the page's subject: then each speaks of itself, as `## Mrs Tan` and `## Mr Lim` do.
    """
    if sum(block.kind == "heading" for block in page.blocks) < 2:
        return frozenset()
    above = _sections(page)
    said: dict[tuple[object, int, str], set[Section]] = defaultdict(set)
    subject = entity_key(page.subject or "")
    stated = [
        (edge.line, edge.relation)
        for edge in edges
        if ontology.relation(edge.relation).functional and entity_key(edge.source) == subject
    ]
    stated += [(alias.line, alias.kind) for alias in page.aliases if alias.section]
    for line, relation in stated:
        path = above.get(line, ())
        for depth, section in enumerate(path):
            said[(path[:depth], section[0], relation)].add(section)
    found = (section for group in said.values() if len(group) > 1 for section in group)
    return frozenset(section for section in found if is_name(section[1]))


def _sections(page: ParsedPage) -> dict[int, tuple[Section, ...]]:
    """Page line → the headings above it, outermost first, the subject's own heading left out."""
    found: dict[int, tuple[Section, ...]] = {}
    for block in page.blocks:
        path = tuple(h for h in block.headings if h[2] != page.subject_line)
        for line in range(block.first, block.last + 1):
            found[line + page.body_line - 1] = path
    return found


def _under(
    page: ParsedPage, edge: PlacedEdge, sections: frozenset[Section], path: tuple[Section, ...]
) -> PlacedEdge:
    """An edge of the page's subject, given to the heading that it stands under."""
    if entity_key(edge.source) != entity_key(page.subject or ""):
        return edge
    own = [section for section in path if section in sections]
    return replace(edge, source=own[-1][1], source_declared=True) if own else edge


def _each_once(edges: Iterable[PlacedEdge]) -> list[PlacedEdge]:
    """One edge for each fact: the one of the later line."""
    found: dict[tuple[str, str, str], PlacedEdge] = {}
    for edge in sorted(edges, key=lambda edge: edge.line):
        fact = (entity_key(edge.source), edge.relation, entity_key(edge.target))
        found.pop(fact, None)
        found[fact] = edge
    return list(found.values())
