"""Writers and readers, each a process, on one file for some seconds.

`python -m tests.soak.crowd FILE FOLDER SECONDS write|read NUMBER` is one of them.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cloudnee import Memory
from cloudnee.errors import Conflict
from cloudnee.graph.feedback import folded_weight
from tests.soak.pages import RATED, fact_version, mixtures, opened, page, version

__all__ = ["Crowd", "crowd"]

ROOT = Path(__file__).parents[2]
SHARED = [f"shared/{n}.md" for n in range(3)]
OWN = 4


@dataclass
class Crowd:
    """What a crowd did, and what was wrong."""

    seconds: float = 0.0
    writes: int = 0
    reads: int = 0
    conflicts: int = 0
    losses: list[str] = field(default_factory=list)


class Writer:
    """Writes pages of its own and shared ones, syncs a folder, forgets and rates."""

    def __init__(self, memory: Memory, folder: Path, number: int) -> None:
        self.memory, self.number = memory, number
        self.folder = folder / f"vault-{number}"
        self.folder.mkdir()
        self.chance = random.Random(number)
        self.held: dict[str, int] = {}
        self.done = self.conflicts = self.ratings = 0

    def run(self, until: float) -> dict[str, Any]:
        """Work until a moment; gives what must then be there."""
        jobs = [self.own, self.own, self.shared, self.synced, self.forget, self.rate, self.apply]
        while time.monotonic() < until:
            number = self.number * 1_000_000 + self.done
            try:
                self.chance.choice(jobs)(number)
            except Conflict:  # documented: others changed the same page three times meanwhile
                self.conflicts += 1
            self.done += 1
        return {
            "held": self.held, "writes": self.done, "ratings": self.ratings,
            "conflicts": self.conflicts,
        }  # fmt: skip

    def own(self, n: int) -> None:
        """A page that nobody else writes."""
        path = f"own/{self.number}/{n % OWN}.md"
        self.memory.remember(path, page(path, n))
        self.held[path] = n
        if fact_version(self.memory, path) != n:
            raise AssertionError(f"{path}: written, and not what is read")

    def shared(self, n: int) -> None:
        """A page that all write."""
        path = self.chance.choice(SHARED)
        self.memory.remember(path, page(path, n))

    def synced(self, n: int) -> None:
        """Two files of a folder, edited and synced."""
        for at in range(2):
            path = f"vault{self.number}-{at}.md"
            (self.folder / path).write_text(page(path, n), encoding="utf-8")
        self.memory.sync(self.folder)
        self.held |= {f"vault{self.number}-{at}.md": n for at in range(2)}

    def forget(self, n: int) -> None:
        """A page of one's own goes."""
        path = f"own/{self.number}/{n % OWN}.md"
        self.memory.forget(path=path)
        self.held.pop(path, None)

    def rate(self, n: int) -> None:
        """The fact that all rate."""
        edges = self.memory.read_current("Customer services rated").edges
        price = next(edge for edge in edges if edge.relation == "quoted_price")
        self.ratings += self.memory.improve([price.id], n % 5 + 1, key=f"rating {n}").queued

    def apply(self, n: int) -> None:
        """Whatever waits."""
        self.memory.apply_feedback()


def read(memory: Memory, until: float) -> dict[str, Any]:
    """Read everything again and again: each page and each answer is whole."""
    reads = 0
    while time.monotonic() < until:
        for held in memory.pages():
            version(memory.read_page(held.path))  # raises of a mixture
            if wrong := mixtures(memory, held.path):
                raise AssertionError(wrong)
            reads += 2
        for hit in memory.recall("what price was quoted to customer shared 1").hits:
            if hit.edge.ended:
                raise AssertionError(f"recall told what is past: {hit.edge}")
        reads += 1
    return {"reads": reads}


def crowd(seconds: float, writers: int = 4, readers: int = 4) -> Crowd:
    """So many processes for so long on one file, then everything that was told is looked for."""
    found = Crowd(seconds)
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        with opened(folder / "desk.db") as memory:
            memory.remember(RATED, page(RATED, 160))
        roles = ["write"] * writers + ["read"] * readers
        running = [_started(folder, seconds, role, n) for n, role in enumerate(roles)]
        told = [_ended(process, found) for process in running]
        with opened(folder / "desk.db") as memory:
            found.losses += [f"check: {fault}" for fault in memory.check()]
            found.losses += _compared(memory, told)
    found.writes = sum(one.get("writes", 0) for one in told)
    found.reads = sum(one.get("reads", 0) for one in told)
    found.conflicts = sum(one.get("conflicts", 0) for one in told)
    return found


def _started(folder: Path, seconds: float, role: str, number: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.soak.crowd", str(folder / "desk.db"), str(folder)]
    return subprocess.Popen(
        [*command, str(seconds), role, str(number)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _ended(process: subprocess.Popen[str], found: Crowd) -> dict[str, Any]:
    out, problem = process.communicate()
    if process.returncode:
        found.losses.append(f"a process failed: {problem[-1500:]}")
        return {}
    told: dict[str, Any] = json.loads(out)
    return told


def _compared(memory: Memory, told: list[dict[str, Any]]) -> list[str]:
    found = []
    expected = {path: n for one in told for path, n in one.get("held", {}).items()}
    there = {p.path: version(memory.read_page(p.path)) for p in memory.pages()}
    private = {path: n for path, n in there.items() if path not in SHARED and path != RATED}
    if private != expected:
        found.append(f"pages: {private}, told {expected}")
    for path, number in there.items():
        if fact_version(memory, path) != number:
            found.append(f"{path}: text {number}, facts {fact_version(memory, path)}")
    return found + _ratings(memory, sum(one.get("ratings", 0) for one in told))


def _ratings(memory: Memory, told: int) -> list[str]:
    """Every rating that was told is there, once, and the weight is the fold of them all."""
    memory.apply_feedback()
    rows = memory._store.db.connection.execute("SELECT rating FROM ratings ORDER BY id").fetchall()
    edges = memory.read_current("Customer services rated").edges
    weight = next(e.feedback_weight for e in edges if e.relation == "quoted_price")
    found = [] if len(rows) == told else [f"{len(rows)} ratings, told {told}"]
    fold = folded_weight((int(str(row[0])), False) for row in rows)
    return found + ([] if fold == weight else [f"weight {weight}, the fold is {fold}"])


def main(file: str, folder: str, seconds: str, role: str, number: str) -> None:
    """One process of the crowd."""
    with opened(Path(file)) as memory:
        until = time.monotonic() + float(seconds)
        if role == "write":
            told = Writer(memory, Path(folder), int(number)).run(until)
        else:
            told = read(memory, until)
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
