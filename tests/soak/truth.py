"""What may be true of a file after a kill: what was told to be done, and the job in hand or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from cloudnee import Memory
from cloudnee.errors import CloudneeError
from cloudnee.graph.feedback import folded_weight
from tests.soak.pages import RATED, fact_version, mixtures, opened, page, version
from tests.soak.worker import PATHS, PEOPLE, imported_paths

__all__ = ["Truth"]

Job = dict[str, Any]


@dataclass
class Truth:
    """The state that was told, as a few plain values."""

    pages: dict[str, int] = field(default_factory=dict)
    notes: dict[str, list[int]] = field(default_factory=lambda: {who: [] for who in PEOPLE})
    ratings: list[int] = field(default_factory=list)
    applied: int = 0  # of the ratings, so many are in the weight

    def done(self, job: Job) -> None:
        """A job was told to be done."""
        kind, n = job["job"], job["n"]
        if kind == "remember":
            self.pages[job["path"]] = n
        elif kind == "many":
            self.pages |= dict.fromkeys(PATHS, n)
        elif kind in ("forget", "purge"):
            self.pages.pop(job["path"], None)
        elif kind == "import":
            self.pages |= dict.fromkeys(imported_paths(n), n)
        elif kind == "note":
            self.notes[job["who"]].append(n)
        elif kind == "improve":
            self.ratings.append(job["rating"])
        elif kind == "apply":
            self.applied = len(self.ratings)

    def compare(self, memory: Memory, job: Job | None, folder: Path) -> list[str]:
        """What is lost or half done; afterwards this state is what the file holds.

        `job` is the one in hand when the process was killed: it may have been done or not.
        """
        maybe = Truth(dict(self.pages), {k: [*v] for k, v in self.notes.items()}, [*self.ratings])
        maybe.applied = self.applied
        if job is not None:
            maybe.done(job)
        found = [f"check: {fault}" for fault in memory.check()]
        found += self._pages(memory, maybe)
        found += self._notes(memory, maybe)
        found += self._weight(memory, maybe)
        if job is not None:
            found += _files(job, folder, (self.pages, maybe.pages))
        return found

    def _pages(self, memory: Memory, maybe: Truth) -> list[str]:
        found: list[str] = []
        held = {p.path for p in memory.pages() if not p.path.startswith("notes/")} - {RATED}
        for path in sorted(held | set(self.pages) | set(maybe.pages) | set(PATHS)):
            try:
                number = version(memory.read_page(path))
            except ValueError as error:
                found.append(f"{path}: {error}")
                continue
            if number not in (self.pages.get(path), maybe.pages.get(path)):
                found.append(f"{path}: {number}, told {self.pages.get(path)}, maybe {maybe.pages}")
            if fact_version(memory, path) != number:
                found.append(f"{path}: text {number} with facts of {fact_version(memory, path)}")
            found += mixtures(memory, path)
            self.pages.pop(path, None)
            if number is not None:
                self.pages[path] = number
        return found

    def _notes(self, memory: Memory, maybe: Truth) -> list[str]:
        found: list[str] = []
        for who, told in self.notes.items():
            texts = [
                memory.read_page(p.path)
                for p in memory.pages()
                if p.path.startswith("notes/") and p.subject == who
            ]
            lines = [line for text in texts for line in text.split("\n") if "about unit" in line]
            held = [int(line.split()[-1]) for line in lines]
            if held not in (told, maybe.notes[who]):
                found.append(f"notes of {who}: {held}, told {told}")
            self.notes[who] = held
        return found

    def _weight(self, memory: Memory, maybe: Truth) -> list[str]:
        """The weight is a fold of the ratings that were applied; applied again, of all."""
        if not memory.read_page(RATED):
            return [f"{RATED} is lost"] if self.ratings else []
        may = {_fold(self.ratings[: self.applied]), _fold(maybe.ratings[: maybe.applied])}
        found = [] if _weight(memory) in may else [f"weight {_weight(memory)}, may be {may}"]
        waiting = memory.apply_feedback().ratings
        allowed = [r for r, _ in groupby([self.ratings, maybe.ratings])]
        now = [ratings for ratings in allowed if _fold(ratings) == _weight(memory)]
        if not now:
            return [*found, f"weight {_weight(memory)} after all ratings, told {self.ratings}"]
        held = now[0]
        if waiting > max(len(maybe.ratings) - self.applied, 0):
            found.append(f"{waiting} ratings waited, {len(maybe.ratings)} told")
        again = memory.apply_feedback().ratings
        self.ratings, self.applied = [*held], len(held)
        return [*found, *([f"{again} ratings applied twice"] if again else [])]


def _fold(ratings: list[int]) -> float:
    return folded_weight((rating, False) for rating in ratings)


def _weight(memory: Memory) -> float:
    edges = memory.read_current("Customer services rated").edges
    return next(e.feedback_weight for e in edges if e.relation == "quoted_price")


def _files(job: Job, folder: Path, may: tuple[dict[str, int], ...]) -> list[str]:
    """A backup, an export or a folder in hand: whole or not there, or finished by a second go."""
    n = job["n"]
    copies = {"backup": folder / f"backup-{n}.db", "export": folder / f"export-{n}.zip"}
    target = copies.get(job["job"])
    if target is None or not target.exists():
        return []
    into = folder / f"from-{n}.db"
    try:
        if job["job"] == "backup":
            into = target
        with opened(into) as memory:
            if job["job"] == "export":
                memory.import_(target)
            found = [f"{target.name}: {fault}" for fault in memory.check()]
            texts = {p.path: memory.read_page(p.path) for p in memory.pages()}
    except CloudneeError as error:
        return [f"{target.name}: {error}"]
    held = {path: text for path, text in texts.items() if not path.startswith(("notes/", "serv"))}
    wanted = [{path: page(path, number) for path, number in pages.items()} for pages in may]
    return found + ([] if held in wanted else [f"{target.name} holds {sorted(held)}"])
