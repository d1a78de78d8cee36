"""Tables: two columns of label and value, or a column of subjects under headed columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cloudnee.extract.labels import Value, relation_of, values_of
from cloudnee.extract.ontology import Ontology
from cloudnee.graph.identity import entity_key
from cloudnee.pages.markup import links, plain
from cloudnee.pages.outline import Block
from cloudnee.pages.sections import nameless

__all__ = ["Cell", "cells_of"]

Row = tuple[int, tuple[str, ...]]
_LABELS = frozenset(
    map(
        entity_key,
        """field label key property attribute detail details item what 项目 字段 поле""".split(),
    )
) | {""}
_VALUES = frozenset(
    map(entity_key, "value values detail details content info answer 内容 值 значення".split())
) | {""}
_SUBJECTS = frozenset(
    map(
        entity_key,
        """name names customer customers client clients who person people service services product
        products company unit staff technician member place town model item employee supplier vendor
        contact 客户 姓名 名称 服务 产品 клієнт імя послуга назва""".split(),
    )
)
# Columns that number or date a row, or remark on it.
_ASIDE = frozenset(
    map(entity_key, "no nr # date time when day month year id index remarks comment note".split())
) | {""}


@dataclass(frozen=True, slots=True)
class Cell:
    """A fact of a table. `source` is None where the row speaks of the section's subject."""

    source: str | None
    relation: str
    value: Value
    line: int
    head: int


def cells_of(table: Block, ontology: Ontology) -> Iterator[Cell]:
    """The facts of a table; none where its form leaves open what its rows speak of."""
    (head_line, head), *rows = table.rows
    titles = [plain(cell) for cell in head]
    if len(titles) == 2 and _is_list_of_labels(titles, rows, ontology):
        told = [*rows] if entity_key(titles[1]) in _VALUES else [(head_line, head), *rows]
        for line, cells in told:
            yield from _facts(None, plain(cells[0]), cells[1], line, head_line, ontology)
        return
    column = _subject_column(titles, rows, ontology)
    if column is not None:
        for line, cells in rows:
            yield from _row(line, cells, titles, column, head_line, ontology)


def _is_list_of_labels(titles: Sequence[str], rows: Sequence[Row], ontology: Ontology) -> bool:
    """Whether the first column holds labels and the second their values."""
    first, second = map(entity_key, titles)
    if first in _LABELS and second in _VALUES:
        return True
    if ontology.label_relation(titles[1]):
        return False
    known = [ontology.label_relation(plain(cells[0])) for _, cells in rows if cells]
    return bool(known) and 2 * sum(name is not None for name in known) >= len(known)


def _subject_column(titles: Sequence[str], rows: Sequence[Row], ontology: Ontology) -> int | None:
    """The column of subjects: one that is headed as such, else the first, if it holds names."""
    known = any(ontology.label_relation(title) for title in titles[1:])
    named = [i for i, title in enumerate(titles) if entity_key(title) in _SUBJECTS]
    if named and (known or len(titles) > 2 or named[0] == 0):
        return named[0]
    firsts = [plain(cells[0]) for _, cells in rows if cells]
    if len(titles) < 2 or entity_key(titles[0]) in _ASIDE or not known:
        return None
    return 0 if firsts and not any(nameless(name) for name in firsts) else None


def _row(
    line: int,
    cells: Sequence[str],
    titles: Sequence[str],
    column: int,
    head_line: int,
    ontology: Ontology,
) -> Iterator[Cell]:
    if column >= len(cells):
        return
    found = links(cells[column])
    source = found[0].target if found else plain(cells[column])
    if not source or nameless(source):
        return
    for i, (title, written) in enumerate(zip(titles, cells, strict=False)):
        if i != column and entity_key(title) not in _ASIDE:
            yield from _facts(source, title, written, line, head_line, ontology)


def _facts(
    source: str | None, label: str, written: str, line: int, head: int, ontology: Ontology
) -> Iterator[Cell]:
    relation = relation_of(label, ontology)
    if relation is None:
        return
    known = relation in ontology.relations
    for value in values_of(written, ontology.relation(relation), known=known):
        yield Cell(source, relation, value, line, head)
