"""The wire of the HTTP door: what bodies and answers hold, in camelCase.

Bodies are checked by these models, unknown keys refused by name. Answers are made as plain values
(`http_answers`); their models here are what OpenAPI tells of them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

__all__ = [
    "AliasAsked",
    "ChainTold",
    "Counts",
    "CurrentAsked",
    "EdgeTold",
    "Edges",
    "EntityTold",
    "ErrorTold",
    "ForgetAsked",
    "Forgotten",
    "Found",
    "GraphAsked",
    "GraphTold",
    "Health",
    "HistoryAsked",
    "HitTold",
    "Hits",
    "ImproveAsked",
    "Link",
    "MentionTold",
    "ModelTold",
    "NodeTold",
    "NoteAsked",
    "Ok",
    "PageTold",
    "Pages",
    "PagesAsked",
    "PagesHealth",
    "PassageTold",
    "PeriodTold",
    "PersonTold",
    "RecallAsked",
    "RecentAsked",
    "RefusedTold",
    "RememberAsked",
    "Remembered",
    "SearchAsked",
    "SourceTold",
    "SubjectTold",
    "UnreadTold",
    "WaitAsked",
]

Name = Annotated[str, StringConstraints(max_length=200)]
Line = Annotated[str, StringConstraints(max_length=2000)]
MOST_TEXT = 10 * 1024 * 1024


class _Asked(BaseModel):
    """What every request may hold: the key fixes both, a request may only narrow."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=False, extra="forbid", strict=True
    )

    org_id: Name | None = Field(None, examples=["coolair"])
    audience: Name | None = Field(None, examples=["public"])


