"""Notes that say again what a note already says about the same subject."""

from __future__ import annotations

import re

from cloudnee.extract.duplicates import standing_note
from cloudnee.flows.reading import Reader
from cloudnee.model import Refused, Report
from cloudnee.store.notes import pages_under

__all__ = ["refusal", "repeated"]

_NOTE = re.compile(r"- \d{4}-\d\d-\d\d: (.*)")


def repeated(reader: Reader, path: str, text: str) -> str | None:
    """`PATH:LINE` of the note that stands and has the same words as this one for the page at
    `path`; None where there is none that this audience sees.

    A note of which a fact has been overtaken does not stand: said again, it is news.
    """
    standing: list[tuple[str, str]] = []
    for page, at, written in pages_under(reader.store, path.rpartition("/")[0] + "/", reader.bit):
        past = _overtaken(reader, page)
        for number, line in enumerate(written.split("\n"), 1):
            note = _NOTE.fullmatch(line.rstrip())
            if note and number not in past:
                standing.append((f"{at}:{number}", note[1]))
    return standing_note(text, standing)


def refusal(path: str, subject: str, text: str, same: str) -> Report:
    """The report on a note that is not written, for the `same` stands at this place."""
    refused = Refused(subject, "note", text, "the same note stands", same)
    return Report(path, "unchanged", "", refused=(refused,), reason=f"the same note stands: {same}")


def _overtaken(reader: Reader, page: int) -> set[int]:
    """Lines of a page that state a fact which is not current for this audience."""
    current = {s.id for s in reader.store.stated_of_page(page) if s.current_for & reader.bit}
    return {
        edge.line
        for edge in reader.store.edges_of_page(page)
        if edge.retired_at is None and edge.id not in current
    }
