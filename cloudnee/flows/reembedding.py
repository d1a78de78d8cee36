"""The vectors of the whole file made anew by another model."""

from __future__ import annotations

from collections.abc import Callable

from cloudnee.embed import Embedder
from cloudnee.errors import Conflict
from cloudnee.flows.caller import Caller
from cloudnee.store.mending import Mending

__all__ = ["reembed"]

_AT_ONCE = 256
_TRIES = 5


def reembed(
    caller: Caller, embedder: Embedder, progress: Callable[[int, int], None] | None = None
) -> int:
    """Embed every stated text of every org anew, then change all vectors in one transaction.

    Until then, and where it fails, the old ones serve. Gives how many texts there were.
    """
    caller.owner_only("change the embedding model")
    mending = Mending(caller.store)
    engine = caller.engine.with_embedder(embedder)
    vectors: dict[str, bytes | None] = {}
    lacking = {text for _, _, _, text, _ in mending.every_text()}
    for _ in range(_TRIES):
        listed = sorted(lacking)
        for start in range(0, len(listed), _AT_ONCE):
            part = listed[start : start + _AT_ONCE]
            vectors.update(zip(part, engine.embedded(part), strict=True))
            if progress is not None:
                progress(min(start + _AT_ONCE, len(listed)), len(listed))
        with caller.store.writing():
            lacking = mending.replace_vectors(embedder.model, embedder.dimensions, vectors)
        if not lacking:
            caller.engine.use_embedder(embedder)
            return len(vectors)
    raise Conflict("others wrote all the while: try again when they are done")
