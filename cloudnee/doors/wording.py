"""Facts and passages as sentences with dates and sources, for those who read by the token.

What comes out of the memory may hold anything that someone once wrote: where it is put into a
prompt it stands in a fence, with the signs escaped that could end the fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from cloudnee.doors.cli_tables import clean
from cloudnee.model import Current, Edge, Entity, Passage, Report, Unread

__all__ = [
    "about",
    "counted",
    "day",
    "entity",
    "escaped",
    "fact",
    "fenced",
    "interval",
    "nothing",
    "passage",
    "reported",
    "unfenced",
    "unread",
]

_FENCE = re.compile(r"<memory\b[^>]*>.*?(?:</memory>|\Z)", re.DOTALL | re.IGNORECASE)
_CITED = re.compile(r"^.*\([^()\n]+\.\w+:\d+[^()\n]*, \d{4}-\d\d-\d\d[^()\n]*\)[.,;]?[ \t]*$", re.M)
_MOST_PLACES = 3


def day(moment: datetime | None) -> str:
    """A date as people write it; empty for none."""
    return f"{moment:%Y-%m-%d}" if moment else ""


def fact(edge: Edge) -> str:
    """A current fact: "Mrs Tan quoted price 160 (customers/tan.md:5, 2026-06-01)"."""
    return f"{clean(edge.text)} ({_places(edge)}, {day(edge.as_of)})"


def _places(edge: Edge) -> str:
    listed = [f"{source.path}:{source.line}" for source in edge.sources]
    first = f"{edge.path}:{edge.line}"
    others = [place for place in dict.fromkeys(listed) if place != first]
    shown = [first, *others[: _MOST_PLACES - 1]]
    more = len(others) + 1 - len(shown)
    return clean("; ".join(shown) + (f" and {more} more" if more > 0 else ""))


def interval(edge: Edge, winner: Edge | None = None) -> str:
    """A fact with how it stands: current, or why and by what it ended."""
    how = edge.ended or "current"
    if edge.ended == "retired" and edge.retired_at:
        how = f"retired {day(edge.retired_at)}"
    elif edge.ended and winner:
        how = f"{edge.ended} by {clean(winner.target_name)}"
    return f"{clean(edge.text)} ({clean(edge.path)}:{edge.line}, {day(edge.as_of)}, {how})"


def passage(found: Passage) -> str:
    """A passage with its page and lines before it."""
    lines = f"{found.start_line}"
    if found.end_line != found.start_line:
        lines += f"-{found.end_line}"
    return f"From {clean(found.path)}:{lines}: {clean(found.text, keep=chr(10))}"


def entity(found: Entity) -> str:
    """Who or what is meant: name, type, handles."""
    kind = f" ({clean(found.type)})" if found.type else ""
    return " · ".join([clean(found.name) + kind, *map(clean, found.aliases)])


def about(found: Current) -> Iterator[tuple[Entity, list[Edge]]]:
    """Each entity of an answer with its own facts."""
    for one in found.entities:
        yield one, [e for e in found.edges if one.id in (e.source_id, e.target_id)]


def nothing(who: str, suggestions: Sequence[str] = ()) -> str:
    """That nothing is known, and what was perhaps meant."""
    shown = clean(who if len(who) <= 80 else f"{who[:80]}…")
    perhaps = f"; perhaps: {', '.join(map(clean, suggestions))}" if suggestions else ""
    return f"nothing is known about {shown}{perhaps}"


def unread(page: Unread) -> str:
    """A page whose newest text was not read yet."""
    why = f": {clean(page.reason)}" if page.reason else ""
    return f"not read yet ({page.status}): {clean(page.path)}{why}"


def reported(report: Report, wrote: Iterable[Edge] = ()) -> list[str]:
    """What a write did, with the facts it wrote."""
    lines = [f"{clean(report.path)}: {report.status}"]
    if report.reason:
        lines.append(clean(report.reason))
    lines += [fact(edge) for edge in wrote]
    if report.closed:
        lines.append(f"{counted(len(report.closed), 'fact')} ended with this write")
    lines += [f"warning: {clean(warning)}" for warning in report.warnings]
    for no in report.refused:
        told = f"{no.source} {no.relation.replace('_', ' ')} {no.target}"
        lines.append(f"not believed: {clean(told)}: {clean(no.reason)}")
    return lines


def counted(count: int, thing: str) -> str:
    """A number with its noun: 1 fact, 2 facts."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def escaped(text: str) -> str:
    """Text that cannot end a fence or begin a tag of its own."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def fenced(lines: Iterable[str]) -> str:
    """Lines out of the memory as a block of a prompt: what stands in it is data."""
    inside = "\n".join(escaped(line) for line in lines)
    return f"<memory>\n{inside}\n</memory>"


def unfenced(text: str) -> str:
    """What a text says beside what came out of the memory: fences and cited lines taken out."""
    return _CITED.sub("", _FENCE.sub("", text)).strip()
