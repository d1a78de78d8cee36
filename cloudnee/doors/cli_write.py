"""The verbs that write. Each takes an open memory and the arguments, and gives an `Answer`."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cloudnee.doors.cli_answer import DONE, NOTHING, Answer
from cloudnee.doors.cli_files import page_path, page_text
from cloudnee.doors.cli_open import opened
from cloudnee.doors.cli_parse import UsageError
from cloudnee.doors.cli_show import counted, report_lines
from cloudnee.doors.cli_tables import clean
from cloudnee.errors import CloudneeError
from cloudnee.model import Alias, Forgotten, NewPage, Report

if TYPE_CHECKING:
    from cloudnee.memory import Memory

__all__ = [
    "alias",
    "apply_feedback",
    "duplicates",
    "extractor",
    "forget",
    "improve",
    "note",
    "remember",
    "reopen",
    "reread",
    "retry",
]


def remember(args: Namespace) -> Answer:
    """Each file as a page; one that cannot be read is named and the others are done."""
    if args.path is not None and len(args.files) > 1:
        raise UsageError("--path names the page of one FILE", "remember")
    aliases = tuple(_alias(given) for given in args.alias)
    read = [_read(file, args, aliases) for file in args.files]
    pages = [one for one in read if isinstance(one, NewPage)]
    if args.dry_run:
        return _estimated(pages, args)
    done = iter(_done(pages, args))
    reports = [next(done) if isinstance(one, NewPage) else one for one in read]
    unread = any(report.status in ("pending", "failed") for report in reports)
    return Answer({"reports": reports}, _remembered(reports), NOTHING if unread else DONE)


def _estimated(pages: Sequence[NewPage], args: Namespace) -> Answer:
    """What a model would cost, in a memory of its own where there is no database yet."""
    there = Path(args.db or os.environ.get("CLOUDNEE_DB") or "cloudnee.db").exists()
    args.db = args.db if there else ":memory:"
    with opened(args, create=True) as memory:
        found = memory.estimate(pages)
    calls, tokens = sum(one.calls for one in found), sum(one.tokens for one in found)
    lines = [f"{clean(one.path)}: {one.calls} calls, {one.tokens} tokens" for one in found]
    total = f"{calls} calls, about {tokens} tokens sent, and the answers; nothing was done"
    return Answer({"estimates": found, "calls": calls, "tokens": tokens}, [*lines, total])


def retry(memory: Memory, args: Namespace) -> Answer:
    """The pages that failed or wait, read."""
    return _again(memory.retry())


def reread(memory: Memory, args: Namespace) -> Answer:
    """Every page, read anew."""
    return _again(memory.reread())


def duplicates(memory: Memory, args: Namespace) -> Answer:
    """Notes that may say the same, listed; or two of them made one."""
    if args.action:
        if len(args.notes) != 2:
            raise UsageError("merge takes two notes as PATH:LINE", "duplicates")
        reports = memory.merge_notes(*args.notes)
        return Answer({"reports": reports}, _remembered(reports))
    found = memory.duplicates()
    lines = [
        line
        for pair in found
        for line in (
            f"{pair.cosine:.2f}  {clean(pair.one)}  {clean(pair.one_text)}",
            f"      {clean(pair.other)}  {clean(pair.other_text)}",
        )
    ]
    return Answer({"pairs": found}, lines or ["no two notes look alike"])


def extractor(memory: Memory, args: Namespace) -> Answer:
    """What reads the org's pages, shown or chosen."""
    if args.name:
        memory.set_extractor(args.name)
    return Answer({"extractor": memory.extractor}, [memory.extractor])


def reopen(memory: Memory, args: Namespace) -> Answer:
    """A contradicted fact, current again."""
    done = memory.reopen(args.edge)
    told = "is current again" if done else "was not taken for contradicted: nothing to reopen"
    return Answer({"reopened": done}, [f"{clean(args.edge)} {told}"], DONE if done else NOTHING)


