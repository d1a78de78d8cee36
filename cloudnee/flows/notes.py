"""A note as a dated line under its subject's heading on this month's page of notes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import datetime

from cloudnee.errors import Ambiguous, BadInput
from cloudnee.flows.reading import Reader
from cloudnee.graph.identity import entity_key, handle_kind

__all__ = ["noted", "slug"]

LONGEST = 10_000  # characters of one note


def noted(
    reader: Reader, text: str, subject: str, at: datetime, stored: Callable[[str], str]
) -> tuple[str, str]:
    """(path, whole new text) of the page that the note becomes a line of.

    `stored` gives the page as it stands. Raises `Ambiguous` where several entities bear the name.
    """
    line = " ".join(text.split())
    if not line or len(line) > LONGEST:
        raise BadInput(f"a note needs 1 to {LONGEST} characters, not {len(line)}")
    name, tail, link = _who(reader, subject)
    path = f"notes/{slug(name)}{tail}/{at:%Y-%m}.md"
    page = stored(path) or (f"---\nsame_as: {link}\n---\n\n" if link else "") + f"# {name}\n\n"
    return path, _with_line(page, name, f"- {at:%Y-%m-%d}: {line}")


def _who(reader: Reader, subject: str) -> tuple[str, str, str]:
    """(name, what its folder's name ends with, the page that says which of its name it is)."""
    found = [reader.entity(row) for row in reader.entities(subject)]
    if len(found) > 1:
        told = tuple(f"{e.name} ({', '.join(e.aliases + e.paths) or e.id})" for e in found)
        raise Ambiguous(
            f"{subject!r} leads to {len(found)}: {'; '.join(told)}: name one by phone or id", told
        )
    if not found:
        return _new(subject), "", ""
    entity = found[0]
    alone = len(reader.entities(entity.name)) == 1
    if alone or not entity.paths:
        return entity.name, "", ""
    return entity.name, "-" + entity.id.rpartition("~")[2][:8], entity.paths[0]


def _new(subject: str) -> str:
    name = " ".join(subject.split())
    if not entity_key(name) or len(name) > 200:
        raise BadInput(f"a note needs a subject of 1 to 200 characters that shows, not {subject!r}")
    if handle_kind(name) != "name":
        raise BadInput(f"nobody is known by {name!r}: give the subject's name")
    return name


def slug(name: str) -> str:
    """A folder's name in letters, marks and digits of any script, with dashes."""
    kept = [c if unicodedata.category(c)[0] in "LMN" else " " for c in name.casefold()]
    return unicodedata.normalize("NFC", "-".join("".join(kept).split())) or "unnamed"


def _with_line(page: str, name: str, line: str) -> str:
    """The page with one more line at the end of the section that bears the name."""
    rows = page.rstrip().split("\n")
    end = len(rows)
    for at, row in enumerate(rows):
        if re.fullmatch(r"#\s+.*", row) and entity_key(row.lstrip("# ")) == entity_key(name):
            later = (i for i in range(at + 1, len(rows)) if re.match(r"#\s", rows[i]))
            end = next(later, len(rows))
            break
    else:
        rows += ["", f"# {name}", ""]
        end = len(rows)
    before = "\n".join(rows[:end]).rstrip()
    gap = "\n" if before.split("\n")[-1].startswith("- ") else "\n\n"
    after = "\n".join(rows[end:])
    return f"{before}{gap}{line}\n" + (f"\n{after}\n" if after else "")
