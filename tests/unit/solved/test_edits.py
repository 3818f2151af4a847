import ast
import difflib

import pytest

from editd.errors import UsageError
from tests.fixtures.solved.edits import demo_folder, load_edits

DEMO = load_edits(demo_folder())


def hunks(edit):
    matcher = difflib.SequenceMatcher(None, edit.before.splitlines(), edit.after.splitlines())
    return sum(tag != "equal" for tag, *_ in matcher.get_opcodes())


@pytest.mark.parametrize("edit", DEMO, ids=lambda edit: edit.name)
def test_demo_files_are_right_before_and_after(edit):
    assert edit.before.strip()
    assert "\r" not in edit.before + edit.after
    if edit.path.endswith(".py"):
        ast.parse(edit.before)
        ast.parse(edit.after)


def test_demo_edits_can_be_told_apart():
    assert len({edit.name for edit in DEMO}) == len(DEMO)
    assert len({(edit.before, edit.instruction) for edit in DEMO}) == len(DEMO)


def test_demo_has_the_awkward_files_and_the_showpieces():
    raw = {edit.path: (demo_folder() / edit.path).read_bytes() for edit in DEMO}
    assert raw["settings.py"].count(b"\r\n") == raw["settings.py"].count(b"\n") > 50
    assert not raw["ring.c"].endswith(b"\n")
    assert "🌦️" in raw["weather.py"].decode()
    assert [edit.name for edit in DEMO if edit.before == edit.after] == ["events-unchanged"]
    assert sum(hunks(edit) >= 8 for edit in DEMO) >= 5


def test_demo_readme_names_every_instruction():
    readme = (demo_folder() / "README.md").read_text(encoding="utf-8")
    missing = [edit.instruction for edit in DEMO if edit.instruction not in readme]
    assert not missing


def test_selected_lines_are_cut_out_of_both_files():
    edit = next(edit for edit in DEMO if edit.lines)
    assert edit.before.startswith("def money(cents):\n")
    assert edit.after.startswith("def money(cents: int) -> str:\n")
    assert edit.before.count("\n") == edit.after.count("\n") == edit.lines[1] - edit.lines[0] + 1


@pytest.mark.parametrize("content", ["", "no toml", "edit = 1", '[[edit]]\nname = "n"\n'])
def test_a_folder_without_edits_is_named(tmp_path, content):
    (tmp_path / "cases.toml").write_text(content)
    with pytest.raises(UsageError, match="holds no edits"):
        load_edits(tmp_path)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(UsageError, match="nowhere holds no edits"):
        load_edits(tmp_path / "nowhere")
