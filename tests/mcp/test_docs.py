"""docs/mcp.md and the README: settings that clients can read, and every tool named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cloudnee.doors.cli_parse import asked
from cloudnee.doors.mcp_tools import TOOLS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs/mcp.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_are_json_and_start_the_server(page: Path) -> None:
    """Each block is JSON, and its arguments are ones that the command takes."""
    blocks = re.findall(r"```json\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        (servers,) = json.loads(block).values()
        one = servers["cloudnee"]
        assert one["command"] == "cloudnee"
        assert asked(one["args"]).args.db == "/path/to/desk.db"


def test_every_tool_is_documented() -> None:
    """By its name, in the table."""
    text = PAGES[1].read_text("utf-8")
    for name in TOOLS:
        assert f"`{name}`" in text
