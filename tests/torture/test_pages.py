"""A sample of the installed packages' pages; `python -m tests.torture` takes them all."""

from __future__ import annotations

from itertools import islice

from cloudnee import Memory
from tests.engine.conftest import WordEmbedder
from tests.torture.pages import check, documents


def test_real_pages_are_remembered_without_an_error() -> None:
    """Each is written and given back, its spans are its text, and no code became a fact."""
    pages = list(islice(documents(), 0, None, 8))[:40]
    assert len(pages) > 10
    with Memory.open(":memory:", org="docs", embedder=WordEmbedder()) as memory:
        check(memory, pages)
        assert memory.check() == []
