"""Facts as values: their ids, and what one reading of a page changes about those stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import NamedTuple

__all__ = ["Change", "Read", "StatedFact", "changes", "edge_id", "fact_id", "triplet_text"]


def fact_id(path: str, source_key: str, relation: str, target_key: str) -> str:
    """The id of a fact: 80 bits over an injective writing of what it is made of.

    It is made of keys and not of entity ids, so that it tells nothing of who else bears the name.
    """
    import hashlib  # these three take 10 ms, and only a write needs them
    import json
    from base64 import b32encode

    made_of = json.dumps([path, source_key, relation, target_key], ensure_ascii=False)
    digest = hashlib.blake2b(made_of.encode("utf-8"), digest_size=10).digest()
    return b32encode(digest).decode("ascii").lower()


def edge_id(fact: str, ordinal: int) -> str:
    """The id of the n-th interval of a fact: the fact's own for the first."""
    return fact if ordinal == 1 else f"{fact}.{ordinal}"


def triplet_text(source: str, relation: str, target: str) -> str:
    """The sentence that is embedded, indexed and shown for a triplet."""
    return f"{source} {relation.replace('_', ' ')} {target}"


class Read(NamedTuple):
    """A fact as this reading of the page states it; `line` is the last that does."""

    fact: str
    quote: str
    line: int = 0


class StatedFact(NamedTuple):
    """A fact as the store has it: stated by the page until now."""

    id: int
    fact: str
    quote: str
    group: tuple[int, str] | None = None
    line: int = 0


class Change(NamedTuple):
    """What a reading does to a page's facts.

    `added` begin, `ended` (row id to reason) stop, `kept` stay as they are, `restated` stay and
    take the new date, because their line or the page's own date changed, or because they were
    said again below a value that stood after them.
    """

    added: tuple[Read, ...]
    ended: Mapping[int, str]
    kept: tuple[int, ...]
    restated: tuple[int, ...]


def changes(
    stored: Iterable[StatedFact],
    reading: Sequence[Read],
    *,
    date_moved: bool,
    replaced: Iterable[tuple[int, str]] = (),
) -> Change:
    """The difference between a page's stored facts and a new reading of it.

    A fact that went while the page states another value of its single-valued group (`replaced`)
    ended as "superseded", any other as "retired".
    """
    quotes = {read.fact: read.quote for read in reading}
    groups = set(replaced)
    stored = list(stored)
    again = _said_again([fact for fact in stored if fact.group in groups], reading)
    kept: list[int] = []
    restated: list[int] = []
    ended: dict[int, str] = {}
    known = set()
    for fact in stored:
        known.add(fact.fact)
        if fact.fact not in quotes:
            ended[fact.id] = "superseded" if fact.group in groups else "retired"
        elif date_moved or quotes[fact.fact] != fact.quote or fact.id in again:
            restated.append(fact.id)
        else:
            kept.append(fact.id)
    added = tuple(read for read in reading if read.fact not in known)
    return Change(added, ended, tuple(kept), tuple(restated))


def _said_again(stored: Iterable[StatedFact], reading: Iterable[Read]) -> set[int]:
    """Row ids of facts that now stand below a value of their group that they stood above."""
    lines = {read.fact: read.line for read in reading}
    groups: dict[tuple[int, str] | None, list[StatedFact]] = defaultdict(list)
    for fact in stored:
        if fact.fact in lines:
            groups[fact.group].append(fact)
    found = set()
    for group in groups.values():
        highest: float = inf  # the new line of what stood after, the one that is now first
        for fact in sorted(group, key=lambda fact: -fact.line):
            if lines[fact.fact] > highest:
                found.add(fact.id)
            highest = min(highest, lines[fact.fact])
    return found
