"""Jobs through Python, with stubs where the real parts would hide what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import apsw
import sqlite_vec

from acceptance.desk import Desk
from acceptance.jobs import Job, expect, job
from cloudnee import Memory
from cloudnee.extract.base import Extraction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["JOBS", "OneDirection"]

JOBS: list[Job] = []


class OneDirection:
    """An embedder for which all texts are the same: every distance is 0."""

    model = "one-direction"
    dimensions = 4

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same unit vector for each text."""
        import numpy

        rows = numpy.zeros((len(texts), self.dimensions), numpy.float32)
        rows[:, 0] = 1
        return rows


class Broken:
    """An extractor that cannot read."""

    name = "broken"
    version = "1"

    def extract(self, text: str, *, subject: str, path: str, date: datetime) -> Extraction:
        """Fail as an outage does."""
        raise ConnectionError("the endpoint is away")


@job("a used rule outranks an unused one: 1.35 against 1.5", JOBS)
def used_outranks_unused(desk: Desk) -> str:
    """All distances 0, feedback influence a half, one rating of 5."""
    text = "# Desk\n\n- Rule: shoes off\n- Rule: call first\n"
    with Memory.open(desk.folder / "stub.db", org="desk", embedder=OneDirection()) as memory:
        memory.remember("rules.md", text)
        hits = memory.recall("what to mind", feedback_influence=0.5).hits
        last = hits[-1].edge
        memory.improve([last.id], rating=5)
        memory.apply_feedback()
        hits = memory.recall("what to mind", feedback_influence=0.5).hits
    scores = [round(hit.score, 6) for hit in hits]
    expect(hits[0].edge.id == last.id and scores == [1.35, 1.5], (last.target_name, scores))
    return f"{last.target_name}: {scores[0]} before {scores[1]}"


@job("a vector index that lags: 160, never 180", JOBS)
def lagging_index(desk: Desk) -> str:
    """With the index as it was before the edit, SQL still has the last word."""
    db = desk.folder / "stub.db"
    page = "# Chemical wash\n\n- Quoted price: {}\n"
    with Memory.open(db, org="desk", embedder=OneDirection()) as memory:
        memory.remember("wash.md", page.format(180))
    yesterday = fact_vectors(str(db))
    with Memory.open(db, org="desk", embedder=OneDirection()) as memory:
        memory.remember("wash.md", page.format(160))
    fact_vectors(str(db), planted=yesterday)
    with Memory.open(db, org="desk", embedder=OneDirection()) as memory:
        said = {hit.edge.target_name for hit in memory.recall("price of the wash").hits}
        faults = memory.check()
    expect(said == {"160"}, said)
    expect(faults, "check did not notice")
    return f"160; check names the lag: {faults[0].kind}"


Rows = list[tuple[Any, ...]]


def fact_vectors(db: str, planted: Rows | None = None) -> Rows:
    """The rows of the index of triplets; with `planted`, these are put in their place."""
    connection = apsw.Connection(db)
    connection.enable_load_extension(True)  # noqa: FBT003
    connection.load_extension(sqlite_vec.loadable_path())
    rows = connection.execute("SELECT rowid, org, vector FROM fact_vectors").fetchall()
    if planted is not None:
        with connection:
            connection.execute("DELETE FROM fact_vectors")
            connection.executemany(
                "INSERT INTO fact_vectors (rowid, org, vector) VALUES (?, ?, ?)", planted
            )
    connection.close()
    return rows


@job("a failed extraction keeps yesterday's facts", JOBS)
def failed_extraction(desk: Desk) -> str:
    """The new text is stored and searchable, the facts stay, the answer names the page."""
    db = desk.folder / "stub.db"
    with Memory.open(db, org="desk", embedder=OneDirection()) as memory:
        memory.remember("wash.md", "# Chemical wash\n\n- Quoted price: 160\n")
    with Memory.open(db, org="desk", embedder=OneDirection(), extractor=Broken()) as memory:
        text = "# Chemical wash\n\n- Quoted price: 150\n\nAsk Siti about zeolite.\n"
        report = memory.remember("wash.md", text)
        found = memory.read_current("Chemical wash")
        passages = memory.recall("zeolite").passages
    expect(report.status == "failed" and "away" in report.reason, report)
    expect([e.target_name for e in found.edges] == ["160"], found.edges)
    expect([page.path for page in found.unread] == ["wash.md"], found.unread)
    expect(any("zeolite" in passage.text for passage in passages), passages)
    return f"160 stays; {report.status}: {report.reason}"
