"""Any model that fastembed knows, by name. Needs the extra `fastembed`."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from cloudnee.embed.base import checked, listed
from cloudnee.errors import BadInput, EmbeddingFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FastEmbedder"]


class FastEmbedder:
    """A fastembed model such as `BAAI/bge-small-en-v1.5`.

    fastembed fetches a model's weights at the first text, once, unless they are on disk already;
    `settings` goes to its `TextEmbedding` (`cache_dir`, `specific_model_path`, `threads` …).
    """

    def __init__(self, model: str, **settings: Any) -> None:
        self.model = model
        self.dimensions = _dimensions(model)
        self._settings = settings
        self._lock = Lock()
        self._loaded: Any = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a text, in their order.

        Raises `EmbeddingFailed` where the model can't be loaded.
        """
        rows = listed(texts)
        vectors = list(self._embedding().embed(rows)) if rows else []
        return checked(vectors or _none(self.dimensions), len(rows), self.dimensions)

    def _embedding(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self.model, self._settings)
            return self._loaded


def _fastembed() -> Any:
    try:
        import fastembed
    except ImportError as error:
        raise EmbeddingFailed(
            "models other than the packaged one need fastembed: "
            'run pip install "cloudnee[fastembed]"'
        ) from error
    return fastembed


def _dimensions(model: str) -> int:
    known = {row["model"]: row["dim"] for row in _fastembed().TextEmbedding.list_supported_models()}
    if model not in known:
        raise BadInput(
            f"fastembed has no model {model!r}: "
            "fastembed.TextEmbedding.list_supported_models() names those it has"
        )
    return int(known[model])


def _load(model: str, settings: dict[str, Any]) -> Any:
    fastembed = _fastembed()
    try:
        return fastembed.TextEmbedding(model_name=model, **settings)
    except _load_faults() as error:
        raise EmbeddingFailed(f"the model {model} cannot be loaded: {error}") from error


def _load_faults() -> tuple[type[Exception], ...]:
    # onnxruntime's errors are siblings of one another, with no class of their own above them.
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    kinds = [kind for kind in vars(state).values() if isinstance(kind, type)]
    own = [kind for kind in kinds if issubclass(kind, Exception)]
    return (OSError, RuntimeError, ValueError, *own)


def _none(dimensions: int) -> NDArray[np.float32]:
    import numpy as np

    return np.empty((0, dimensions), np.float32)
