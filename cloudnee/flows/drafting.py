"""From a page's text to a draft of its write: chunks, extraction, grounding, dates, passages.

Nothing here holds a lock. What an extractor raises, whatever it is, becomes the draft's reason:
the page is kept and its earlier facts stay.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, tzinfo
from functools import partial
from pathlib import PurePosixPath

from cloudnee.errors import BadInput, BudgetSpent
from cloudnee.extract.base import Extractor
from cloudnee.extract.combined import chosen, model_of
from cloudnee.extract.grounding import PlacedEdge
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.reading import PageReading, PageWork, asked, finished, planned
from cloudnee.flows.writing import Draft
from cloudnee.graph.dates import from_micros, micros, moment
from cloudnee.graph.identity import entity_key, handle_keys, handle_kind
from cloudnee.model import Alias, Refused
from cloudnee.pages.page import ParsedPage, parse_page
from cloudnee.pages.passages import page_passages
from cloudnee.store.store import Delivery, PageRow, Store

__all__ = ["Drafter", "Given", "news", "resumed", "stored_reading"]

Earlier = Callable[[], Sequence[PlacedEdge]]


@dataclass(frozen=True, slots=True)
class Given:
    """A page with what the caller gave beside its text, dated; `anew`: read it in any case."""

    page: ParsedPage
    aliases: tuple[Alias, ...]
    own_date: int | None
    as_of: int
    warnings: tuple[str, ...] = ()
    over: str | None = None  # the hash of the only text that this one may replace, if any
    anew: bool = False
    delivery: Delivery | None = None

    @property
    def name(self) -> str:
        """What the page is about, or its file's name."""
        return self.page.subject or PurePosixPath(self.page.path).stem


class Drafter:
    """Makes drafts with one extractor and one ontology."""

    def __init__(
        self, extractor: Extractor, ontology: Ontology, zone: tzinfo, clock: Callable[[], datetime]
    ) -> None:
        self.extractor = extractor
        self.ontology = ontology
        self.zone = zone
        self.clock = clock

    def reader(self, page: ParsedPage) -> str:
        """What reads a page: its extractor, with its version and the ontology's digest."""
        extractor, _ = chosen(page.extractor, self.extractor, self.ontology)
        return f"{extractor.name} {extractor.version} {self.ontology.digest}"

    def given(
        self, page: ParsedPage, aliases: Sequence[Alias], as_of: datetime | str | None
    ) -> Given:
        """Date a page: its own date, else the argument, else now. The future counts as now."""
        now = micros(self.clock())
        warnings = list(page.warnings)
        own = self._own_date(page, as_of, warnings)
        if own is not None and own > self._end_of(now):
            warnings.append(f"the page's date {from_micros(own):%Y-%m-%d} is still to come: now")
            return Given(page, tuple(aliases), own, now, tuple(warnings))
        return Given(page, tuple(aliases), own, now if own is None else own, tuple(warnings))

    def _own_date(
        self, page: ParsedPage, as_of: datetime | str | None, warnings: list[str]
    ) -> int | None:
        given = None if as_of is None else moment(as_of, self.zone)  # refused even where it loses
        if page.date:
            try:
                return moment(page.date, self.zone)
            except BadInput as error:
                warnings.append(f"front matter: date: {error}")
        return given

    def _end_of(self, now: int) -> int:
        day = from_micros(now).astimezone(self.zone).date()
        return micros(datetime.combine(day, time.max, self.zone))

    def stored(self, row: PageRow) -> Given:
        """A page as it is stored, to be read anew: dated as it was when its text came."""
        page = parse_page(row.path, row.text)
        return replace(self.given(page, (), None), anew=True)

    def drafts(self, items: Sequence[tuple[Given, PageRow | None, Earlier]]) -> list[Draft]:
        """Read pages, a model's chunks of all of them in one round.

        Each comes with its stored row and what gives the edges of its last reading.
        """
        works = [self._work(given) for given, _, _ in items]
        outcomes = asked(model_of(self.extractor), works)
        drafts = []
        for (given, base, earlier), work, answers in zip(items, works, outcomes, strict=True):
            read = finished(work, answers, partial(self._last, base, earlier))
            drafts.append(self._read(given, base, read, self._replies(work)))
        return drafts

    def estimate(self, given: Given) -> tuple[int, int, int]:
        """Calls, tokens sent, and chunks answered before, if a model were to read this page."""
        work = self._work(given)
        model = model_of(work.extractor)
        found = model.estimate(work.requests) if model else None
        return (found.calls, found.tokens, found.cached) if found else (0, 0, 0)

    def _replies(self, work: PageWork) -> tuple[str, ...]:
        model = model_of(work.extractor)
        return tuple(model.cache_key(request) for request in work.requests) if model else ()

    def _work(self, given: Given) -> PageWork:
        extractor, _ = chosen(given.page.extractor, self.extractor, self.ontology)
        day = from_micros(given.as_of).astimezone(self.zone)
        return planned(extractor, given.page, name=given.name, day=day, ontology=self.ontology)

    def _read(
        self, given: Given, base: PageRow | None, read: PageReading, replies: tuple[str, ...]
    ) -> Draft:
        refused = tuple(
            Refused(r.source, r.relation, r.target, r.reason, r.text) for r in read.refused
        )
        draft = self._draft(given, base, read.edges, refused=refused)
        if read.error is not None:
            status = "pending" if isinstance(read.error, BudgetSpent) else "failed"
            draft = self._draft(given, base, None, status=status, reason=str(read.error)[:500])
        _, warning = chosen(given.page.extractor, self.extractor, self.ontology)
        warnings = draft.warnings + ((warning,) if warning else ())
        return replace(draft, warnings=warnings, usage=read.usage, replies=replies)

    def _last(self, base: PageRow | None, edges: Earlier) -> tuple[str, Sequence[PlacedEdge]]:
        """Text and edges of the last reading, where a model had a part in it."""
        if base is None or not base.reading.startswith(("llm ", "both ")):
            return "", ()
        if base.reading.startswith("both ") and not base.reading.endswith(self.ontology.digest):
            return "", ()  # under another ontology the rules may have read what they no longer do
        return base.text, edges()

    def asks_a_model(self, page: ParsedPage) -> bool:
        """Whether reading this page may take long: a language model has a part in it."""
        return model_of(chosen(page.extractor, self.extractor, self.ontology)[0]) is not None

    def waiting(self, given: Given, base: PageRow | None, reason: str = "not read yet") -> Draft:
        """The page as it is stored while a model reads it: its text is found, its facts are old."""
        return self._draft(given, base, None, status="pending", reason=reason)

    def again(self, given: Given, base: PageRow, edges: Sequence[PlacedEdge]) -> Draft:
        """The same reading once more, for a new alias or a later date."""
        return self._draft(given, base, edges)

    def _draft(
        self,
        given: Given,
        base: PageRow | None,
        reading: Sequence[PlacedEdge] | None,
        *,
        status: str = "written",
        reason: str = "",
        refused: tuple[Refused, ...] = (),
    ) -> Draft:
        page = given.page
        stored = base is not None and base.content_hash == page.content_hash
        complete = stored and base is not None and base.status == "written" and not given.anew
        return Draft(
            page=page,
            name=given.name,
            base_hash=base.content_hash if base else None,
            status=status,
            reader=self.reader(page),
            as_of=given.as_of,
            own_date=given.own_date,
            reading=reading,
            aliases=given.aliases,
            passages=None if complete else page_passages(page, given.name),
            refused=refused,
            warnings=given.warnings,
            reason=reason,
            delivery=given.delivery,
        )


