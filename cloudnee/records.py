"""Frozen records, as `dataclass(frozen=True, slots=True)` makes them, without its 20 ms.

A lookup from the command line takes 60 ms in all, and the standard decorator compiles six methods
a class. This one compiles `__init__` alone. `dataclasses.fields`, `replace` and `asdict` work on a
record as ever: what they need is made when they first ask for it.
"""

from __future__ import annotations

from typing import Any, TypeVar, dataclass_transform

__all__ = ["names_of", "record"]

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a class of annotated fields, some with a default that can't change, a frozen record."""
    names = tuple(cls.__annotations__)
    defaults = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    kept = {
        name: value
        for name, value in cls.__dict__.items()
        if name not in defaults and name not in ("__dict__", "__weakref__")
    }
    kept.update(_METHODS)
    kept["__slots__"] = kept["__match_args__"] = names
    kept["__init__"] = _init(names, defaults)
    kept["__dataclass_fields__"] = _Fields(names, defaults)
    made: Any = type(cls.__name__, cls.__bases__, kept)
    return made  # type: ignore[no-any-return]


def names_of(kind: type) -> tuple[str, ...]:
    """The fields of a record's class, in order."""
    return tuple(kind.__annotations__)


def _init(names: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    """`__init__` with the fields as arguments, compiled: it runs for each row of an answer."""
    given = ", ".join(f"{n}=_given[{n!r}]" if n in defaults else n for n in names)
    body = "; ".join(f"_set(self, {name!r}, {name})" for name in names) or "pass"
    made: dict[str, Any] = {}
    exec(  # the text is made of field names of this project's own classes
        f"def __init__(self, {given}):\n {body}",
        {"_set": object.__setattr__, "_given": defaults},
        made,
    )
    return made["__init__"]


class _Fields:
    """What the standard library knows a dataclass by, made when it first asks."""

    def __init__(self, names: tuple[str, ...], defaults: dict[str, Any]) -> None:
        self.names = names
        self.defaults = defaults
        self.made: Any = None

    def __get__(self, held: object, owner: type) -> Any:
        if self.made is None:
            import dataclasses

            hints = owner.__annotations__
            listed = [
                (n, hints[n], dataclasses.field(default=self.defaults[n]))
                if n in self.defaults
                else (n, hints[n])
                for n in self.names
            ]
            twin: Any = dataclasses.make_dataclass(owner.__name__, listed, frozen=True)
            self.made = twin.__dataclass_fields__
        return self.made


def _values(held: Any) -> tuple[Any, ...]:
    return tuple(getattr(held, name) for name in held.__slots__)


def _equal(one: Any, other: Any) -> Any:
    return _values(one) == _values(other) if type(one) is type(other) else NotImplemented


def _shown(held: Any) -> str:
    listed = ", ".join(f"{name}={getattr(held, name)!r}" for name in held.__slots__)
    return f"{type(held).__qualname__}({listed})"


def _frozen(held: Any, name: str, *_: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot change {name!r} of a {type(held).__name__}")


_METHODS: dict[str, Any] = {
    "__eq__": _equal,
    "__hash__": lambda held: hash(_values(held)),
    "__repr__": _shown,
    "__setattr__": _frozen,
    "__delattr__": _frozen,
    "__reduce__": lambda held: (type(held), _values(held)),
}
