"""Values as JSON: the Python fields by their names, times as ISO 8601, one document."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from cloudnee.model import Recall

__all__ = ["as_json", "plain"]

_RECALL = ("hits", "passages", "subjects", "unread")


def as_json(document: object) -> str:
    """One JSON document; text stays in its own script, and infinities are refused."""
    return json.dumps(plain(document), ensure_ascii=False, indent=2, allow_nan=False)


def plain(value: object) -> Any:
    """Dataclasses as objects, tuples as arrays, times as ISO 8601 text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Recall):
        return {name: plain(getattr(value, name)) for name in _RECALL}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    return value
