"""Records behave as frozen dataclasses with slots do."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from cloudnee import Alias
from cloudnee.records import record


@record
class Point:
    """A point."""

    x: int
    y: int = 2

    @property
    def sum(self) -> int:
        """Both."""
        return self.x + self.y


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """The same by the standard library."""

    x: int
    y: int = 2


def test_a_record_is_as_the_standard_decorator_makes_it() -> None:
    """Arguments, defaults, equality, hash, repr, order of fields, methods."""
    assert (Point(1).y, Point(1, y=5).sum) == (2, 6)
    assert repr(Point(1)) == repr(Standard(1)).replace("Standard", "Point")
    assert Point(1) == Point(1, 2) != Point(2)
    assert Point(1) != Standard(1)
    assert len({Point(1), Point(1), Point(2)}) == 2
    assert Point.__doc__ == "A point."
    match Point(3, 4):
        case Point(x, y):
            assert (x, y) == (3, 4)


def test_a_record_cannot_change() -> None:
    """Neither a field nor a new name; nor is there a dict."""
    for name in ("x", "z"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(Point(1), name, 3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        del Point(1).x
    assert not hasattr(Point(1), "__dict__")


@pytest.mark.parametrize("wrong", [(), (1, 2, 3)])
def test_wrong_arguments_are_type_errors(wrong: tuple[int, ...]) -> None:
    """As of any function."""
    with pytest.raises(TypeError):
        Point(*wrong)
    with pytest.raises(TypeError):
        Point(1, z=3)  # type: ignore[call-arg]


def test_the_standard_library_knows_records() -> None:
    """`fields`, `replace`, `asdict`, `copy` and `pickle`."""
    assert [f.name for f in dataclasses.fields(Point(1))] == ["x", "y"]  # type: ignore[arg-type]
    assert dataclasses.replace(Point(1), y=9) == Point(1, 9)  # type: ignore[type-var]
    assert dataclasses.asdict(Point(1)) == {"x": 1, "y": 2}  # type: ignore[call-overload]
    alias = Alias("1", "a", "phone")
    assert copy.deepcopy(alias) == pickle.loads(pickle.dumps(alias)) == alias
