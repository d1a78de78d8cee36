"""Page paths: one spelling each, none that leads out."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudnee.errors import BadPath
from cloudnee.pages.path import canonical_path


@pytest.mark.parametrize(
    "path",
    [
        "", " ", "/a", "a/", "a//b", "./a", "a/./b", "../a", "a/../b", "C:/x", "c:x", "a\\b",
        "a\0b", "a\nb", "\ud800", "x" * 1025, ".", "..", "customers\\x", "é" * 600,
    ],
)  # fmt: skip
def test_paths_that_are_refused(path: str) -> None:
    """The error shows the path and the way out."""
    with pytest.raises(BadPath, match="path"):
        canonical_path(path)


@pytest.mark.parametrize("path", ["a.md", "customers/6591234567.md", "客户/陈太太.md", "a b/c.d/e"])
def test_paths_that_are_taken(path: str) -> None:
    """A relative path with forward slashes stays as it is."""
    assert canonical_path(path) == path


@settings(deadline=None)
@given(st.text(max_size=60))
def test_canonical_is_canonical(path: str) -> None:
    """What comes out is in NFC, goes in again unchanged, and has no part that leads out."""
    try:
        found = canonical_path(path)
    except BadPath:
        return
    assert found == canonical_path(found) == unicodedata.normalize("NFC", path)
    assert not {"", ".", ".."} & set(found.split("/"))