def _again(reports: Sequence[Report]) -> Answer:
    unread = any(report.status in ("pending", "failed") for report in reports)
    lines = _remembered(reports) if reports else ["nothing waits to be read"]
    return Answer({"reports": reports}, lines, NOTHING if unread else DONE)


def _read(file: str, args: Namespace, aliases: tuple[Alias, ...]) -> NewPage | Report:
    """The file as a page, or the report that it is none."""
    try:
        path, text = page_path(file, args.path), page_text(file)
        if args.redact:
            from cloudnee.pages.secrets import redacted

            text = redacted(text)
        return NewPage(path, text, aliases, args.as_of)
    except CloudneeError as error:
        return Report(file, "failed", "", reason=str(error))


def _done(pages: Sequence[NewPage], args: Namespace) -> Sequence[Report]:
    """The pages remembered, with a progress bar where someone watches many of them."""
    if not pages:
        return ()
    with opened(args, create=True) as memory:
        if len(pages) == 1 or not sys.stderr.isatty():
            return memory.remember_many(pages)
        from cloudnee.doors.cli_progress import progress

        return memory.remember_many(progress(pages, "remembering"))


def _remembered(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        yield from report_lines(report)
    if len(reports) > 1:
        written = sum(report.status == "written" for report in reports)
        unchanged = sum(report.status == "unchanged" for report in reports)
        others = len(reports) - written - unchanged
        yield f"{written} written, {unchanged} unchanged, {others} failed"


def _alias(given: str) -> Alias:
    handle, sign, name = given.partition("=")
    if not sign or not handle.strip():
        raise UsageError(
            f'--alias takes HANDLE=NAME, such as "91234567=Mrs Tan", not {given!r}', "remember"
        )
    return Alias(handle.strip(), name.strip())


def note(memory: Memory, args: Namespace) -> Answer:
    """A dated line on the notes page of the subject."""
    report = memory.note(args.text, subject=args.subject, redact=args.redact)
    unread = report.status in ("pending", "failed", "unchanged")
    return Answer(report, report_lines(report), NOTHING if unread else DONE)


def improve(memory: Memory, args: Namespace) -> Answer:
    """Ratings for the edges named."""
    rated = memory.improve(args.ids, rating=args.rating, key=args.key, implicit=args.implicit)
    lines = [f"waiting: {counted(rated.queued, 'rating')}; cloudnee apply-feedback takes them in"]
    lines += [f"no such edge: {clean(unknown)}" for unknown in rated.unknown]
    return Answer(rated, lines, NOTHING if rated.unknown else DONE)


def apply_feedback(memory: Memory, args: Namespace) -> Answer:
    """The waiting ratings, taken in."""
    applied = memory.apply_feedback()
    rated, weighed = counted(applied.ratings, "rating"), counted(applied.facts, "fact")
    line = f"{rated} taken in, {weighed} weighed anew"
    return Answer(applied, [line])


def alias(memory: Memory, args: Namespace) -> Answer:
    """A word taught."""
    memory.teach_alias(args.word, args.canonical)
    line = f"{clean(args.word)} now means {clean(args.canonical)} too"
    return Answer({"word": args.word, "canonical": args.canonical}, [line])


def forget(memory: Memory, args: Namespace) -> Answer:
    """A page, an edge or an entity, gone."""
    given = [value for value in (args.path, args.edge, args.entity) if value is not None]
    if len(given) != 1:
        raise UsageError("name one of --path, --edge and --entity", "forget")
    gone = memory.forget(path=args.path, edge_id=args.edge, entity=args.entity, purge=args.purge)
    anything = gone.pages or gone.edges or gone.entities
    return Answer(gone, _forgotten(given[0], gone), DONE if anything else NOTHING)


def _forgotten(what: str, gone: Forgotten) -> Iterator[str]:
    if not (gone.pages or gone.edges or gone.entities):
        yield f"nothing to forget at {clean(what)}"
        return
    parts = (("page", gone.pages), ("fact", gone.edges), ("thing", gone.entities))
    yield f"forgotten: {', '.join(counted(len(ids), thing) for thing, ids in parts)}"
    yield from (f"still named on {clean(path)}" for path in gone.mentions)
