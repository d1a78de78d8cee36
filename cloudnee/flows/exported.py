"""The lines of an export as values: checked for their form, dates as the store counts them."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from cloudnee.config import AudienceRules
from cloudnee.flows.archive import Source, opened_source
from cloudnee.flows.exporting import DATES, FORMAT
from cloudnee.graph.dates import micros

__all__ = ["head_of", "is_export", "rule_of", "storable", "timed"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_HALF = 1 << 62  # ids grow by an offset, and stay in 64 bits
Row = dict[str, Any]


def is_export(source: Path) -> bool:
    """Whether a folder or .zip file is an export of cloudnee."""
    if not source.is_dir() and source.suffix.lower() != ".zip":
        return False
    opened = opened_source(source)
    try:
        return head_of(opened) is not None
    finally:
        opened.close()


def head_of(source: Source) -> Row | None:
    """What an export says of its org; None where it is none of cloudnee."""
    data = source.read("memory.json")
    try:
        head = json.loads(data) if data is not None else None
    except ValueError:
        return None
    return head if isinstance(head, dict) and head.get("format") == FORMAT else None


def rule_of(audience: Row) -> AudienceRules:
    """An audience as an export has it."""
    see, hide, write = (tuple(audience[key]) for key in ("see", "hide", "write"))
    return AudienceRules(audience["name"], see, hide, write)


def storable(value: Any) -> bool:
    """Whether SQLite can hold every part of a value: text in UTF-8, integers of 64 bits."""
    if isinstance(value, dict):
        return all(map(storable, value.values()))
    if isinstance(value, list):
        return all(map(storable, value))
    if isinstance(value, str):
        return value.isascii() or not _SURROGATE.search(value)
    return not isinstance(value, int) or -_HALF <= value < _HALF


def timed(value: Any) -> Any:
    """ISO dates as the store counts them."""
    if isinstance(value, list):
        return [timed(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: micros(datetime.fromisoformat(held)) if key in DATES and held else timed(held)
        for key, held in value.items()
    }
