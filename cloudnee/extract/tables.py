"""Tables: two columns of label and value, or a first column of subjects under headed columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cloudnee.extract.base import ExtractedEdge
from cloudnee.extract.labels import relation_of, values_of
from cloudnee.extract.ontology import Ontology
from cloudnee.graph.identity import entity_key
from cloudnee.pages.blocks import Block, plain
from cloudnee.pages.page import is_name

__all__ = ["table_edges"]

_FIELD = frozenset(["", "field", "label", "key", "property", "detail", "details", "item", "what"])
_VALUE = frozenset(["", "value", "values", "detail", "details", "content", "info"])
_SUBJECT = frozenset(
    """name customer customers client who person people service services product products company
    unit staff technician team member place town route supplier 客户 姓名 服务 клієнт імя
    послуга""".split()
)


def table_edges(
    table: Sequence[Block], subject: str, ontology: Ontology, before: int
) -> Iterator[ExtractedEdge]:
    """The facts of a table's blocks (its head first); none where its form is not plain."""
    head, rows = [plain(cell) for cell in table[0].cells], table[1:]
    if len(head) == 2 and _labelled(head, rows, ontology):
        if relation_of(head[0], ontology) and ontology.label_relation(head[0]):
            rows = table
        for row in rows:
            yield from _cell(row, subject, row.cells[0], row.cells[1], ontology, before)
    elif len(head) >= 2 and _headed(head, ontology):
        for row in rows:
            who = plain(row.cells[0])
            if is_name(who):
                for label, value in zip(head[1:], row.cells[1:], strict=False):
                    yield from _cell(row, who, label, value, ontology, before)


def _labelled(head: Sequence[str], rows: Sequence[Block], ontology: Ontology) -> bool:
    """Whether the first column holds labels."""
    if entity_key(head[0]) in _FIELD and entity_key(head[1]) in _VALUE:
        return True
    if ontology.label_relation(head[1]):
        return False
    return any(ontology.label_relation(plain(row.cells[0])) for row in rows)


def _headed(head: Sequence[str], ontology: Ontology) -> bool:
    """Whether the first column holds subjects and the others are headed by relations."""
    known = any(ontology.label_relation(label) for label in head[1:])
    return known or (entity_key(head[0]) in _SUBJECT and len(head) > 2)


def _cell(
    row: Block, who: str, label: str, value: str, ontology: Ontology, before: int
) -> Iterator[ExtractedEdge]:
    relation = relation_of(plain(label), ontology)
    if relation is None:
        return
    law = ontology.relation(relation)
    for target, declared in values_of(value, law):
        yield ExtractedEdge(
            who, relation, target, "", "", law.target_type or "",
            line_number=before + row.first, declared=declared,
        )  # fmt: skip
