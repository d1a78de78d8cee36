"""`cloudnee serve` and `cloudnee key` as processes: stopping, being woken, keys."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cloudnee import Memory
from cloudnee.doors.http_serve import duration
from cloudnee.errors import BadInput
from tests.http.conftest import TAN, WASH, Client, until

ROOT = Path(__file__).parents[2]
RUN = "import sys; from cloudnee.doors.cli import main; sys.exit(main())"
# hands the listening socket over as systemd does: as file 3, with its process id
WOKEN = f"import os; os.environ['LISTEN_PID'] = str(os.getpid()); {RUN}"

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts `cloudnee WORD...` in an empty folder; what still runs at the end is killed."""
    held: list[subprocess.Popen[str]] = []
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CLOUDNEE_", "LISTEN_"))}

    def started(*words: str, run: str = RUN, env: dict[str, str] | None = None, **more: Any):  # type: ignore[no-untyped-def]
        process = subprocess.Popen(
            [sys.executable, "-c", run, *words],
            cwd=tmp_path,
            env={**kept, "PYTHONPATH": str(ROOT), **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )
        held.append(process)
        return process

    yield started
    for process in held:
        process.kill()
        process.communicate()


def address(process: subprocess.Popen[str]) -> str:
    """Where a server says it is; what it logs afterwards is read and let go."""
    assert process.stderr is not None
    found = process.stderr.readline().split()[1].removesuffix("/brain")
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return found


def test_stopping_loses_no_request(start: Start, tmp_path: Path) -> None:
    """What was asked before the signal is answered and on disk; the exit code is 0."""
    server = start("serve", "--audience", "owner", "--port", "0")
    client = Client(address(server))
    until(lambda: client.get("/health").status == 200, 30)
    answers: list[int] = []
    text = WASH + "".join(f"- Covers: [[part {n}]]\n" for n in range(25))

    def write(number: int) -> None:
        answers.append(client.post("/v1/remember", path=f"{number}.md", markdown=text).status)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    until(lambda: answers, 60)
    server.send_signal(signal.SIGTERM)
    for thread in threads:
        thread.join()
    assert server.wait(60) == 0
    assert answers == [200] * 8
    with Memory.open(tmp_path / "cloudnee.db", org="default", create=False) as memory:
        assert [page.status for page in memory.pages()] == ["written"] * 8
        assert memory.check() == []


def test_it_ends_when_nobody_asks(start: Start) -> None:
    """--exit-when-idle: by itself, with exit code 0, and not while someone asks."""
    server = start("serve", "--port", "0", "--exit-when-idle", "1s")
    client = Client(address(server))
    for _ in range(5):
        threading.Event().wait(0.4)
        assert client.get("/v1/pages").status == 200
    assert server.wait(30) == 0


def test_a_socket_is_taken_over(start: Start) -> None:
    """systemd listens, the first request starts the server, and the request is answered."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        answers: list[int] = []
        client = Client(f"http://127.0.0.1:{port}")
        early = threading.Thread(target=lambda: answers.append(client.get("/v1/pages").status))
        early.start()  # before anything runs

        def as_third() -> None:
            os.dup2(listener.fileno(), 3)

        server = start(
            "serve", "--exit-when-idle", "1s",
            run=WOKEN, env={"LISTEN_FDS": "1"}, preexec_fn=as_third, close_fds=False,
        )  # fmt: skip
        assert str(port) in address(server)
        early.join()
        assert answers == [200]
        assert server.wait(30) == 0
        again = start(
            "serve", "--exit-when-idle", "1s",
            run=WOKEN, env={"LISTEN_FDS": "1"}, preexec_fn=as_third, close_fds=False,
        )  # fmt: skip
        assert client.get("/v1/pages").status == 200  # asked while nothing ran, served by the next
        assert again.wait(30) == 0


def test_answers_do_not_wait_for_each_other_s_acknowledgement(start: Start) -> None:
    """On a kept connection a small answer takes far less than the 40 ms of a delayed one."""
    link = http.client.HTTPConnection(address(start("serve", "--port", "0"))[7:])
    times = []
    for _ in range(30):
        began = time.perf_counter()
        link.request("GET", "/v1/recent")
        link.getresponse().read()
        times.append(time.perf_counter() - began)
    link.close()
    assert min(times) < 0.03


def done(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a command that ends."""
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_keys_from_making_to_revoking(start: Start) -> None:
    """`create` prints the key alone on one line; `list` shows none; `revoke` ends one."""
    made = done(start("key", "create", "--org", "coolair", "--audience", "owner", "--label", "me"))
    key = made[1].strip()
    assert made == (0, f"{key}\n", "")
    assert key.startswith("cn_")
    assert len(key) > 40
    read_only = ("--audience", "public", "--label", "website", "--read-only")
    assert done(start("key", "create", *read_only))[0] == 0
    code, listed, _ = done(start("key", "list"))
    assert code == 0
    assert "website" in listed
    assert key not in listed
    server = start("serve", "--port", "0")
    where = address(server)
    assert Client(where, key).post("/v1/remember", path="a.md", markdown=TAN).status == 200
    assert done(start("key", "revoke", "1"))[0] == 0
    assert Client(where, key).get("/v1/pages").status == 401
    assert done(start("key", "revoke", "1"))[0] == 1


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("key", "create", "--label", "x"), 2, "--audience"),
        (("key", "create", "--audience", "owner"), 2, "--label"),
        (("key", "create", "--audience", "nobody", "--label", "x"), 1, "unknown audience"),
        (("key", "revoke"), 2, "number"),
        (("key", "list"), 1, "no database"),
        (("serve", "--host", "0.0.0.0", "--port", "0"), 1, "key create"),
        (("serve", "--audience", "nobody"), 1, "unknown audience"),
        (("serve", "--exit-when-idle", "soon"), 1, "30s, 10m and 1h"),
        (("serve", "--port", "99999"), 2, "--port"),
        (("serve", "--rate", "-1"), 2, "--rate"),
    ],
)
def test_what_is_refused_is_named(
    start: Start, words: tuple[str, ...], code: int, told: str
) -> None:
    """Before anything listens, with the way out."""
    ended, _, err = done(start(*words))
    assert ended == code
    assert told in err


def test_a_port_that_is_taken(start: Start) -> None:
    """The message names it and --port."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, _, err = done(start("serve", "--port", port))
    assert code == 1
    assert f"port {port}" in err
    assert "--port" in err


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("30s", 30), ("10m", 600), ("1h", 3600), ("1.5m", 90)]
)
def test_lengths_of_time(text: str, seconds: float) -> None:
    """Seconds, minutes and hours."""
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1s", "m", "10d", "1m30s"])
def test_what_is_no_length_of_time(text: str) -> None:
    """Is refused with what would be one."""
    with pytest.raises(BadInput, match="30s, 10m and 1h"):
        duration(text)
