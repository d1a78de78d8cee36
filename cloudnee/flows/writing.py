"""The write transaction: identity, diff, supersession, rows, vectors and text index of one page.

Extraction and embedding are done before it (a `Draft`); it reads the rows it judges by inside
itself, and either all of a page's change is in the file or nothing is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cloudnee.config import AudienceRules
from cloudnee.extract.calls import Usage
from cloudnee.extract.grounding import PlacedEdge
from cloudnee.extract.ontology import Ontology
from cloudnee.flows.contradicting import without_losers
from cloudnee.flows.naming import Naming
from cloudnee.flows.stating import Stating
from cloudnee.graph.identity import entity_key
from cloudnee.graph.supersession import Stated, current_masks, groups
from cloudnee.model import Alias, Refused, Report
from cloudnee.pages.page import ParsedPage
from cloudnee.pages.passages import PagePassages
from cloudnee.store.replies import drop_other_replies
from cloudnee.store.store import Delivery, PageRow, Store
from cloudnee.store.vectors import Vectors

__all__ = ["Draft", "PageChanged", "Place", "Writer"]


class PageChanged(Exception):
    """The page was written by another since this work began: begin again."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A page as prepared outside the transaction.

    `base_hash` is the stored hash the work began from (None: no page then). `reading` is None
    where extraction failed or has not happened: `status` and `reason` tell. `own_date` is the date
    the page gives itself, `as_of` the date its new facts get. `passages` is None where those that
    are stored stay; `delivery` is what the page's note is known again by, if any.
    """

    page: ParsedPage
    name: str
    base_hash: str | None
    status: str
    reader: str
    as_of: int
    own_date: int | None
    reading: Sequence[PlacedEdge] | None = None
    aliases: tuple[Alias, ...] = ()
    passages: PagePassages | None = None
    passage_vectors: Mapping[int, bytes | None] = field(default_factory=dict)
    vectors: Mapping[tuple[int, str], bytes | None] = field(default_factory=dict)
    refused: tuple[Refused, ...] = ()
    warnings: tuple[str, ...] = ()
    reason: str = ""
    usage: Usage = field(default_factory=Usage)
    replies: tuple[str, ...] = ()
    delivery: Delivery | None = None

    @property
    def subject_key(self) -> str:
        """The key of the page's subject; a page that is its own subject is keyed by its path."""
        return entity_key(self.page.subject) if self.page.subject else f"page:{self.page.path}"

    @property
    def waiting(self) -> str:
        """What a text that is not read yet must not lose: what was given beside it."""
        aliases = [(alias.handle, alias.name, alias.kind) for alias in self.aliases]
        kept = {"aliases": aliases, "own_date": self.own_date, "as_of": self.as_of}
        return json.dumps(kept, ensure_ascii=False)

    def key(self, name: str) -> str:
        """The key of a name on this page."""
        key = entity_key(name)
        if self.page.subject is None and key == entity_key(self.name):
            return self.subject_key
        return key


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page's rows belong: its row id, its scope and audiences, the write's revision."""

    page: int
    scope: int
    seen_by: int
    revision: int


class Writer:
    """Writes drafts into a store. Every method is called inside one write transaction."""

    def __init__(
        self,
        store: Store,
        ontology: Ontology,
        *,
        region: str | None,
        bit: int,
        now: int,
        rules: Sequence[tuple[AudienceRules, int]],
    ) -> None:
        self.store = store
        self.vectors = Vectors(store)
        self.ontology = ontology
        self.region = region
        self.bit = bit
        self.now = now
        self.rules = rules

    def write(self, draft: Draft) -> Report:
        """Carry out a draft; raises `PageChanged` or `MissingVectors` to begin again."""
        row = self.store.page(draft.page.path)
        if (row.content_hash if row else None) != draft.base_hash:
            raise PageChanged(draft.page.path)
        if draft.delivery:
            if self.store.delivered(draft.delivery):
                return Report(draft.page.path, "unchanged", "", reason="it was delivered before")
            self.store.add_delivery(draft.delivery)
        revision = self.store.next_revision()
        scope, page = self._page(row, draft)
        if draft.reading is None:
            self.store.set_waiting(page, draft.waiting)
            return self._report(draft)
        drop_other_replies(self.store, page, draft.replies)
        place = Place(page, scope, row.seen_by if row else self.mask(draft.page.path), revision)
        naming = Naming(self, draft, place, new=row is None)
        people = naming.settled()
        stating = Stating(self, draft, place, people, row)
        stating.write()
        self._finish(naming.judged + stating.judged, stating.texts, draft.vectors, revision)
        self.store.drop_unused_entities(naming.entities | stating.entities)
        self.store.set_page_read(
            page,
            reading=draft.reader,
            entity=people[draft.subject_key].id if draft.subject_key in people else None,
            own_date=draft.own_date,
            as_of=draft.as_of,
        )
        return self._report(
            draft,
            added=tuple(stating.added),
            closed=tuple(stating.closed),
            entities=naming.told(),
            warnings=tuple(naming.warnings),
        )

    def _finish(
        self,
        judged: Iterable[Stated],
        texts: set[int],
        vectors: Mapping[tuple[int, str], bytes | None],
        revision: int,
    ) -> None:
        """Judge what was touched and bring the vector indexes in line."""
        for row in self.judge(judged, revision):
            texts.update(self.store.edge_texts(row))
        self.vectors.settle(texts, vectors, revision)

    @cached_property
    def forgets(self) -> bool:
        """Whether the org has any tombstone: most have none, and need not ask for each fact."""
        return self.store.has_tombstones()

    def mask(self, path: str) -> int:
        """The audiences that see a path."""
        return sum(bit for rule, bit in self.rules if rule.may_see(path))

    def _page(self, row: PageRow | None, draft: Draft) -> tuple[int, int]:
        """The page's scope and row id, its text and passages stored."""
        page = draft.page
        values = {
            "text": page.text,
            "content_hash": page.content_hash,
            "status": draft.status,
            "reason": draft.reason,
            "subject": draft.name,
            "subject_key": draft.subject_key,
            "tags": "\n".join(page.tags),
            "now": self.now,
        }
        if row is None:
            mask = self.mask(page.path)
            scope = self.store.scope(mask)
            row_id = self.store.add_page(
                path=page.path,
                own_date=draft.own_date,
                as_of=draft.as_of,
                scope=scope,
                seen_by=mask,
                **values,
            )
        else:
            scope, row_id = row.scope, row.id
            self.store.set_page(row_id, **values)
        self._passages(row, row_id, scope, draft)
        return scope, row_id

    def _passages(self, row: PageRow | None, page: int, scope: int, draft: Draft) -> None:
        passages, made = draft.passages, draft.passage_vectors
        if passages is None:
            if row is not None and (row.own_date, row.as_of) != (draft.own_date, draft.as_of):
                self.store.touch_passages(page)
        elif row is None or row.content_hash != draft.page.content_hash:
            self.store.set_passages(page, scope, passages, made)
        else:
            self.store.embed_passages(page, passages.keys, made)

    def _report(self, draft: Draft, **found: Any) -> Report:
        return Report(
            path=draft.page.path,
            status=draft.status,
            content_hash=draft.page.content_hash,
            refused=draft.refused,
            warnings=draft.warnings + found.pop("warnings", ()),
            reason=draft.reason,
            calls=draft.usage.calls,
            tokens=draft.usage.tokens_in + draft.usage.tokens_out,
            seconds=round(draft.usage.seconds, 3),
            **found,
        )

    # shared with forgetting and judging anew

    def judge(self, touched: Iterable[Stated], revision: int) -> list[int]:
        """Judge the groups of these edges again; gives the rows whose masks changed."""
        members: dict[int, Stated] = {}
        seen: set[object] = set()
        due = list(touched)
        contradicted = self.store.has_contradictions()
        if contradicted:
            losers = self.store.losers_of(edge.id for edge in due)
            members.update({edge.id: edge for edge in losers})
            due.extend(losers)
        for edge in due:
            members.update(self._groups_of(edge, seen))
        wider = dict(members)
        for edge in list(members.values()):
            wider.update(self._groups_of(edge, seen))
        masks = current_masks(wider.values(), self.ontology)
        if contradicted:
            without_losers(self.store, masks)
            self.store.drop_lost_contradictions()
        changed = []
        for row, edge in members.items():
            if masks[row] != edge.current_for:
                self.store.judge_edge(row, masks[row], revision)
                changed.append(row)
        return changed

    def judge_alone(self, edges: Iterable[Stated], revision: int) -> list[int]:
        """Judge those of these edges that compete with none; gives the rows that changed."""
        alone = {edge.id: edge for edge in edges if not self.in_groups(edge)}
        masks = {row: edge.seen_by for row, edge in alone.items()}
        without_losers(self.store, masks)
        changed = [row for row, edge in alone.items() if masks[row] != edge.current_for]
        for row in changed:
            self.store.judge_edge(row, masks[row], revision)
        return changed

    def in_groups(self, edge: Stated) -> bool:
        """Whether an edge competes with others at all."""
        return next(groups(edge, self.ontology), None) is not None

    def _groups_of(self, edge: Stated, seen: set[object]) -> dict[int, Stated]:
        found: dict[int, Stated] = {}
        for group, _, _ in groups(edge, self.ontology):
            if group in seen:
                continue
            seen.add(group)
            kind, _, relations = group
            names = relations if isinstance(relations, tuple) else (edge.relation,)
            for relation in names:
                for member in self.store.stated(
                    source=edge.source, relation=relation, target=edge.target, group=kind
                ):
                    found[member.id] = member
        return found
