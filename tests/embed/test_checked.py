"""The guard before the index: only finite rows of length 1 and of the right shape pass."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee.embed import checked, readable
from cloudnee.errors import BadVector

numbers = st.floats(-1e30, 1e30).filter(lambda x: x == 0 or abs(x) > 1e-30)


@given(st.lists(st.lists(numbers, min_size=3, max_size=3), max_size=6))
def test_what_passes_has_length_one(rows: list[list[float]]) -> None:
    """Any finite rows are made unit rows that point the same way; a zero row is refused."""
    array = np.array(rows, np.float64).reshape(len(rows), 3)
    if any(not row.any() for row in array):
        with pytest.raises(BadVector, match="zero or non-finite vector for text"):
            checked(array, len(rows), 3)
        return
    found = checked(array, len(rows), 3)
    assert found.dtype == np.float32
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-5)
    assert (np.sign(found) * np.sign(array) >= 0).all()


@pytest.mark.parametrize("bad", [0.0, math.nan, math.inf, -math.inf])
def test_zero_and_non_finite_rows_are_refused(bad: float) -> None:
    """An index takes such a row without a word and ranks it first; the message says which text."""
    with pytest.raises(BadVector, match="zero or non-finite vector for text 2"):
        checked([[1.0, 0.0], [bad, bad]], 2, 2)


@pytest.mark.parametrize(
    "vectors", [[[1.0, 2.0]], [[1.0, 2.0, 3.0]] * 2, [1.0, 2.0], [], [[[1.0, 2.0]]] * 2]
)
def test_another_shape_is_refused(vectors: list[object]) -> None:
    """Fewer rows than texts, or rows of another length, are named with what was due."""
    with pytest.raises(BadVector, match=r"of shape .*; \(2, 2\) was due"):
        checked(vectors, 2, 2)


@pytest.mark.parametrize("vectors", [["a", "b"], [[1.0], [1.0, 2.0]], None, [[None, 1.0]] * 2])
def test_what_is_no_array_of_numbers_is_refused(vectors: object) -> None:
    """Words, ragged rows and nothing at all end in the same error as a wrong shape."""
    with pytest.raises(BadVector):
        checked(vectors, 2, 2)


class Mute:
    """An embedder that says nothing of scripts."""

    model = "mute"
    dimensions = 2

    def embed(self, texts: object) -> object:
        """Never called here."""
        raise AssertionError(texts)


def test_an_embedder_without_readable_reads_all() -> None:
    """`readable` is optional: a model that does not say is taken to know every script."""
    assert readable(Mute(), ["冷气", "aircon"]) == [True, True]  # type: ignore[arg-type]


def test_importing_the_embedder_loads_nothing() -> None:
    """`import cloudnee.embed` and making the default embedder import no numpy and no runtime."""
    script = (
        "import sys; from cloudnee.embed import default_embedder; default_embedder();"
        "print(sorted({'numpy', 'onnxruntime', 'tokenizers', 'fastembed'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
