"""The memory: what goes in, what comes out. This is the map of the product.

remember(page)      path → hash and reading the same? stop
                      └ chunks → extraction → grounding → embed texts that have no vector yet
                          → ONE transaction: page unchanged since? → identity → diff → supersession
                              → rows, vectors, text index
recall(query)       words → names → embed → two vector indexes and the text index, each cut to the
                      audience → triplet score → current and visible only, says SQL → top 5
read_current(who)   alias or name → SQL → current edges; no embedder is loaded, no vector is read
improve(edges)      rating → queue; apply_feedback: one batch of averages
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from cloudnee import errors
from cloudnee.flows.caller import Caller
from cloudnee.flows.engine import Engine
from cloudnee.graph.dates import from_micros, zone_named
from cloudnee.keeping import Keeping
from cloudnee.model import (
    Alias,
    Applied,
    Current,
    Edge,
    Estimated,
    Fault,
    Forgotten,
    NewPage,
    PageInfo,
    Passage,
    Rated,
    Recall,
    Report,
)
from cloudnee.store.database import Database
from cloudnee.store.store import Store

if TYPE_CHECKING:
    import networkx

    from cloudnee.config import AudienceRules
    from cloudnee.embed import Embedder
    from cloudnee.extract.base import Extractor
    from cloudnee.extract.calls import Endpoint

    Moment = datetime | float | str

__all__ = ["Memory"]


class Memory(Keeping):
    """One org's memory as one audience sees it. Open it with `Memory.open`; close it when done.

    Safe to use from several threads and processes at once. Every read and write is cut to the
    audience it was opened for.
    """

    def __init__(self, engine: Engine, audience: str, *, root: bool = True) -> None:
        self._engine = engine
        self._store = engine.store
        self._root = root
        self._caller = Caller(engine, audience)
        self.audience = audience

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        org: str,
        audience: str = "owner",
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        ontology: str | os.PathLike[str] | None = None,
        region: str | None = None,
        zone: str | None = None,
        clock: Callable[[], datetime] | None = None,
        contradictions: Endpoint | None = None,
        create: bool = True,
    ) -> Memory:
        """Open the memory of `org` in a database file, making the file where there is none.

        `embedder` and `extractor` default to the packaged model and the rules; `ontology` is a
        folder laid over what is shipped; `region` (such as "SG") reads phones without a country
        code, `zone` (IANA, default UTC) dates without a time; `clock` gives an aware datetime.
        `contradictions` is a language model that new facts are held against standing ones with.
        With `create=False` a missing file is an error. Raises `BadInput` for an unknown audience
        and a `StoreError` kind for a file that cannot be used.
        """
        from cloudnee.graph.dates import now_in_utc

        engine = Engine(
            Store(Database(path, create=create), org),
            embedder=embedder,
            extractor=extractor,
            ontology=ontology,
            region=region,
            zone=zone_named(zone),
            clock=clock or now_in_utc,
            contradictions=contradictions,
        )
        memory = cls(engine, audience)
        try:
            memory._caller.check(audience)
        except errors.BadInput:
            engine.store.db.discard()
            raise
        return memory

    def close(self) -> None:
        """Close the file. A memory made by `as_audience` leaves it to the one it came from."""
        if self._root:
            self._store.db.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Memory({self._store.db.path!r}, org={self.org!r}, audience={self.audience!r})"

    @property
    def org(self) -> str:
        """The org's name."""
        return self._store.org_name

    # who asks

    def as_audience(self, name: str) -> Memory:
        """The same memory for an audience that sees no more than this one does."""
        self._caller.check(name)
        rules = {rule.name: rule for rule, _ in self._caller.rules()}
        if not rules[self.audience].covers(rules[name]):
            raise errors.Forbidden(f"{self.audience!r} may not read as {name!r}: it would see more")
        return Memory(self._engine, name, root=False)

    def audiences(self) -> list[AudienceRules]:
        """The audiences in force for this org."""
        return [rule for rule, _ in self._caller.rules()]

    def set_audiences(self, file: str | os.PathLike[str]) -> None:
        """Put the audiences of a YAML file in force and judge every row again, in one transaction.

        Only the owner may. Raises `BadOntology` for a file that is not of the form.
        """
        from pathlib import Path

        from cloudnee.config import load_audiences
        from cloudnee.flows.forgetting import judge_all

        self._caller.owner_only("change the audiences")
        rules = load_audiences(Path(file))
        with self._store.writing():
            self._caller.found()
            self._store.set_audiences(rules)
            judge_all(self._caller.writer(), self._engine.vectors)

    # remember

    def remember(
        self,
        path: str,
        text: str,
        aliases: Sequence[Alias] = (),
        as_of: datetime | str | None = None,
        *,
        redact: bool = False,
    ) -> Report:
        """Remember a page: its text, and the facts it states.

        `aliases` lead to entities on the page; `as_of` dates it unless its front matter does. When
        this returns, what it reports is on disk. A failed extraction or embedding is reported as
        status "failed": the text is kept and the facts stay those of the last reading. What looks
        like a secret is warned of, and with `redact` taken out before anything is stored. Raises
        `BadPath`, `BadPage` or `BadInput` for what cannot be taken, `Forbidden`, or `Conflict`
        where others changed the page each time this write was ready.
        """
        from cloudnee.flows.inputs import checked_aliases
        from cloudnee.pages.secrets import redacted as without_secrets

        remembering = self._remembering
        text = without_secrets(text) if redact else text
        given = remembering.given(NewPage(path, text, checked_aliases(aliases), as_of))
        self._apply_late_feedback()
        return remembering.remember(given)

    def remember_many(self, pages: Iterable[NewPage]) -> list[Report]:
        """Remember many pages, several whole ones to a transaction; one report each, in order.

        A page that cannot be taken is reported as "failed" with the reason; the others are done.
        """
        return self._remembering.many(pages)

    def estimate(self, pages: Iterable[NewPage]) -> list[Estimated]:
        """What a language model would take at most to read these pages; nothing is written."""
        return self._remembering.estimate(pages)

    def retry(self, paths: Iterable[str] | None = None) -> list[Report]:
        """Read the pages that no extractor has read yet, those that failed and those that wait.

        With `paths`, only these. What a language model answered before is not paid for again.
        """
        return self._remembering.again(everything=False, only=paths)

    def reread(self) -> list[Report]:
        """Read every page anew that this audience may write, as after a change of extractor."""
        return self._remembering.again(everything=True)

    def note(
        self,
        text: str,
        *,
        subject: str,
        key: str | None = None,
        number: int | None = None,
        redact: bool = False,
    ) -> Report:
        """Write a dated line under the subject's heading on its page of notes of this month.

        A note with the same words as one that stands about the subject is refused with its place.
        Under a `key` a note counts once: the same delivered again, in any process, is not written.
        With a `number` the key names a run of messages: the same words under the same number count
        once, and other words there begin a new run. With `redact` what looks like a secret is
        taken out first.
        """
        from dataclasses import replace

        from cloudnee.flows.inputs import checked_delivery
        from cloudnee.flows.notes import noted
        from cloudnee.flows.repeats import refusal, repeated
        from cloudnee.pages.secrets import redacted as without_secrets

        remembering = self._remembering
        delivery = checked_delivery(key, number, text)
        text = without_secrets(text) if redact else text

        def attempt() -> Report:
            reader = self._caller.reader()
            if delivery and self._store.delivered(delivery):
                return Report("", "unchanged", "", reason="it was delivered before")
            path, page = noted(reader, text, subject, self._engine.clock(), self._base_text)
            given = remembering.given(NewPage(path, page))
            if same := repeated(reader, path, text):
                self._store.take_delivery(delivery)
                return refusal(path, subject, text, same)
            return remembering.write_once(replace(given, delivery=delivery))

        return remembering.held(remembering.persist(attempt, f"notes of {subject!r}"))

    # read

    def read_current(self, who: str, *, as_of: datetime | str | None = None) -> Current:
        """What is current about a phone, an e-mail address or a name, by SQL alone.

        Where it leads to several entities, each is answered with its own facts. With `as_of`: what
        was current on that day, by what pages stated then.
        """
        if as_of is None:
            return self._caller.reader().current(who)
        from cloudnee.flows.asof import current_then
        from cloudnee.graph.dates import moment

        day = moment(as_of, self._engine.zone)
        return current_then(self._caller.reader(), who, day, self._engine.ontology)

    def history(self, who: str) -> list[Edge]:
        """Every interval about whoever is meant, newest first, current ones included."""
        return self._caller.reader().history(who, lambda: self._engine.ontology)

    def recall(
        self,
        query: str,
        top_k: int = 5,
        wide_k: int = 100,
        hops: int = 1,
        feedback_influence: float = 0.0,
        scoring: str = "exact",
        *,
        after: Moment | None = None,
        before: Moment | None = None,
        as_of: datetime | str | None = None,
        tags: Sequence[str] = (),
        recency: bool = False,
    ) -> Recall:
        """Answer a question with the best triplets and passages this audience may see.

        `top_k` hits; `scoring` is "exact" (every part has the distance of its own vector), "wide"
        (only the `wide_k` nearest of each index have one, as in the originals) or "scan" (as
        exact, by reading every stored vector: slow, and what exact is tested against);
        `feedback_influence` in [0, 1] blends in what ratings say. With `hops` 2 or 3 `.chains` lead
        further. `after` and `before` (a date, seconds since 1970, or words such as "last week")
        and `tags` narrow; time words in the question narrow where anything is left (`.period`).
        `as_of` answers what was true on that day. With `recency` what is old counts less.
        """
        from cloudnee.flows.answering import Wishes, recalled
        from cloudnee.flows.inputs import checked_recall

        checked_recall(query, top_k, wide_k, hops, feedback_influence, scoring, tags)
        wishes = Wishes(
            top_k,
            wide_k,
            hops,
            feedback_influence,
            scoring,
            after,
            before,
            as_of,
            tuple(tags),
            recency,
        )
        return recalled(self._caller, query, wishes)

    def search_pages(
        self,
        query: str,
        top_k: int = 10,
        *,
        tags: Sequence[str] = (),
        after: Moment | None = None,
        before: Moment | None = None,
        recency: bool = False,
    ) -> tuple[Passage, ...]:
        """The passages that answer a question best: paragraphs, list items, turns; best first.

        Ten passages may be ten turns of one page. `tags`, `after`, `before` and `recency` as in
        `recall`, by the page. Empty where nothing has to do with the question.
        """
        from cloudnee.flows.answering import Wishes, searched
        from cloudnee.flows.inputs import checked_search

        checked_search(query, top_k, tags)
        wishes = Wishes(top_k, after=after, before=before, tags=tuple(tags), recency=recency)
        return searched(self._caller, query, wishes)

    def recent(self, most: int = 10) -> list[Edge]:
        """The edges written last, newest first."""
        from cloudnee.flows.inputs import checked_count

        checked_count("most", most, 10_000)
        return self._caller.reader().recent(most, lambda: self._engine.ontology)

    def graph(self, *, past: bool = False, mentions: bool = False) -> networkx.MultiDiGraph[str]:
        """The graph as this audience sees it; with `past`, edges that are no longer current too.

        With `mentions` also what pages about one entity name in passing: edges of the relation
        "mentions", keyed by the path and line that do.
        """
        from cloudnee.flows.picture import drawn

        reader = self._caller.reader()
        return drawn(reader, past, lambda: self._engine.ontology, mentions=mentions)

    def pages(self, path: str | None = None) -> list[PageInfo]:
        """The pages this audience sees, by path; with `path`, that one alone."""
        from cloudnee.pages.path import canonical_path

        found = []
        only = canonical_path(path) if path is not None else None
        for path, subject, status, hashed, as_of, updated, tags, edges, reason in self._store.pages(
            self._caller.bit, only
        ):
            listed = tuple(tags.split("\n")) if tags else ()
            dates = (from_micros(as_of), from_micros(updated))
            found.append(PageInfo(path, subject, status, hashed, *dates, listed, edges, reason))
        return found

    def read_page(self, path: str) -> str:
        """The text of a page, as it was given; "" where this audience sees no such page."""
        from cloudnee.pages.path import canonical_path

        return self._store.page_text(canonical_path(path), self._caller.bit)

    def aliases(self, who: str) -> list[Alias]:
        """The handles and other names of whoever is meant."""
        reader = self._caller.reader()
        with self._store.reading():
            rows = reader.entities(who)
            found = [a for row in rows for a in self._store.entity_aliases(row, reader.bit)]
        return [Alias(*values) for values in dict.fromkeys(found)]

    def _base_text(self, path: str) -> str:
        row = self._store.page(path)
        return row.text if row else ""

    # teach, rate, forget, check

    def teach_alias(self, word: str, canonical: str) -> None:
        """Teach a synonym: a question with `word` is asked with `canonical` in its place."""
        from cloudnee.flows.inputs import checked_word

        key, word, canonical = checked_word(word, canonical)
        if not self._caller.rule().writes:
            raise errors.Forbidden(f"audience {self.audience!r} may not teach words")
        with self._store.writing():
            self._caller.found()
            self._store.set_word(key, word, canonical)

    def improve(
        self,
        edge_ids: Sequence[str],
        rating: int,
        key: str | None = None,
        implicit: bool = False,
    ) -> Rated:
        """Queue a rating of 1 to 5 for the facts of these edges.

        A rating under a `key` counts once for each fact; another under that key replaces it. An
        implicit rating (the edge was used, nobody said so) moves half as far.
        """
        from cloudnee.flows.feedback import queue_ratings

        queued = queue_ratings(
            self._store, self._caller.bit, edge_ids, rating, key, implicit, self._engine.now
        )
        self._apply_late_feedback()
        return queued

    def apply_feedback(self) -> Applied:
        """Apply all queued ratings in one batch: each fact's weight is the fold of its ratings."""
        from cloudnee.flows.feedback import apply_queue

        return apply_queue(self._store)

    def _apply_late_feedback(self) -> None:
        from cloudnee.flows.feedback import is_late

        if is_late(self._store, self._engine.now):
            self.apply_feedback()

    def remove_alias(self, handle: str, who: str) -> int:
        """Take a handle that a caller gave from whoever is meant; gives how many were removed."""
        from cloudnee.flows.forgetting import without_alias

        return without_alias(
            self._caller.reader(), handle, who, self._engine.region, self._caller.may_write
        )

    def forget(
        self,
        *,
        path: str | None = None,
        edge_id: str | None = None,
        entity: str | None = None,
        purge: bool = False,
    ) -> Forgotten:
        """Forget a page, a fact or an entity: rows, vectors, index entries and ratings, at once.

        Give exactly one of the three. `entity` is a name, handle or id that leads to one entity.
        With `purge` the file is rewritten, so that its bytes are gone too. A forgotten fact stays
        away until its line changes, a forgotten page until its bytes change or it is remembered.
        """
        from cloudnee.flows.forgetting import forget
        from cloudnee.pages.path import canonical_path

        done = forget(
            self._store,
            self._caller.reader(),
            self._caller.writer,
            self._caller.may_write,
            path=canonical_path(path) if path is not None else None,
            edge_id=edge_id,
            entity=entity,
        )
        if purge:
            self._store.db.rewrite()
        return done

    def check(self) -> list[Fault]:
        """What is wrong with the file; empty when it is clean."""
        from cloudnee.flows.checking import faults

        return faults(self._engine)
