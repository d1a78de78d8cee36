"""Values as JSON: the Python fields by their names, times as ISO 8601, one document."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from typing import Any

from cloudnee.model import Recall

__all__ = ["as_json", "plain"]

_RECALL = ("hits", "chains", "passages", "subjects", "period", "unread")


def as_json(document: object) -> str:
    """One JSON document; text stays in its own script, and infinities are refused."""
    return json.dumps(plain(document), ensure_ascii=False, indent=2, allow_nan=False)


def plain(value: object) -> Any:
    """Values with named fields as objects, other tuples as arrays, times as ISO 8601 text."""
    names = _RECALL if isinstance(value, Recall) else _field_names(value)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    return value


def _field_names(value: object) -> Iterable[str] | None:
    """The fields of a dataclass or a named tuple, in order; None for anything else."""
    names: Iterable[str] | None = getattr(value, "__dataclass_fields__", None)
    return names or getattr(value, "_fields", None)
