"""A desk in a folder: pages, a database, and the `cloudnee` command run beside them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

from cloudnee.doors.cli_demo import DESK

__all__ = ["Desk", "Ran", "command", "fresh_desk"]

PAGES = Path(__file__).parent / "pages"


class Ran(NamedTuple):
    """What one run of the command gave."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def document(self) -> Any:
        """The JSON document that it printed."""
        return json.loads(self.out)


def command() -> list[str]:
    """The installed command; where none is, the same function of the same Python."""
    beside = Path(sys.executable).parent / "cloudnee"
    found = str(beside) if beside.exists() else shutil.which("cloudnee")
    run = "import sys; from cloudnee.doors.cli import main; sys.exit(main())"
    return [found] if found else [sys.executable, "-c", run]


class Desk:
    """Pages and `desk.db` in one folder; each call runs one process of the command there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = folder / "desk.db"

    def run(self, *words: str, env: Mapping[str, str] | None = None, given: str = "") -> Ran:
        """Run `cloudnee WORDS` in the folder."""
        began = perf_counter()
        done = subprocess.run(
            [*command(), *words],
            cwd=self.folder,
            env=self.environment(env),
            input=given.encode(),
            capture_output=True,
            check=False,
        )
        seconds = perf_counter() - began
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode(), seconds)

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """This process's environment, with the desk's database and no other setting of ours."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("CLOUDNEE_")}
        return {**kept, "CLOUDNEE_DB": str(self.db), **(more or {})}

    def json(self, *words: str) -> Any:
        """The document that `cloudnee WORDS --json` prints."""
        ran = self.run(*words, "--json")
        return ran.document if ran.out else {"error": ran.err}

    def write(self, path: str, text: str) -> str:
        """Write a page as a person would, in an editor; gives its path."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return path

    def add(self, path: str) -> str:
        """Put one of the suite's own pages into the folder; gives its path."""
        return self.write(path, (PAGES / path).read_text("utf-8"))

    def edit(self, path: str, old: str, new: str) -> str:
        """Change words on a page as a person would; gives its path."""
        text = (self.folder / path).read_text("utf-8")
        return self.write(path, text.replace(old, new))

    @contextmanager
    def copied(self) -> Iterator[Desk]:
        """The same desk in another folder, which goes afterwards."""
        with TemporaryDirectory(prefix="cloudnee-desk-") as folder:
            shutil.copytree(self.folder, folder, dirs_exist_ok=True)
            yield Desk(Path(folder))


@contextmanager
def fresh_desk() -> Iterator[Desk]:
    """A folder with the pages of the desk, nothing remembered yet."""
    with TemporaryDirectory(prefix="cloudnee-desk-") as folder:
        shutil.copytree(DESK, folder, dirs_exist_ok=True)
        yield Desk(Path(folder))
