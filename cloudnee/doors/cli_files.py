"""Files of a command line as pages: which path a file has, and its text."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from cloudnee.errors import BadPage, BadPath

__all__ = ["STDIN", "page_path", "page_text"]

STDIN = "-"
MOST_BYTES = 10_000_000


def page_path(file: str, given: str | None) -> str:
    """The page path of a file: the one given, else the relative file name itself."""
    if "\0" in file:
        raise BadPath(f"{file!a}: no file can have NUL in its name")
    if given is not None:
        return given
    if file == STDIN:
        raise BadPath("standard input has no name: say which page it is with --path PATH")
    path = Path(os.path.normpath(file))
    if path.is_absolute() or path.parts[:1] == ("..",):
        raise BadPath(
            f"{file}: a page path is relative: go to the folder that holds your pages, "
            "or name the page with --path PATH"
        )
    return path.as_posix()


def page_text(file: str) -> str:
    """The file's text, byte for byte as UTF-8. Raises `BadPage` with the way out."""
    data = sys.stdin.buffer.read(MOST_BYTES + 1) if file == STDIN else _bytes(file)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadPage(
            f"{file}: not UTF-8 text (byte {data[error.start]:#04x} at {error.start}): "
            "save it as UTF-8, or leave it out"
        ) from error


def _bytes(file: str) -> bytes:
    try:
        found = Path(file).stat()
        _check_kind(file, found)
        return Path(file).read_bytes()
    except OSError as error:
        raise BadPage(f"{file}: {error.strerror or error}") from error


def _check_kind(file: str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise BadPage(f"{file}: a folder: name the files in it, such as {file}/*.md")
    if not stat.S_ISREG(found.st_mode):
        raise BadPage(f"{file}: not a file")
    if found.st_size > MOST_BYTES:
        raise BadPage(f"{file}: larger than {MOST_BYTES:,} bytes: split it")
