"""What clients are known to refuse is not in what the server lists."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.conftest import ROOT, RUN

BANNED = {
    "anyOf", "oneOf", "allOf", "not", "if", "$ref", "$defs", "definitions", "additionalProperties",
    "patternProperties", "const", "default", "format", "examples", "nullable", "prefixItems",
}  # fmt: skip
KNOWN = {"type", "description", "properties", "required", "items", "enum", "minimum", "maximum"}


def exchange(folder: Path, *requests: tuple[str, Any], words: tuple[str, ...] = ()) -> list[Any]:
    """What a server process answers to these requests, as it stands on the wire."""
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *({"jsonrpc": "2.0", "id": n, "method": method, "params": params}
          for n, (method, params) in enumerate(requests, 1)),
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, "mcp", *words],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process:
        process.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        process.stdin.flush()
        found = [json.loads(process.stdout.readline()) for _ in range(len(requests) + 1)]
        process.stdin.close()
        assert process.stdout.read() == b""
        process.stderr.read()
    assert process.returncode == 0
    return [one["result"] for one in sorted(found, key=lambda one: one["id"])]


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """`tools/list` as it stands on the wire."""
    folder = tmp_path_factory.mktemp("clients")
    tools: list[dict[str, Any]] = exchange(folder, ("tools/list", {}))[1]["tools"]
    return tools


def parts(value: Any) -> Iterator[Any]:
    """Everything within a JSON value, itself included."""
    yield value
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from parts(inner)


def schemas(tool: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema of a tool, outermost first."""
    waiting = [tool["inputSchema"], tool["outputSchema"]]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.get("properties", {}).values()
        waiting += [one["items"]] if "items" in one else []


def test_no_schema_holds_what_a_client_refuses(listed: list[dict[str, Any]]) -> None:
    """Gemini and older clients: no unions, references, defaults; every array has its items."""
    for tool in listed:
        for schema in schemas(tool):
            assert set(schema) <= KNOWN, tool["name"]
            assert not set(schema) & BANNED
            assert isinstance(schema["type"], str)
            assert schema["type"] != "null"
            assert schema["type"] != "array" or "items" in schema
            assert schema["type"] != "object" or schema["properties"]
            assert set(schema.get("required", ())) <= set(schema.get("properties", ()))
            assert all(isinstance(one, str) for one in schema.get("enum", ()))


def test_nothing_listed_is_null(listed: list[dict[str, Any]]) -> None:
    """A field without a value is not sent."""
    assert [one for one in parts(listed) if one is None] == []


def test_names_and_descriptions_are_of_a_form_that_every_client_takes(
    listed: list[dict[str, Any]],
) -> None:
    """Claude: 64 of [A-Za-z0-9_-]; Cursor: 60 with the server's name; OpenAI: 1024 to describe."""
    for tool in listed:
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"])
        assert len(f"cloudnee:{tool['name']}") <= 60
        assert 40 <= len(tool["description"]) <= 1024
        assert "Call this" in tool["description"]
        for schema in schemas(tool):
            assert all(
                re.fullmatch(r"[A-Za-z0-9_]{1,64}", key) for key in schema.get("properties", ())
            )
    assert len(listed) == 12
    assert len({tool["name"] for tool in listed}) == 12


def test_every_argument_says_what_it_is(listed: list[dict[str, Any]]) -> None:
    """No argument, and no field of an answer, is without a description."""
    for tool in listed:
        for schema in schemas(tool):
            for key, inner in schema.get("properties", {}).items():
                assert inner.get("description"), (tool["name"], key)


def test_hints_say_what_a_tool_does(listed: list[dict[str, Any]]) -> None:
    """A client may run what only reads by itself, and asks before what destroys."""
    hints = {tool["name"]: tool["annotations"] for tool in listed}
    readers = {name for name, hint in hints.items() if hint["readOnlyHint"]}
    assert readers == {
        "read_current", "recall", "history", "list_recent", "list_pages", "read_page",
        "search_pages",
    }  # fmt: skip
    assert {n for n, hint in hints.items() if hint["destructiveHint"]} == {"forget", "remember"}
    assert not any(hint["openWorldHint"] for hint in hints.values())
    assert all(hint["title"] for hint in hints.values())


def test_resources_and_prompts_hold_no_null_either(tmp_path: Path) -> None:
    """The other lists, and answers, as they stand on the wire."""
    page = {"path": "a.md", "text": "# Ann\n\n- Lives in: Bedok\n"}
    told = exchange(
        tmp_path,
        ("tools/call", {"name": "remember", "arguments": page}),
    )
    told += exchange(
        tmp_path,
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("prompts/list", {}),
        ("resources/read", {"uri": "cloudnee://page/a.md"}),
        ("prompts/get", {"name": "what_do_we_know_about", "arguments": {"who": "Ann"}}),
        ("tools/call", {"name": "read_current", "arguments": {"who": "Ann"}}),
    )
    assert [one for one in parts(told) if one is None] == []
    assert "lives in Bedok" in json.dumps(told)
