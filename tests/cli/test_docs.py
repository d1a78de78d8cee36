"""README and docs/command-line.md: generated where they can be, run where they show output.

`python -m tests.cli.test_docs` renews both; read what changed before it is kept.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cloudnee import errors
from cloudnee.doors.cli_help import errors_markdown, markdown
from cloudnee.doors.cli_spec import GLOBALS, VERBS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "command-line.md"
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCORE = re.compile(r"-?\d\.\d{3}")
INSTALLS = ("pip ", "make ", "git ")
ID = re.compile(r"\b(?=[a-z]*[2-7])[a-z2-7]{16}(\.\d+)?\b")


def blocks(file: Path, kind: str) -> list[str]:
    """The fenced blocks of one language."""
    return [text for language, text in BLOCK.findall(file.read_text("utf-8")) if language == kind]


def commands(block: str) -> Iterator[tuple[str, str]]:
    """(command, output) of a console block; a command goes on over lines that begin with "> "."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        last = next((at for at, line in enumerate(lines[1:], 1) if line[:2] != "> "), len(lines))
        command = "\n".join([lines[0], *(line[2:] for line in lines[1:last])])
        yield command, "\n".join(lines[last:]).strip()


def levelled(text: str) -> str:
    """Text without what differs from machine to machine: scores, ids, space at line ends."""
    text = ID.sub("ID", SCORE.sub("0.000", text))
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def environment(tools: Path) -> dict[str, str]:
    """An environment in which `cloudnee` and `python` are this source tree's."""
    tools.mkdir()
    run = "import sys; from cloudnee.doors.cli import main; sys.exit(main())"
    for name, line in (("cloudnee", f"-c '{run}' \"$@\""), ("python", '"$@"')):
        (tools / name).write_text(f"#!/bin/sh\nexec {sys.executable} {line}\n", "utf-8")
        (tools / name).chmod(0o755)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("CLOUDNEE_")}
    return {**kept, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """The environment in which the examples run."""
    return environment(tmp_path / "tools")


def done(command: str, folder: Path, env: dict[str, str]) -> str:
    """What a command prints, errors included."""
    ran = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return ran.stdout.decode()


@pytest.mark.parametrize("file", [README, DOCS], ids=lambda file: file.name)
def test_examples_print_what_the_page_says(
    file: Path, tmp_path: Path, shell: dict[str, str]
) -> None:
    """Every `console` block, from the top of the page to its end, in one empty folder."""
    folder = tmp_path / "desk"
    folder.mkdir()
    for block in blocks(file, "console"):
        for command, told in commands(block):
            if not command.startswith(INSTALLS):
                assert levelled(done(command, folder, shell)) == levelled(told), command


def test_python_in_the_readme_runs(tmp_path: Path, shell: dict[str, str]) -> None:
    """Each Python block is a whole program; what its comments promise is what it prints."""
    for code in blocks(README, "python"):
        told = re.findall(r"print\(.*\)  # (.+)$", code, flags=re.MULTILINE)
        (tmp_path / "example.py").write_text(code, "utf-8")
        printed = done("python example.py", tmp_path, shell)
        assert levelled(printed) == levelled("\n".join(told))


def test_the_help_in_the_docs_is_the_help() -> None:
    """What `--help` prints, and the tree of errors, stand in the docs word for word."""
    assert markdown() in DOCS.read_text("utf-8")
    assert errors_markdown() in DOCS.read_text("utf-8")


def test_every_verb_option_exit_code_and_error_is_documented() -> None:
    """Nothing can be typed or met that the docs do not name."""
    text = DOCS.read_text("utf-8")
    for argument in [*GLOBALS, *(one for verb in VERBS for one in verb.arguments)]:
        for shown in argument.flags if argument.is_option else [argument.options["metavar"]]:
            assert shown in text
    for name in (*(f"## {verb.name}" for verb in VERBS), *errors.__all__, "130", "141"):
        assert name in text
    for variable in ("CLOUDNEE_DB", "CLOUDNEE_ORG"):
        assert variable in text


def renew() -> None:
    """Put today's help and today's output into the two pages."""
    text = DOCS.read_text("utf-8")
    for part, made in (("help", markdown()), ("errors", errors_markdown())):
        begin, end = f"<!-- {part}: generated -->\n", f"<!-- end of {part} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{made}\n{end}{rest.partition(end)[2]}"
    DOCS.write_text(text, "utf-8")
    for file in (README, DOCS):
        with TemporaryDirectory() as folder:
            desk = Path(folder) / "desk"
            desk.mkdir()
            env = environment(Path(folder) / "tools")
            file.write_text(rerun(file.read_text("utf-8"), desk, env), "utf-8")


def rerun(text: str, folder: Path, env: dict[str, str]) -> str:
    """The page with each console block holding what its commands print."""

    def block(found: re.Match[str]) -> str:
        if found[1] != "console":
            return found[0]
        lines = ["```console"]
        for command, told in commands(found[2]):
            shown = told if command.startswith(INSTALLS) else done(command, folder, env).rstrip()
            lines += ["$ " + command.replace("\n", "\n> "), *shown.splitlines()]
        return "\n".join([*lines, "```"])

    return BLOCK.sub(block, text)


if __name__ == "__main__":
    renew()
