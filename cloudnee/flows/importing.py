"""What other programs keep, as pages: a MEMORY.md, a folder or vault of Markdown, mem0, and the
JSON lines of the MCP memory server. Pages that are there already are never overwritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cloudnee.errors import BadInput, CloudneeError
from cloudnee.flows.exported import is_export
from cloudnee.flows.folder import file_text, root_of, scan
from cloudnee.flows.moving import restore
from cloudnee.flows.notes import slug
from cloudnee.flows.remembering import Remembering
from cloudnee.model import Imported, NewPage
from cloudnee.pages.outline import outline_of
from cloudnee.pages.page import parse_page
from cloudnee.pages.path import canonical_path

__all__ = ["FORMATS", "import_pages"]

FORMATS = ("cloudnee", "folder", "memory-md", "mem0", "mcp")
MOST_BYTES = 500_000_000  # of a JSON file
_OBSERVATION = re.compile(r"^(\s*[-*]\s+)\[([^\W\d_][\w -]{1,39})\]\s+(?!\()(.+)$", re.MULTILINE)
Left = list[tuple[str, str]]


def import_pages(
    remembering: Remembering, source: Path, *, kind: str | None = None, into: str = ""
) -> Imported:
    """Take in an export of cloudnee, or pages made of what another program keeps.

    `kind` is one of `FORMATS`, seen from the source where it is not given; `into` a folder that
    the pages' paths begin with. Raises `BadInput` for what is none of them.
    """
    kind = kind or _kind(source)
    if kind not in FORMATS:
        raise BadInput(f"unknown format {kind!r}: one of {', '.join(FORMATS)}")
    if kind == "cloudnee":
        return restore(remembering, source)
    left: Left = []
    pages = _PAGES[kind](source, left)
    prefix = f"{canonical_path(into.strip('/'))}/" if into.strip("/") else ""
    return _taken(remembering, kind, (replace(p, path=prefix + p.path) for p in pages), left)


def _kind(source: Path) -> str:
    if not source.exists():
        raise BadInput(f"there is nothing at {source}: name a folder or a file to import")
    if is_export(source):
        return "cloudnee"
    if source.is_dir():
        return "folder"
    if source.suffix.lower() in (".md", ".markdown"):
        return "memory-md"
    return _json_kind(source)


def _json_kind(source: Path) -> str:
    start = _text(source)[:100_000].lstrip("\ufeff \t\r\n")
    first = start.partition("\n")[0]
    if re.search(r'"type"\s*:\s*"(entity|relation)"', first) or '"entities"' in start[:200]:
        return "mcp"
    if '"memory"' in start:
        return "mem0"
    raise BadInput(f"{source} is of no known format: say which with --format {'|'.join(FORMATS)}")


def _text(source: Path) -> str:
    try:
        if source.stat().st_size > MOST_BYTES:
            raise BadInput(f"{source}: larger than {MOST_BYTES:,} bytes: split it")
        return source.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"cannot read {source}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{source}: not UTF-8 text at byte {error.start}") from error


def _taken(remembering: Remembering, kind: str, pages: Iterable[NewPage], left: Left) -> Imported:
    """Remember the pages that are not there yet; the same ones are unchanged."""
    store = remembering.store
    over: dict[str, str] = {}

    def due() -> Iterator[NewPage]:
        for page in pages:
            try:
                path = canonical_path(page.path)
                base = store.page(path)
                parsed = parse_page(path, page.text)
            except CloudneeError as error:
                left.append((page.path, str(error)))
                continue
            if base and base.text and base.content_hash != parsed.content_hash:
                left.append((path, "another page is there: import with --into FOLDER"))
                continue
            over[path] = base.content_hash if base else ""
            yield page

    reports = remembering.many(due(), over)
    left += [(r.path, r.reason or r.status) for r in reports if r.status in ("failed", "pending")]
    written = [report for report in reports if report.status == "written"]
    unchanged = sum(report.status == "unchanged" for report in reports)
    facts = sum(len(report.added) for report in written)
    return Imported(kind, len(written), unchanged, facts, tuple(left))


# a folder: an Obsidian vault, an export of basic-memory


def _folder(source: Path, left: Left) -> Iterator[NewPage]:
    held = scan(root_of(source))
    left += [*held.faults, *held.passed, *((name, "is no Markdown") for name in held.others)]
    for found in held.files.values():
        try:
            text = file_text(found.path, found.file)
            saved = datetime.fromtimestamp(found.file.stat().st_mtime, UTC)
        except (CloudneeError, OSError) as error:
            left.append((found.path, str(error)))
            continue
        yield NewPage(found.path, _observations(text), (), found.day or saved)


def _observations(text: str) -> str:
    """basic-memory's `- [category] words` as `- Category: words`, on its own notes."""
    if not re.search(r"^permalink:", text, re.MULTILINE):
        return text

    def labelled(match: re.Match[str]) -> str:
        label = match[2].replace("_", " ").strip()
        return f"{match[1]}{label[0].upper()}{label[1:]}: {match[3]}"

    return _OBSERVATION.sub(labelled, text)


