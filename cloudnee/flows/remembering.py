"""Remembering pages: drafts made outside a lock, one transaction each or several together.

Where another writer was faster, a write begins again, three times at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cloudnee import errors
from cloudnee.flows.caller import Caller
from cloudnee.model import Estimated, NewPage, Report

if TYPE_CHECKING:
    from cloudnee.flows.drafting import Given
    from cloudnee.flows.writing import Draft
    from cloudnee.store.store import PageRow

__all__ = ["Remembering"]

TRIES = 3
_A_MODELS = (
    "a language model is to read this page: give --extractor llm or both and --llm-model, or "
    "--extractor rules to have the rules read it"
)
TOGETHER = 64  # pages that are committed in one transaction


class Remembering:
    """Remembers pages as one caller."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.engine = caller.engine
        self.store = caller.store

    def many(self, pages: Iterable[NewPage], over: Mapping[str, str] | None = None) -> list[Report]:
        """Remember many pages, several whole ones to a transaction; one report each, in order.

        `over` gives the hash of the text that each page may replace ("" where there is none yet):
        a page that holds another one by then is left as it is, and so reported.
        """
        reports: list[Report] = []
        batch: list[tuple[int, Given]] = []
        _ = self.engine.ontology  # a broken one is told once, not under each page
        for page in pages:
            one: object = page
            if not isinstance(one, NewPage):
                raise errors.BadInput(f"pages must be a list of NewPage, not of {one!r:.80}")
            reports.append(Report(page.path, "failed", ""))
            try:
                given = self.given(page)
                only = over.get(given.page.path) if over is not None else None
                batch.append((len(reports) - 1, replace(given, over=only)))
            except errors.CloudneeError as error:
                reports[-1] = replace(reports[-1], reason=str(error))
            if len(batch) == TOGETHER:
                self._batch(batch, reports)
                batch = []
        self._batch(batch, reports)
        return reports

    def again(self, *, everything: bool, only: Iterable[str] | None = None) -> list[Report]:
        """Read anew the pages that no extractor has read yet, or every page, as they are stored."""
        reports: list[Report] = []
        batch: list[tuple[int, Given]] = []
        listed = only
        if isinstance(only, str):
            raise errors.BadInput(f"paths must be a list of page paths, not {only!r}")
        if only is None:
            listed = [page[0] for page in self.store.pages(self.caller.bit)]
        for path in listed or ():
            row = self.store.page(path)
            if row is None or not row.text or not self.caller.rule().may_write(path):
                continue  # a page whose file went has no text
            if everything or row.status != "written":
                batch.append((len(reports), self.engine.drafter.stored(row)))
                reports.append(Report(path, "failed", row.content_hash))
            if len(batch) == TOGETHER:
                self._batch(batch, reports)
                batch = []
        self._batch(batch, reports)
        return reports

    def estimate(self, pages: Iterable[NewPage]) -> list[Estimated]:
        """What a language model would take at most to read these pages; nothing is written."""
        found = []
        for page in pages:
            given = self.given(page)
            base = self.store.page(given.page.path)
            read = base is not None and self._read_already(given, base)
            calls, tokens, cached = (0, 0, 0) if read else self.engine.drafter.estimate(given)
            found.append(Estimated(given.page.path, calls, tokens, cached))
        return found

    def given(self, new: NewPage) -> Given:
        """The page parsed and dated, at its canonical path, which this audience may write."""
        from cloudnee.flows.inputs import checked_aliases
        from cloudnee.pages.page import parse_page
        from cloudnee.pages.path import canonical_path
        from cloudnee.pages.secrets import secrets_in

        path = canonical_path(new.path)
        self.caller.may_write(path)
        page = parse_page(path, new.text)
        given = self.engine.drafter.given(page, checked_aliases(new.aliases), new.as_of)
        looks = tuple(
            f"line {secret.line}: looks like a secret ({secret.kind}): all who see the page can "
            "read it; --redact takes it out"
            for secret in secrets_in(new.text)
        )
        return replace(given, warnings=given.warnings + looks) if looks else given

    def remember(self, given: Given) -> Report:
        """Remember one page."""
        return self.held(self.persist(partial(self.write_once, given), given.page.path))

    def held(self, report: Report) -> Report:
        """The report, with its new facts held against standing ones, where a model is set up."""
        if self.engine.contradictions is None:
            return report
        from cloudnee.flows.contradicting import contradicted

        return contradicted(self.caller, self.engine.contradictions, report)

    def persist(self, attempt: Callable[[], Report], what: str) -> Report:
        """Begin again where another writer was faster, three times at most."""
        from cloudnee.flows.writing import PageChanged

        for _ in range(TRIES):
            try:
                return attempt()
            except PageChanged:
                continue
        raise errors.Conflict(f"{what}: others changed it {TRIES} times meanwhile: try again")

    def keep(self, given: Given) -> Report:
        """Store a page unread, unless the same was read already: `again` reads it."""
        from cloudnee.flows.drafting import resumed

        def attempt() -> Report:
            base = self.store.page(given.page.path)
            due = resumed(given, base)
            if base is not None and self._read_already(due, base) and not self._same(due, base):
                return Report(given.page.path, "unchanged", given.page.content_hash)
            with self.store.writing():
                self.caller.found()
                return self.caller.writer().write(self.engine.drafter.waiting(due, base))

        return self.persist(attempt, given.page.path)

    def write_once(self, given: Given) -> Report:
        """Draft and write a page; raises `PageChanged` where another writer was faster."""
        (draft,) = self._drafts([given])
        if isinstance(draft, errors.Conflict):
            raise draft
        if draft is None:
            return Report(given.page.path, "unchanged", given.page.content_hash)
        return self._written(self._embedded([draft])[0])

    def _drafts(self, givens: Sequence[Given]) -> list[Draft | errors.Conflict | None]:
        """The drafts of writes, None where there is nothing to do; what must be read, in one go."""
        from cloudnee.flows.drafting import resumed, stored_reading

        bases = [self.store.page(given.page.path) for given in givens]
        done: list[Draft | errors.Conflict | None] = [
            self._overtaken(given, base) for given, base in zip(givens, bases, strict=True)
        ]
        givens = [resumed(given, base) for given, base in zip(givens, bases, strict=True)]
        due = []
        for i, (given, base) in enumerate(zip(givens, bases, strict=True)):
            if done[i] is None and self._is_a_models(given, base):
                done[i] = self.engine.drafter.waiting(given, base, _A_MODELS)
            elif done[i] is None and (base is None or not self._read_already(given, base)):
                due.append(i)
            elif done[i] is None:
                done[i] = self._same(given, base)
        bases = self._waiting(givens, bases, due)
        items = [(givens[i], bases[i], partial(stored_reading, self.store, bases[i])) for i in due]
        for i, draft in zip(due, self.engine.drafter.drafts(items), strict=True):
            done[i] = draft
        return done

    def _overtaken(self, given: Given, base: PageRow | None) -> errors.Conflict | None:
        """Where a page may only replace one text and another stands there: the error."""
        if given.over is None or given.over == (base.content_hash if base else ""):
            return None
        return errors.Conflict(f"{given.page.path}: another door changed it meanwhile")

    def _waiting(
        self, givens: Sequence[Given], bases: Sequence[PageRow | None], due: Iterable[int]
    ) -> list[PageRow | None]:
        """Store first what a model is to read: its text is found meanwhile, and where the run is
        broken off, `retry` knows what is left. Gives the rows as they are then."""
        from cloudnee.flows.writing import PageChanged

        found, drafter = list(bases), self.engine.drafter
        slow = [
            i
            for i in due
            if drafter.asks_a_model(givens[i].page) and not self._has(found[i], givens[i])
        ]
        if not slow:
            return found
        with self.store.writing():
            self.caller.found()
            writer = self.caller.writer()
            for i in slow:
                with suppress(PageChanged), self.store.savepoint():
                    writer.write(drafter.waiting(givens[i], found[i]))
        for i in slow:
            found[i] = self.store.page(givens[i].page.path)
        return found

    def _has(self, base: PageRow | None, given: Given) -> bool:
        return base is not None and base.content_hash == given.page.content_hash

    def _same(self, given: Given, base: PageRow | None) -> Draft | None:
        """The draft for a page that was read already, if it comes with anything new."""
        from cloudnee.flows.drafting import news, stored_reading

        if base is None or not news(self.store, given, base, lambda: self.engine.region):
            return None
        return self.engine.drafter.again(given, base, stored_reading(self.store, base))

    def _read_already(self, given: Given, base: PageRow) -> bool:
        reader = self.engine.drafter.reader(given.page)
        return (
            not given.anew
            and base.status == "written"
            and base.content_hash == given.page.content_hash
            and (base.reading == reader or self._was_a_models(given, base))
        )

    def _was_a_models(self, given: Given, base: PageRow) -> bool:
        """Whether a language model read this page and now none was asked for, nor the rules."""
        read = base.reading.startswith(("llm ", "both "))
        return read and self.engine.reads_by_default and not given.page.extractor

    def _is_a_models(self, given: Given, base: PageRow | None) -> bool:
        """Whether only a language model may read this page: the rules would end its facts, or the
        org has chosen so."""
        if base is None or not base.reading:
            chosen = self.engine.reads_by_default and not given.page.extractor
            return chosen and self.store.extractor() in ("llm", "both")
        same = base.content_hash == given.page.content_hash and base.status == "written"
        return self._was_a_models(given, base) and (given.anew or not same)

    def _embedded(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts with vectors for the texts that have none yet; failed where that fails."""
        from cloudnee.flows.stating import page_texts

        read = [draft for draft in drafts if draft.reading is not None]
        texts = [text for draft in read for text in page_texts(draft.reading or ())]
        lacking = self.engine.vectors.lacking(texts)
        passages = [self._lacking_passages(draft) for draft in drafts]
        wanted = dict.fromkeys(text for _, text in lacking)
        wanted.update(dict.fromkeys(text for found in passages for text in found.values()))
        try:
            made = dict(zip(wanted, self.engine.embedded(list(wanted)), strict=True))
        except (errors.EmbeddingFailed, errors.BadVector) as error:
            lost = set(lacking)
            return [
                replace(draft, reading=None, status="failed", reason=f"embedder: {error}"[:500])
                if missed or lost.intersection(page_texts(draft.reading or ()))
                else draft
                for draft, missed in zip(drafts, passages, strict=True)
            ]
        vectors = {(kind, text): made[text] for kind, text in lacking}
        return [
            replace(
                draft,
                vectors=vectors,
                passage_vectors={key: made[text] for key, text in found.items()},
            )
            for draft, found in zip(drafts, passages, strict=True)
        ]

    def _lacking_passages(self, draft: Draft) -> dict[int, str]:
        """key → text of the passages of a page that is read and that have no vector yet."""
        if draft.reading is None or draft.passages is None:
            return {}
        row = self.store.page(draft.page.path) if draft.base_hash is not None else None
        return draft.passages.lacking(self.store.passage_vectors(row.id) if row else ())

    def _written(self, draft: Draft) -> Report:
        """One transaction; where it needs more vectors than foreseen, it begins again with them."""
        from cloudnee.store.vectors import MissingVectors

        for _ in range(TRIES):
            try:
                with self.store.writing():
                    self.caller.found()
                    return self.caller.writer().write(draft)
            except MissingVectors as missing:
                made = self.engine.embedded([text for _, text in missing.texts])
                more = dict(zip(missing.texts, made, strict=True))
                draft = replace(draft, vectors={**draft.vectors, **more})
        raise errors.Conflict(f"{draft.page.path}: others changed its facts meanwhile: try again")

    def _batch(self, batch: Sequence[tuple[int, Given]], reports: list[Report]) -> None:
        """Write a batch in one transaction; pages that need another try are done by themselves."""
        from cloudnee.flows.writing import PageChanged
        from cloudnee.store.vectors import MissingVectors

        todo: list[tuple[int, Given, Draft]] = []
        for (at, given), draft in zip(batch, self._drafts([g for _, g in batch]), strict=True):
            if isinstance(draft, errors.Conflict):
                reports[at] = replace(reports[at], reason=str(draft))
            elif draft is None:
                reports[at] = Report(given.page.path, "unchanged", given.page.content_hash)
            else:
                todo.append((at, given, draft))
        drafts = self._embedded([draft for _, _, draft in todo])
        late: list[tuple[int, Given]] = []
        if todo:
            with self.store.writing():
                self.caller.found()
                writer = self.caller.writer()
                for (at, given, _), draft in zip(todo, drafts, strict=True):
                    try:
                        with self.store.savepoint():
                            reports[at] = writer.write(draft)
                    except (MissingVectors, PageChanged):
                        late.append((at, given))
        done = [at for at, _, _ in todo if at not in {at for at, _ in late}]
        for at in done if self.engine.contradictions else ():
            reports[at] = self.held(reports[at])
        for at, given in late:
            try:
                reports[at] = self.remember(given)
            except errors.Conflict as error:
                reports[at] = replace(reports[at], reason=str(error))
