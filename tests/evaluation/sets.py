"""Public question sets as Markdown pages, the way people would have them, and what answers each.

Nothing of a set is kept in the project: a folder is given by `--data`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

__all__ = ["SETS", "Question", "Set", "Unit"]

Unit = str | int
_TURN = re.compile(r"\*\*(.+?)\*\* \((D\d+:\d+)\): (.*)")
_DATED = re.compile(r"^date_text: \"(.*)\"$", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6} )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one org; `gold` are the units (turns, paragraphs, messages) that answer it."""

    number: int
    org: str
    text: str
    gold: frozenset[Unit]
    kind: str


@dataclass(slots=True)
class Set:
    """Pages by org, the same as plain units for rivals, and which unit a line belongs to.

    `units` is org → unit → its text; `lines` is (org, path, line) → unit. `depths` are the numbers
    of passages that count, `pages` whether the pages found are measured too.
    """

    name: str
    pages: dict[str, dict[str, str]] = field(default_factory=dict)
    units: dict[str, dict[Unit, str]] = field(default_factory=dict)
    lines: dict[tuple[str, str, int], Unit] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    depths: tuple[int, ...] = (2, 5, 10)
    whole_pages: bool = False

    def found(self, org: str, path: str, first: int, last: int) -> Iterator[Unit]:
        """The units that lines of a page belong to."""
        for line in range(first, last + 1):
            if (org, path, line) in self.lines:
                yield self.lines[org, path, line]


def _rows(file: Path) -> list[dict[str, Any]]:
    opened: Any = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _either(folder: Path, name: str) -> list[dict[str, Any]]:
    plain = folder / name
    return _rows(plain if plain.exists() else folder / f"{name}.gz")


def paragraphs(folder: Path) -> Set:
    """HotpotQA, 2WikiMultihopQA, MuSiQue: a page a paragraph, its title as heading, in one org."""
    made = Set(folder.name)
    by_title: dict[str, int] = {}
    pages: dict[str, str] = {}
    for number, row in enumerate(_either(folder, "corpus.jsonl")):
        path = f"{number:05d}.md"
        pages[path] = f"# {row['title']}\n\n{row['text']}\n"
        made.units.setdefault(folder.name, {})[number] = f"{row['title']}. {row['text']}"
        by_title.setdefault(row["title"], number)
        for line in range(1, pages[path].count("\n") + 1):
            made.lines[folder.name, path, line] = number
    made.pages[folder.name] = pages
    for number, row in enumerate(_rows(folder / "questions.jsonl")):
        titled = (by_title[t] for t in row["gold_titles"] if t in by_title)
        gold = frozenset[Unit](row.get("gold_ids", titled))
        kind = str(row.get("type", ""))
        made.questions.append(Question(number, folder.name, row["question"], gold, kind))
    return made


def locomo(folder: Path) -> Set:
    """LoCoMo: an org a conversation, a page a session, a unit a turn; categories 1 to 4."""
    made = Set(folder.name, depths=(5, 10, 25), whole_pages=True)
    for conversation in sorted((folder / "pages").iterdir()):
        org, pages = conversation.name, {}
        for file in sorted(conversation.iterdir()):
            pages[file.name] = text = file.read_text("utf-8")
            dated = _DATED.search(text)
            said = f" ({dated[1]}): " if dated else ": "
            for number, line in enumerate(text.split("\n"), 1):
                if turn := _TURN.match(line):
                    made.lines[org, file.name, number] = turn[2]
                    made.units.setdefault(org, {})[turn[2]] = turn[1] + said + turn[3]
        made.pages[org] = pages
    for number, row in enumerate(_rows(folder / "questions.jsonl")):
        if row["category"] != 5 and row["evidence"]:
            gold = frozenset[Unit](row["evidence"])
            asked = (row["conversation"], row["question"], gold, row["category_name"])
            made.questions.append(Question(number, *asked))
    return made


def beam(folder: Path) -> Set:
    """BEAM-100K: an org a conversation, a page a session, a unit a message."""
    made = Set(folder.name, depths=(5, 10))
    sessions: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for row in _either(folder, "messages.jsonl"):
        sessions[row["conversation"], row["session"]].append(row)
        made.units.setdefault(row["conversation"], {})[row["id"]] = row["text"]
    for (org, session), messages in sessions.items():
        path = f"session-{session}.md"
        made.pages.setdefault(org, {})[path] = _talk(made, org, path, messages)
    for number, row in enumerate(_rows(folder / "questions.jsonl")):
        if row["evidence"]:
            gold = frozenset[Unit](row["evidence"])
            asked = (row["conversation"], row["question"], gold, row["category"])
            made.questions.append(Question(number, *asked))
    return made


def _talk(made: Set, org: str, path: str, messages: Iterable[dict[str, Any]]) -> str:
    """A session as a page; headings inside a message are escaped, they are not the page's."""
    listed = list(messages)
    date = datetime.strptime(f"{listed[0]['date']} +0000", "%B-%d-%Y %z").strftime("%Y-%m-%d")
    lines = ["---", f"date: {date}", "speakers: [user, assistant]", "---"]
    for message in listed:
        body = _HEADING.sub(r"\\\1", message["text"].strip()).splitlines() or [""]
        said = ["", f"**{message['role']}** ({message['id']}): {body[0]}", *body[1:]]
        for number in range(len(lines) + 2, len(lines) + len(said) + 1):
            made.lines[org, path, number] = message["id"]
        lines += said
    return "\n".join([*lines, ""])


SETS: dict[str, Callable[[Path], Set]] = {
    "locomo": locomo,
    "hotpotqa": paragraphs,
    "2wiki": paragraphs,
    "musique": paragraphs,
    "beam100k": beam,
}
