"""The rules: what people write down in a known form, read without a model.

Precision first: a missed fact stays on the page and is found by page search; a wrong one is a lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cloudnee.extract.base import ExtractedEdge, Extraction
from cloudnee.extract.labels import relation_of, values_of
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.sentences import Sentences
from cloudnee.extract.tables import table_edges
from cloudnee.pages.blocks import WIKI, Block, plain, read_blocks
from cloudnee.pages.front import FrontMatter, front_matter
from cloudnee.pages.page import POWERLESS, RESERVED

__all__ = ["RulesExtractor"]

_NEWLINE = re.compile(r"\r\n?|\n")
_CHECKBOX = re.compile(r"\[[ xX]\](?:\s|$)")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\s*[:：—–-]\s*")
_BOLD_LABEL = re.compile(
    r"(?:\*\*|__)([^*_\n]{1,60}?)(?:[:：]\s*(?:\*\*|__)|(?:\*\*|__)\s*[:：])\s*(\S.*)"
)
_LABEL = re.compile(r"([^:：\n]{1,60}?)\s*[:：]{1,2}\s+(\S.*)|([^:：\n]{1,60}?)：(\S.*)")
_INLINE_LABEL = re.compile(r"([^:\n]{1,60}?)::\s*(\S.*)")
_LINK_RELATION = re.compile(r"([^\W\d_][\w' -]{0,40}?)\s+(\[\[[^\[\]\n]{1,300}\]\])\.?")
_CODE = re.compile(r"(`+)(?:(?!\1).){0,500}?\1")


class RulesExtractor:
    """Reads front matter, labelled lines, tables, links and the ontology's phrases."""

    name = "rules"
    version = "1"
    whole_page = True  # a cut would lose table heads, and who "she" is

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology

    def extract(self, text: str, *, subject: str, path: str, date: object = None) -> Extraction:
        """The facts of a page's text; the page's subject is the source where a line has none."""
        front = front_matter(text)
        body = text[front.body_start :]
        before = text.count("\n", 0, front.body_start)
        edges = list(self._front(front, text, subject))
        reading = _Reading(self.ontology, subject, path, before)
        edges += reading.edges(read_blocks(body))
        return Extraction(edges=tuple(edges))

    def _front(self, front: FrontMatter, text: str, subject: str) -> Iterator[ExtractedEdge]:
        if not front.values:
            return
        lines = _NEWLINE.split(text[: front.body_start])
        for key, value in front.values.items():
            relation = relation_of(key, self.ontology)
            if key in RESERVED or key in POWERLESS or relation is None:
                continue
            at = front.lines.get(key, 1)
            for one in (value,) if isinstance(value, str) else value:
                yield ExtractedEdge(subject, relation, one.strip(), lines[at - 1], line_number=at)


class _Reading:
    """One page being read, block by block."""

    def __init__(self, ontology: Ontology, subject: str, path: str, before: int) -> None:
        self.ontology = ontology
        self.subject = subject
        self.before = before
        self.sentences = Sentences(ontology, subject, notes=path.casefold().startswith("notes/"))

    def edges(self, blocks: tuple[Block, ...]) -> list[ExtractedEdge]:
        """The edges of the blocks in order."""
        found: list[ExtractedEdge] = []
        table: list[Block] = []
        for block in blocks:
            if table and (block.kind != "row" or block.group != table[0].group):
                found += table_edges(table, self.subject, self.ontology, self.before)
                table = []
            if block.quoted or block.kind in ("code", "html"):
                continue
            if block.kind in ("head", "row"):
                table.append(block)
            elif block.kind == "heading":
                self.sentences.begin()
            else:
                found += self._text(block)
        if table:
            found += table_edges(table, self.subject, self.ontology, self.before)
        return found

    def _text(self, block: Block) -> Iterator[ExtractedEdge]:
        """A paragraph or list item: labelled lines first, sentences in what is left."""
        prose: list[tuple[int, str]] = []
        for offset, line in enumerate(_NEWLINE.split(block.text)):
            at = self.before + block.first + offset
            bare = _CODE.sub(" ", line.strip())
            if not bare.strip() or (block.kind == "item" and _CHECKBOX.match(bare)):
                continue
            dated = _DATED.match(bare)
            said = bare[dated.end() :] if dated else bare
            labelled = list(self._labelled(said, line, at, item=block.kind == "item"))
            yield from labelled
            if not labelled:
                prose.append((at, said))
                yield from self._links(said, line, at)
        yield from self.sentences.edges(prose)

    def _labelled(self, said: str, line: str, at: int, *, item: bool) -> Iterator[ExtractedEdge]:
        """The facts of one line of the form label: value, or relation [[Target]]."""
        label, value = self._label(said, item=item)
        relation = relation_of(label, self.ontology) if label else None
        if relation is None and item:
            match = _LINK_RELATION.fullmatch(said)
            if match:
                relation, value = relation_of(match[1], self.ontology, lower=True), match[2]
        if relation is not None:
            law = self.ontology.relation(relation)
            for target, declared in values_of(value, law):
                yield ExtractedEdge(
                    self.subject, relation, target, line.strip(), "", law.target_type or "",
                    line_number=at, declared=declared,
                )  # fmt: skip

    def _label(self, said: str, *, item: bool) -> tuple[str, str]:
        match = _BOLD_LABEL.fullmatch(said) or _INLINE_LABEL.fullmatch(said)
        if match is None and item:
            match = _LABEL.fullmatch(said)
            if match and match[3]:
                return plain(match[3]), match[4]
        return (plain(match[1]), match[2]) if match else ("", "")

    def _links(self, said: str, line: str, at: int) -> Iterator[ExtractedEdge]:
        """Every bare link of a line leads to its page."""
        for match in WIKI.finditer(said):
            if not match[1] and match[2].strip():
                target = match[2].strip()
                yield ExtractedEdge(
                    self.subject, "links_to", target, line.strip(), line_number=at, declared=True
                )
