"""The values that go in and come out of a memory; the words of the design, as types.

Everything here is frozen. Times are aware datetimes in UTC. Ids are opaque strings: equal ids mean
the same thing, and nothing else can be read from them.
"""

from __future__ import annotations

from datetime import datetime

from cloudnee.records import record

__all__ = [
    "Alias",
    "Applied",
    "Chain",
    "Current",
    "Edge",
    "Entity",
    "Estimated",
    "Exported",
    "Fault",
    "Forgotten",
    "Hit",
    "Imported",
    "Merge",
    "NearNotes",
    "NewPage",
    "PageInfo",
    "Passage",
    "Period",
    "Proposal",
    "Rated",
    "Recall",
    "Refused",
    "Report",
    "Source",
    "Subject",
    "SyncReport",
    "Synced",
    "Unread",
]


@record
class Alias:
    """A handle that leads to an entity: a phone, an e-mail address or another name.

    `kind` is "phone", "email" or "name"; empty means: see from the handle. An empty `name` means
    the subject of the page that the alias is given with.
    """

    handle: str
    name: str = ""
    kind: str = ""


@record
class NewPage:
    """A page to remember, for `remember_many`. `as_of` dates it unless its front matter does."""

    path: str
    text: str
    aliases: tuple[Alias, ...] = ()
    as_of: datetime | str | None = None


@record
class Entity:
    """A thing that facts speak of, as one audience sees it.

    `aliases` and `paths` are what this audience may see of it: they tell two of one name apart.
    """

    id: str
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@record
class Source:
    """Where a triplet is stated: one edge's id, page and line."""

    edge_id: str
    path: str
    line: int


@record
class Edge:
    """One interval in which one page stated one fact.

    `line` is the 1-based line of the page as last read and `quote` that line as written; `text` is
    the triplet as a sentence. `since` is when the page first stated it, `as_of` the date that
    decides which of two values is the newer, `retired_at` when the page stopped stating it.
    `ended` says why it is not current for this audience: "" (it is), "retired", "superseded",
    "excluded" or "contradicted"; `superseded_by` is the edge that won, if this audience sees it.
    Where one edge stands for a triplet that several pages state, `sources` holds them all.
    """

    id: str
    source_id: str
    source_name: str
    relation: str
    target_id: str
    target_name: str
    path: str
    chunk: int
    line: int
    text: str
    quote: str
    importance: float
    feedback_weight: float
    since: datetime
    as_of: datetime
    created_at: datetime
    retired_at: datetime | None = None
    superseded_by: str | None = None
    ended: str = ""
    sources: tuple[Source, ...] = ()


@record
class Hit:
    """A triplet with its score: the sum of its three parts; the smallest is the best.

    `parts` holds "source", "relation" and "target" (the three terms of the score), and "exact":
    how many exact identifiers of the question this hit holds (such hits come first).
    """

    edge: Edge
    score: float
    parts: dict[str, float]
    sources: tuple[Source, ...] = ()


@record
class Passage:
    """A paragraph, list item or turn of a page, unchanged; the highest score is the best."""

    path: str
    start_line: int
    end_line: int
    text: str
    score: float
    heading: str = ""
    sentence: str = ""


@record
class NearNotes:
    """Two notes of one subject that may say the same, each with its place as PATH:LINE."""

    one: str
    one_text: str
    other: str
    other_text: str
    cosine: float


@record
class Subject:
    """An entity with how much of a question its facts satisfy; the highest score is the best."""

    id: str
    name: str
    score: float


@record
class Unread:
    """A page whose newest text no extractor has read yet: its facts may be those of yesterday."""

    path: str
    status: str
    reason: str = ""


@record
class Current:
    """What is current about whoever was asked for; several entities mean several people."""

    entities: tuple[Entity, ...] = ()
    edges: tuple[Edge, ...] = ()
    unread: tuple[Unread, ...] = ()
    suggestions: tuple[str, ...] = ()
    more: int = 0


@record
class Chain:
    """Facts that lead from one to the next, in order; the smallest score is the best."""

    edges: tuple[Edge, ...]
    score: float


@record
class Period:
    """A span of time that a question names: its words, and the moments it begins and ends at."""

    words: str
    start: datetime
    end: datetime


