"""The rules: what people write down in a known form, read without a model or a network.

Precision first: a missed fact stays on the page and is found by page search; a wrong one is a lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from cloudnee.extract.base import ExtractedEdge, Extraction
from cloudnee.extract.labels import Value, relation_of, values_of
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.owners import Statement, owners
from cloudnee.extract.people import Company
from cloudnee.extract.sentences import Sentences, sentences_of
from cloudnee.extract.tables import cells_of
from cloudnee.graph.identity import entity_key
from cloudnee.pages.lines import lines_of
from cloudnee.pages.markup import links, plain, split_label, without_code
from cloudnee.pages.outline import Block, Outline, outline_of
from cloudnee.pages.page import RESERVED
from cloudnee.pages.sections import owner_of
from cloudnee.pages.turns import speakers_of

__all__ = ["RulesExtractor"]

_CHECKBOX = re.compile(r"\[[ xX/-]\](?:\s|$)")
_DATED = re.compile(
    r"(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2} [A-Z][a-z]{2,8} \d{4})"
    r"(?:[T ,]+\d{1,2}[:.]\d{2}(?::\d{2})?(?:\s?[ap]m)?)?\s*(?:[:：—–]|\s-)\s*",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"~~.*~~\s*")
_RELATION_LINK = re.compile(r"([^\W\d_][\w' \-]{0,40}?)\s+(?=\[\[)")
_MOST_TEXT = 20_000  # characters of a paragraph that are read for sentences
_ENDS = (".", "!", "?", "。", "！", "？", ":")
_UNENDED = re.compile(
    r"(?:[,&(]|\b(?:an?|the|of|to|and|or|with|for|as|in|at|by|on|that|from|than))$", re.IGNORECASE
)
_WRAPPED = 60  # a shorter line was not wrapped, but ended


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a block: its number, how it is written, and the text without a leading date."""

    number: int
    written: str
    text: str
    hard: bool = False


@dataclass(slots=True)
class _Unit:
    """Lines that belong together: running text, or a form with the lines that it wraps over."""

    lines: list[_Line]
    formed: bool

    def whole(self) -> _Line:
        """The unit as one line."""
        first = self.lines[0]
        if len(self.lines) == 1:
            return first
        written = "\n".join(line.written for line in self.lines)
        return _Line(first.number, written, " ".join(line.text for line in self.lines))


class RulesExtractor:
    """Reads front matter, labelled lines, tables, links and the ontology's phrases."""

    name = "rules"
    version = "2"
    whole_page = True  # a cut would lose table heads, and who "she" is

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self.sentences = Sentences(ontology)

    def extract(
        self, text: str, *, subject: str, path: str, date: datetime | str | None = None
    ) -> Extraction:
        """The facts of a whole page's text, which is about `subject`."""
        outline = outline_of(text)
        reading = _Reading(self, outline, text, subject, path)
        return Extraction(edges=tuple(reading.edges()))