class _AskedInQuery(_Asked):
    """The same in a query string, where every value is text."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=False, extra="forbid", strict=False
    )


class Link(BaseModel):
    """A handle that leads to an entity; without `name`, to the subject of the page."""

    model_config = ConfigDict(extra="forbid", strict=True)

    alias: Line = Field(examples=["+65 9123 4567"])
    name: Line = Field("", examples=["Mrs Tan"])
    kind: Literal["phone", "email", "name", ""] = ""


class RememberAsked(_Asked):
    """A page to remember. `asOf` dates it unless its front matter does."""

    path: Line = Field(examples=["customers/tan.md"])
    markdown: Annotated[str, StringConstraints(max_length=MOST_TEXT)] = Field(
        examples=["# Mrs Tan\n\n- Lives in: Tampines\n- Prefers: afternoons\n"]
    )
    links: list[Link] = Field(default=[], max_length=1000)
    as_of: Line | None = Field(None, examples=["2026-06-01"])


class WaitAsked(BaseModel):
    """Whether to answer when the facts are read, or as soon as the page is kept."""

    model_config = ConfigDict(extra="forbid")

    wait: bool = True


class NoteAsked(_Asked):
    """A dated line about someone or something."""

    text: Annotated[str, StringConstraints(max_length=100_000)] = Field(
        examples=["Prefers: mornings"]
    )
    subject: Line = Field(examples=["Mrs Tan"])
    key: Line | None = Field(None, examples=["call-17"])
    number: int | None = Field(None, ge=0, le=2**53, examples=[0])


class RecallAsked(_Asked):
    """A question. The smallest score is the best."""

    query: Annotated[str, StringConstraints(max_length=20_000)] = Field(
        examples=["who wants mornings?"]
    )
    top_k: int = Field(5, ge=1, le=1000)
    wide_k: int = Field(100, ge=1, le=4096)
    feedback_influence: float = Field(0.0, ge=0, le=1, allow_inf_nan=False)
    scoring: Literal["exact", "wide"] = "exact"
    hops: int = Field(1, ge=1, le=3)
    as_of: Line | None = Field(None, examples=["2025-06-01"])
    after: Line | None = Field(None, examples=["last week"])
    before: Line | None = Field(None, examples=["2026-03-16"])
    tags: list[Line] = Field(default_factory=list, max_length=100, examples=[["work"]])
    recency: bool = False


class SearchAsked(_Asked):
    """A question to the pages themselves. The highest score is the best."""

    query: Annotated[str, StringConstraints(max_length=20_000)] = Field(
        examples=["which unit leaks?"]
    )
    top_k: int = Field(10, ge=1, le=1000)
    after: Line | None = Field(None, examples=["last week"])
    before: Line | None = Field(None, examples=["2026-03-16"])
    tags: list[Line] = Field(default_factory=list, max_length=100, examples=[["work"]])
    recency: bool = False


class ImproveAsked(_Asked):
    """A rating from 1 to 5 for the facts of these edges. A key makes it count once."""

    edge_ids: list[Line] = Field(max_length=1000, examples=[["q6jvbacfvdnsz5lg"]])
    score: int = Field(ge=1, le=5, examples=[5])
    implicit: bool = False
    key: Line | None = Field(None, examples=["answer-17"])


class AliasAsked(_Asked):
    """A word, and what the pages say for it."""

    alias: Line = Field(examples=["HVAC"])
    canonical: Line = Field(examples=["aircon"])


class ForgetAsked(_Asked):
    """Exactly one of a page, a fact (by an edge's id) and an entity."""

    path: Line | None = Field(None, examples=["customers/tan.md"])
    edge_id: Line | None = None
    entity: Line | None = None
    purge: bool = False


class CurrentAsked(_AskedInQuery):
    """Who is asked for: a phone, an e-mail address, a name or an id."""

    who: Line = Field(examples=["+65 9123 4567"])
    as_of: Line | None = Field(None, examples=["2025-06-01"])


class HistoryAsked(_AskedInQuery):
    """Whose history."""

    who: Line = Field(examples=["Mrs Tan"])


class GraphAsked(_AskedInQuery):
    """All of the graph; `limit` entities of it; or one step around `who`."""

    who: Line | None = Field(None, examples=["Mrs Tan"])
    past: bool = False
    limit: int | None = Field(None, ge=1, le=100_000)


class PagesAsked(_AskedInQuery):
    """Every page; or one, with its text."""

    path: Line | None = Field(None, examples=["customers/tan.md"])


class RecentAsked(_AskedInQuery):
    """How many of the edges written last."""

    limit: int = Field(10, ge=1, le=1000)


# answers


class _Told(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)


class SourceTold(_Told):
    """Where the same triplet is stated."""

    edge_id: str
    path: str
    line: int


class EdgeTold(_Told):
    """One interval in which a page stated a fact. Times are milliseconds since 1970."""

    id: str
    org_id: str
    source_id: str
    source_name: str
    relation: str
    target_id: str
    target_name: str
    path: str
    chunk_id: str
    importance: float
    feedback_weight: float
    superseded_by: str | None = Field(description='the edge that won, or "retired"')
    created_at: int
    text: str
    line: int
    quote: str
    since: int
    as_of: int
    retired_at: int | None
    ended: str = Field(description='"" while current, else why it is not')
    sources: list[SourceTold]


class EntityTold(_Told):
    """An entity, as the caller's audience sees it."""

    org_id: str
    entity_id: str
    display_name: str
    entity_type: str


class PersonTold(EntityTold):
    """An entity with what tells it apart."""

    aliases: list[str]
    paths: list[str]


class NodeTold(EntityTold):
    """An entity in the graph; `degree` counts its current edges, drawn or not."""

    degree: int


class UnreadTold(_Told):
    """A page whose newest text no extractor has read yet."""

    path: str
    status: str
    reason: str


class Edges(_Told):
    """Edges, and for `current` whom they are about."""

    edges: list[EdgeTold]
    entities: list[PersonTold] = []
    unread: list[UnreadTold] = []
    suggestions: list[str] = []
    more: int = 0


class HitTold(_Told):
    """An edge with its score, the sum of its parts."""

    edge: EdgeTold
    score: float
    parts: dict[str, float]
    sources: list[SourceTold]


class PassageTold(_Told):
    """A paragraph of a page, unchanged."""

    path: str
    start_line: int
    end_line: int
    text: str
    score: float
    heading: str
    sentence: str


class Found(_Told):
    """The passages that answer best, best first."""

    passages: list[PassageTold]


class SubjectTold(_Told):
    """Who satisfies most of the question."""

    entity_id: str
    display_name: str
    score: float


class ChainTold(_Told):
    """Facts that lead from one to the next."""

    edges: list[EdgeTold]
    score: float


class PeriodTold(_Told):
    """A span of time that the question names."""

    words: str
    start: int
    end: int


class Hits(_Told):
    """The answer to a question."""

    hits: list[HitTold]
    chains: list[ChainTold]
    passages: list[PassageTold]
    period: PeriodTold | None
    subjects: list[SubjectTold]
    unread: list[UnreadTold]


class RefusedTold(_Told):
    """A statement that was read and not believed."""

    source: str
    relation: str
    target: str
    reason: str
    text: str


class Remembered(_Told):
    """What remembering a page did, with the facts that it wrote."""

    status: Literal["written", "unchanged", "pending", "failed"]
    path: str
    hash: str
    edge_ids: list[str]
    edges: list[EdgeTold]
    closed: list[str]
    refused: list[RefusedTold]
    warnings: list[str]
    reason: str


class Ok(_Told):
    """It is done."""

    ok: Literal[True]
    queued: int | None = None
    unknown: list[str] | None = None


class Forgotten(_Told):
    """What was removed, and pages whose text still names it."""

    ok: Literal[True]
    pages: list[str]
    edges: list[str]
    entities: list[str]
    mentions: list[str]


class Counts(_Told):
    """Of all that the audience sees."""

    entities: int
    edges: int
    superseded: int


class MentionTold(_Told):
    """A line of a page about one entity that names another."""

    source_id: str
    target_id: str
    path: str
    line: int


class GraphTold(_Told):
    """Entities and edges; `more` entities are not among them."""

    org_id: str
    audience: str
    may_write: bool
    may_rate: bool
    entities: list[NodeTold]
    edges: list[EdgeTold]
    mentions: list[MentionTold]
    counts: Counts
    more: int


class PageTold(_Told):
    """A page; its `markdown` where one was asked for."""

    path: str
    subject: str
    status: str
    reason: str
    hash: str
    as_of: int
    updated_at: int
    tags: list[str]
    edges: int
    markdown: str | None = None


class Pages(_Told):
    """Pages by path."""

    pages: list[PageTold]


class ModelTold(_Told):
    """The embedding model."""

    name: str
    loaded: bool


class PagesHealth(_Told):
    """Pages not read yet, of those that the caller sees."""

    pending: int
    failed: int


class Health(_Told):
    """Whether the server can work. `pages` is told to who may see pages."""

    ready: bool
    version: str
    writes: bool
    model: ModelTold
    pages: PagesHealth | None = None


class ErrorTold(BaseModel):
    """What is wrong: a slug for programs, a sentence for people."""

    error: str
    message: str
