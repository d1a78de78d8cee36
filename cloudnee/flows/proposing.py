"""Entities that may be one, with the reasons: computed when asked, from what an audience sees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from cloudnee.flows.caller import Caller
from cloudnee.flows.merging import pair
from cloudnee.graph.identity import entity_key
from cloudnee.graph.likeness import Likeness, candidates, may_be_one
from cloudnee.model import Proposal
from cloudnee.store.merging import Merging, Person
from cloudnee.store.vectors import NAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["proposed"]

Reason = tuple[int, int, str]
_NEAR = 0.85  # cosine of two name vectors
_FEW = 5  # a neighbour of more entities than these tells nothing
_SHARED = 3  # neighbours that two must have in common
_AT_ONCE = 512


def proposed(caller: Caller, most: int) -> list[Proposal]:
    """The pairs with most reasons first; those rejected for good are left out."""
    store, merging = caller.store, Merging(caller.store)
    with store.reading():
        people = {person.row: person for person in merging.people(caller.bit)}
        likely = {row: _likeness(person) for row, person in people.items()}
        reasons: dict[tuple[int, int], list[str]] = defaultdict(list)
        found = [
            *candidates(likely.values()),
            *_handles(merging, caller.bit, likely),
            *_neighbours(merging, caller.bit, likely),
            *_near(caller, merging, likely),
        ]
        for a, b, reason in found:
            if reason not in reasons[(a, b)]:
                reasons[(a, b)].append(reason)
        ranked = sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))
        kept = [item for item in ranked if not _rejected(caller, people, *item[0])]
        reader = caller.reader()
        return [
            Proposal(reader.entity(a), reader.entity(b), tuple(why)) for (a, b), why in kept[:most]
        ]


def _likeness(person: Person) -> Likeness:
    """By the name this audience sees: the entity's own key may be that of a hidden one."""
    key = person.key if person.key.startswith("page:") else entity_key(person.name)
    return Likeness(person.row, person.name, key, person.type, bool(person.declared))


def _rejected(caller: Caller, people: dict[int, Person], a: int, b: int) -> bool:
    return caller.store.is_forgotten("merge", pair(people[a].eid, people[b].eid))


def _handles(merging: Merging, bit: int, people: dict[int, Likeness]) -> Iterator[Reason]:
    """Entities that one phone or e-mail address leads to."""
    holders: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for entity, kind, key, handle in merging.handles(bit):
        if entity in people:
            holders[(kind, key)].append((entity, handle))
    for (kind, _), several in holders.items():
        for (a, handle), (b, _) in combinations(sorted(several), 2):
            yield a, b, f"share the {kind} {handle}"


def _neighbours(merging: Merging, bit: int, people: dict[int, Likeness]) -> Iterator[Reason]:
    """Entities that lead to the same rare things, more than half of what they lead to."""
    around: dict[int, set[int]] = defaultdict(set)
    behind: dict[int, set[int]] = defaultdict(set)
    for source, target in merging.neighbours(bit):
        if source in people and people[source].declared:
            around[source].add(target)
            behind[target].add(source)
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for several in behind.values():
        if 1 < len(several) <= _FEW:
            for two in combinations(sorted(several), 2):
                counts[two] += 1
    for (a, b), shared in counts.items():
        whole = len(around[a] | around[b])
        if shared >= _SHARED and shared * 2 >= whole and may_be_one(people[a], people[b]):
            yield a, b, f"{shared} things in common that few others have"


def _near(caller: Caller, merging: Merging, people: dict[int, Likeness]) -> Iterator[Reason]:
    """Names whose vectors are near, of the same type."""
    import numpy as np

    if not caller.engine.vectors.made:
        return
    texts = merging.name_texts()
    held = _matrix(caller)
    rows = [one for one in people.values() if texts.get(one.name) in held]
    declared = [one for one in rows if one.declared]
    if not declared:
        return
    every = np.stack([held[texts[one.name]] for one in rows])
    for start in range(0, len(declared), _AT_ONCE):
        part = declared[start : start + _AT_ONCE]
        cosines = np.stack([held[texts[one.name]] for one in part]) @ every.T
        for i, j in np.argwhere(cosines >= _NEAR):
            a, b = sorted((part[i], rows[j]), key=lambda one: one.id)
            if a.id != b.id and a.type == b.type and a.key != b.key and may_be_one(a, b):
                yield a.id, b.id, f"names {cosines[i, j]:.2f} alike to the model"


def _matrix(caller: Caller) -> dict[int, NDArray[np.float32]]:
    """text row → vector of the names in the index."""
    import numpy as np

    found: dict[int, NDArray[np.float32]] = {}
    vectors = caller.engine.vectors
    dimensions = int(caller.store.meta("dimensions") or 1)
    for rowids, validity, block in vectors.blocks(NAME):
        valid = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little") == 1
        rows = np.frombuffer(block, np.float32).reshape(-1, dimensions)[valid]
        found.update(zip(np.frombuffer(rowids, np.int64)[valid].tolist(), rows, strict=True))
    return found
