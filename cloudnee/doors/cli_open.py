"""Which memory a command line means: options, else the environment, else the defaults."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING

from cloudnee.errors import BadInput

if TYPE_CHECKING:
    from cloudnee.doors.cli_extractor import Reading
    from cloudnee.memory import Memory

__all__ = ["chosen", "opened"]


def opened(args: Namespace, *, create: bool) -> Memory:
    """Open it. Without `create`, a file that is not there is refused before anything is loaded."""
    for name in ("db", "org", "audience", "ontology"):
        if getattr(args, name) == "":  # a script's empty variable must not mean the default
            raise BadInput(f"--{name} is empty: name one, or leave the option out")
    path = chosen(args, "db")
    if not create and not os.path.exists(path):
        raise BadInput(f'no database at {path}: "cloudnee remember" makes one, --db names another')
    from cloudnee.memory import Memory

    reads = create or hasattr(args, "extractor")
    reading = _reading(args) if reads else None
    memory = Memory.open(
        path,
        org=chosen(args, "org"),
        audience=args.audience or "owner",
        ontology=args.ontology,
        extractor=reading.extractor if reading else None,
        contradictions=reading.contradictions if reading else None,
        create=create,
    )
    if reads and reading and reading.extractor is None and memory.extractor != "rules":
        _use(memory, args)
    return memory


def _use(memory: Memory, args: Namespace) -> None:
    """Read with what the org has chosen, where its model is named; else its pages wait."""
    from cloudnee.doors.cli_extractor import has_model, reading

    if has_model(args):
        args.extractor = memory.extractor
        extractor = reading(args).extractor
        if extractor is not None:
            memory.use_extractor(extractor)


def _reading(args: Namespace) -> Reading:
    from cloudnee.doors.cli_extractor import reading

    return reading(args)


_OTHERWISE = {"db": ("CLOUDNEE_DB", "cloudnee.db"), "org": ("CLOUDNEE_ORG", "default")}


def chosen(args: Namespace, name: str) -> str:
    """The database ("db") or the org ("org") that is meant."""
    variable, otherwise = _OTHERWISE[name]
    return getattr(args, name) or os.environ.get(variable) or otherwise
