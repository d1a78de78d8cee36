"""The pages of installed packages, and what must hold for each when it is remembered."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from cloudnee import Memory, NewPage
from cloudnee.pages.chunks import chunk_spans, passage_spans
from cloudnee.pages.page import parse_page

__all__ = ["check", "documents"]

LONGEST = 200_000  # characters: what is longer is data
_NAMES = ("*.md", "METADATA", "README*", "CHANGELOG*", "*.rst")
_LINK = re.compile(r"https?://")


def documents(folder: Path | None = None) -> Iterator[NewPage]:
    """The readable documents below a folder (else the installed packages), each as a page."""
    root = folder or Path(sysconfig.get_paths()["purelib"])
    found = {file for name in _NAMES for file in root.rglob(name) if file.is_file()}
    for file in sorted(found):
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        if text.strip() and len(text) <= LONGEST:
            path = file.relative_to(root).as_posix()
            yield NewPage(f"docs/{path}" if path.endswith(".md") else f"docs/{path}.md", text)


def check(memory: Memory, pages: list[NewPage]) -> list[tuple[str, int, str, str, str]]:
    """Remember the pages and hold them to their laws; gives the edges that came out.

    Raises `AssertionError` for a page that was not written, whose spans do not give its text back,
    or that gave a fact from code, from a web link or from a checkbox.
    """
    for page, report in zip(pages, memory.remember_many(pages), strict=True):
        assert report.status in ("written", "unchanged"), (page.path, report.reason)
        assert memory.read_page(page.path) == page.text, page.path
        spans = chunk_spans(page.text)
        assert "".join(page.text[span.start : span.end] for span in spans) == page.text, page.path
        parsed = parse_page(page.path, page.text)
        passages = passage_spans(parsed)
        assert all(one.end <= two.start for one, two in pairwise(passages))
    edges = [
        (data["path"], data["line"], source, data["relation"], target)
        for source, target, data in memory.graph().edges(data=True)
    ]
    texts = {page.path: page.text for page in pages}
    for path, line, *rest in edges:
        written = re.split(r"\r\n?|\n", texts[path])[line - 1].strip()
        assert not written.startswith(("```", "~~~", "- [ ]", "- [x]", "* [ ]")), (path, line, rest)
        assert not _LINK.match(written.lstrip("-*+ ")), (path, line, rest)
    return edges
