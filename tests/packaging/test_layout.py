"""The shape of the source, held by reading it: directions of import, names, sizes, bans."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "cloudnee"
FILES = sorted(PACKAGE.rglob("*.py"))
LAYERS = [
    {"model", "errors", "records"},
    {"config"},
    {"pages", "extract", "graph", "embed"},
    {"store"},
    {"memory", "__init__"},  # and the modules at the top that it is written in
    {"doors", "strands"},
]
MEMORY = 4
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))


def part(file: Path) -> str:
    """The part of the product that a file belongs to: a folder or a module at the top."""
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def tree(file: Path) -> ast.Module:
    """The file, parsed."""
    return ast.parse(file.read_text("utf-8"))


def imported(file: Path) -> set[str]:
    """The full names of all modules that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def parts_imported(file: Path) -> set[str]:
    """The parts of the product that a file imports."""
    names = {name.split(".")[1] for name in imported(file) if name.startswith("cloudnee.")}
    return {name for name in names if any(PACKAGE.glob(f"{name}*"))}


@each_file
def test_imports_point_one_way(file: Path) -> None:
    """model, errors <- config <- pages, extract, graph, embed <- store <- memory <- doors."""
    rank = RANK.get(part(file), MEMORY)
    assert {n for n in parts_imported(file) if RANK.get(n, MEMORY) > rank} == set()


@pytest.mark.parametrize("stage", ["pages", "graph"])
def test_pure_stages_know_no_clock_store_or_network(stage: str) -> None:
    """Values in, values out: a stage imports nothing that reads the world."""
    worldly = {"apsw", "http", "os", "random", "socket", "sqlite3", "subprocess", "time", "urllib"}
    for file in (PACKAGE / stage).rglob("*.py"):
        assert {name.split(".")[0] for name in imported(file)} & worldly == set(), file.name


def public(module: ast.Module) -> set[str]:
    """The names of the classes and functions that a module defines for others."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {n.name for n in module.body if isinstance(n, kinds) and not n.name.startswith("_")}


def exported(module: ast.Module) -> list[str] | None:
    """The value of `__all__`, where a module has one."""
    for node in module.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


@each_file
def test_all_is_complete(file: Path) -> None:
    """`__all__` names every public class and function of its module (ruff holds its order)."""
    module = tree(file)
    assert public(module) - set(exported(module) or []) == set()


def test_every_name_exported_by_the_package_is_there() -> None:
    """`from cloudnee import *` works, and gives what the design names."""
    import cloudnee

    assert all(hasattr(cloudnee, name) for name in cloudnee.__all__)
    assert {"Alias", "CloudneeError", "Memory", "NewPage"} <= set(cloudnee.__all__)


@each_file
def test_files_stay_readable(file: Path) -> None:
    """Every module says what it is, and none outgrows a sitting."""
    text = file.read_text("utf-8")
    assert ast.get_docstring(tree(file)) or not text.strip()
    assert len(text.splitlines()) <= 700


def test_hardly_a_file_is_long() -> None:
    """Of all modules, three at most have more than 400 lines."""
    long = [f.name for f in FILES if len(f.read_text("utf-8").splitlines()) > 400]
    assert len(long) <= 3, long


@each_file
def test_functions_stay_readable(file: Path) -> None:
    """No function of the product is longer than a screen, unless it only returns a table."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    functions = [node for node in ast.walk(tree(file)) if isinstance(node, kinds)]
    long = [f for f in functions if (f.end_lineno or 0) - f.lineno > 50]
    assert [f.name for f in long if len(f.body) > 2] == []


def strings(file: Path) -> Iterator[str]:
    """The string constants of a file, docstrings left out."""
    module = tree(file)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        ast.get_docstring(n, clean=False) for n in ast.walk(module) if isinstance(n, documented)
    }
    for node in ast.walk(module):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value not in docs
        ):
            yield node.value


@each_file
def test_sql_stands_in_the_store_only(file: Path) -> None:
    """No other part holds a line of SQL."""
    sql = re.compile(r"\b(SELECT\b.+\bFROM|INSERT INTO|DELETE FROM|UPDATE\b.+\bSET)\b", re.DOTALL)
    if part(file) != "store":
        assert [text for text in strings(file) if sql.search(text)] == []


def everything() -> list[Path]:
    """The files of the project that people wrote."""
    folders = ["cloudnee", "tests", "acceptance", "docs", "ontology", ".ci"]
    kinds = {".md", ".py", ".sql", ".toml", ".txt", ".yaml", ""}
    nested = (file for folder in folders for file in (ROOT / folder).rglob("*"))
    candidates = [*ROOT.iterdir(), *nested]
    return [
        f for f in candidates if f.is_file() and f.suffix in kinds and "__pycache__" not in f.parts
    ]


BANNED = {
    "a path of one machine": r"(?<![\w.])/(work|root|home|Users)/\w",
    "a host of a package registry": r"pypi"
    r"\.org|python"
    r"hosted\.org|registry\.npm"
    r"js|/opt/"
    r"pypi",
    "unfinished work": r"#[^\"']*\b(FIX" r"ME|TO" r"DO)\b|\bNotImplemented" r"Error\b",
    "a test that is left out": r"mark\.(skip|xf" r"ail)|pytest\.(xf" r"ail)",
    "a wait by the clock": r"time\.sl" r"eep",
}


@pytest.mark.parametrize("kind", BANNED)
def test_what_no_file_may_hold(kind: str) -> None:
    """Machine paths, registry hosts, unfinished work, tests left out and sleeps stay away."""
    pattern = re.compile(BANNED[kind])
    skipped = {Path(__file__), ROOT / "LICENSE"}
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in everything()
        if file not in skipped
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert found == []
