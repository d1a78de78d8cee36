"""The verbs that read. Each takes an open memory and the arguments, and gives an `Answer`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cloudnee.doors.cli_answer import DONE, NOTHING, Answer
from cloudnee.doors.cli_parse import UsageError
from cloudnee.doors.cli_show import (
    counted,
    current_lines,
    day,
    history_lines,
    interval_rows,
    nothing_lines,
    recall_lines,
    search_lines,
)
from cloudnee.doors.cli_tables import clean, table

if TYPE_CHECKING:
    from cloudnee.memory import Memory
    from cloudnee.model import Edge, Fault, PageInfo

__all__ = [
    "aliases",
    "audiences",
    "check",
    "current",
    "graph",
    "history",
    "pages",
    "recall",
    "recent",
    "search",
]


def _found(something: object) -> int:
    return DONE if something else NOTHING


def current(memory: Memory, args: Namespace) -> Answer:
    """What is true now about whoever the phone or name leads to."""
    found = memory.read_current(args.who, as_of=args.as_of)
    return Answer(found, current_lines(args.who, found), _found(found.entities))


def history(memory: Memory, args: Namespace) -> Answer:
    """Every interval in which something was stated about WHO."""
    edges = memory.history(args.who)
    return Answer({"edges": edges}, _history(memory, args.who, edges), _found(edges))


def _history(memory: Memory, who: str, edges: Sequence[Edge]) -> Iterator[str]:
    if edges:
        return history_lines(edges)
    return nothing_lines(who, memory.read_current(who).suggestions)


def recall(memory: Memory, args: Namespace) -> Answer:
    """The best hits and passages for a question."""
    found = memory.recall(
        args.query,
        top_k=args.top_k,
        wide_k=args.wide_k,
        hops=args.hops,
        feedback_influence=args.feedback_influence,
        scoring=args.scoring,
        as_of=args.as_of,
        **_narrowing(args),
    )
    lines = recall_lines(args.query, found, args.top_k if args.subjects else 0)
    return Answer(found, lines, _found(found.hits or found.passages))


def _narrowing(args: Namespace) -> dict[str, Any]:
    return {
        "after": args.after,
        "before": args.before,
        "tags": args.tag or (),
        "recency": args.recency,
    }


def search(memory: Memory, args: Namespace) -> Answer:
    """The best passages for a question."""
    found = memory.search_pages(args.query, top_k=args.top_k, **_narrowing(args))
    return Answer(found, search_lines(args.query, found), _found(found))


def recent(memory: Memory, args: Namespace) -> Answer:
    """The facts stated last."""
    edges = memory.recent(args.n)
    rows = interval_rows(edges, named=True)
    lines = table(rows) if edges else iter(("nothing is known yet",))
    return Answer({"edges": edges}, lines, _found(edges))


def aliases(memory: Memory, args: Namespace) -> Answer:
    """The handles that lead to WHO, after one was removed where asked."""
    if args.remove is not None:
        return _removed(memory, args.remove, args.who)
    found = memory.aliases(args.who)
    rows = [(alias.handle, alias.kind, alias.name) for alias in found]
    none = f"no handle leads to {clean(args.who)}"
    lines = table(rows, ("handle", "kind", "name")) if rows else iter((none,))
    return Answer({"aliases": found}, lines, _found(found))


def _removed(memory: Memory, handle: str, who: str) -> Answer:
    removed = memory.remove_alias(handle, who)
    line = f"{clean(handle)} no longer leads to {clean(who)}"
    if not removed:
        line = f"no handle {clean(handle)} was given for {clean(who)}; those of a page stand on it"
    return Answer({"removed": removed, "aliases": memory.aliases(who)}, [line], _found(removed))


def pages(memory: Memory, args: Namespace) -> Answer:
    """All pages, or the text of one."""
    if args.read is not None:
        return _page_text(memory, args.read)
    found = memory.pages()
    lines = _page_lines(found) if found else iter(("no pages",))
    return Answer({"pages": found}, lines, _found(found))


def _page_text(memory: Memory, path: str) -> Answer:
    text = memory.read_page(path)
    line = _readable(text.removesuffix("\n")) if text else f"no page at {clean(path)}"
    return Answer({"path": path, "text": text}, iter((line,)), _found(text))


def _readable(text: str) -> str:
    """The text as it is for a file or program; on a terminal, one that cannot move it."""
    return clean(text, keep="\n\t") if sys.stdout.isatty() else text


def _page_lines(found: Sequence[PageInfo]) -> Iterator[str]:
    rows = [
        (page.path, page.subject, _status(page), str(page.edges), day(page.as_of)) for page in found
    ]
    return table(rows, ("page", "subject", "status", "facts", "as of"))


def _status(page: PageInfo) -> str:
    return f"{page.status}: {page.reason}" if page.reason else page.status


def check(memory: Memory, args: Namespace) -> Answer:
    """What is wrong in the database, after it was mended where asked."""
    faults = memory.repair() if args.repair else memory.check()
    lines = table(_fault_rows(faults)) if faults else iter(("nothing is wrong",))
    left = [fault for fault in faults if not fault.mended]
    return Answer({"faults": faults}, lines, NOTHING if left else DONE)


def _fault_rows(faults: Sequence[Fault]) -> list[tuple[str, str, str]]:
    return [(fault.kind, fault.detail, "mended" if fault.mended else "") for fault in faults]


def graph(memory: Memory, args: Namespace) -> Answer:
    """The whole graph that the audience sees, as text or as a file."""
    from cloudnee.doors.cli_graph import document, save, table_lines

    seen = memory.graph(past=args.past)
    if args.out is None:
        return Answer(document(seen), table_lines(seen), _found(seen.nodes))
    save(seen, args.out)
    counts = f"{counted(len(seen.nodes), 'thing')}, {counted(len(seen.edges), 'fact')}"
    written = {"file": args.out, "nodes": len(seen.nodes), "edges": len(seen.edges)}
    return Answer(written, iter((f"{clean(args.out)}: {counts}",)))


def audiences(memory: Memory, args: Namespace) -> Answer:
    """The audiences in force, after a file's were put in force where asked."""
    if (args.action is None) != (args.file is None):
        raise UsageError("set needs the file with the rules: audiences set FILE", "audiences")
    if args.action == "set":
        memory.set_audiences(args.file)
    found = memory.audiences()
    rows = [
        (rule.name, ", ".join(rule.sees), ", ".join(rule.hides), ", ".join(rule.writes))
        for rule in found
    ]
    return Answer({"audiences": found}, table(rows, ("audience", "sees", "but not", "writes")))
