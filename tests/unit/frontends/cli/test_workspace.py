"""``editd edit --workspace [DIR]``: which folder is named."""

import pytest

from editd.daemon.framing import pack, unpack
from editd.frontends.cli.daemon import _describe
from editd.frontends.cli.options import settle_optional
from editd.messages import StatusReport
from editd.messages.reports import WorkspaceStatus

TEXT = "a = 1\n"


@pytest.mark.parametrize(
    ("arguments", "settled"),
    [
        ("edit f.py --workspace", "edit f.py --workspace="),
        ("edit --workspace f.py -i x", "edit --workspace= f.py -i x"),
        ("edit --workspace -i x", "edit --workspace= -i x"),
        ("edit --workspace dir f.py", "edit --workspace dir f.py"),
        ("edit --workspace=dir f.py", "edit --workspace=dir f.py"),
        ("edit -- --workspace f.py", "edit -- --workspace f.py"),
        ("edit f.py", "edit f.py"),
        ("", ""),
    ],
)
def test_the_folder_may_be_left_out(arguments, settled, tmp_path, monkeypatch):
    (tmp_path / "dir").mkdir()
    monkeypatch.chdir(tmp_path)
    assert settle_optional(arguments.split()) == settled.split()


@pytest.mark.parametrize("behind", ["--instruction=" + "x" * 300, "x" * 5000, "a\0b"])
def test_what_no_folder_can_be_called_is_none(behind):
    assert settle_optional(["edit", "--workspace", behind]) == ["edit", "--workspace=", behind]


def test_what_no_file_can_be_called_is_one_sentence(editd):
    done = editd("edit", "x" * 300, "y" * 300, "-i", "z")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no such file" in done.err


@pytest.fixture
def project(tmp_path):
    (tmp_path / "work" / "src").mkdir(parents=True)
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / "src" / "a.py").write_text(TEXT)
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "a.py").write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "root"),
    [
        (("work/src/a.py",), ""),
        (("work/src/a.py", "--workspace"), "work"),
        (("--workspace", "work/src/a.py"), "work"),
        (("alone/a.py", "--workspace"), "alone"),
        (("work/src/a.py", "--workspace", "work/src"), "work/src"),
        (("work/src/a.py", "--workspace=alone"), "alone"),
    ],
)
def test_which_project_is_named(editd, project, arguments, root):
    done = editd("edit", *arguments, "-i", "x", "--json")
    assert done.code == 0
    expected = str((project / root).resolve()) if root else ""
    assert done.client.requests[0].workspace_root == expected


def test_a_folder_that_is_none_is_an_error(editd, project):
    done = editd("edit", "alone/a.py", "--workspace=alone/a.py", "-i", "x")
    assert done.code == 2
    assert "not a folder" in done.err


def test_a_root_that_is_not_indexed_is_told_and_the_edit_goes_on(editd, project):
    done = editd("edit", "alone/a.py", "--workspace=/", "-i", "x", "--json")
    assert done.code == 0
    assert done.client.requests[0].workspace_root == ""
    assert "home folder or above" in done.err


def test_a_setting_that_forbids_it_wins(editd, project):
    (project / "settings" / "config.toml").write_text("[edit]\nworkspace = false\n")
    done = editd("edit", "alone/a.py", "--workspace", "-i", "x", "--json")
    assert done.client.requests[0].workspace_root == ""
    assert "edit.workspace is off" in done.err


def test_the_status_shows_projects_without_naming_a_file():
    report = StatusReport(
        "s", "idle", "0", 1, 2.0,
        workspaces=(
            WorkspaceStatus("/home/me/lib", "ready", 2, 1195, 11_400),
            WorkspaceStatus("/", "refused", message="/ is not indexed: it is no project."),
        ),
    )  # fmt: skip
    told = [line for line in _describe(report).splitlines() if "project" in line]
    assert told == [
        "  project  /home/me/lib: ready, 2 files, 1,195 tokens, 11 kB",
        "  project  /: refused (/ is not indexed: it is no project.)",
    ]
    assert unpack(pack(report)) == report


@pytest.mark.parametrize(
    ("instruction", "more", "roots"),
    [
        ("use @b.py", (), ("", "HERE")),  # only what is named may be read
        ("use @b.py", ("--workspace", "."), ("HERE", "")),
        ("use b.py", (), ("", "")),
    ],
)
def test_a_mention_lets_files_be_named_and_trusts_the_project_in_nothing_else(
    editd, tmp_path, instruction, more, roots
):
    (tmp_path / "f.py").write_text(TEXT)
    (request,) = editd("edit", "f.py", "-i", instruction, *more).client.requests
    found = (request.workspace_root, request.mention_root)
    assert found == tuple(root.replace("HERE", str(tmp_path)) for root in roots)
