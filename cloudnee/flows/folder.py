"""A folder of Markdown files: what is in it, and writing into it without losing anything."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from cloudnee.errors import BadInput, BadPage, BadPath
from cloudnee.pages.page import LIMIT
from cloudnee.pages.path import canonical_path

__all__ = [
    "Found",
    "Scan",
    "conflict_file",
    "conflict_files",
    "file_text",
    "put",
    "root_of",
    "scan",
]

KINDS = (".md", ".markdown")
_CONFLICT = re.compile(r"(.+)\.conflict(-\d+)?\.(md|markdown)", re.IGNORECASE)
_OUT = "is a link that leads out of the folder"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Found:
    """A Markdown file of a folder: the page path it has there, and the hash of its bytes."""

    path: str
    file: Path
    content_hash: str

    @property
    def day(self) -> str | None:
        """The date that a daily note has for a name."""
        stem = PurePosixPath(self.path).stem
        return stem if _DAY.fullmatch(stem) else None


@dataclass(slots=True)
class Scan:
    """What a walk of a folder met.

    `faults` are (path, reason) of what should have been read and could not; `unread` the folders
    that could not be listed, whose files may well be there; `passed` (path, reason) what is left
    alone on purpose; `others` the files that are no Markdown.
    """

    root: Path
    files: dict[str, Found] = field(default_factory=dict)
    faults: list[tuple[str, str]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    passed: list[tuple[str, str]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def may_hold(self, path: str) -> bool:
        """Whether a page's file may be there, though it was not read."""
        inside = any(path.startswith(f"{folder}/") for folder in self.unread)
        return "" in self.unread or inside or any(path == fault for fault, _ in self.faults)

    def twins(self) -> Iterator[tuple[str, str]]:
        """(path, other path) of files whose names differ by case only."""
        seen: dict[str, str] = {}
        for path in self.files:
            first = seen.setdefault(path.casefold(), path)
            if first != path:
                yield path, first


def root_of(folder: str | os.PathLike[str]) -> Path:
    """The folder, resolved; raises `BadInput` where there is none that can be listed."""
    root = Path(folder)
    try:
        if root.is_dir():
            os.listdir(root)  # noqa: PTH208 - only whether it can be
            return root.resolve()
    except OSError as error:
        raise BadInput(f"cannot read the folder {root}: {error.strerror}") from error
    raise BadInput(f"{root} is not a folder: name the one that holds your pages")


def scan(root: Path) -> Scan:
    """Walk a folder. Names that begin with a dot are left out, and links are not followed out."""
    found = Scan(root)

    def unreadable(error: OSError) -> None:
        folder = _relative(root, Path(error.filename))
        found.unread.append(folder)
        found.faults.append((folder or ".", f"cannot be listed: {error.strerror}"))

    for at, folders, files in os.walk(root, onerror=unreadable):
        here = Path(at)
        for name in folders:
            if not name.startswith(".") and (here / name).is_symlink():
                _linked_folder(found, here / name)
        folders[:] = sorted(n for n in folders if not n.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                _file(found, here / name)
    return found


def _relative(root: Path, file: Path) -> str:
    relative = file.relative_to(root).as_posix()
    return "" if relative == "." else relative


def _linked_folder(found: Scan, link: Path) -> None:
    inside = link.resolve().is_relative_to(found.root)
    why = (
        "is a link to a folder that is read at its own place" if inside else "is a link leading out"
    )
    found.passed.append((_relative(found.root, link), why))


def _file(found: Scan, file: Path) -> None:
    written = _relative(found.root, file)
    if file.suffix.lower() not in KINDS:
        found.others.append(written)
        return
    if _CONFLICT.fullmatch(file.name):
        return
    try:
        path = canonical_path(written)
        if path in found.files:
            found.faults.append(
                (
                    written.encode("utf-8", "replace").decode(),
                    "two files have this name in NFC: rename one",
                )
            )
            return
        if file.is_symlink() and not file.resolve().is_relative_to(found.root):
            found.passed.append((path, _OUT))
            return
        found.files[path] = Found(path, file, _hash(file_text(path, file)))
    except FileNotFoundError:
        return  # went while the folder was walked: the next sync says what became of it
    except (BadPath, BadPage) as error:
        found.faults.append((_shown(written), str(error)))


def _shown(path: str) -> str:
    return path.encode("utf-8", "replace").decode("utf-8")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def file_text(path: str, file: Path) -> str:
    """The text of a file, byte for byte. Raises `BadPage`, or `FileNotFoundError` if it is gone."""
    try:
        held = file.stat()
        if not stat.S_ISREG(held.st_mode):
            raise BadPage(f"{path}: not a file")
        if held.st_size > LIMIT:
            raise BadPage(f"{path}: {held.st_size:,} bytes; {LIMIT:,} is the limit: split the page")
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BadPage(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadPage(f"{path}: not UTF-8 text at byte {error.start}: save it as UTF-8") from error


# writing


def put(root: Path, file: Path, text: str, expected: str | None) -> bool:
    """Put a text in a file at once, by renaming; whether it was done.

    `expected` is the hash the file must still have (None: there must be no file): someone may have
    saved it meanwhile. Raises `BadPath` where the file would lie outside the folder.
    """
    _make_folders(root, file.parent)
    if file.is_symlink() or not file.parent.resolve().is_relative_to(root):
        raise BadPath(f"{file}: a link stands there: the page would be written elsewhere")
    try:
        handle, name = tempfile.mkstemp(prefix=".cloudnee-", dir=file.parent)
    except OSError as error:
        raise BadPath(f"{file}: cannot be written: {error.strerror}") from error
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode("utf-8"))
            out.flush()
            os.fsync(out.fileno())
        if _held(file) != expected:
            return False
        made.chmod(stat.S_IMODE(file.stat().st_mode) if expected else 0o644)
        made.replace(file)
    except OSError as error:
        raise BadPath(f"{file}: cannot be written: {error.strerror}") from error
    finally:
        made.unlink(missing_ok=True)
    return True


def _make_folders(root: Path, folder: Path) -> None:
    if not folder.is_relative_to(root):
        raise BadPath(f"{folder}: lies outside {root}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadPath(f"{folder}: cannot be made: {error.strerror}") from error


def _held(file: Path) -> str | None:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def conflict_files(file: Path) -> list[Path]:
    """The texts that stand beside a file because of a conflict."""
    if not file.parent.is_dir():
        return []
    return sorted(
        other
        for other in file.parent.iterdir()
        if (match := _CONFLICT.fullmatch(other.name)) and match[1] == file.stem
    )


def conflict_file(file: Path) -> Path:
    """A free name beside a file: NAME.conflict.md, or with a number where that is taken."""
    taken = set(conflict_files(file))
    names = (
        file.with_name(f"{file.stem}.conflict{f'-{n}' if n > 1 else ''}{file.suffix}")
        for n in range(1, len(taken) + 2)
    )
    return next(name for name in names if name not in taken)
