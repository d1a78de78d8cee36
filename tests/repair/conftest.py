"""A memory to break and mend."""

from __future__ import annotations

from tests.engine.conftest import Clock, WordEmbedder, clock, embedder, memory, open_memory

__all__ = ["Clock", "WordEmbedder", "clock", "embedder", "memory", "open_memory"]
