"""The tools that write: each calls `Memory` and tells what that did."""

from __future__ import annotations

from typing import Any

from cloudnee.doors import wording
from cloudnee.doors.mcp_reads import edge_line, edge_value
from cloudnee.doors.mcp_told import Told, clipped
from cloudnee.errors import BadInput
from cloudnee.memory import Memory
from cloudnee.model import Alias, Report

__all__ = ["forget", "improve", "note", "remember", "teach_alias"]

Asked = dict[str, Any]
_MOST_LISTED = 50


def remember(memory: Memory, asked: Asked, told: Told) -> None:
    """Store a page."""
    aliases = [Alias(**one) for one in asked.get("aliases", ())]
    report = memory.remember(asked["path"], asked["text"], aliases, asked.get("as_of"))
    _reported(memory, report, told)


def note(memory: Memory, asked: Asked, told: Told) -> None:
    """Write one dated line."""
    _reported(memory, memory.note(asked["text"], subject=asked["subject"]), told)


def _reported(memory: Memory, report: Report, told: Told) -> None:
    told.put("path", report.path)
    told.put("status", report.status)
    told.put("reason", clipped(report.reason, 500))
    told.say(f"{report.path}: {report.status}")
    if report.reason:
        told.say(clipped(report.reason, 500))
    _texts(told, "warnings", report.warnings, "warning: ")
    refused = [
        f"{no.source} {no.relation.replace('_', ' ')} {no.target}: {no.reason}"
        for no in report.refused
    ]
    _texts(told, "refused", refused, "not believed: ")
    _texts(told, "closed", report.closed, "ended: ")
    edges = memory.edges(report.added)
    rows = [(edge_value(edge), edge_line(wording.fact(edge), edge)) for edge in edges]
    left = told.each("edges", rows, len(rows))
    told.left(
        left, f"list_recent shows them, with most {len(edges)} and offset {len(edges) - left}"
    )


def _texts(told: Told, name: str, texts: tuple[str, ...] | list[str], before: str) -> None:
    rows = [(clipped(text), before + clipped(text)) for text in texts[:_MOST_LISTED]]
    left = told.each(name, rows, len(texts))
    told.left(left, f"of {name} no more is told")


def improve(memory: Memory, asked: Asked, told: Told) -> None:
    """Rate facts."""
    rated = memory.improve(
        asked["edge_ids"],
        asked["rating"],
        key=asked.get("key"),
        implicit=asked.get("implicit", False),
    )
    told.put("queued", rated.queued)
    told.say(f"{wording.counted(rated.queued, 'rating')} taken")
    _texts(told, "unknown", rated.unknown, "no such fact: ")


def teach_alias(memory: Memory, asked: Asked, told: Told) -> None:
    """Teach a word."""
    memory.teach_alias(asked["word"], asked["canonical"])
    told.values["ok"] = True
    told.say(clipped(f"{asked['word']} is now asked as {asked['canonical']}"))


def forget(memory: Memory, asked: Asked, told: Told) -> None:
    """Delete for good."""
    if asked.get("purge") and memory.audience != "owner":
        raise BadInput("purge rewrites the whole file: only the owner may ask for it")
    done = memory.forget(**asked)
    for name in ("pages", "edges", "entities", "mentions"):
        before = "still named on: " if name == "mentions" else f"{name} gone: "
        _texts(told, name, getattr(done, name), before)
    if not (done.pages or done.edges or done.entities):
        told.say("nothing was there to forget")
