"""Pages whose every line holds one number: a mixture of two versions shows at once."""

from __future__ import annotations

import re
from pathlib import Path

import apsw

from cloudnee import Memory
from tests.engine.conftest import WordEmbedder

__all__ = ["ORG", "RATED", "OtherEmbedder", "mixtures", "opened", "page", "version"]

ORG = "coolair"
RATED = "services/rated.md"  # the page whose fact is rated; it is never edited
FACTS = 3  # that each page states


class OtherEmbedder(WordEmbedder):
    """Another model, for `reembed` to go to and back from."""

    model = "bag-of-words-32"
    dimensions = 32


MODELS = {kind.model: kind for kind in (WordEmbedder, OtherEmbedder)}


def page(path: str, number: int) -> str:
    """The page at a path in the version of this number."""
    return (
        f"# {_subject(path)}\n\n- Town: Town {number}\n- Quoted price: {number}\n"
        f"- Likes: number {number}\n"
    )


def version(text: str) -> int | None:
    """The number that a page's text holds, None of no text. Raises `ValueError` of a mixture."""
    numbers = {int(n) for n in re.findall(r"^- .*?(\d+)$", text, re.MULTILINE)}
    if not text:
        return None
    if len(numbers) != 1 or text.count("\n- ") != FACTS:
        raise ValueError(f"not one whole version: {text!r}")
    return numbers.pop()


def _subject(path: str) -> str:
    words = re.sub(r"\W+", " ", path.removesuffix(".md"))
    return f"Customer {words}"


def mixtures(memory: Memory, path: str) -> list[str]:
    """What is not whole of the facts of a page: they are all of one version, or none is there."""
    edges = memory.read_current(_subject(path)).edges
    told = {edge.quote.split()[-1] for edge in edges}
    if edges and (len(edges) != FACTS or len(told) != 1):
        return [f"{path}: facts of half a page: {[edge.quote for edge in edges]}"]
    return []


def fact_version(memory: Memory, path: str) -> int | None:
    """The version that the current facts of a page tell."""
    edges = memory.read_current(_subject(path)).edges
    return int(edges[0].quote.split()[-1]) if edges else None


def opened(file: Path) -> Memory:
    """The memory in a file, with the model that made its vectors."""
    return Memory.open(file, org=ORG, embedder=MODELS[_model(file)](), region="SG")


def _model(file: Path) -> str:
    if not file.exists() or not file.stat().st_size:
        return WordEmbedder.model
    connection = apsw.Connection(str(file))
    connection.set_busy_timeout(30_000)
    try:
        held = connection.execute("SELECT value FROM meta WHERE key = 'model'").fetchall()
    except apsw.SQLError:
        return WordEmbedder.model  # killed before the schema was made
    finally:
        connection.close()
    return str(held[0][0]) if held else WordEmbedder.model
