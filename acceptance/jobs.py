"""A job: a promise in one line, and a function that keeps it or says what it saw instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import NamedTuple

from acceptance.desk import Desk
from cloudnee import CloudneeError

__all__ = ["Done", "Failure", "Job", "expect", "job", "run"]


class Failure(Exception):
    """What a job saw instead of what it expects."""


class Job(NamedTuple):
    """`do` gets a fresh copy of the remembered desk and tells what it saw."""

    promise: str
    do: Callable[[Desk], str]


class Done(NamedTuple):
    """One job done: how long it took, whether it was kept, what it saw."""

    promise: str
    seconds: float
    kept: bool
    result: str


def job(promise: str, to: list[Job]) -> Callable[[Callable[[Desk], str]], Callable[[Desk], str]]:
    """Put a function into a list of jobs."""

    def put(do: Callable[[Desk], str]) -> Callable[[Desk], str]:
        to.append(Job(promise, do))
        return do

    return put


def expect(kept: object, saw: object) -> None:
    """Raise `Failure` with what was seen, unless kept."""
    if not kept:
        raise Failure(str(saw)[:2000])


def run(jobs: Sequence[Job], desk: Desk, told: Callable[[Done], None]) -> list[Done]:
    """Do the jobs one by one, each on its own copy of the desk."""
    done = []
    for promise, do in jobs:
        with desk.copied() as own:
            began = perf_counter()
            try:
                result, kept = do(own), True
            except Failure as failure:
                result, kept = str(failure), False
            except (
                LookupError,
                TypeError,
                ValueError,
                CloudneeError,
            ) as error:
                result, kept = f"{type(error).__name__}: {error}", False
            done.append(Done(promise, perf_counter() - began, kept, result))
        told(done[-1])
    return done
