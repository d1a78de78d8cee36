"""Whole processes: from start to answer."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.benchmarks import clock, desk

__all__ = ["starts"]

_COMMAND = "import sys; from cloudnee.doors.cli import main; sys.exit(main())"
_MODEL = (
    "from cloudnee.embed import default_embedder; default_embedder().embed(['who wants mornings'])"
)


def starts(file: Path, size: int) -> dict[str, clock.Times]:
    """The cold starts on a database; `recall` runs on a copy with the real model's vectors."""
    common = ["--db", str(file), "--org", "desk"]
    return {
        "bare_python": clock.bare_python(),
        "import_cloudnee": clock.process([sys.executable, "-c", "import cloudnee"]),
        "cold_current": clock.process(
            [sys.executable, "-c", _COMMAND, *common, "current", desk.phone(size // 2)]
        ),
        "model_alone": clock.process([sys.executable, "-c", _MODEL]),
        "cold_recall": clock.process([sys.executable, "-c", _with_model(file), str(file)]),
    }


def _with_model(file: Path) -> str:
    """A program that recalls with the real model on vectors that claim to be its own.

    The stub's vectors have the model's size; only the name differs, so the work is the same.
    """
    return (
        "import sys; from cloudnee import Memory; from cloudnee.embed import default_embedder\n"
        "class Named:\n"
        "    def __init__(self): self.real = default_embedder()\n"
        "    model, dimensions = 'words-384', 384\n"
        "    def embed(self, texts): return self.real.embed(texts)\n"
        "m = Memory.open(sys.argv[1], org='desk', embedder=Named())\n"
        "assert m.recall('who wants mornings').hits\n"
    )
