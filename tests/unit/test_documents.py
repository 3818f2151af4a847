"""What documents say of the checkout that can be counted or looked up."""

import re
from pathlib import Path

import pytest

from editd.demo.edits import demo_folder, load_edits

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs/decisions").glob("*.md")), ids=lambda p: p.name
)
def test_a_decision_has_the_number_of_its_file(page):
    assert page.read_text().startswith(f"# {int(page.name[:4])}. ")


@pytest.mark.parametrize(
    "page", ["README.md", "CHANGELOG.md", "clients/vscode/README.md", "clients/vscode/package.json"]
)
def test_the_demo_model_knows_as_many_edits_as_is_said(page):
    assert len(load_edits(demo_folder())) == 16
    said = re.findall(r"knows? (\w+) edits", (ROOT / page).read_text())
    assert said
    assert set(said) <= {"sixteen"}
