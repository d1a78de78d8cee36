"""The verbs that keep the record: folders, who is who, moving, mending."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cloudnee.doors.cli_answer import DONE, NOTHING, Answer
from cloudnee.doors.cli_parse import UsageError
from cloudnee.doors.cli_tables import clean, table
from cloudnee.model import Imported, Merge, Proposal, SyncReport
from cloudnee.records import names_of

if TYPE_CHECKING:
    from cloudnee.memory import Memory

__all__ = ["backup", "export", "import_", "merges", "reembed", "sync"]


def sync(memory: Memory, args: Namespace) -> Answer:
    """A folder and the memory, once or at each change."""
    if args.watch:
        return _watched(memory, args)
    from cloudnee.doors.cli_progress import counting

    with counting("reading") as progress:
        report = memory.sync(args.folder, write=args.write, force=args.force, progress=progress)
    document = {"folder": report.folder, "counts": report.counts, "items": report.items}
    return Answer(document, _sync_lines(report), _sync_code(report))


def _sync_code(report: SyncReport) -> int:
    return NOTHING if report.of("failed") or report.of("conflict") else DONE


def _sync_lines(report: SyncReport) -> Iterator[str]:
    rows = [
        (item.kind, item.path, item.reason) for item in report.items if item.kind != "unchanged"
    ]
    if rows:
        yield from table(rows)
    counts = sorted(report.counts.items(), key=lambda item: (item[0] == "unchanged", item[0]))
    yield ", ".join(f"{count} {kind}" for kind, count in counts) or "no pages there"


def _watched(memory: Memory, args: Namespace) -> Answer:
    """Each report as it comes: lines, or with --json a document a line."""
    if args.force:
        raise UsageError("--force is for one sync, not for --watch", "sync")
    runs = 0
    for told in memory.watch(args.folder, write=args.write):
        runs += 1
        if not isinstance(told, SyncReport):
            print(f"cloudnee: {clean(str(told))}", file=sys.stderr, flush=True)
        elif args.json:
            from cloudnee.doors.cli_json import plain

            document = {"folder": told.folder, "counts": told.counts, "items": told.items}
            print(json.dumps(plain(document), ensure_ascii=False), flush=True)
        else:
            print("\n".join(_sync_lines(told)), flush=True)
    return Answer({"folder": args.folder, "reports": runs}, ())


def merges(memory: Memory, args: Namespace) -> Answer:
    """Proposals and what was said; or something said."""
    if args.action is None:
        return _merge_list(memory)
    words: Sequence[str] = args.words
    if args.action in ("accept", "reject") and len(words) != 2:
        raise UsageError(f"{args.action} takes two ids", "merges")
    if args.action == "reject":
        memory.reject_merge(*words)
        line = f"{clean(words[0])} and {clean(words[1])} are two: not listed again"
        return Answer({"rejected": list(words)}, [line])
    if args.action == "accept":
        return _said(memory.accept_merge(*words))
    if args.action == "split":
        if len(words) < 2:
            raise UsageError("split takes WHO and the pages that are about somebody else", "merges")
        return _said(memory.split(words[0], words[1:]))
    return _undone(memory, words)


def _said(merge: Merge) -> Answer:
    told = {
        "merge": f"{clean(merge.gone)} is {clean(merge.kept)} now",
        "split": f"{clean(merge.gone)} is apart from {clean(merge.kept)} now",
    }
    line = f"{told[merge.kind]}; to take it back: cloudnee merges undo {merge.number}"
    return Answer(_merge(merge), [line])


def _undone(memory: Memory, words: Sequence[str]) -> Answer:
    if len(words) != 1 or not words[0].isdecimal():
        raise UsageError("undo takes the number of one merge or split", "merges")
    merge = memory.undo_merge(int(words[0]))
    line = f"taken back: the {merge.kind} of {clean(merge.gone)} and {clean(merge.kept)}"
    return Answer(_merge(merge), [line])


def _merge(merge: Merge) -> dict[str, object]:
    return {name: getattr(merge, name) for name in names_of(Merge)}


def _merge_list(memory: Memory) -> Answer:
    proposed = memory.merges()
    said = memory.merged() if memory.audience == "owner" else []
    document = {"proposals": proposed, "merges": said}
    return Answer(document, _merge_lines(proposed, said), DONE if proposed or said else NOTHING)


def _merge_lines(proposed: Sequence[Proposal], said: Sequence[Merge]) -> Iterator[str]:
    if not (proposed or said):
        yield "nobody looks like anybody else"
    for pair in proposed:
        yield "; ".join(pair.reasons)
        rows = [
            (f"  {e.name}", e.id, ", ".join(e.aliases + e.paths)) for e in (pair.first, pair.second)
        ]
        yield from table(rows)
    for merge in said:
        yield f"{merge.number}  {merge.kind} of {clean(merge.gone)} and {clean(merge.kept)}"


def backup(memory: Memory, args: Namespace) -> Answer:
    """A copy of the file."""
    memory.backup(args.file)
    return Answer({"file": args.file}, [f"{clean(args.file)}: copied"])


def export(memory: Memory, args: Namespace) -> Answer:
    """Everything, in a folder or archive."""
    done = memory.export(args.file, vectors=not args.no_vectors)
    document = {"file": done.file, "pages": done.pages, "facts": done.facts}
    return Answer(document, [f"{clean(done.file)}: {done.pages} pages, {done.facts} facts"])


def import_(memory: Memory, args: Namespace) -> Answer:
    """What an export or another program holds, taken in."""
    done = memory.import_(args.source, kind=args.format, into=args.into)
    document = {name: getattr(done, name) for name in names_of(Imported)}
    return Answer(document, _import_lines(done), NOTHING if _lost(done) else DONE)


def _lost(done: Imported) -> bool:
    """Whether something that is no mere attachment was left."""
    return any(why != "is no Markdown" for _, why in done.left)


def _import_lines(done: Imported) -> Iterator[str]:
    if done.left:
        yield from table([("left", what, why) for what, why in done.left])
    yield f"{done.format}: {done.pages} pages taken, {done.unchanged} unchanged, {done.facts} facts"


def reembed(memory: Memory, args: Namespace) -> Answer:
    """All vectors by another model."""
    from cloudnee.doors.cli_progress import counting
    from cloudnee.embed import default_embedder

    embedder = default_embedder(args.model)
    with counting("embedding") as progress:
        texts = memory.reembed(embedder, progress)
    document = {"model": embedder.model, "dimensions": embedder.dimensions, "texts": texts}
    return Answer(document, [f"{texts} texts embedded by {clean(embedder.model)}"])
