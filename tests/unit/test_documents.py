"""What documents say of the checkout that can be counted or looked up."""

import ast
import re
from pathlib import Path

import pytest

from editd.apply.doubts.table import DOUBTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs/decisions").glob("*.md")), ids=lambda p: p.name
)
def test_a_decision_has_the_number_of_its_file(page):
    assert page.read_text().startswith(f"# {int(page.name[:4])}. ")


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_link_leads_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        path, _, heading = link.partition("#")
        if "://" in path:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if heading:
            assert heading in anchors(target), link


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs/explanation").glob("*.md")), ids=lambda p: p.name
)
def test_a_source_that_an_explanation_names_is_there(page):
    sources = [path.as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.*")]
    for name in re.findall(r"`([\w/.-]+\.(?:py|ts|lua))`", page.read_text()):
        assert any(path.endswith(f"/{name}") for path in sources), name


KEYS = {"clients/vscode/test": "page.keyboard.press(", "clients/nvim/tests": "child:type("}


def test_a_first_users_tasks_have_tests_with_keys_in_both_editors():
    page = (ROOT / "docs/explanation/editors.md").read_text()
    section = page.partition("## The tasks of a first user")[2].partition("\n## ")[0]
    table = section.partition("|---|---|---|\n")[2]
    rows = re.findall(r"^\| ([a-z].*?) \| (.*) \| (.*) \|$", table, re.MULTILINE)
    assert sum(len(task.split(", ")) for task, *_ in rows) >= 20
    for task, *editors in rows:
        for (folder, key), tests in zip(KEYS.items(), editors, strict=True):
            names = re.findall(r"`([\w.-]+)`", tests)
            assert names, task
            for name in names:
                assert key in (ROOT / folder / name).read_text(), (task, name)


def test_every_doubt_is_explained_and_no_other():
    page = (ROOT / "docs/explanation/apply.md").read_text()
    tables = page.partition("## One scale of confidence")[2].partition("## What is certain")[0]
    rows = re.findall(r"^\| ([a-z][^|]*) \|", tables, re.MULTILINE)
    named = {name for row in rows for name in row.split(", ") if not name.startswith("in ")}
    assert named - {"doubt"} == set(DOUBTS)


ROOMS = (
    "editd",
    "packages",
    "benchmarks",
    "training",
    "tests",
    "examples",
    "clients/vscode/src",
    "clients/vscode/test",
    "clients/nvim",
)


def anchors(page):
    """The names of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    plain = (
        re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", h).lower()) for h in headings
    )
    return {heading.replace(" ", "-") for heading in plain}


LIFE = ROOT / "docs/explanation/life-of-an-edit.md"


@pytest.mark.parametrize(
    ("path", "name"),
    sorted({(p, n) for p, n in re.findall(r"`([\w/]+\.py):\s+([\w.]+)`", LIFE.read_text())}),
)
def test_the_life_of_an_edit_names_functions_that_exist(path, name):
    body = ast.parse((ROOT / "editd" / path).read_text()).body
    for part in name.split("."):
        found = [node for node in body if getattr(node, "name", None) == part]
        assert found, f"{path} has no {name}"
        body = found[0].body
