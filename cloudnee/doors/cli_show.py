"""Facts, hits and pages as lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from cloudnee.doors.cli_tables import clean, table
from cloudnee.model import Current, Edge, Entity, Hit, Passage, Recall, Report, Subject, Unread

__all__ = [
    "counted",
    "current_lines",
    "day",
    "history_lines",
    "interval_rows",
    "nothing_lines",
    "recall_lines",
    "report_lines",
    "search_lines",
    "unread_lines",
]

_INDENT = "  "
_PASSAGE = 240


def day(moment: datetime | None) -> str:
    """A date for a table; empty for none."""
    return f"{moment:%Y-%m-%d}" if moment else ""


def _words(relation: str) -> str:
    """A relation as people read it: lives_in is "lives in"."""
    return relation.replace("_", " ")


def _place(edge: Edge) -> str:
    """Page and line, and how many other pages state the same."""
    more = len(edge.sources) - 1
    return f"{edge.path}:{edge.line}" + (f" (+{more})" if more > 0 else "")


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (_INDENT + line for line in lines)


# current


def current_lines(who: str, found: Current) -> Iterator[str]:
    """Everyone the name or handle leads to, each with their own facts."""
    if not found.entities:
        yield from nothing_lines(who, found.suggestions)
    if len(found.entities) > 1:
        yield f"{clean(who)} leads to {len(found.entities)}, told apart by handles and pages:"
    for at, entity in enumerate(found.entities):
        if at or len(found.entities) > 1:
            yield ""
        yield from _entity_lines(entity, found.edges)
    if found.more:
        yield f"and {found.more} more facts: --json has the same bound; ask about one of the names"
    yield from unread_lines(found.unread)


def _entity_lines(entity: Entity, edges: Sequence[Edge]) -> Iterator[str]:
    named = clean(entity.name) + (f" ({clean(entity.type)})" if entity.type else "")
    yield " · ".join([named, *map(clean, entity.aliases)])
    mine = [edge for edge in edges if entity.id in (edge.source_id, edge.target_id)]
    rows = [_fact_row(edge, entity) for edge in mine]
    if rows:
        yield from _indented(table(rows))
    else:
        yield f"{_INDENT}no facts; on {', '.join(map(clean, entity.paths)) or 'no page'}"


def _fact_row(edge: Edge, entity: Entity) -> tuple[str, ...]:
    """A fact as the entity has it; with an arrow where it is the other's fact about this one."""
    relation, other = _words(edge.relation), edge.target_name
    if edge.source_id != entity.id:
        relation, other = f"← {relation}", edge.source_name
    return (relation, other, _place(edge), day(edge.as_of))


def nothing_lines(who: str, suggestions: Sequence[str] = ()) -> Iterator[str]:
    """That nothing is known, and what was perhaps meant."""
    shown = clean(who if len(who) <= 80 else f"{who[:80]}…")
    yield f"nothing is known about {shown}" if shown.strip() else "nothing was asked for"
    if suggestions:
        yield f"perhaps: {', '.join(map(clean, suggestions))}"


def unread_lines(unread: Sequence[Unread]) -> Iterator[str]:
    """The pages whose newest text no facts were read from."""
    for page in unread:
        why = f": {clean(page.reason)}" if page.reason else ""
        yield f"not read yet ({page.status}): {clean(page.path)}{why}"


# history and recent


def history_lines(edges: Sequence[Edge]) -> Iterator[str]:
    """Each interval: what was stated, as of when, how it stands, and where."""
    alone = len({edge.source_id for edge in edges}) == 1
    rows = interval_rows(edges, named=not alone)
    if alone:
        yield clean(edges[0].source_name)
    yield from _indented(table(rows)) if alone else table(rows)


def interval_rows(edges: Sequence[Edge], *, named: bool) -> list[tuple[str, ...]]:
    """A row for each interval; `named`: with whom it is about."""
    by_id = {edge.id: edge for edge in edges}
    return [
        (
            day(edge.as_of),
            *((edge.source_name,) if named else ()),
            _words(edge.relation),
            edge.target_name,
            _standing(edge, by_id.get(edge.superseded_by or "")),
            f"{edge.path}:{edge.line}",
            edge.id,
        )
        for edge in edges
    ]


