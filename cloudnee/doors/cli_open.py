"""Which memory a command line means: options, else the environment, else the defaults."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from cloudnee.errors import BadInput

if TYPE_CHECKING:
    from cloudnee.memory import Memory

__all__ = ["opened"]


def opened(args: Namespace, *, create: bool) -> Memory:
    """Open it. Without `create`, a file that is not there is refused before anything is loaded."""
    path = args.db or os.environ.get("CLOUDNEE_DB") or "cloudnee.db"
    if not create and not Path(path).exists():
        raise BadInput(f'no database at {path}: "cloudnee remember" makes one, --db names another')
    from cloudnee.memory import Memory

    return Memory.open(
        path,
        org=args.org or os.environ.get("CLOUDNEE_ORG") or "default",
        audience=args.audience or "owner",
        ontology=args.ontology,
        create=create,
    )
