"""An org as a folder or archive that people can read: its pages as files, and what they don't hold.

memory.json      the org: audiences, taught words, the secret and hashes of what was forgotten
pages/…          each page at its path, byte for byte
pages.jsonl      a line a page: dates, names, handles, facts with all their intervals
entities.jsonl   a line an entity: its id, key and other keys
ratings.jsonl    a line a rating
merges.jsonl     a line for each time somebody said who is who
vectors.jsonl    a line a text, a line a passage: what an import would else embed anew
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cloudnee.flows.archive import Sink, opened_sink
from cloudnee.flows.caller import Caller
from cloudnee.graph.dates import from_micros
from cloudnee.model import Exported
from cloudnee.store.moving import Moving
from cloudnee.store.vectors import PASSAGE

__all__ = ["DATES", "FORMAT", "VERSION", "export"]

FORMAT = "cloudnee export"
VERSION = 1
DATES = ("own_date", "as_of", "since", "created_at", "updated_at", "retired_at", "given_at")
_EMPTY: tuple[object, ...] = ("", None, [])


def export(caller: Caller, file: str | os.PathLike[str], *, vectors: bool = True) -> Exported:
    """Write everything of the org to a new folder, or to a .zip file; the owner only."""
    caller.owner_only("export: it would hold what it may not see")
    target = Path(file)
    sink = opened_sink(target)
    done = False
    try:
        found = _written(caller, sink, vectors=vectors)
        done = True
    finally:
        sink.close(done=done)
    return Exported(str(target), *found)


def _written(caller: Caller, sink: Sink, *, vectors: bool) -> tuple[int, int]:
    store, moving = caller.store, Moving(caller.store)
    facts = 0

    def lines() -> Iterator[str]:
        nonlocal facts
        for page in moving.pages():
            text = page.pop("text")
            if text and not sink.write(f"pages/{page['path']}", text.encode("utf-8")):
                page["text"] = text  # the place can't hold a file of this name
            facts += len(page["facts"])
            yield _line(page)

    with store.reading():
        pages = sink.lines("pages.jsonl", lines())
        sink.lines("entities.jsonl", map(_line, moving.entities()))
        sink.lines("ratings.jsonl", map(_line, moving.ratings()))
        sink.lines("merges.jsonl", map(_line, moving.merges()))
        if vectors and store.meta("model"):
            sink.lines("vectors.jsonl", _vector_lines(moving))
        head = {
            "format": FORMAT,
            "version": VERSION,
            "id": os.urandom(12).hex(),
            "org": store.org_name,
            "exported": caller.engine.clock().isoformat(),
            "model": store.meta("model"),
            "dimensions": store.meta("dimensions"),
            "last": moving.last(),
            **(moving.header() if store.known else {}),
            "contradictions": store.export_contradictions(),
        }
        sink.write("memory.json", json.dumps(head, ensure_ascii=False, indent=1).encode("utf-8"))
    return pages, facts


def _vector_lines(moving: Moving) -> Iterator[str]:
    for kind, text, vector in moving.vectors():
        packed = base64.b64encode(vector).decode("ascii") if vector is not None else None
        yield json.dumps([kind, text, packed], ensure_ascii=False)
    for key, vector in moving.passage_vectors():
        yield json.dumps([PASSAGE, str(key), base64.b64encode(vector).decode("ascii")])


def _line(row: dict[str, Any]) -> str:
    return json.dumps(_readable(row), ensure_ascii=False)


def _readable(value: Any) -> Any:
    """Times as ISO dates, and nothing that is empty."""
    if isinstance(value, list):
        return [_readable(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: from_micros(held).isoformat() if key in DATES else _readable(held)
        for key, held in value.items()
        if held not in _EMPTY
    }
