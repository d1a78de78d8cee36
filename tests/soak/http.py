"""Fifty readers and five writers on one server: no error, and every write readable at once.

`python -m tests.soak.http [SECONDS]` runs a minute, as a process of its own, with the real model.
"""

from __future__ import annotations

import http.client
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

__all__ = ["Load"]

READERS, WRITERS = 50, 5


class Load:
    """The load, and what came of it: times in milliseconds, and what went wrong."""

    def __init__(self, address: str, seconds: float) -> None:
        self.host = address.removeprefix("http://")
        self.end = time.monotonic() + seconds
        self.reads: list[float] = []
        self.writes: list[float] = []
        self.wrong: list[str] = []
        self.written = 0

    def run(self) -> None:
        """All at once, until the time is over."""
        work: list[tuple[Callable[..., None], int]] = [(self._read, n) for n in range(READERS)]
        work += [(self._write, n) for n in range(WRITERS)]
        threads = [threading.Thread(target=self._safely, args=one) for one in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _safely(self, work: Callable[..., None], number: int) -> None:
        link = http.client.HTTPConnection(self.host, timeout=60)
        try:
            work(link, number)
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            self.wrong.append(f"{work.__name__} {number}: {error!r}")
        finally:
            link.close()

    def _asked(
        self, link: http.client.HTTPConnection, times: list[float], path: str, body: object = None
    ) -> Any:
        began = time.perf_counter()
        sent = None if body is None else json.dumps(body)
        head = {"Content-Type": "application/json"}
        link.request("GET" if sent is None else "POST", path, sent, head)
        answer = link.getresponse()
        text = answer.read()
        times.append((time.perf_counter() - began) * 1000)
        if answer.status != 200:
            self.wrong.append(f"{path}: {answer.status} {text[:200]!r}")
        return json.loads(text)

    def _read(self, link: http.client.HTTPConnection, number: int) -> None:
        turn = number
        while time.monotonic() < self.end:
            turn += 1
            paths = (
                f"/v1/current?who=Shop%20{turn % 7}",
                f"/v1/history?who=Shop%20{turn % 5}",
                "/v1/graph?limit=50",
                "/v1/recent?limit=5",
            )
            if turn % 5 == 4:
                self._asked(
                    link, self.reads, "/v1/recall", {"query": f"what does shop {turn} sell"}
                )
            else:
                self._asked(link, self.reads, paths[turn % 5])

    def _write(self, link: http.client.HTTPConnection, number: int) -> None:
        turn = 0
        while time.monotonic() < self.end:
            turn += 1
            name, value = f"Shop {number}-{turn % 4}", f"filter {number} {turn}"
            page = f"# {name}\n\n- Sells: {value}\n"
            path = f"shops/{number}-{turn % 4}.md"
            told = self._asked(link, self.writes, "/v1/remember", {"path": path, "markdown": page})
            who = name.replace(" ", "%20")
            current = self._asked(link, [], f"/v1/current?who={who}")
            said = [edge["targetName"] for edge in current["edges"]]
            if said != [value] or [edge["targetName"] for edge in told["edges"]] != [value]:
                self.wrong.append(f"{path}: wrote {value!r}, read {said}")
            self.written += 1

    def told(self) -> str:
        """The figures on one line."""
        parts = [
            f"{len(times)} {name}, median {statistics.median(times):.0f} ms, "
            f"p99 {statistics.quantiles(times, n=100)[98]:.0f} ms"
            for name, times in (("reads", self.reads), ("writes", self.writes))
        ]
        return f"{'; '.join(parts)}; {self.written} read back; {len(self.wrong)} wrong"


def main() -> int:
    """Start `cloudnee serve` on a new file, load it, stop it, check the file."""
    import subprocess

    from cloudnee import Memory

    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    with TemporaryDirectory() as folder:
        file = str(Path(folder) / "desk.db")
        run = "import sys; from cloudnee.doors.cli import main; sys.exit(main())"
        words = ["serve", "--db", file, "--audience", "owner", "--port", "0"]
        server = subprocess.Popen(
            [sys.executable, "-c", run, *words], stderr=subprocess.PIPE, text=True
        )
        assert server.stderr is not None
        address = server.stderr.readline().split()[1].removesuffix("/brain")
        drain = threading.Thread(target=server.stderr.read)
        drain.start()
        load = Load(address, seconds)
        load.run()
        server.terminate()
        code = server.wait(60)
        drain.join()
        with Memory.open(file, org="default", create=False) as memory:
            faults = memory.check()
    print(f"{load.told()}; exit {code}; {len(faults)} faults in the file")
    for line in [*load.wrong[:10], *map(str, faults[:10])]:
        print(line)
    return 1 if load.wrong or faults or code else 0


if __name__ == "__main__":
    sys.exit(main())
