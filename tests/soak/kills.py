"""Processes killed with SIGKILL at random instants, each file compared with what may be true."""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cloudnee.errors import CloudneeError
from tests.soak.pages import opened
from tests.soak.truth import Truth
from tests.soak.worker import JOBS

__all__ = ["Killed", "kill_often"]

ROOT = Path(__file__).parents[2]
PER_FILE = 25  # kills of one file; then another begins, so that making one is killed too


@dataclass
class Killed:
    """What a run of kills found."""

    kills: int = 0
    jobs: int = 0
    during: Counter[str] = field(default_factory=Counter)
    losses: list[str] = field(default_factory=list)


class Lines:
    """What a process says, read as it comes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self.pipe = process.stdout.fileno()
        self.rest = b""

    def until(self, moment: float) -> list[Any]:
        """The lines that come before a moment; all there are once the process has ended."""
        found: list[Any] = []
        while (left := moment - time.monotonic()) > 0:
            if not select.select([self.pipe], [], [], left)[0]:
                break
            if not (read := os.read(self.pipe, 65_536)):
                break
            *whole, self.rest = (self.rest + read).split(b"\n")
            found += [json.loads(line) for line in whole]
            if whole:
                break
        return found


class Round:
    """One process, from its start to its end by SIGKILL, and what it told."""

    def __init__(
        self, file: Path, folder: Path, number: int, chance: random.Random, kind: str
    ) -> None:
        self.told: list[Any] = []
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.worker", str(file), str(folder),
             str(number * 1000), f"{chance.random()}", kind],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.lines = Lines(self.process)
        self.chance, self.kind = chance, kind

    def run(self, took: dict[str, float]) -> None:
        """Kill within a job of a kind, or soon after it. Learns how long each kind takes.

        One process in twenty is killed while it starts.
        """
        if self.chance.random() < 0.05:
            self._read(time.monotonic() + self.chance.uniform(0, 1.5))
            self._end()
            return
        limit, began, job = time.monotonic() + 60, time.monotonic(), ""
        while time.monotonic() < limit and self.process.poll() is None:
            for line in self._read_some(limit):
                now = time.monotonic()
                if line == "done" and job:
                    took[job] += 0.3 * (now - began - took[job])
                job, began = (line["job"] if isinstance(line, dict) else ""), now
            if self.told and isinstance(self.told[-1], dict) and self.told[-1]["job"] == self.kind:
                break
        self._read(time.monotonic() + self.chance.uniform(0, 1.3 * took[self.kind]))
        self._end()

    def _read_some(self, moment: float) -> list[Any]:
        found = self.lines.until(moment)
        self.told += found
        return found

    def _read(self, moment: float) -> None:
        while self._read_some(moment):
            if time.monotonic() >= moment:
                return

    def _end(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self._read(time.monotonic() + 60)
        self.problem = self.process.stderr.read().decode() if self.process.stderr else ""
        self.ended = self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()


def kill_often(kills: int, seed: int = 7) -> Killed:
    """Kill so many processes, one after another; each must leave what `Truth` allows."""
    found, chance = Killed(), random.Random(seed)
    took = dict.fromkeys(JOBS, 0.05)
    while found.kills < kills:
        with tempfile.TemporaryDirectory() as held:
            _one_file(Path(held), min(PER_FILE, kills - found.kills), found, chance, took)
    return found


def _one_file(
    folder: Path, kills: int, found: Killed, chance: random.Random, took: dict[str, float]
) -> None:
    truth, file = Truth(), folder / "desk.db"
    for _ in range(kills):
        work = folder / "work"
        work.mkdir(exist_ok=True)
        kind = chance.choice(list(JOBS))
        one = Round(file, work, found.kills + 1, chance, kind)
        one.run(took)
        job = _learn(one, truth, found)
        found.kills += 1
        found.during[job["job"] if job else "start or between"] += 1
        if one.ended != -signal.SIGKILL:
            found.losses.append(f"kill {found.kills}: ended by itself: {one.problem[-500:]}")
        try:
            with opened(file) as memory:
                lost = truth.compare(memory, job, work)
        except CloudneeError as error:
            lost = [f"cannot be opened: {error}"]
        found.losses += [f"kill {found.kills} during {job}: {loss}" for loss in lost]
        shutil.rmtree(work)


def _learn(one: Round, truth: Truth, found: Killed) -> dict[str, Any] | None:
    """Take over what was told; gives the job in hand."""
    job: dict[str, Any] | None = None
    for line in one.told:
        if isinstance(line, dict):
            job = line
        elif line == "done":
            assert job is not None
            truth.done(job)
            found.jobs += 1
            job = None
    return job
