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
    for line in table([row(one) for one in done], ("job", "time", "", "result")):
        print(line)
    failed = [one for one in done if not one.kept]
    for one in failed:
        print(f"\n{one.promise}\n{one.result}")
    print(f"\n{len(done) - len(failed)} of {len(done)} jobs done")
    return 1 if failed else 0


def row(one: Done) -> tuple[str, ...]:
    """A job as a line of the table; what a failed one saw is told in full below."""
    result = one.result if one.kept else "see below"
    return (one.promise, f"{one.seconds:.2f} s", "done" if one.kept else "FAILED", result)


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
