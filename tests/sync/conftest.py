"""A folder of pages and a memory to sync it with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.conftest import Clock, WordEmbedder, clock, embedder, memory, open_memory

__all__ = ["Clock", "Folder", "WordEmbedder", "clock", "embedder", "memory", "open_memory"]

TAN = "# Mrs Tan\n\n- Lives in: Bedok\n- Prefers: mornings\n"
LIM = "# Mr Lim\n\n- Lives in: Yishun\n"
WASH = "# Chemical wash\n\n- Quoted price: 160\n"
KOH = "# Ms Koh\n\n- Lives in: Clementi\n"


class Folder:
    """A folder of Markdown files, edited as a person would."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def remove(self, path: str) -> None:
        (self.root / path).unlink()

    @property
    def files(self) -> list[str]:
        return sorted(f.relative_to(self.root).as_posix() for f in self.root.rglob("*.md"))


@pytest.fixture
def make_folder(tmp_path: Path) -> Callable[[str], Folder]:
    """Makes an empty folder of a name."""
    return lambda name: Folder(tmp_path / name)


@pytest.fixture
def folder(make_folder: Callable[[str], Folder]) -> Folder:
    """Four pages: two customers, a service, another customer."""
    made = make_folder("desk")
    made.write("customers/tan.md", TAN)
    made.write("customers/lim.md", LIM)
    made.write("customers/koh.md", KOH)
    made.write("services/wash.md", WASH)
    return made
