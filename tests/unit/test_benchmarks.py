"""Benchmarks take from the tests, never the other way round; and pages name only commands that there are."""

import ast
import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "tests/fixtures").rglob("*.md"),
]
SOURCES = [
    file
    for room in ("editd", "benchmarks", "tests", "training")
    for file in (ROOT / room).rglob("*.py")
]


def test_nothing_but_the_benchmarks_own_tests_imports_benchmarks():
    importing = {
        file.relative_to(ROOT).as_posix()
        for file in SOURCES
        if file.is_relative_to(ROOT / "tests") and "benchmarks" in imported(file)
    }
    assert {path for path in importing if not path.startswith("tests/unit/bench/")} == set()


def imported(file):
    """The first names of the modules that a file imports anywhere."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_a_benchmark_that_is_named_is_there():
    missing = {
        (file.relative_to(ROOT).as_posix(), name)
        for file in (*PAGES, *SOURCES)
        for name in missing_from(file.read_text(encoding="utf-8"))
    }
    assert missing == set()


def missing_from(text):
    """The modules, commands and files of the benchmarks that a text names and that do not exist."""
    for module in re.findall(r"python -m\s+(benchmarks(?:\.[a-z]\w*)+)", text):
        if importlib.util.find_spec(module) is None:
            yield module
    yield from (
        path for path in re.findall(r"\bbenchmarks/[\w/]+\.\w+", text) if not (ROOT / path).exists()
    )
    yield from (
        name for name in re.findall(r"python -m\s+benchmarks\s+(\w+)", text) if name not in COMMANDS
    )


COMMANDS = re.findall(
    r"^app\.command\(\)\((\w+)\)", (ROOT / "benchmarks/app.py").read_text(), re.MULTILINE
)
