"""Exports that were damaged on their way, or made to do harm."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cloudnee import Memory, errors
from tests.engine.conftest import WordEmbedder

ODD: list[Any] = [None, -1, 10**30, "x", [], {}, "a\ud800", 1.5, True, "../x", 2**63 - 1]


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small export with a line of every kind."""
    folder = tmp_path_factory.mktemp("export")
    with Memory.open(folder / "a.db", org="o", embedder=WordEmbedder()) as memory:
        for n in range(3):
            phone = f"- Phone: +65 9123 456{n}\n"
            memory.remember(f"{n}.md", f"# Mrs Tan {n}\n\n{phone}- Quoted price: {n}\n")
        memory.improve([memory.recent(1)[0].id], 5)
        memory.teach_alias("hvac", "aircon")
        memory.accept_merge("Mrs Tan 0", "Mrs Tan 1")
        memory.forget(path="2.md")
        memory.export(folder / "export.zip")
    return folder / "export.zip"


def spoilt_bytes(file: Path, chance: random.Random) -> bytes:
    held = bytearray(file.read_bytes())
    for _ in range(chance.randint(1, 3)):
        held[chance.randrange(len(held))] = chance.randrange(256)
    return bytes(held)


def odd(value: Any, chance: random.Random) -> Any:
    """A value with one part, at any depth, gone or of another kind."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        rest = {k: v for k, v in value.items() if k != key}
        return rest if chance.random() < 0.25 else {**rest, key: odd(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], odd(value[at], chance), *value[at + 1 :]]
    return chance.choice(ODD)


def odd_lines(file: Path, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """The files of an export, one of them with one odd line."""
    with zipfile.ZipFile(file) as held:
        files = {name: held.read(name) for name in held.namelist()}
    name = chance.choice([n for n in files if ".json" in n and files[n].strip()])
    lines = files[name].decode().splitlines() if name.endswith("l") else [files[name].decode()]
    at = chance.randrange(len(lines))
    lines[at] = json.dumps(odd(json.loads(lines[at]), chance))
    yield from {**files, name: "\n".join(lines).encode()}.items()


@pytest.mark.parametrize("seed", range(2))
def test_a_damaged_export_is_refused_or_taken_clean(
    export: Path, tmp_path: Path, seed: int
) -> None:
    """Wrong bytes and odd lines end in our error or a named line, never in a file with a fault."""
    chance = random.Random(seed)
    for n in range(25):
        file = tmp_path / "spoilt.zip"
        if chance.random() < 0.4:
            file.write_bytes(spoilt_bytes(export, chance))
        else:
            with zipfile.ZipFile(file, "w") as made:
                for name, data in odd_lines(export, chance):
                    made.writestr(name, data)
        with Memory.open(tmp_path / f"{n}.db", org="o", embedder=WordEmbedder()) as memory:
            with suppress(errors.CloudneeError):
                memory.import_(file)
            assert memory.check() == []


def test_a_bomb_is_refused_unopened(export: Path, tmp_path: Path) -> None:
    """A small archive that would become 60 MB of one letter is named, and nothing is read of it."""
    file = tmp_path / "bomb.zip"
    with zipfile.ZipFile(export) as held, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name in held.namelist():
            if name != "vectors.jsonl":
                made.writestr(name, held.read(name))
        made.writestr("vectors.jsonl", b"a" * 60_000_000)
    assert file.stat().st_size < 1_000_000
    with (
        Memory.open(tmp_path / "b.db", org="o", embedder=WordEmbedder()) as memory,
        pytest.raises(errors.BadInput, match=r"vectors\.jsonl: 60,000,000 bytes"),
    ):
        memory.import_(file)