class _Reading:
    """One page being read."""

    def __init__(
        self, rules: RulesExtractor, outline: Outline, text: str, subject: str, path: str
    ) -> None:
        self.ontology = rules.ontology
        self.sentences = rules.sentences
        self.outline = outline
        self.text = text
        self.subject = subject
        self.notes = path.casefold().startswith("notes/")
        self.front = {
            e.key: tuple(v for v, _ in e.values) for e in outline.front.entries if e.values
        }
        self.speakers = speakers_of(self.front, outline)
        self.units: dict[int, list[_Unit]] = {}
        self.labels: dict[int, str] = {}  # list items that announce the items below them

    def edges(self) -> Iterator[ExtractedEdge]:
        """The page's facts in the order of their lines."""
        yield from self._front()
        labelled = [(n, s) for n, b in enumerate(self.outline.blocks) for s in self._formed(n, b)]
        own = owners(self.outline, self.subject, [s for _, s in labelled], self.ontology)
        forms: dict[int, list[Statement]] = {}
        for number, statement in labelled:
            forms.setdefault(number, []).append(statement)
        company = Company(self.subject)
        for number, block in enumerate(self.outline.blocks):
            owner = owner_of(self.outline, block.heading, own) or self.subject
            if entity_key(owner) != company.key:
                company = Company(owner)
            for statement in (*forms.get(number, ()), *self._prose(number, block, company)):
                source = statement.source or owner
                if entity_key(source) != entity_key(statement.target):
                    yield _edge(statement, source)

    def _front(self) -> Iterator[ExtractedEdge]:
        lines = lines_of(self.text[: self.outline.front.end]) if self.front else []
        for entry in self.outline.front.entries:
            relation = relation_of(entry.key, self.ontology)
            if entry.key.casefold() in RESERVED or relation is None:
                continue
            law = self.ontology.relation(relation)
            for written, line in entry.values:
                for value in values_of(written, law, marks=False):
                    source = None
                    said = "\n".join(lines[at - 1] for at in sorted({entry.line, line}))
                    statement = Statement(source, relation, value.text, line, said, -1)
                    yield _edge(statement, self.subject, declared=value.declared)

    # forms: labels, tables, relation and link

    def _formed(self, number: int, block: Block) -> Iterator[Statement]:
        """What the lines of a block state by their form."""
        if block.quoted or number in self.speakers:
            return
        if block.kind == "table":
            lines = self._page_lines
            for cell in cells_of(block, self.ontology):
                said = f"{lines[cell.head - 1]}\n{lines[cell.line - 1]}"
                yield Statement(
                    cell.source, cell.relation, cell.value.text, cell.line, said,
                    block.heading, cell.value.declared,
                )  # fmt: skip
        elif block.kind == "text":
            yield from self._text_forms(number, block)

    @cached_property
    def _page_lines(self) -> list[str]:
        return lines_of(self.text)

    def _text_forms(self, number: int, block: Block) -> Iterator[Statement]:
        if block.depth > 1 or (block.depth and not block.first):
            yield from self._below_label(number, block)
            return
        for unit in self._units(number):
            if unit.formed:
                line = unit.whole()
                for relation, value in self._values(number, line):
                    yield _stated(relation, value, line, block)

    def _units(self, number: int) -> list[_Unit]:
        """The lines of a block as far as they belong together; found once."""
        if number not in self.units:
            block = self.outline.blocks[number]
            units: list[_Unit] = []
            for line in _lines(block):
                formed = split_label(line.text, bare=block.depth > 0) is not None
                formed = formed or bool(block.depth and _RELATION_LINK.match(line.text))
                if units and _goes_on(units[-1], line, formed=formed):
                    units[-1].lines.append(line)
                else:
                    units.append(_Unit([line], formed))
            self.units[number] = units
        return self.units[number]

    def _values(self, number: int, line: _Line) -> list[tuple[str, Value]]:
        """(relation, value) of what a line states by its form.

        An item that is only `Label:` announces the items below it.
        """
        labelled = split_label(line.text, bare=self.outline.blocks[number].depth > 0)
        if labelled is None:
            return self._linked(line)
        if "`" in line.written or "[[" in labelled[0]:
            return []
        label, written = plain(labelled[0]), labelled[1]
        relation = relation_of(label, self.ontology)
        if relation is None:
            return []
        if not written:
            self.labels[number] = relation
            return []
        known = relation in self.ontology.relations
        if not known and self.sentences.any.match(written):  # Siti: lives in Jurong
            return []
        found = values_of(written, self.ontology.relation(relation), known=known)
        return [(relation, value) for value in found]

    def _below_label(self, number: int, block: Block) -> Iterator[Statement]:
        """Items below `- Label:` are its values; items below anything else speak of that."""
        relation = self.labels.get(block.parent)
        if relation is None or block.depth != 2 or not block.first:
            return
        unit = next(iter(self._units(number)), None)
        line = unit.whole() if unit else None
        if line is None or split_label(line.text, bare=True):
            return
        above = self.outline.blocks[block.parent].text.split("\n")[-1]
        known = relation in self.ontology.relations
        for value in values_of(line.text, self.ontology.relation(relation), known=known):
            said = f"{above}\n{line.written}"
            yield _stated(relation, value, line, block, said)

    def _linked(self, line: _Line) -> list[tuple[str, Value]]:
        """The values of `- relation [[Target]]`."""
        opened = _RELATION_LINK.match(line.text)
        relation = relation_of(opened[1], self.ontology) if opened else None
        if opened is None or relation is None:
            return []
        found = values_of(line.text[opened.end() :], self.ontology.relation(relation))
        return [(relation, value) for value in found if value.declared]

    # prose: sentences and bare links

    def _prose(self, number: int, block: Block, company: Company) -> Iterator[Statement]:
        if block.kind != "text" or block.quoted or number in self.speakers:
            return
        stated: set[tuple[int, str]] = set()
        running = block.depth <= 1 and number not in self.labels
        for unit in self._units(number):
            if running and not unit.formed:
                for statement in self._sentences(block, unit.lines, company):
                    stated.add((statement.line, entity_key(statement.target)))
                    yield statement
        if "[[" in block.text:
            yield from self._bare_links(number, block, stated)

    def _sentences(self, block: Block, lines: list[_Line], company: Company) -> Iterator[Statement]:
        """What the sentences of lines that belong together state."""
        text = "\n".join(line.text for line in lines)
        if len(text) > _MOST_TEXT:
            return
        opens = block.depth > 0 or company.alone
        at = 0
        for sentence in sentences_of(text):
            begin = text.index(sentence, at)
            at = begin + len(sentence)
            flat = sentence.replace("\n", " ")
            told = [*self.sentences.facts(flat, company, first_person=self.notes, opens=opens)]
            for said in told:
                place = max(text.find(said.target, begin, at), begin)
                line = lines[text.count("\n", 0, place)]
                value = Value(said.target, said.declared)
                yield _stated(said.relation, value, line, block, flat, said.source)
            if not any(said.source is None for said in told):
                company.hear(plain(flat))
            opens = opens and company.alone

    def _bare_links(
        self, number: int, block: Block, stated: set[tuple[int, str]]
    ) -> Iterator[Statement]:
        """Links that nothing else their lines state leads to."""
        for unit in self._units(number):
            formed = self._values(number, unit.whole()) if unit.formed else []
            used = {entity_key(value.text) for _, value in formed}
            for line in unit.lines:
                said = {key for at, key in stated if at == line.number}
                for link in links(line.text):
                    key = entity_key(link.target)
                    if key not in used and key not in said:
                        used.add(key)
                        yield _stated("links_to", Value(link.target, declared=True), line, block)


