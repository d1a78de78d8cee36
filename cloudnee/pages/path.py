"""Page paths made canonical at the door: one spelling a page, and none that leads out."""

from __future__ import annotations

import re
import unicodedata

from cloudnee.errors import BadPath

__all__ = ["canonical_path"]

LONGEST = 1024  # bytes of UTF-8
_DRIVE = re.compile(r"[A-Za-z]:")
_WAY_OUT = 'write it relative and with forward slashes, such as "customers/tan.md"'


def canonical_path(path: str) -> str:
    """The path in NFC. Raises `BadPath` for one that is empty, absolute, or not canonical.

    Refused are empty, `.` and `..` parts, backslashes, drive letters, control characters and more
    than 1,024 bytes.
    """
    if not isinstance(path, str):
        raise BadPath(f"a page path must be text, not {type(path).__name__}")
    fault = _fault(path)
    if fault:
        raise BadPath(f"page path {path[:200]!r} {fault}: {_WAY_OUT}")
    return unicodedata.normalize("NFC", path)


def _fault(path: str) -> str:
    if not path:
        return "is empty"
    if "\\" in path:
        return "holds a backslash"
    if _DRIVE.match(path):
        return "begins with a drive letter"
    if path.startswith("/"):
        return "is absolute"
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in path):
        return "holds a control character"
    if any(part in ("", ".", "..") or not part.strip() for part in path.split("/")):
        return "has an empty, '.' or '..' part"
    return "is too long" if len(path.encode("utf-8")) > LONGEST else ""
