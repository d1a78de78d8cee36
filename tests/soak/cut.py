"""A power cut, played: the write-ahead log cut off or spoilt at every frame.

Whatever is left of the log, the file must be as it was after one of the writes, whole: what SQLite
promises, shown of what cloudnee puts into one transaction.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import apsw

from cloudnee import Memory
from cloudnee.errors import CloudneeError
from tests.soak.pages import RATED, OtherEmbedder, opened, page

__all__ = ["Cut", "cut_log"]

HEADER, FRAME = 32, 24  # bytes of the log's header, and of each frame's


@dataclass
class Cut:
    """What the cuts found."""

    frames: int = 0
    cuts: int = 0
    states: int = 0
    losses: list[str] = field(default_factory=list)


def _steps(memory: Memory, folder: Path) -> list[Callable[[], object]]:
    source = folder / "source"
    source.mkdir()
    for n in range(3):
        (source / f"{n}.md").write_text(page(f"in/{n}.md", 5), encoding="utf-8")
    price = memory.read_current("Customer services rated").edges[0].id
    return [
        lambda: memory.remember("desk/1.md", page("desk/1.md", 1)),
        lambda: memory.remember("desk/1.md", page("desk/1.md", 2)),
        lambda: memory.note("asked about unit 3", subject="Mrs Tan"),
        lambda: memory.improve([price], 5, key="a"),
        lambda: memory.apply_feedback(),
        lambda: memory.import_(source, kind="folder", into="in"),
        lambda: memory.forget(path="in/1.md"),
        lambda: memory.reread(),
        lambda: memory.reembed(OtherEmbedder()),
        lambda: memory.forget(path="desk/1.md"),
    ]


def dump(file: Path) -> str:
    """A digest of every row of every table, the indexes' own tables included."""
    connection = apsw.Connection(str(file))
    found = hashlib.sha256()
    listed = (
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    )
    for (name,) in sorted(connection.execute(listed).fetchall()):
        found.update(repr(name).encode())
        for row in connection.execute(f'SELECT * FROM "{name}"'):
            found.update(repr(row).encode())
    connection.close()
    return found.hexdigest()


def cut_log(*, spoil: bool = True) -> Cut:
    """Cut a log of ten writes after each of its frames; to `spoil`, within each frame and with a
    wrong byte in each too.
    """
    found = Cut()
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        file = folder / "desk.db"
        with opened(file) as memory:
            memory.remember(RATED, page(RATED, 160))
        memory = opened(file)  # the last connection's end has moved the log into the file
        memory._store.db.connection.wal_autocheckpoint(0)
        states = [_copied(file, folder)]
        for step in _steps(memory, folder):
            step()
            states.append(_copied(file, folder))
        log, base = Path(f"{file}-wal").read_bytes(), file.read_bytes()
        size = int(str(memory._store.db.connection.pragma("page_size")))
        memory.close()
        _each_cut(folder / "cut.db", base, log, size + FRAME, states, found, spoil)
    return found


def _copied(file: Path, folder: Path) -> str:
    """The digest of the file as it is now, log and all, taken of a copy."""
    copy = folder / "state.db"
    shutil.copy(file, copy)
    if Path(f"{file}-wal").exists():
        shutil.copy(f"{file}-wal", f"{copy}-wal")
    return dump(copy)


def _each_cut(
    file: Path,
    base: bytes,
    log: bytes,
    frame: int,
    states: list[str],
    found: Cut,
    spoil: bool,
) -> None:
    found.frames = (len(log) - HEADER) // frame
    reached: list[int] = []
    for n in range(found.frames + 1):
        at = HEADER + n * frame
        logs = [log[:at]]
        if spoil and n < found.frames:
            logs += [log[: at + frame // 2], _spoilt(log, at + FRAME + 100)]
        seen = {_state(file, base, left, states, found) for left in logs}
        found.cuts += len(logs)
        if n < found.frames and len(seen) > 1:
            found.losses.append(f"frame {n}: cut or spoilt, it is states {sorted(seen)}")
        new = seen - set(reached[-1:])
        reached += sorted(new)
        if new or n == found.frames:  # opened as the product does; other cuts have the same rows
            found.losses += _faults(file, base, log[:at], n)
    found.states = len(set(reached))
    if any(later < earlier for earlier, later in pairwise(reached)):
        found.losses.append(f"a longer log told of less: {reached}")
    if reached[0] != 0 or reached[-1] != len(states) - 1:
        found.losses.append(f"the states reached are {reached}, of {len(states)}")


def _spoilt(log: bytes, at: int) -> bytes:
    return log[:at] + bytes([log[at] ^ 0xFF]) + log[at + 1 :]


def _laid(file: Path, base: bytes, log: bytes) -> None:
    file.write_bytes(base)
    Path(f"{file}-wal").write_bytes(log)
    Path(f"{file}-shm").unlink(missing_ok=True)


def _state(file: Path, base: bytes, log: bytes, states: list[str], found: Cut) -> int:
    _laid(file, base, log)
    digest = dump(file)
    if digest not in states:
        found.losses.append(f"{len(log)} bytes of the log leave rows that no write left")
        return -1
    return len(states) - 1 - states[::-1].index(digest)


def _faults(file: Path, base: bytes, log: bytes, frame: int) -> list[str]:
    _laid(file, base, log)
    try:
        with opened(file) as memory:
            return [f"frame {frame}: {fault}" for fault in memory.check()]
    except CloudneeError as error:
        return [f"frame {frame}: {error}"]
