"""A folder or a .zip file as the place an export is written to and read from."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from cloudnee.errors import BadInput

__all__ = ["Sink", "Source", "opened_sink", "opened_source"]

SMALL = 50_000_000  # bytes that any file of an archive may have
DENSEST = 200  # times that a larger one may be what it takes in the archive: text is not denser


class Sink(Protocol):
    """Where an export goes. What was written counts once `close` was called with `done`."""

    def write(self, name: str, data: bytes) -> bool:
        """Write a file; whether the place can hold one of this name."""

    def lines(self, name: str, lines: Iterable[str]) -> int:
        """Write a file of lines; how many there were."""

    def close(self, *, done: bool) -> None:
        """End it: put it in its place, or leave nothing."""


class Source(Protocol):
    """Where an import comes from."""

    def read(self, name: str) -> bytes | None:
        """A file's bytes, or None where there is none. Raises `BadInput` for a damaged one."""

    def lines(self, name: str) -> Iterator[str]:
        """A file's lines; none where there is no such file. Raises `BadInput` as `read` does."""

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder and those below, from that folder."""

    def close(self) -> None:
        """Close it."""


def opened_sink(target: Path) -> Sink:
    """A .zip file, or a folder that is empty or not there yet. Raises `BadInput` for another."""
    try:
        if target.suffix.lower() == ".zip":
            return _ZipSink(target)
        if target.exists() and not (target.is_dir() and not any(target.iterdir())):
            raise BadInput(f"{target} is there already: name a new folder or a .zip file")
        return _FolderSink(target)
    except OSError as error:
        raise BadInput(f"cannot write {target}: {error.strerror or error}") from error


def opened_source(source: Path) -> Source:
    """A .zip file or a folder. Raises `BadInput` for what is neither."""
    if source.is_dir():
        return _FolderSource(source)
    try:
        return _ZipSource(zipfile.ZipFile(source))
    except _DAMAGED as error:
        raise BadInput(f"cannot read {source} as a .zip file: {error}") from error


class _FolderSink:
    def __init__(self, target: Path) -> None:
        self.target = target
        self.made = target.with_name(f".{target.name}.{os.getpid()}.part")
        self.made.mkdir(parents=True, mode=0o700)

    def write(self, name: str, data: bytes) -> bool:
        file = self.made / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as out:
                out.write(data)
        except OSError as error:
            if error.errno == 28:  # no space left: the export fails as a whole
                raise
            return False
        return True

    def lines(self, name: str, lines: Iterable[str]) -> int:
        with (self.made / name).open("w", encoding="utf-8", newline="\n") as out:
            return _written(out, lines)

    def close(self, *, done: bool) -> None:
        if not done:
            shutil.rmtree(self.made, ignore_errors=True)
            return
        if self.target.exists():
            self.target.rmdir()
        self.made.rename(self.target)


def _written(out: io.TextIOBase, lines: Iterable[str]) -> int:
    count = 0
    for line in lines:
        out.write(line + "\n")
        count += 1
    return count


class _ZipSink:
    def __init__(self, target: Path) -> None:
        self.target = target
        self.made = target.with_name(f".{target.name}.{os.getpid()}.part")
        os.close(os.open(self.made, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600))
        self.zip = zipfile.ZipFile(self.made, "w", zipfile.ZIP_DEFLATED)
        self.held: set[str] = set()

    def write(self, name: str, data: bytes) -> bool:
        if name in self.held:
            return False
        self.held.add(name)
        self.zip.writestr(name, data)
        return True

    def lines(self, name: str, lines: Iterable[str]) -> int:
        # not straight into the archive: other files may be written while lines are made
        with tempfile.TemporaryFile() as held, io.TextIOWrapper(held, "utf-8", newline="\n") as out:
            count = _written(out, lines)
            out.flush()
            held.seek(0)
            with self.zip.open(name, "w", force_zip64=True) as entry:
                shutil.copyfileobj(held, entry)
        return count

    def close(self, *, done: bool) -> None:
        self.zip.close()
        if done:
            self.made.replace(self.target)
        self.made.unlink(missing_ok=True)


class _FolderSource:
    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, name: str) -> bytes | None:
        file = self.root / name
        try:
            inside = file.resolve().is_relative_to(self.root.resolve())
            return file.read_bytes() if inside and file.is_file() else None
        except OSError:
            return None

    def lines(self, name: str) -> Iterator[str]:
        file = self.root / name
        if file.is_file():
            with file.open(encoding="utf-8", newline="\n") as lines:
                yield from (line.rstrip("\n") for line in lines)

    def names(self, folder: str) -> list[str]:
        base = self.root / folder
        return sorted(f.relative_to(base).as_posix() for f in base.rglob("*") if f.is_file())

    def close(self) -> None:
        """A folder needs no closing."""


class _ZipSource:
    def __init__(self, held: zipfile.ZipFile) -> None:
        self.zip = held
        self.prefix = _prefix(held.namelist())

    def read(self, name: str) -> bytes | None:
        with self._opened(name) as entry:
            return entry.read() if entry else None

    def lines(self, name: str) -> Iterator[str]:
        with self._opened(name) as entry:
            if entry:
                with io.TextIOWrapper(entry, "utf-8", newline="\n") as lines:
                    yield from (line.rstrip("\n") for line in lines)

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes] | None]:
        """A file of the archive, as long as it says that it is and no longer."""
        held = self.zip.NameToInfo.get(self.prefix + name)
        if held is None:
            yield None
            return
        if held.file_size > max(SMALL, DENSEST * held.compress_size):
            raise BadInput(f"{name}: {held.file_size:,} bytes packed too densely to be text")
        try:
            with self.zip.open(held) as entry:
                yield entry
        except _DAMAGED as error:
            raise BadInput(f"{name} is damaged in the archive: {error}: export anew") from error

    def names(self, folder: str) -> list[str]:
        base = f"{self.prefix}{folder}/"
        inside = (n for n in self.zip.namelist() if n.startswith(base) and not n.endswith("/"))
        return sorted(n.removeprefix(base) for n in inside)

    def close(self) -> None:
        self.zip.close()


_DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, UnicodeDecodeError, OSError,
)  # fmt: skip


def _prefix(names: list[str]) -> str:
    """The one folder that a hand-made archive puts all of an export in, with its slash."""
    if "memory.json" in names:
        return ""
    found = next((n for n in names if n.endswith("/memory.json") and n.count("/") == 1), "")
    return found.removesuffix("memory.json")
