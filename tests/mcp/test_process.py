"""The server as a process: what it prints, how fast it is there, and when it ends."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from cloudnee import Memory
from cloudnee.model import NewPage
from tests.engine.conftest import WordEmbedder
from tests.mcp.conftest import ROOT, RUN, TAN, joined, stdio, told

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}  # fmt: skip
EMPTY = """
import asyncio
from mcp.server import Server
from mcp.server.stdio import stdio_server
async def main():
    server = Server("empty")
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
asyncio.run(main())
"""


def started(*code: str, **options: Any) -> subprocess.Popen[bytes]:
    """A server process with pipes."""
    return subprocess.Popen(
        [sys.executable, "-c", *code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def say(process: subprocess.Popen[bytes], message: object) -> None:
    """Send one line."""
    assert process.stdin
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[bytes]) -> Any:
    """The next line that it says."""
    assert process.stdout
    return json.loads(process.stdout.readline())


def greeted(*code: str) -> float:
    """Seconds from the start of a process to its answer to `initialize`."""
    began = time.perf_counter()
    with started(*code) as process:
        say(process, HELLO)
        assert heard(process)["result"]["serverInfo"]["name"]
        took = time.perf_counter() - began
        assert process.stdin
        process.stdin.close()
        process.wait(30)
    return took


def test_the_sdk_s_client_works_over_stdio(tmp_path: Path) -> None:
    """With the packaged model: remember, ask in other words, and find it in a second process."""
    words = ("--db", str(tmp_path / "desk.db"), "--org", "coolair")

    @asynccontextmanager
    async def connect() -> Any:
        async with Client(stdio(*words), mode="legacy") as client:
            yield client

    async def write(client: Client) -> None:
        page = {"path": "customers/tan.md", "text": TAN}
        assert not (await client.call_tool("remember", page)).is_error

    async def read(client: Client) -> None:
        found = await client.call_tool("recall", {"query": "who likes early visits?"})
        assert "Mrs Tan prefers mornings (customers/tan.md:5" in told(found)

    joined(connect, write)
    joined(connect, read)


def test_stdout_carries_the_protocol_and_nothing_else(tmp_path: Path) -> None:
    """With debug logging, a model loaded, a broken line sent: every line is JSON-RPC."""
    with started(RUN, "mcp", "--debug", "--db", str(tmp_path / "desk.db")) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        say(process, HELLO)
        lines = [heard(process)]
        process.stdin.write(b"this is no JSON\n")
        call = {"name": "remember", "arguments": {"path": "tan.md", "text": TAN}}
        ask = {"name": "recall", "arguments": {"query": "early visits"}}
        for n, params in ((2, call), (3, ask)):
            say(process, {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params})
            while (line := heard(process)).get("id") != n:
                lines.append(line)
            lines.append(line)
        process.stdin.close()
        rest, logged = process.stdout.read(), process.stderr.read()
    lines += map(json.loads, rest.splitlines())
    assert all(line["jsonrpc"] == "2.0" for line in lines)
    assert "mornings" in json.dumps(lines)
    assert b"DEBUG" in logged
    assert process.returncode == 0


def test_initialize_is_quick_with_ten_thousand_pages(tmp_path: Path) -> None:
    """Within 0.3 s of what an empty server of the same SDK takes: no model, no page is loaded."""
    file = tmp_path / "desk.db"
    pages = [NewPage(f"stock/{n:05}.md", f"# Part {n}\n\n- Costs: {n}\n") for n in range(10_000)]
    with Memory.open(file, org="coolair", embedder=WordEmbedder()) as memory:
        memory.remember_many(pages)
    ours, empty = [], []
    for _ in range(5):  # in turn, so that a busy moment of the machine meets both
        empty.append(greeted(EMPTY))
        ours.append(greeted(RUN, "mcp", "--db", str(file), "--org", "coolair"))
    assert statistics.median(ours) - statistics.median(empty) < 0.3
    assert min(ours) < 2


def test_no_model_is_loaded_before_a_question_needs_one(tmp_path: Path) -> None:
    """Neither the start nor a lookup imports the model's runtime."""
    code = "import sys; from cloudnee.doors.cli import main; main(['mcp', *sys.argv[1:]]); "
    code += "print('onnxruntime' in sys.modules, 'numpy' in sys.modules, file=sys.stderr)"
    with started(code, "--db", str(tmp_path / "desk.db")) as process:
        assert process.stderr
        say(process, HELLO)
        heard(process)
        call = {"name": "read_current", "arguments": {"who": "91234567"}}
        say(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
        heard(process)
        _, errors = process.communicate()
    assert errors.decode().splitlines()[-1] == "False False"


def test_it_ends_when_its_client_closes_the_pipe(tmp_path: Path) -> None:
    """Exit code 0, without a word."""
    with started(RUN, "mcp", "--db", str(tmp_path / "desk.db")) as process:
        say(process, HELLO)
        heard(process)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, b"")


CLIENT = """
import json, os, subprocess, sys
server = subprocess.Popen([sys.executable, "-c", *sys.argv[2:]],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.argv[1].encode() + b"\\n")
server.stdin.flush()
server.stdout.readline()
print(server.pid, flush=True)
call = {"name": "note", "arguments": {"text": "Prefers: mornings", "subject": "Mrs Tan"}}
while True:
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                                   "params": call}).encode() + b"\\n")
    server.stdin.flush()
    server.stdout.readline()
"""


def test_a_killed_client_leaves_no_server_behind(tmp_path: Path) -> None:
    """Killed again and again in the middle of its calls; each server goes, the file is clean."""
    file = tmp_path / "desk.db"
    Memory.open(file, org="default", embedder=WordEmbedder()).close()
    rounds = int(os.environ.get("CLOUDNEE_KILLS", "5"))
    servers = []
    for _ in range(rounds):
        with started(CLIENT, json.dumps(HELLO), RUN, "mcp", "--db", str(file)) as client:
            assert client.stdout
            servers.append(int(client.stdout.readline()))
            client.send_signal(signal.SIGKILL)
            client.wait()
    gone_by = time.monotonic() + 30
    while any(map(alive, servers)):
        assert time.monotonic() < gone_by, "a server outlived its client"
        os.sched_yield()
    with Memory.open(file, org="default") as memory:
        assert memory.check() == []


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be collected does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--max-chars", "10"), 2, "--max-chars is 2000 or more"),
        (("--audience", "nobody"), 1, "unknown audience 'nobody'"),
        (("--read-only",), 1, "no database at"),
    ],
)
def test_what_cannot_be_served_is_told_on_stderr(
    tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    """Before anything of the protocol is said."""
    with started(RUN, "mcp", "--db", str(tmp_path / "none.db"), *words) as process:
        out, errors = process.communicate(timeout=30)
    assert (process.returncode, out) == (code, b"")
    assert message in errors.decode()