class Recall:
    """The answer to a question: `hits`, `passages`, `unread`; `subjects` is made when read.

    `chains` are there with more than one hop; `period` is the time that the question itself names.
    """

    __slots__ = ("_subjects", "_work", "chains", "hits", "passages", "period", "unread")

    def __init__(
        self,
        hits: tuple[Hit, ...] = (),
        passages: tuple[Passage, ...] = (),
        unread: tuple[Unread, ...] = (),
        subjects: object = None,
        chains: tuple[Chain, ...] = (),
        period: Period | None = None,
    ) -> None:
        self.hits = hits
        self.chains = chains
        self.period = period
        self.passages = passages
        self.unread = unread
        self._work = subjects
        self._subjects: tuple[Subject, ...] | None = None

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Who satisfies most of the question's parts, over all facts this audience sees."""
        if self._subjects is None:
            self._subjects = self._work() if callable(self._work) else ()
        return self._subjects

    def __repr__(self) -> str:
        return f"Recall(hits={self.hits!r}, passages={self.passages!r}, unread={self.unread!r})"


@record
class Refused:
    """A statement that was read and not believed, with the reason and the text it came from."""

    source: str
    relation: str
    target: str
    reason: str
    text: str = ""


@record
class Report:
    """What `remember` did. `status` is "written", "unchanged", "pending" or "failed".

    `added` and `closed` hold the ids of the edges that began and ended with this write. `calls`,
    `tokens` and `seconds` are what a language model took, 0 where none was asked.
    """

    path: str
    status: str
    content_hash: str
    added: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    refused: tuple[Refused, ...] = ()
    warnings: tuple[str, ...] = ()
    reason: str = ""
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


@record
class Estimated:
    """What a language model would take at most to read a page: calls, and tokens sent.

    `cached` counts the chunks that were answered before: they cost nothing.
    """

    path: str
    calls: int
    tokens: int
    cached: int = 0


@record
class PageInfo:
    """A page as listed by `pages`. `status` is "written", "pending" or "failed"."""

    path: str
    subject: str
    status: str
    content_hash: str
    as_of: datetime
    updated_at: datetime
    tags: tuple[str, ...] = ()
    edges: int = 0
    reason: str = ""


@record
class Rated:
    """What `improve` took: ratings queued, and ids that this audience has no edge for."""

    queued: int
    unknown: tuple[str, ...] = ()


@record
class Applied:
    """What `apply_feedback` did: how many ratings were applied, to how many facts."""

    ratings: int
    facts: int


@record
class Forgotten:
    """What `forget` removed; `mentions` are pages whose text still names a forgotten entity."""

    pages: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()


@record
class Fault:
    """One thing that `check` found wrong. `kind` is a slug; `detail` names the row."""

    kind: str
    detail: str
    mended: bool = False


@record
class Synced:
    """What a sync did about one page or file.

    `kind` is "added", "changed", "unchanged", "renamed", "retired" (its file went: its facts
    ended), "put" (written into the folder), "conflict" (both changed: both texts are kept),
    "forgotten" (stays away), "passed" (left alone on purpose) or "failed"; `reason` says more.
    """

    path: str
    kind: str
    reason: str = ""


@record
class SyncReport:
    """What a sync did: one item for each page and file it met."""

    folder: str
    items: tuple[Synced, ...] = ()

    def of(self, kind: str) -> tuple[str, ...]:
        """The paths of one kind."""
        return tuple(item.path for item in self.items if item.kind == kind)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind that occurs."""
        found: dict[str, int] = {}
        for item in self.items:
            found[item.kind] = found.get(item.kind, 0) + 1
        return found


@record
class Exported:
    """What an export holds: where it is, how many pages and intervals of facts."""

    file: str
    pages: int
    facts: int


@record
class Imported:
    """What an import took: `pages` now, `unchanged` ones that were there, `facts` with them.

    `format` is what the source was taken for; `left` are (what, why) of all that was not taken, or
    not as it was.
    """

    format: str
    pages: int
    unchanged: int
    facts: int
    left: tuple[tuple[str, str], ...] = ()


@record
class Proposal:
    """Two entities that may be one, and why; nothing is merged until someone says so."""

    first: Entity
    second: Entity
    reasons: tuple[str, ...]


@record
class Merge:
    """One time somebody said who is who: a "merge" of `gone` into `kept`, or a "split" of `gone`
    from `kept`. Both are entity ids; `number` undoes it.
    """

    number: int
    kind: str
    kept: str
    gone: str
    made_at: datetime
