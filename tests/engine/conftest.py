"""A memory with a stub embedder and a clock that the test turns."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cloudnee import Memory


class WordEmbedder:
    """A bag of hashed words: texts that share words are near, and the model costs nothing."""

    model = "bag-of-words"
    dimensions = 64

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.extend(texts)
        rows = np.full((len(texts), self.dimensions), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
                row[int.from_bytes(digest) % self.dimensions] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / lengths, np.float32)


class Clock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.at = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def turn(self, **by: float) -> None:
        self.at += timedelta(**by)


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def open_memory(
    tmp_path: Path, embedder: WordEmbedder, clock: Clock
) -> Iterator[Callable[..., Memory]]:
    """Opens memories on one file of this test and closes them at its end."""
    held: list[Memory] = []

    def opened(**options: object) -> Memory:
        given: dict[str, object] = {
            "org": "coolair", "embedder": embedder, "clock": clock, "region": "SG", **options,
        }  # fmt: skip
        memory = Memory.open(tmp_path / "desk.db", **given)  # type: ignore[arg-type]
        held.append(memory)
        return memory

    yield opened
    for memory in held:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    return open_memory()
