"""JSON schemas of a kind that every client takes: no unions, no null, no reference, no default.

Clients differ in what they refuse: some know no `anyOf`, some no `additionalProperties`, some no
array without `items`. So a schema here holds types, descriptions, bounds and enums, nothing else,
and an optional value is one that is left out (asked) or empty (told).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloudnee.errors import BadInput

__all__ = ["Schema", "array", "boolean", "checked", "integer", "number", "record", "text"]

Schema = dict[str, Any]
_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "string": (str, "text"),
    "integer": (int, "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
}


def text(tell: str, *, among: tuple[str, ...] = ()) -> Schema:
    """A text; `among`: one of these."""
    return {"type": "string", "description": tell, **({"enum": list(among)} if among else {})}


def integer(tell: str, least: int | None = None, most: int | None = None) -> Schema:
    """A whole number with its bounds."""
    bounds = {"minimum": least, "maximum": most}
    kept = {name: bound for name, bound in bounds.items() if bound is not None}
    return {"type": "integer", "description": tell, **kept}


def number(tell: str) -> Schema:
    """A number."""
    return {"type": "number", "description": tell}


def boolean(tell: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": tell}


def array(items: Schema, tell: str) -> Schema:
    """A list of things of one kind."""
    return {"type": "array", "description": tell, "items": items}


def record(tell: str = "", *, optional: tuple[str, ...] = (), **properties: Schema) -> Schema:
    """An object; all its properties are required but the optional ones."""
    needed = [name for name in properties if name not in optional]
    made: Schema = {"type": "object", "properties": properties, "required": needed}
    return {**made, "description": tell} if tell else made


def checked(given: Mapping[str, Any], schema: Schema, where: str) -> dict[str, Any]:
    """What was given, if it is of the schema; a null is the same as nothing.

    Raises `BadInput` that names the argument and what it takes.
    """
    known = schema["properties"]
    kept = {name: value for name, value in given.items() if value is not None}
    for name in kept:
        if name not in known:
            raise BadInput(f"{where} takes no {name!r:.80}: it takes {', '.join(known)}")
    for name in schema["required"]:
        if name not in kept:
            raise BadInput(f"{where} needs {name!r}: {known[name]['description']}")
    return {name: _value(value, known[name], name) for name, value in kept.items()}


def _value(value: Any, schema: Schema, name: str) -> Any:
    kind: Any
    kind, words = _KINDS[schema["type"]]
    if kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # some clients know one kind of number
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise BadInput(f"{name} must be {words}, not {value!r:.80}")
    if "enum" in schema and value not in schema["enum"]:
        raise BadInput(f"{name} must be one of {', '.join(schema['enum'])}, not {value!r:.80}")
    if "minimum" in schema and value < schema["minimum"]:
        raise BadInput(f"{name} must be {schema['minimum']} or more, not {value}")
    if "maximum" in schema and value > schema["maximum"]:
        raise BadInput(f"{name} must be {schema['maximum']} or less, not {value}")
    if schema["type"] == "array":
        return [_value(one, schema["items"], f"each of {name}") for one in value]
    return checked(value, schema, name) if schema["type"] == "object" else value
