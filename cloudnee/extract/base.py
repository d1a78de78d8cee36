"""What an extractor is: text in, entities and edges out, each edge with the line that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

__all__ = ["ExtractedEdge", "Extraction", "Extractor"]


@dataclass(frozen=True, slots=True)
class ExtractedEdge:
    """A fact as an extractor read it.

    `line` is the supporting text, copied from what was read; `line_number`, where the extractor
    knows it, counts that text's lines from 1. `declared`: the target is written as a link.
    """

    source: str
    relation: str
    target: str
    line: str = ""
    source_type: str = ""
    target_type: str = ""
    line_number: int | None = None
    declared: bool = False


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one reading gave: (name, type) of entities, and edges."""

    entities: Sequence[tuple[str, str]] = ()
    edges: Sequence[ExtractedEdge] = ()


class Extractor(Protocol):
    """Reads facts from text.

    It is given one chunk at a time, or the whole page where it has a true attribute `whole_page`.
    Whatever it raises fails the page: the text is kept and the page's earlier facts stay.
    """

    @property
    def name(self) -> str:
        """What it is called, as in reports."""

    @property
    def version(self) -> str:
        """Changes when it would read the same text otherwise."""

    def extract(self, text: str, *, subject: str, path: str, date: datetime) -> Extraction:
        """The facts of `text`, from the page at `path` about `subject`, dated `date`."""
