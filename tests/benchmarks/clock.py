"""Stopwatches: medians with their spread, and loops that say how fast the machine is just now."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

__all__ = ["Times", "bare_python", "commit", "loop", "process", "timed"]


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds, sorted."""

    seconds: tuple[float, ...]

    def at(self, share: float) -> float:
        """The time that this share of the runs did not exceed, in milliseconds."""
        last = len(self.seconds) - 1
        return self.seconds[min(last, int(share * len(self.seconds)))] * 1e3

    @property
    def median(self) -> float:
        """Milliseconds."""
        return self.at(0.5)

    def __str__(self) -> str:
        return f"{self.median:.2f} / {self.at(0.95):.2f} / {self.at(0.99):.2f}"


def timed(work: Callable[[int], object], runs: int) -> Times:
    """The times of `runs` calls of `work(i)`, after a tenth as many to warm up."""
    for i in range(max(1, runs // 10)):
        work(i)
    found = []
    for i in range(runs):
        start = time.perf_counter()
        work(i)
        found.append(time.perf_counter() - start)
    return Times(tuple(sorted(found)))


def process(arguments: list[str], runs: int = 9, **environment: str) -> Times:
    """The times of whole processes, from start to end."""
    env = {**os.environ, **environment}

    def start(_: int) -> None:
        done = subprocess.run(arguments, capture_output=True, env=env, check=False)
        if done.returncode:
            raise RuntimeError(f"{arguments}: {done.stderr.decode()[-500:]}")

    return timed(start, runs)


def bare_python() -> Times:
    """A Python that starts and does nothing."""
    return process([sys.executable, "-c", "pass"], runs=15)


def loop() -> Times:
    """A fixed loop in pure Python: 185 ms on the machine of the baselines when it was quiet."""

    def spin(_: int) -> int:
        total = 0
        for i in range(2_000_000):
            total += i * i % 7
        return total

    return timed(spin, 3)


def commit(folder: Path) -> Times:
    """One row in one transaction with `synchronous=FULL` on the same disk."""
    with tempfile.TemporaryDirectory(dir=folder) as held:
        connection = apsw.Connection(str(Path(held) / "commit.db"))
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE t (x)")

        def once(i: int) -> None:
            connection.execute("INSERT INTO t VALUES (?)", (i,))

        found = timed(once, 100)
        connection.close()
        return found
