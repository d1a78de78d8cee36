"""The command as a process: what it loads, what it prints where, how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cloudnee import Memory
from cloudnee.doors.cli import main
from tests.cli.conftest import Cli

ROOT = Path(__file__).parents[2]
RUN = "import sys; from cloudnee.doors.cli import main; sys.exit(main())"
HEAVY = {
    "fastembed", "markdown_it", "networkx", "numpy", "onnxruntime", "phonenumbers", "pydantic",
    "rich", "sqlite_vec", "tokenizers", "watchfiles", "yaml",
}  # fmt: skip


def run(
    folder: Path, *words: str, python: tuple[str, ...] = (), **env: str
) -> subprocess.CompletedProcess[bytes]:
    """One process of the command in a folder."""
    return subprocess.run(
        [sys.executable, *python, "-c", RUN, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [("current", "9123 4567"), ("history", "Mrs Tan"), ("pages",), ("aliases", "x")],
    ids=lambda words: words[0],
)
def test_a_quick_verb_loads_nothing_heavy(remembered: Path, words: tuple[str, ...]) -> None:
    """A caller's name stands there before a model or a table library could be loaded."""
    done = run(remembered, *words, python=("-X", "importtime"))
    told = done.stderr.decode().splitlines()
    loaded = {line.split("|")[-1].strip().split(".")[0] for line in told}
    assert "apsw" in loaded
    assert loaded & HEAVY == set()


def test_help_and_mistakes_open_nothing(tmp_path: Path) -> None:
    """--help, --version and a usage error leave no file behind."""
    assert run(tmp_path, "--help").stdout.startswith(b"usage: cloudnee VERB")
    assert run(tmp_path, "remember", "--help").returncode == 0
    assert run(tmp_path, "nonsense").returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_output_is_utf8_under_any_locale(remembered: Path, locale: str) -> None:
    """A cron job without a locale prints names in their own script."""
    plain = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run(remembered, "current", "陈太太", **plain)
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.decode("utf-8") == "nothing is known about 陈太太\n"
    done = run(remembered, "current", "9123 4567", **plain)
    assert "Mrs Tan · +65 9123 4567" in done.stdout.decode("utf-8")


def test_a_reader_that_went_away_ends_it_quietly(remembered: Path) -> None:
    """`cloudnee recent | head -1` prints no traceback."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-c", RUN, "recent"],
            cwd=remembered,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, b"")


def test_an_interrupt_ends_it_quietly(desk: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is exit code 130 and no traceback."""

    def interrupted(self: Memory, who: str, **_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "read_current", interrupted)
    ran = desk("current", "Mrs Tan")
    assert (ran.code, ran.out, ran.err) == (130, "", "")


def test_main_takes_its_words_or_those_of_the_process(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The console script calls `main()`; a program may call it with a list."""
    monkeypatch.setattr(sys, "argv", ["cloudnee", "--version"])
    assert main() == main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("cloudnee 0.")