# one file of memories under headings


def _memory_md(source: Path, left: Left) -> Iterator[NewPage]:
    """A page for each section of the first level that has several."""
    text = _text(source)
    if not text.strip():
        raise BadInput(f"{source} is empty")
    saved = datetime.fromtimestamp(source.stat().st_mtime, UTC)
    folder = slug(source.stem)
    names = _Names(folder)
    for title, part in _sections(text):
        if part.strip("# \t\r\n"):
            yield NewPage(names.path(title or source.stem), part, (), saved)


def _sections(text: str) -> list[tuple[str, str]]:
    """(heading, text) of each section, the text before the first among them; together all of it."""
    headings = outline_of(text).headings
    levels = sorted({heading.level for heading in headings})
    several = (n for n in levels if sum(h.level == n for h in headings) > 1)
    level = next(several, 0)
    lines = re.findall(r"[^\n]*\n|[^\n]+$", text)
    cuts = [(h.line - 1, h.text) for h in headings if h.level <= level]
    bounds = [at for at, _ in cuts] + [len(lines)]
    found = [("", "".join(lines[: bounds[0]]))]
    for (at, title), end in zip(cuts, bounds[1:], strict=True):
        found.append((title.strip(), "".join(lines[at:end])))
    return found


class _Names:
    """Page paths made of names, each its own."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.taken: set[str] = set()

    def path(self, name: str, tail: str = "") -> str:
        """A path for a name: with a number where two names give one."""
        base = slug(name)[:100]
        for number in range(1, len(self.taken) + 2):
            mark = f"-{number}" if number > 1 else ""
            path = f"{self.folder}/{base}{mark}{tail}.md"
            if path not in self.taken:
                break
        self.taken.add(path)
        return path


# mem0


def _mem0(source: Path, left: Left) -> Iterator[NewPage]:
    """A page for each person and day: what was learned that day, a line each."""
    days: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for number, memory in enumerate(_mem0_rows(source, left), 1):
        text = memory.get("memory") or memory.get("text") or memory.get("data")
        if not isinstance(text, str) or not text.strip():
            left.append((f"memory {number}", "holds no text"))
            continue
        who = next(
            (str(memory[k]) for k in ("user_id", "agent_id", "app_id", "run_id") if memory.get(k)),
            "",
        )
        day = str(memory.get("updated_at") or memory.get("created_at") or "")[:10]
        days.setdefault((who, day), []).append({**memory, "memory": " ".join(text.split())})
    names: dict[str, _Names] = {}
    for (who, day), memories in sorted(days.items()):
        folder = names.setdefault(who, _Names(f"mem0/{slug(who) if who else 'memories'}"))
        yield NewPage(folder.path(day or "undated"), _mem0_page(who, day, memories))


def _mem0_rows(source: Path, left: Left) -> list[dict[str, Any]]:
    found = _json(source)
    if isinstance(found, dict):
        found = next((found[k] for k in ("results", "memories", "data") if k in found), None)
    if not isinstance(found, list):
        raise BadInput(f'{source}: no list of memories, nor one under "results" or "memories"')
    left += [(f"memory {n}", "is no memory") for n, m in enumerate(found, 1) if not _is_dict(m)]
    return [memory for memory in found if _is_dict(memory)]


def _is_dict(value: object) -> bool:
    return isinstance(value, dict)


def _mem0_page(who: str, day: str, memories: list[dict[str, Any]]) -> str:
    tags = [t for m in memories for t in m.get("categories") or () if isinstance(t, str)]
    front = {
        "name": who,
        "date": day if re.fullmatch(r"\d{4}-\d{2}-\d{2}", day) else "",
        "tags": ", ".join(dict.fromkeys(slug(tag) for tag in tags)),
    }
    lines = [f"{key}: {json.dumps(v, ensure_ascii=False)}" for key, v in front.items() if v]
    head = "---\n" + "\n".join(lines) + "\n---\n\n" if lines else ""
    title = f"# {who or 'Memories'}\n\n"
    return head + title + "".join(f"- {memory['memory']}\n" for memory in memories)


def _json(source: Path) -> Any:
    text = _text(source)
    try:
        return json.loads(text)
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return [json.loads(line) for line in lines]
        except ValueError:
            raise BadInput(f"{source}: neither JSON nor JSON lines: {error}") from error


# the MCP memory server


def _mcp(source: Path, left: Left) -> Iterator[NewPage]:
    """A page for each entity: its type, its observations, its relations as links."""
    entities: dict[str, dict[str, Any]] = {}
    for number, row in _mcp_rows(source, left):
        kind = row.get("type")
        name = row.get("name") if kind == "entity" else row.get("from")
        other = row.get("to") if kind == "relation" else ""
        known = kind == "entity" or (kind == "relation" and _named(other))
        if not known or not _named(name):
            left.append((f"line {number}", "is no entity and no relation"))
            continue
        entity = entities.setdefault(str(name), {"type": "", "lines": {}})
        if kind == "relation":
            relation = slug(str(row.get("relationType") or "relates to")).replace("-", "_")
            entity["lines"][f"- {relation} [[{_inline(other)}]]"] = None
            continue
        entity["type"] = entity["type"] or _inline(row.get("entityType"))
        observations = row.get("observations")
        for one in observations if isinstance(observations, list) else ():
            entity["lines"][f"- {_inline(one)}"] = None
    names = _Names("mcp")
    for name, entity in entities.items():
        yield NewPage(names.path(name), _mcp_page(name, entity))


def _named(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _inline(value: object) -> str:
    return " ".join(str(value or "").split())


def _mcp_page(name: str, entity: dict[str, Any]) -> str:
    front = f"---\nname: {json.dumps(_inline(name), ensure_ascii=False)}\n"
    if entity["type"]:
        front += f"type: {json.dumps(entity['type'], ensure_ascii=False)}\n"
    return f"{front}---\n\n# {_inline(name)}\n\n" + "".join(f"{line}\n" for line in entity["lines"])


def _mcp_rows(source: Path, left: Left) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines, or an answer of its `read_graph` as one document."""
    text = _text(source)
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and "entities" in whole:
        rows = [{"type": "entity", **one} for one in whole["entities"] if _is_dict(one)]
        rows += [{"type": "relation", **one} for one in whole.get("relations", ()) if _is_dict(one)]
        yield from enumerate(rows, 1)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if isinstance(row, dict):
            yield number, row
        else:
            left.append((f"line {number}", "is not a JSON object"))


_PAGES = {"folder": _folder, "memory-md": _memory_md, "mem0": _mem0, "mcp": _mcp}
