"""Notes of one subject that may say the same: listed when asked, merged when a person says so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cloudnee.errors import BadInput
from cloudnee.extract.duplicates import near_pairs
from cloudnee.model import NearNotes, NewPage, Report
from cloudnee.store.notes import pages_under

if TYPE_CHECKING:
    from cloudnee.flows.caller import Caller
    from cloudnee.flows.remembering import Remembering

__all__ = ["merged_notes", "near_notes"]

_NOTE = re.compile(r"- (\d{4}-\d\d-\d\d): (.*?)((?:<!--.*?-->|\s)*)")
_PLACE = re.compile(r"(.+):(\d+)")
_MOST = 500  # notes of one subject that are compared


class _Note(NamedTuple):
    place: str
    text: str


def near_notes(caller: Caller) -> list[NearNotes]:
    """The pairs of notes of one subject that may say the same, the nearest first.

    Among what this audience sees. Where a number, a date, a name or a negation differs, two notes
    are two. Same words need no vector: nothing is missed for want of a model.
    """
    reader = caller.reader()
    subjects: dict[str, list[_Note]] = defaultdict(list)
    for _, path, text in pages_under(reader.store, "notes/", reader.bit):
        subjects[path.rpartition("/")[0]].extend(_notes(path, text))
    found = []
    for notes in subjects.values():
        notes = notes[-_MOST:]
        made = caller.engine.embedded([note.text for note in notes]) if len(notes) > 1 else []
        texts = {note.place: note.text for note in notes}
        for one, other, near in near_pairs([(n.place, n.text) for n in notes], _cosine(made)):
            found.append(NearNotes(one, texts[one], other, texts[other], round(near, 4)))
    return sorted(found, key=lambda pair: (-pair.cosine, pair.one, pair.other))


def _cosine(vectors: Sequence[bytes | None]) -> Callable[[int, int], float]:
    """What compares two of these vectors by their places; 0 where one is missing."""
    import numpy as np

    rows = [np.frombuffer(vector, np.float32) if vector else None for vector in vectors]

    def compare(i: int, j: int) -> float:
        one, other = rows[i], rows[j]
        return 0.0 if one is None or other is None else float(np.dot(one, other))

    return compare


def _notes(path: str, text: str) -> Iterator[_Note]:
    for number, line in enumerate(text.split("\n"), 1):
        note = _NOTE.fullmatch(line.rstrip())
        if note:
            yield _Note(f"{path}:{number}", note[2])


def merged_notes(remembering: Remembering, one: str, other: str) -> list[Report]:
    """Make one note of two: the later line stays and keeps the place and words of the other.

    Both are given as PATH:LINE. What the other said stays in the record, as a comment behind the
    line that stays. Raises `BadInput` where one of them is no note that this audience sees.
    """
    placed = sorted((_placed(remembering.caller, place) for place in (one, other)), reverse=True)
    if placed[0][1:3] == placed[1][1:3]:
        raise BadInput(f"{one} and {other} are one note")
    (_, path, line, _), (date, gone, at, told) = placed
    pages = {p: _text(remembering.caller, p).split("\n") for p in (path, gone)}
    pages[path][line - 1] += f" <!-- also {date}, {gone}:{at}: {told.replace('--', '—')} -->"
    del pages[gone][at - 1]
    return remembering.many([NewPage(p, "\n".join(rows)) for p, rows in pages.items()])


def _placed(caller: Caller, place: str) -> tuple[str, str, int, str]:
    """(date, path, line, words) of the note at a place."""
    found = _PLACE.fullmatch(place)
    lines = _text(caller, found[1]).split("\n") if found else []
    number = int(found[2]) if found else 0
    note = _NOTE.fullmatch(lines[number - 1].rstrip()) if 0 < number <= len(lines) else None
    if found is None or note is None or not found[1].startswith("notes/"):
        raise BadInput(f"{place!r} is no note: give PATH:LINE as duplicates lists it")
    return note[1], found[1], number, note[2]


def _text(caller: Caller, path: str) -> str:
    return caller.store.page_text(path, caller.bit)
