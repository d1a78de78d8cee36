"""What an embedder is, and the guard that every vector passes before it is stored or compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from cloudnee.errors import BadInput, BadVector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PACKAGED_MODEL", "Embedder", "checked", "listed", "readable"]

PACKAGED_MODEL = "all-MiniLM-L6-v2-int8"


class Embedder(Protocol):
    """Turns texts into vectors.

    `model` names what made them: vectors of two models can't be compared, so a store records it.
    An embedder may also have `readable(texts) -> list[bool]`, false for a text in a script that
    its model does not know: such a text gets no vector, for all of them would look alike. And it
    may have `unrelated`, a distance from which on two texts have nothing to do with each other: a
    question with nothing nearer, and no word or name in common with any fact, has no hits.
    """

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, in their order: shape (n, dimensions), each row of length 1."""


def readable(embedder: Embedder, texts: Sequence[str]) -> list[bool]:
    """Which of the texts the embedder's model can read; all of them, where it does not say."""
    judge = getattr(embedder, "readable", None)
    return [True] * len(texts) if judge is None else [bool(known) for known in judge(texts)]


def listed(texts: Sequence[str]) -> list[str]:
    """The texts as a list; a lone string, which is a sequence of letters, is refused."""
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise BadInput(f"an embedder takes a list of strings, not {type(texts).__name__}")
    return list(texts)


def checked(vectors: Any, n: int, dimensions: int) -> NDArray[np.float32]:
    """The vectors as a float32 array of shape (n, dimensions) with rows of length 1.

    Raises `BadVector` for another shape and for a zero or non-finite row: an index would take
    both without a word and rank them first.
    """
    import numpy as np

    try:
        array = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise BadVector(f"an embedder must give numbers of shape ({n}, {dimensions})") from error
    if array.shape != (n, dimensions):
        raise BadVector(
            f"an embedder gave vectors of shape {array.shape}; ({n}, {dimensions}) was due"
        )
    lengths = np.linalg.norm(array.astype(np.float64), axis=1, keepdims=True)
    wrong = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))
    if wrong.size:
        raise BadVector(f"an embedder gave a zero or non-finite vector for text {wrong[0] + 1}")
    return np.asarray(array / lengths, dtype=np.float32)
