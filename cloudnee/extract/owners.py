"""Which headings are the subject of their lines, by what their lines state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cloudnee.extract.ontology import Ontology
from cloudnee.graph.identity import entity_key
from cloudnee.pages.outline import Outline
from cloudnee.pages.sections import can_be_subject, has_parts, named_sections

__all__ = ["Statement", "owners"]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a line states. `source` is None where it speaks of its section's subject.

    `said` is the supporting text, `heading` the heading that the line stands under.
    """

    source: str | None
    relation: str
    target: str
    line: int
    said: str
    heading: int
    declared: bool = False


def owners(
    outline: Outline, subject: str, statements: Iterable[Statement], ontology: Ontology
) -> dict[int, str]:
    """heading → the name that its lines are about; lines under no such heading are the page's.

    Siblings of which two state the same single-valued relation speak each of itself, and so do
    their siblings that have a name; so does a heading whose form tells (`named_sections`).
    """
    if not has_parts(outline):
        return {}
    found = named_sections(outline, subject)
    stated: dict[tuple[int, int, str], set[int]] = {}
    for statement in statements:
        if statement.source is None and ontology.relation(statement.relation).functional:
            for heading in outline.above(statement.heading):
                above = outline.headings[heading]
                family = (above.parent, above.level, statement.relation)
                stated.setdefault(family, set()).add(heading)
    for (parent, level, _), members in stated.items():
        named = [n for n in members if can_be_subject(outline.headings[n])]
        if len(members) > 1 and named:
            found.update(_family(outline, parent, level, subject))
    return found


def _family(outline: Outline, parent: int, level: int, subject: str) -> dict[int, str]:
    siblings: Sequence[int] = [
        number
        for number, heading in enumerate(outline.headings)
        if heading.parent == parent and heading.level == level and can_be_subject(heading)
    ]
    own = entity_key(subject)
    return {
        number: outline.headings[number].text
        for number in siblings
        if entity_key(outline.headings[number].text) != own
    }
