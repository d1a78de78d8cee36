"""The command line in this process, on a small desk, with an embedder that costs nothing."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from cloudnee.doors.cli import main

TAN = """\
---
name: Mrs Tan
phone: "+65 9123 4567"
date: 2026-05-04
---
# Mrs Tan

- Lives in: Tampines
- Prefers: afternoons
- Rule: baby at home, no chemical wash before noon
"""
WASH = """\
---
date: 2026-03-01
---
# Chemical wash

- Quoted price: 160

The room can be used again an hour after the wash.
"""
OLD = WASH.replace("2026", "2025").replace("160", "180")


class Ran(NamedTuple):
    """What one command line gave."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON document on stdout."""
        return json.loads(self.out)


Cli = Callable[..., Ran]


class HashedWords:
    """A bag of hashed words under the packaged model's name and size."""

    model = "all-MiniLM-L6-v2-int8"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts that share words are near."""
        rows = np.full((len(texts), self.dimensions), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
                row[int.from_bytes(digest, "big") % self.dimensions] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs a command line in an empty folder; `given` is its standard input."""
    monkeypatch.chdir(tmp_path)
    for name in ("CLOUDNEE_DB", "CLOUDNEE_ORG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("cloudnee.embed.default_embedder", lambda model=None: HashedWords())

    def run(*words: str, given: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        capsys.readouterr()
        code = main(words)
        return Ran(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def remembered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three pages and their database, made once."""
    from cloudnee import Memory, NewPage

    folder = tmp_path_factory.mktemp("desk")
    pages = {"customers/tan.md": TAN, "services/wash.md": WASH, "services/old.md": OLD}
    for path, text in pages.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    with Memory.open(folder / "cloudnee.db", org="default", embedder=HashedWords()) as memory:
        memory.remember_many(NewPage(path, text) for path, text in pages.items())
    return folder


@pytest.fixture
def desk(cli: Cli, remembered: Path, tmp_path: Path) -> Cli:
    """The same command line in a copy of that folder."""
    shutil.copytree(remembered, tmp_path, dirs_exist_ok=True)
    return cli
