"""What docs/strands.md shows runs, and prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("strands")

PAGE = (Path(__file__).parents[2] / "docs/strands.md").read_text("utf-8")


def test_the_example_prints_what_the_page_says(tmp_path: Path) -> None:
    """The Python block as it stands, in an empty folder, with the packaged model."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (told,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    now = time.gmtime()
    shown = told.replace("2026-12-01", time.strftime("%Y-%m-%d", now))
    shown = shown.replace("2026-12.md", time.strftime("%Y-%m.md", now))
    assert done.stdout.startswith(shown), done.stderr


def test_the_table_names_all_arguments() -> None:
    """Each argument of the store stands on the page."""
    from cloudnee.strands import CloudneeMemoryStore

    names = CloudneeMemoryStore.__init__.__annotations__.keys()
    for name in names - {"return", "options", "name", "description", "max_search_results"}:
        assert f"`{name}" in PAGE, name
