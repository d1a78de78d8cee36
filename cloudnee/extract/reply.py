"""The form of a model's answer: strict, bounded, and never half-believed.

A missing list is an error, an empty one is an answer. The bounds are part of the JSON schema that
the endpoint sees: a server that makes a grammar of it then can't repeat itself without end.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, FailFast, Field, StringConstraints, create_model

from cloudnee.extract.base import ExtractedEdge, Extraction

__all__ = ["Named", "Reply", "Stated", "extraction", "reply_form"]

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
Kind = Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1_000)]


class Named(BaseModel):
    """A thing that the text names, with its kind."""

    model_config = ConfigDict(extra="ignore", strict=True)
    name: Name
    type: Kind


class Stated(BaseModel):
    """A fact, with the words that support it."""

    model_config = ConfigDict(extra="ignore", strict=True)
    source: Name
    relation: Word
    target: Name
    line: Line


class Reply(BaseModel):
    """What a model read in one chunk. Both lists must be there."""

    model_config = ConfigDict(extra="ignore", strict=True)
    entities: list[Named]
    edges: list[Stated]


@lru_cache(maxsize=8)
def reply_form(most: int) -> type[Reply]:
    """The form of a reply whose lists hold at most so many items; one error in a list is enough."""
    form: Any = create_model(
        "Reply",
        __base__=Reply,
        entities=(Annotated[list[Named], Field(max_length=most), FailFast()], ...),
        edges=(Annotated[list[Stated], Field(max_length=most), FailFast()], ...),
    )
    bounded: type[Reply] = form
    return bounded


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
