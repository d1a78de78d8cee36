"""Remembering pages: drafts made outside a lock, one transaction each or several together.

Where another writer was faster, a write begins again, three times at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from cloudnee import errors
from cloudnee.flows.caller import Caller
from cloudnee.model import NewPage, Report

if TYPE_CHECKING:
    from cloudnee.flows.drafting import Given
    from cloudnee.flows.writing import Draft
    from cloudnee.store.store import PageRow

__all__ = ["Remembering"]

TRIES = 3
TOGETHER = 64  # pages that are committed in one transaction


class Remembering:
    """Remembers pages as one caller."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.engine = caller.engine
        self.store = caller.store

    def many(
        self, pages: Iterable[NewPage], over: Mapping[str, str] | None = None
    ) -> list[Report]:
        """Remember many pages, several whole ones to a transaction; one report each, in order.

        `over` gives the hash of the text that each page may replace ("" where there is none yet):
        a page that holds another one by then is left as it is, and so reported.
        """
        reports: list[Report] = []
        batch: list[tuple[int, Given]] = []
        for page in pages:
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

    def given(self, new: NewPage) -> Given:
        """The page parsed and dated, at its canonical path, which this audience may write."""
        from cloudnee.flows.inputs import checked_aliases
        from cloudnee.pages.page import parse_page
        from cloudnee.pages.path import canonical_path

        path = canonical_path(new.path)
        self.caller.may_write(path)
        page = parse_page(path, new.text)
        return self.engine.drafter.given(page, checked_aliases(new.aliases), new.as_of)

    def remember(self, given: Given) -> Report:
        """Remember one page."""
        return self.persist(partial(self.write_once, given), given.page.path)

    def persist(self, attempt: Callable[[], Report], what: str) -> Report:
        """Begin again where another writer was faster, three times at most."""
        from cloudnee.flows.writing import PageChanged

        for _ in range(TRIES):
            try:
                return attempt()
            except PageChanged:
                continue
        raise errors.Conflict(f"{what}: others changed it {TRIES} times meanwhile: try again")

    def write_once(self, given: Given) -> Report:
        """Draft and write a page; raises `PageChanged` where another writer was faster."""
        base = self.store.page(given.page.path)
        draft = self._drafted(given, base)
        if draft is None:
            return Report(given.page.path, "unchanged", given.page.content_hash)
        return self._written(self._embedded([draft])[0])

    def _drafted(self, given: Given, base: PageRow | None) -> Draft | None:
        """The draft of a write, or None where there is nothing to do."""
        from cloudnee.flows.drafting import news, resumed, stored_reading

        if given.over is not None and given.over != (base.content_hash if base else ""):
            raise errors.Conflict(f"{given.page.path}: another door changed it meanwhile")
        given = resumed(given, base)
        drafter = self.engine.drafter
        if base is None or not self._read_already(given, base):
            last = partial(stored_reading, self.store, base) if base else list
            return drafter.draft(given, base, last)
        if not news(self.store, given, base, lambda: self.engine.region):
            return None
        return drafter.again(given, base, stored_reading(self.store, base))

    def _read_already(self, given: Given, base: PageRow) -> bool:
        return (
            base.status == "written"
            and base.content_hash == given.page.content_hash
            and base.reading == self.engine.drafter.reader(given.page)
        )

    def _embedded(self, drafts: Sequence[Draft]) -> list[Draft]:
        """The drafts with vectors for the texts that have none yet; failed where that fails."""
        from cloudnee.flows.writing import page_texts

        texts = [text for draft in drafts for text in page_texts(draft.reading or ())]
        lacking = self.engine.vectors.lacking(texts)
        try:
            found = self.engine.embedded([text for _, text in lacking])
        except (errors.EmbeddingFailed, errors.BadVector) as error:
            lost = set(lacking)
            return [
                replace(draft, reading=None, status="failed", reason=f"embedder: {error}"[:500])
                if lost.intersection(page_texts(draft.reading or ()))
                else draft
                for draft in drafts
            ]
        vectors = dict(zip(lacking, found, strict=True))
        return [replace(draft, vectors=vectors) for draft in drafts]

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

        bases = {given.page.path: self.store.page(given.page.path) for _, given in batch}
        todo: list[tuple[int, Given, Draft]] = []
        for at, given in batch:
            try:
                draft = self._drafted(given, bases[given.page.path])
            except errors.Conflict as error:
                reports[at] = replace(reports[at], reason=str(error))
                continue
            if draft is None:
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
        for at, given in late:
            try:
                reports[at] = self.remember(given)
            except errors.Conflict as error:
                reports[at] = replace(reports[at], reason=str(error))
