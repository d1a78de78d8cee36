"""What makes two names likely to be one person or thing: reasons for a person to judge by."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from cloudnee.graph.identity import entity_key, folded_key

__all__ = ["Likeness", "alike", "bare_name", "candidates", "initials", "may_be_one", "spelled"]

_TITLES = {
    **dict.fromkeys(("mr", "mister", "sir", "encik"), "m"),
    **dict.fromkeys(("mrs", "mdm", "madam", "madame", "ms", "miss", "puan", "cik"), "f"),
    **dict.fromkeys(("dr", "prof", "professor"), ""),
}
_LARGEST = 12


@dataclass(frozen=True, slots=True)
class Likeness:
    """A name with what is compared of it."""

    id: int
    name: str
    key: str
    type: str
    declared: bool


def _words(name: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return [word for word in re.split(r"[\s.,_\-'’]+", folded) if word]


def bare_name(name: str) -> tuple[str, str | None]:
    """(key of the name without its titles, what they say of the person: "m", "f", "" or None)."""
    words = _words(name)
    said = None
    while len(words) > 1 and words[0] in _TITLES:
        said = said or _TITLES[words[0]]
        words = words[1:]
    return entity_key(" ".join(words)), said


def initials(name: str) -> tuple[str, str] | None:
    """(first letter, last word) of a name of two words or more, its titles left out."""
    words = _words(name)
    while len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    return (words[0][0], words[-1]) if len(words) > 1 else None


def spelled(name: str) -> str:
    """The name's key in Latin letters."""
    from anyascii import anyascii  # 4 ms: only where proposals are made

    return entity_key(anyascii(unicodedata.normalize("NFKC", name)))


def may_be_one(a: Likeness, b: Likeness) -> bool:
    """Whether nothing in two names says that they are two: numbers, titles, types, and that one
    of them is more than a value."""
    if not (a.declared or b.declared) or (a.type and b.type and a.type != b.type):
        return False
    if sorted(re.findall(r"\d+", a.key)) != sorted(re.findall(r"\d+", b.key)):
        return False
    first, second = bare_name(a.name)[1], bare_name(b.name)[1]
    return not first or not second or first == second


def alike(a: str, b: str) -> bool:
    """Whether two names of one first letter and last word can be one: `J. Tan` and `John Tan`."""
    first, second = ([w for w in _words(n) if w not in _TITLES] for n in (a, b))
    short = min(first, second, key=lambda words: len(words[0]))[0]
    return len(short) == 1 and first[0] != second[0]


def candidates(people: Iterable[Likeness]) -> Iterator[tuple[int, int, str]]:
    """(id, other id, reason) of names that are alike, the smaller id first."""
    listed = list(people)
    keyed: list[tuple[Callable[[Likeness], str], str]] = [
        (lambda one: one.key, "the same name, told apart by handles"),
        (lambda one: bare_name(one.name)[0], "the same name but for a title"),
        (lambda one: folded_key(one.key), "the same letters but for their marks"),
        (lambda one: spelled(one.name), "the same in Latin letters"),
    ]
    told: set[tuple[int, int]] = set()
    for key, reason in keyed:  # a pair that a closer likeness told of is not told of again
        for a, b in _pairs(listed, key):
            if may_be_one(a, b) and (a.id, b.id) not in told:
                told.add((a.id, b.id))
                yield a.id, b.id, reason
    for a, b in _pairs([one for one in listed if one.declared], lambda one: initials(one.name)):
        if may_be_one(a, b) and alike(a.name, b.name):
            yield a.id, b.id, "the same name but for an initial"


def _pairs(
    people: Iterable[Likeness], key: Callable[[Likeness], str | tuple[str, str] | None]
) -> Iterator[tuple[Likeness, Likeness]]:
    """Each two people of one key; a large group is a habit of naming and gives none."""
    groups: dict[str | tuple[str, str], list[Likeness]] = {}
    for person in people:
        shared = key(person)
        if shared:
            groups.setdefault(shared, []).append(person)
    for group in groups.values():
        if len(group) <= _LARGEST:
            yield from combinations(sorted(group, key=lambda one: one.id), 2)
