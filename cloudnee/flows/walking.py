"""More than one hop: chains of current facts from what a question names, by SQL with a beam."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloudnee.model import Chain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudnee.flows.reading import Reader
    from cloudnee.store.store import EdgeRow

__all__ = ["chain_score", "walked"]

_BEAM = 24  # chains that are followed further at each step
_FAN = 40  # edges that are looked at from one entity
_PRICE = 0.25  # how much worse a chain counts with each further edge


class _Path(NamedTuple):
    edges: tuple[EdgeRow, ...]
    visited: frozenset[int]
    end: int
    score: float


def chain_score(scores: Sequence[float]) -> float:
    """The mean of the scores of a chain's edges, a quarter more for each edge after the first.

    So a longer chain must earn its place: its edges have to answer better than those of a shorter.
    """
    return sum(scores) / len(scores) * (1 + _PRICE * (len(scores) - 1))


def walked(
    reader: Reader,
    starts: Iterable[int],
    hops: int,
    known: tuple[NDArray[np.int64], NDArray[np.float64]],
    most: int,
) -> tuple[Chain, ...]:
    """The best chains of 2 to `hops` edges from these entities, no entity twice.

    `known` are (row ids in order, scores) of the edges that may stand in a chain: those current for
    this audience, which each step's query asks for again.
    """
    ids, scores = known
    paths = [_Path((), frozenset({start}), start, 0.0) for start in dict.fromkeys(starts)]
    found: list[_Path] = []
    with reader.store.reading():
        for _ in range(hops):
            longer = [step for path in paths for step in _steps(reader, path, ids, scores)]
            longer.sort(key=lambda path: (path.score, [edge.eid for edge in path.edges]))
            paths = longer[:_BEAM]
            found.extend(path for path in paths if len(path.edges) > 1)
        found.sort(key=lambda path: (path.score, [edge.eid for edge in path.edges]))
        chosen = found[:most]
        return tuple(
            Chain(tuple(reader.edge(row) for row in path.edges), round(path.score, 6))
            for path in chosen
        )


def _steps(
    reader: Reader,
    path: _Path,
    ids: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> Iterator[_Path]:
    """The path with one more edge, from its end to an entity that it has not visited."""
    for row in reader.store.current_edges(path.end, reader.bit, _FAN):
        end = row.target if row.source == path.end else row.source
        score = _looked_up(ids, scores, row.id)
        if end in path.visited or score is None:
            continue
        edges = (*path.edges, row)
        held = [*_scores(path), score]
        yield _Path(edges, path.visited | {end}, end, chain_score(held))


def _scores(path: _Path) -> list[float]:
    """What the scores of a path's edges come to, spread evenly: their mean is all that counts."""
    many = len(path.edges)
    return [path.score / (1 + _PRICE * (many - 1))] * many if many else []


def _looked_up(ids: NDArray[np.int64], scores: NDArray[np.float64], row: int) -> float | None:
    at = int(np.searchsorted(ids, row))
    return float(scores[at]) if at < len(ids) and ids[at] == row else None