def _stated(
    relation: str,
    value: Value,
    line: _Line,
    block: Block,
    said: str | None = None,
    source: str | None = None,
) -> Statement:
    """A statement of a block; the line says it where nothing else is given."""
    written = line.written if said is None else said
    return Statement(
        source, relation, value.text, line.number, written, block.heading, value.declared
    )


def _goes_on(unit: _Unit, line: _Line, *, formed: bool) -> bool:
    """Whether a line is the rest of a unit that an editor wrapped."""
    before = unit.lines[-1]
    if not (unit.formed or formed):
        return not _begins(line, before)
    if before.hard or before.text.endswith(_ENDS):
        return False
    if len(before.written) < _WRAPPED and not _UNENDED.search(before.text):
        return False
    return not formed or (not unit.formed and line.text[0].islower())


def _begins(line: _Line, before: _Line) -> bool:
    """Whether a line begins anew rather than being the rest of a wrapped one."""
    ended = before.text.endswith(_ENDS) or before.hard
    return ended or (len(before.text) < _WRAPPED and not line.text[0].islower())


def _lines(block: Block) -> Iterator[_Line]:
    """The lines of a block that say something: code blanked, checkboxes and struck lines out."""
    for number, written in enumerate(block.text.split("\n"), block.start):
        text = without_code(written).strip()
        if block.depth and _CHECKBOX.match(text):
            return
        if not text or _STRUCK.fullmatch(text):
            continue
        dated = _DATED.match(text)
        said = text[dated.end() :].strip() if dated else text
        if said:
            yield _Line(number, written.strip(), said, hard=written.endswith(("  ", "\\")))


def _edge(statement: Statement, source: str, *, declared: bool = False) -> ExtractedEdge:
    return ExtractedEdge(
        source=source,
        relation=statement.relation,
        target=statement.target,
        line=statement.said,
        line_number=statement.line,
        declared=declared or statement.declared,
    )
