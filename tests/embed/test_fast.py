"""Any other model goes through fastembed, and the two roads to the packaged model agree."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from cloudnee.embed import default_embedder, packaged
from cloudnee.embed.fast import FastEmbedder
from cloudnee.errors import BadInput, EmbeddingFailed

TEXTS = ["who wants mornings?", "Mrs Tan lives in Bedok", "冷气 aircon", "many words " * 60]


def model_folder(folder: Path) -> Path:
    """The packaged model laid out as fastembed reads models."""
    tokenizer = Path(packaged.__file__).with_name("tokenizer.json")
    shutil.copy(tokenizer, folder)
    shutil.copy(packaged.packaged_weights(), folder / "model.onnx")
    special = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
    (folder / "special_tokens_map.json").write_text(json.dumps(special))
    (folder / "tokenizer_config.json").write_text(json.dumps(special | {"model_max_length": 256}))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    return folder


def test_fastembed_gives_the_same_vectors(tmp_path: Path) -> None:
    """The packaged model, run directly, is the one that fastembed would run."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    TextEmbedding.add_custom_model(
        model="tests/minilm",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf="tests/minilm"),
        dim=384,
        model_file="model.onnx",
    )
    other = FastEmbedder("tests/minilm", specific_model_path=str(model_folder(tmp_path)))
    assert other.dimensions == 384
    assert other.embed(TEXTS) == pytest.approx(packaged.PackagedEmbedder().embed(TEXTS), abs=1e-4)
    assert other.embed([]).shape == (0, 384)


def test_a_model_by_name_loads_nothing_yet() -> None:
    """Any fastembed model by name: its dimension is known before its weights are there."""
    embedder = default_embedder("BAAI/bge-small-en-v1.5")
    assert (embedder.model, embedder.dimensions) == ("BAAI/bge-small-en-v1.5", 384)


def test_an_unknown_model_is_refused_by_name() -> None:
    """A misspelt model is an error at once, with where to look."""
    with pytest.raises(BadInput, match=r"no model 'bge-huge'.*list_supported_models"):
        default_embedder("bge-huge")


def test_weights_out_of_reach_are_named(tmp_path: Path) -> None:
    """A model whose files can't be had is an error of this product that names the model."""
    embedder = FastEmbedder("BAAI/bge-small-en-v1.5", specific_model_path=str(tmp_path))
    with pytest.raises(EmbeddingFailed, match=r"BAAI/bge-small-en-v1\.5 cannot be loaded"):
        embedder.embed(["a"])


def test_without_fastembed_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where fastembed is not installed, the message says what to install."""
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(EmbeddingFailed, match=r'pip install "cloudnee\[fastembed\]"'):
        default_embedder("BAAI/bge-small-en-v1.5")
