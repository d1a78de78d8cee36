"""The form of a model's answer: strict, bounded, and never half-believed.

A missing list is an error, an empty one is an answer. The bounds are checked here and are no part
of the JSON schema that a server sees: servers that make a grammar of it choke on large repetitions.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast

from cloudnee.extract.base import ExtractedEdge, Extraction

__all__ = ["MAX_ITEMS", "MAX_LINE", "MAX_NAME", "Named", "Reply", "Stated", "extraction"]

MAX_ITEMS = 200  # a chunk of 4 000 characters states far fewer facts
MAX_NAME = 300
MAX_LINE = 4_000

Item = TypeVar("Item")


def _few(items: list[Item]) -> list[Item]:
    if len(items) > MAX_ITEMS:
        raise ValueError(f"at most {MAX_ITEMS} items are allowed, not {len(items)}")
    return items


def _bounded(text: str, limit: int) -> str:
    plain = text.strip()
    if len(plain) > limit:
        raise ValueError(f"at most {limit} characters are allowed, not {len(plain)}")
    return plain


def _name(text: str) -> str:
    plain = _bounded(text, MAX_NAME)
    if not plain:
        raise ValueError("an empty text is not allowed")
    return plain


Name = Annotated[str, AfterValidator(_name)]
Kind = Annotated[str, AfterValidator(lambda text: _bounded(text, MAX_NAME))]
Line = Annotated[str, AfterValidator(lambda text: _bounded(text, MAX_LINE))]


class Named(BaseModel):
    """A thing that the text names, with its kind."""

    model_config = ConfigDict(extra="ignore", strict=True)
    name: Name
    type: Kind = ""


class Stated(BaseModel):
    """A fact, with the words that support it."""

    model_config = ConfigDict(extra="ignore", strict=True)
    source: Name
    relation: Name
    target: Name
    line: Line


class Reply(BaseModel):
    """What a model read in one chunk. Both lists must be there."""

    model_config = ConfigDict(extra="ignore", strict=True)
    entities: Annotated[list[Named], FailFast(), AfterValidator(_few)]
    edges: Annotated[list[Stated], FailFast(), AfterValidator(_few)]


def extraction(reply: Reply) -> Extraction:
    """The reply in the words of the product; the kinds of entities go to their edges."""
    kinds = {named.name: named.type for named in reply.entities}
    edges = [
        ExtractedEdge(
            stated.source,
            stated.relation,
            stated.target,
            stated.line,
            source_type=kinds.get(stated.source, ""),
            target_type=kinds.get(stated.target, ""),
        )
        for stated in reply.edges
    ]
    return Extraction([(named.name, named.type) for named in reply.entities], edges)
