"""A process that works on a file until it is killed, and says of each job that it begins and ends.

`python -m tests.soak.worker FILE FOLDER FIRST SEED KIND`: a line of JSON before a job, "done" after
it. Before long a job of that kind comes.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from cloudnee import Alias, Memory
from tests.engine.conftest import WordEmbedder
from tests.soak.pages import MODELS, RATED, OtherEmbedder, opened, page

__all__ = ["BATCH", "JOBS", "PATHS", "PEOPLE", "imported_paths"]

PATHS = [f"desk/{n}.md" for n in range(5)]
PEOPLE = ["Mrs Tan", "Mr Lim"]
BATCH = 4  # pages of a folder that is imported


def imported_paths(number: int) -> list[str]:
    """Where the pages of the folder of this number stand."""
    return [f"in/{number}/{n}.md" for n in range(BATCH)]


class Worker:
    """Does one job after another; each has a number that no other has."""

    def __init__(self, file: Path, folder: Path, seed: str, kind: str) -> None:
        self.memory: Memory = opened(file)
        self.folder = folder
        self.chance = random.Random(seed)
        self.kind, self.due = kind, self.chance.randint(0, 6)

    def choose(self, number: int) -> dict[str, object]:
        """The next job, in words that the harness understands."""
        kind = self.kind if number % 1000 == self.due else self.chance.choice(list(JOBS))
        chosen: dict[str, object] = {"job": kind, "n": number}
        if chosen["job"] in ("remember", "forget", "purge"):
            chosen["path"] = self.chance.choice(PATHS)
        if chosen["job"] == "note":
            chosen["who"] = self.chance.choice(PEOPLE)
        if chosen["job"] == "improve":
            chosen["rating"] = self.chance.randint(1, 5)
        return chosen

    def remember(self, n: int, path: str) -> None:
        """Write a page new, or edit it."""
        report = self.memory.remember(
            path, page(path, n), (Alias(f"9123{n % 10_000:04}", "", "phone"),)
        )
        assert report.status == "written", report

    def many(self, n: int) -> None:
        """Edit all pages of the desk in one call."""
        from cloudnee import NewPage

        reports = self.memory.remember_many(NewPage(path, page(path, n)) for path in PATHS)
        assert {report.status for report in reports} == {"written"}, reports

    def forget(self, n: int, path: str) -> None:
        """Forget a page."""
        self.memory.forget(path=path)

    def purge(self, n: int, path: str) -> None:
        """Forget a page and write the file anew."""
        self.memory.forget(path=path, purge=True)

    def improve(self, n: int, rating: int) -> None:
        """Rate the fact that is there from the beginning."""
        edges = self.memory.read_current("Customer services rated").edges
        price = next(edge for edge in edges if edge.relation == "quoted_price")
        assert self.memory.improve([price.id], rating, key=f"job {n}").queued == 1

    def apply(self, n: int) -> None:
        """Apply what ratings wait."""
        self.memory.apply_feedback()

    def note(self, n: int, who: str) -> None:
        """Note something that was said."""
        assert self.memory.note(f"asked about unit {n}", subject=who).status == "written"

    def export(self, n: int) -> None:
        """Export everything to a .zip file."""
        self.memory.export(self.folder / f"export-{n}.zip")

    def backup(self, n: int) -> None:
        """Copy the file."""
        self.memory.backup(self.folder / f"backup-{n}.db")

    def import_(self, n: int) -> None:
        """Import a folder of pages."""
        source = self.folder / f"source-{n}"
        source.mkdir()
        for at, path in enumerate(imported_paths(n)):
            (source / f"{at}.md").write_text(page(path, n), encoding="utf-8")
        self.memory.import_(source, kind="folder", into=f"in/{n}")
        shutil.rmtree(source)

    def reread(self, n: int) -> None:
        """Read every page anew."""
        assert {report.status for report in self.memory.reread()} <= {"written", "unchanged"}

    def reembed(self, n: int) -> None:
        """Change to the other model."""
        other = OtherEmbedder if self.memory.embedder.model == WordEmbedder.model else WordEmbedder
        assert other.model in MODELS
        self.memory.reembed(other())

    def run(self, first: int) -> None:
        """Work until killed."""
        if not self.memory.read_page(RATED):
            self.memory.remember(RATED, page(RATED, 160))
        say("ready")
        number = first
        while True:
            job = self.choose(number)
            say(job)
            given = {key: value for key, value in job.items() if key != "job"}
            JOBS[str(job["job"])](self, **given)
            say("done")
            number += 1


JOBS: dict[str, Callable[..., None]] = {
    "remember": Worker.remember,
    "many": Worker.many,
    "forget": Worker.forget,
    "purge": Worker.purge,
    "improve": Worker.improve,
    "apply": Worker.apply,
    "note": Worker.note,
    "export": Worker.export,
    "backup": Worker.backup,
    "import": Worker.import_,
    "reread": Worker.reread,
    "reembed": Worker.reembed,
}


def say(what: object) -> None:
    """Tell the harness; what was told before a kill is read after it."""
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    Worker(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[4], sys.argv[5]).run(int(sys.argv[3]))