def _standing(edge: Edge, winner: Edge | None) -> str:
    if not edge.ended:
        return "current"
    if edge.ended == "retired":
        return f"retired {day(edge.retired_at)}".rstrip()
    return f"{edge.ended} by {winner.target_name}" if winner else edge.ended


# recall


def recall_lines(query: str, found: Recall, subjects: int = 0) -> Iterator[str]:
    """As many subjects as asked for, hits with score and parts, passages."""
    if not (found.hits or found.passages):
        yield from nothing_lines(query)
    if subjects and found.subjects:
        yield "who satisfies most of it:"
        yield from _indented(table([_subject_row(one) for one in found.subjects[:subjects]]))
        yield "\nfact by fact:"
    if found.period:
        last = found.period.end - timedelta(microseconds=1)
        yield f"in {clean(found.period.words)}: {day(found.period.start)} to {day(last)}"
    for at, hit in enumerate(found.hits, 1):
        yield from _hit_lines(at, hit)
    if found.chains:
        yield "\nfrom one to the next:"
        for chain in found.chains:
            told = " → ".join(clean(edge.text) for edge in chain.edges)
            yield f"{_INDENT}{chain.score:.3f}  {told}"
    if found.passages:
        yield "\non the pages:"
        yield from _indented(table([_passage_row(passage) for passage in found.passages]))
    yield from unread_lines(found.unread)


def search_lines(query: str, found: Sequence[Passage]) -> Iterator[str]:
    """Each passage with its place, its heading and its words as they stand there."""
    if not found:
        yield from nothing_lines(query)
    for at, one in enumerate(found, 1):
        lines = f"{one.start_line}–{one.end_line}"
        place = f"{one.path}:{one.start_line if one.start_line == one.end_line else lines}"
        under = f" · {one.heading}" if one.heading else ""
        yield f"{at}  {clean(place)}{clean(under)} · {one.score:.2f}"
        for line in one.text.splitlines():
            yield f"   {clean(line)}"


def _hit_lines(at: int, hit: Hit) -> Iterator[str]:
    edge = hit.edge
    yield f"{at}  {clean(f'{edge.source_name} · {_words(edge.relation)} · {edge.target_name}')}"
    parts = " + ".join(
        f"{hit.parts[name]:.3f} {name}"
        for name in ("source", "relation", "target")
        if name in hit.parts
    )
    exact = f" · {hit.parts['exact']:.0f} exact" if hit.parts.get("exact") else ""
    yield f"   {hit.score:.3f} = {parts}{exact} · {clean(_place(edge))} · {edge.id}"


def _subject_row(subject: Subject) -> tuple[str, str]:
    return (f"{subject.score:.3f}", subject.name)


def _passage_row(passage: Passage) -> tuple[str, str]:
    text = " ".join((passage.sentence or passage.text).split())
    return (
        f"{passage.path}:{passage.start_line}",
        text if len(text) <= _PASSAGE else f"{text[:_PASSAGE]}…",
    )


# writing


def report_lines(report: Report) -> Iterator[str]:
    """What happened to one page."""
    done = [report.status]
    if report.added:
        done.append(f"{counted(len(report.added), 'fact')} began")
    if report.closed:
        done.append(f"{counted(len(report.closed), 'fact')} ended")
    if report.calls:
        spent = f"{counted(report.calls, 'call')}, {counted(report.tokens, 'token')}"
        done.append(f"{spent}, {report.seconds:.1f} s")
    yield f"{clean(report.path)}: {', '.join(done)}"
    if report.reason:
        yield f"{_INDENT}{clean(report.reason)}"
    for warning in report.warnings:
        yield f"{_INDENT}warning: {clean(warning)}"
    for no in report.refused:
        fact = f"{no.source} · {_words(no.relation)} · {no.target}"
        yield f"{_INDENT}not believed: {clean(fact)}: {clean(no.reason)}"


def counted(count: int, thing: str) -> str:
    """A number with its noun: 1 fact, 2 facts."""
    return f"{count} {thing}{'' if count == 1 else 's'}"
