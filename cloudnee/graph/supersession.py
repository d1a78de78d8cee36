"""Which of the stated facts are current, for each audience, by what it may see alone.

A functional relation holds one value for each source, an inverse-functional one holds one source
for each target, and two relations may exclude each other between the same two things. In such a
group the newest stated edge wins, and with it every edge of the same value. Groups are judged one
by one: an edge is current where it loses in none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple, Protocol

__all__ = ["Law", "Laws", "Stated", "Verdict", "current_masks", "groups", "verdicts"]


class Law(Protocol):
    """What an ontology says about one relation."""

    @property
    def functional(self) -> bool: ...
    @property
    def inverse_functional(self) -> bool: ...
    @property
    def excludes(self) -> frozenset[str]: ...


class Laws(Protocol):
    """An ontology, as far as supersession reads it."""

    def relation(self, name: str) -> Law: ...


class Stated(NamedTuple):
    """An edge that its page states now. (`as_of`, `written`, `line`) orders edges in time."""

    id: int
    source: int
    relation: str
    target: int
    as_of: int
    written: int
    line: int
    seen_by: int
    current_for: int = 0

    @property
    def rank(self) -> tuple[int, int, int, int]:
        return (self.as_of, self.written, self.line, self.id)


class Verdict(NamedTuple):
    """Why an edge is not current, and the row id of the edge that won."""

    reason: str
    winner: int


Group = tuple[str, Hashable, Hashable]


def groups(edge: Stated, laws: Laws) -> Iterator[tuple[Group, Hashable, str]]:
    """The groups an edge competes in: the group, the value it stands for there, why losers end."""
    law = laws.relation(edge.relation)
    if law.functional:
        yield ("one target", edge.source, edge.relation), edge.target, "superseded"
    if law.inverse_functional:
        yield ("one source", edge.target, edge.relation), edge.source, "superseded"
    for other in law.excludes:
        pair = tuple(sorted((edge.relation, other)))
        yield ("one of", (edge.source, edge.target), pair), edge.relation, "excluded"


def verdicts(stated: Iterable[Stated], laws: Laws, audience: int) -> dict[int, Verdict]:
    """The edges among `stated` that this audience sees and that lose in one of their groups.

    `audience` is one bit. `stated` must hold every stated edge of the groups of interest.
    """
    competing: dict[Group, list[tuple[Stated, Hashable, str]]] = defaultdict(list)
    for edge in stated:
        if edge.seen_by & audience:
            for group, value, reason in groups(edge, laws):
                competing[group].append((edge, value, reason))
    lost: dict[int, Verdict] = {}
    for members in competing.values():
        winner, winning, _ = max(members, key=lambda member: member[0].rank)
        for edge, value, reason in members:
            if value != winning:
                lost.setdefault(edge.id, Verdict(reason, winner.id))
    return lost


def current_masks(stated: Iterable[Stated], laws: Laws) -> dict[int, int]:
    """For each stated edge (row id), the mask of the audiences it is current for."""
    edges = list(stated)
    masks = {edge.id: edge.seen_by for edge in edges}
    every = 0
    for edge in edges:
        every |= edge.seen_by
    while every:
        bit = every & -every
        every ^= bit
        for loser in verdicts(edges, laws, bit):
            masks[loser] &= ~bit
    return masks
