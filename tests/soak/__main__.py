"""The long run: `python -m tests.soak [--kills N] [--seconds S] [--examples N] [--seed N]`.

Prints a table of what was tried and ends with 1 where anything was lost.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.soak.crowd import crowd
from tests.soak.cut import cut_log
from tests.soak.kills import kill_often

__all__ = ["main"]

ROOT = Path(__file__).parents[2]
Found = tuple[str, list[str]]


def kills(asked: argparse.Namespace) -> Found:
    """Processes killed at random instants."""
    found = kill_often(asked.kills, asked.seed)
    during = ", ".join(f"{kind} {count}" for kind, count in found.during.most_common())
    return f"{found.kills} kills, {found.jobs} jobs done between them; killed in {during}", (
        found.losses
    )


def many(asked: argparse.Namespace) -> Found:
    """Writers and readers at once."""
    found = crowd(asked.seconds)
    told = f"4 writers, 4 readers, {asked.seconds:g} s: {found.writes} writes, {found.reads} reads"
    return f"{told}, {found.conflicts} conflicts answered", found.losses


def cut(_: argparse.Namespace) -> Found:
    """The log cut and spoilt at every frame."""
    found = cut_log()
    return f"{found.cuts} cuts of {found.frames} frames: {found.states} whole states", found.losses


def machine(asked: argparse.Namespace) -> Found:
    """The state machine against its oracle."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         "tests/engine/test_machine.py"],
        cwd=ROOT, env={**os.environ, "CLOUDNEE_EXAMPLES": str(asked.examples)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = f"{asked.examples} runs of up to 20 steps, each step compared with the oracle"
    if run.returncode:
        return told, [re.sub(r"\s+$", "", run.stdout)[-3000:] or run.stderr[-3000:]]
    return told, []


PARTS: dict[str, Callable[[argparse.Namespace], Found]] = {
    "log cut": cut, "crowd": many, "state machine": machine, "kills": kills,
}  # fmt: skip


def main(arguments: list[str]) -> int:
    """Run every part, each told as soon as it is done; 1 where anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", choices=list(PARTS), help="one part alone")
    asked = parser.parse_args(arguments)
    lost: list[str] = []
    for name in [asked.only] if asked.only else PARTS:
        began = time.monotonic()
        told, losses = PARTS[name](asked)
        lost += [f"{name}: {loss}" for loss in losses]
        mark = f"{len(losses)} LOST" if losses else "nothing lost"
        print(f"{name:14} {mark:13} {time.monotonic() - began:6.0f} s  {told}", flush=True)
    print("\n".join(lost), end="\n" if lost else "")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
