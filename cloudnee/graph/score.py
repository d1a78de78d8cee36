"""The triplet score, over arrays: the sum of three parts, the smallest first.

Formula and constants are those of cloudnee (TypeScript) and Cognee, credited in NOTICE; that every
part takes the exact distance of its own stored vector is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32] | NDArray[np.float64]

__all__ = ["NO_DISTANCE", "Parts", "part", "parts", "weighed"]

NO_DISTANCE = 6.5


@dataclass(frozen=True, slots=True)
class Parts:
    """The three parts of every edge's score, as arrays of the same length."""

    source: Floats
    relation: Floats
    target: Floats

    @property
    def score(self) -> Floats:
        """Source part + relation part + target part."""
        return self.source + self.relation + self.target


def part(distance: float | None, importance: float, weight: float, influence: float) -> float:
    """One part: (2 − importance) × distance, blended with the feedback weight.

    `distance` is 1 − cosine, in [0, 2]; None means that there is none: 6.5, never blended. With
    influence f in (0, 1] and 0 ≤ part ≤ 2, the part becomes 2 × ((1 − f) × part/2 + f × (1 − w)).
    """
    if distance is None:
        return (2 - importance) * NO_DISTANCE
    plain = (2 - importance) * distance
    if influence > 0 and 0 <= plain <= 2:
        return 2 * ((1 - influence) * plain / 2 + influence * (1 - weight))
    return plain


def parts(
    distances: tuple[Floats, Floats, Floats], importance: Floats, weight: Floats, influence: float
) -> Parts:
    """The parts of many edges; a NaN distance is no distance."""
    source, relation, target = (
        weighed(distance, importance, weight, influence) for distance in distances
    )
    return Parts(source, relation, target)


def weighed(distance: Floats, importance: Floats, weight: Floats, influence: float) -> Floats:
    """`part` for many edges."""
    import numpy as np

    none = np.isnan(distance)
    plain = (2 - importance) * np.where(none, NO_DISTANCE, distance)
    if influence <= 0:
        return plain
    blended = 2 * ((1 - influence) * plain / 2 + influence * (1 - weight))
    return np.where(~none & (plain >= 0) & (plain <= 2), blended, plain)