def stored_reading(store: Store, base: PageRow | None) -> list[PlacedEdge]:
    """The last reading of a page, from its rows."""
    if base is None:
        return []
    names = {row.entity: row for row in store.names_of_page(base.id)}
    found = []
    for edge in store.edges_of_page(base.id):
        if edge.retired_at is None:
            source, target = names[edge.source], names[edge.target]
            found.append(
                PlacedEdge(
                    source=edge.source_name,
                    relation=edge.relation,
                    target=edge.target_name,
                    source_type=source.type,
                    target_type=target.type,
                    chunk=edge.chunk,
                    line=edge.line,
                    quote=edge.quote,
                    target_declared=bool(target.declared),
                    source_declared=bool(source.declared),
                )
            )
    return found


def news(store: Store, given: Given, base: PageRow, region: Callable[[], str | None]) -> bool:
    """Whether a page that was read already comes with a new alias or a later date."""
    known = base.as_of if base.own_date is None else base.own_date
    if given.own_date is not None and given.own_date > known:
        return True
    if not given.aliases:
        return False
    held = {(a.kind, a.key, entity_key(a.name)) for a in store.aliases_of_page(base.id) if a.given}
    for alias in given.aliases:
        kind = alias.kind or handle_kind(alias.handle)
        keys = handle_keys(alias.handle, kind, region())
        if (kind, keys[0], entity_key(alias.name or given.name)) not in held:
            return True
    return False


def resumed(given: Given, base: PageRow | None) -> Given:
    """The page with what earlier calls gave beside it, where no reading has taken that in yet.

    The same bytes keep the date they came with: reading them anew makes no fact newer.
    """
    if base is None:
        return given
    held = json.loads(base.waiting) if base.waiting else {}
    aliases = tuple(Alias(*one) for one in held.get("aliases", ()))
    given = replace(given, aliases=tuple(dict.fromkeys(aliases + given.aliases)))
    if base.content_hash != given.page.content_hash or given.own_date is not None:
        return given
    own_date, as_of = held.get("own_date", base.own_date), held.get("as_of", base.as_of)
    return replace(given, own_date=own_date, as_of=as_of)
