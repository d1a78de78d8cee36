"""The contradiction pass: new facts are held against standing ones, the loser becomes history.

A model is asked about candidates that the writer may see, after the page is written and outside any
transaction. Its verdicts are stored as pairs, so that judging an edge anew needs no model.
"""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cloudnee.errors import ExtractionFailed
from cloudnee.graph.facts import triplet_text
from cloudnee.model import Report
from cloudnee.store.store import EdgeRow, Store
from cloudnee.store.vectors import FACT, Vectors

if TYPE_CHECKING:
    from cloudnee.extract.calls import Endpoint
    from cloudnee.extract.contradictions import Claim, Contradiction
    from cloudnee.flows.caller import Caller
    from cloudnee.flows.writing import Writer

__all__ = ["contradicted", "judged_anew", "reopened", "without_losers"]

_MOST_STANDING = 200  # facts of one subject that a new one is held against
_NEAREST = 40
_AROUND = 1  # lines before and after that are shown with a fact


def without_losers(store: Store, masks: MutableMapping[int, int]) -> None:
    """Take from the masks of edges those who see what a model said can't be true beside them."""
    for loser, _, seen_by, _ in store.contradicted(masks):
        masks[loser] &= ~seen_by


def contradicted(caller: Caller, endpoint: Endpoint, report: Report) -> Report:
    """The report of a page with what its new facts contradict, and what they lost against.

    Where the model gives no answer in form nothing changes, and a warning says so.
    """
    from cloudnee.extract.contradictions import judged

    if report.status != "written" or not report.added:
        return report
    pass_ = _Pass(caller)
    asked = pass_.questions(report.added)
    try:
        verdicts = judged(endpoint, asked)
    except ExtractionFailed as error:
        warning = f"contradictions were not looked for: {error}"
        return replace(report, warnings=(*report.warnings, warning))
    told = pass_.carried_out(verdicts.found)
    if verdicts.dropped:
        told.append(
            f"the model named {verdicts.dropped} contradictions that it was not asked about"
        )
    usage = verdicts.usage
    return replace(
        report,
        warnings=(*report.warnings, *told),
        closed=(*report.closed, *pass_.closed),
        calls=report.calls + usage.calls,
        tokens=report.tokens + usage.tokens_in + usage.tokens_out,
        seconds=round(report.seconds + usage.seconds, 3),
    )


def reopened(caller: Caller, edge_id: str) -> bool:
    """Let a fact be current again that a model said contradicts another; False: none such is there.

    Raises `Forbidden` where this audience may not write its page.
    """
    store = caller.store
    reader = caller.reader()
    row = store.edge_by_eid(edge_id, reader.bit)
    if row is None or not any(seen & reader.bit for _, _, seen, _ in store.contradicted([row.id])):
        return False
    caller.may_write(reader.path(row.page))
    with store.writing():
        store.drop_contradictions_of(row.id)
        judged_anew(caller.writer(), [row.id])
    return True


class _Pass:
    """One pass over the new facts of a page."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.store = caller.store
        self.reader = caller.reader()
        self.vectors: Vectors = caller.engine.vectors
        self.rows: dict[str, EdgeRow] = {}
        self.texts: dict[int, str] = {}
        self.closed: list[str] = []

    def questions(self, added: Iterable[str]) -> list[tuple[Claim, Sequence[Claim]]]:
        """Each new fact that this writer sees with what it may contradict."""
        from cloudnee.extract.contradictions import candidates

        asked: list[tuple[Claim, Sequence[Claim]]] = []
        with self.store.reading():
            for eid in added:
                row = self.store.edge_by_eid(eid, self.reader.bit)
                if row is None or not row.current_for & self.reader.bit:
                    continue
                standing = [self._claim(other) for other in self._standing(row)]
                asked.append((self._claim(row), candidates(self._claim(row), standing, self._near)))
        return asked

    def _standing(self, row: EdgeRow) -> list[EdgeRow]:
        """The current facts of the same subject, and those of the nearest meaning."""
        bit = self.reader.bit
        found = {e.id: e for e in self.store.current_edges(row.source, bit, _MOST_STANDING)}
        vector = self._vector(row)
        if vector:
            near = [text for text, _ in self.vectors.nearest(FACT, vector, _NEAREST, bit)]
            found.update({e.id: e for e in self.store.current_with_texts(near, bit)})
        found.pop(row.id, None)
        same = (row.source, row.relation, row.target)
        return [e for e in found.values() if (e.source, e.relation, e.target) != same]

    def _claim(self, row: EdgeRow) -> Claim:
        from cloudnee.extract.contradictions import Claim

        self.rows[row.eid] = row
        names = [self.store.text(text) for text in (row.source_text, row.target_text)]
        return Claim(
            id=row.eid,
            source_id=str(row.source),
            relation=row.relation,
            text=triplet_text(names[0], row.relation, names[1]),
            quote=row.quote,
            context=self._around(row),
            order=(row.as_of, row.created_at, row.line, row.id),
        )

    def _around(self, row: EdgeRow) -> str:
        """The lines around a fact's own, as its page has them."""
        if row.page not in self.texts:
            path = self.reader.path(row.page)
            self.texts[row.page] = self.store.page_text(path, self.reader.bit)
        lines = self.texts[row.page].splitlines()
        first = max(0, row.line - 1 - _AROUND)
        return "\n".join(line for line in lines[first : row.line + _AROUND] if line.strip())

    def _near(self, one: Claim, other: Claim) -> float:
        import numpy as np

        pair = [self._vector(self.rows[claim.id]) for claim in (one, other)]
        held = [np.frombuffer(vector, np.float32) for vector in pair if vector]
        return float(np.dot(*held)) if len(held) == 2 else 0.0

    def _vector(self, row: EdgeRow) -> bytes | None:
        return self.vectors.vector(self.store.edge_texts(row.id)[2], FACT)

    def carried_out(self, found: Iterable[Contradiction]) -> list[str]:
        """Store the verdicts and judge the losers; what was said of each, for the report."""
        told: list[str] = []
        pairs = [(self.rows[c.loser], self.rows[c.winner], c.reason) for c in found]
        if not pairs:
            return told
        with self.store.writing():
            now = self.caller.engine.now
            for loser, winner, reason in pairs:
                self.store.add_contradiction(loser.id, winner.id, reason, now)
                self.closed.append(loser.eid)
                told.append(f"{loser.eid} is contradicted by {winner.eid}: {reason}")
            judged_anew(self.caller.writer(), [loser.id for loser, _, _ in pairs])
        return told


def judged_anew(writer: Writer, rows: Sequence[int]) -> None:
    """Judge edges anew, and bring the indexes in line."""
    store = writer.store
    revision = store.next_revision()
    stated = store.stated_edges(rows)
    texts: set[int] = set()
    for row in (*writer.judge(stated, revision), *writer.judge_alone(stated, revision)):
        texts.update(store.edge_texts(row))
    writer.vectors.settle(texts, {}, revision)
