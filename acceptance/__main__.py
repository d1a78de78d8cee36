"""`python -m acceptance`: do every job, print the table, end with 1 if one fails."""

from __future__ import annotations

import sys
from time import perf_counter

from acceptance import changing, reading, stubs
from acceptance.desk import Desk, fresh_desk
from acceptance.jobs import Done, run
from cloudnee.doors.cli_demo import desk_pages
from cloudnee.doors.cli_tables import table

__all__ = ["main"]

JOBS = [*reading.JOBS, *changing.JOBS, *stubs.JOBS]


def main() -> int:
    """All jobs; 1 if one is not kept."""
    with fresh_desk() as desk:
        done = [remembered(desk), *run(JOBS, desk, lambda _: show_progress())]
    print("\n", file=sys.stderr)
    rows = [
        (one.promise, f"{one.seconds:.2f} s", "done" if one.kept else "FAILED", one.result)
        for one in done
    ]
    for line in table(rows, ("job", "time", "", "result")):
        print(line)
    failed = sum(not one.kept for one in done)
    print(f"\n{len(done) - failed} of {len(done)} jobs done")
    return 1 if failed else 0


def remembered(desk: Desk) -> Done:
    """The desk's pages remembered through the command."""
    paths = [page.path for page in desk_pages()]
    began = perf_counter()
    ran = desk.run("remember", *paths)
    last = (ran.out + ran.err).strip().splitlines()[-1:]
    promise = "the desk's pages are remembered"
    return Done(promise, perf_counter() - began, ran.code == 0, "".join(last))


def show_progress() -> None:
    """One dot a job, for whoever waits."""
    print(".", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
