"""The folders whose files an agent may edit: which a server has, and how a path in them is written."""

from pathlib import Path

import pytest

from editd.errors import UsageError
from editd.frontends.mcp.editing import Folders


def test_folders_must_be_there(tmp_path):
    for wrong in (tmp_path / "none", tmp_path / "file"):
        (tmp_path / "file").write_text("")
        with pytest.raises(UsageError, match="is not a folder"):
            Folders([wrong])


def test_the_root_of_the_disk_is_no_folder_by_default(monkeypatch):
    monkeypatch.chdir("/")
    with pytest.raises(UsageError, match=r"was started in /.*editd mcp ~/project"):
        Folders(())
    assert Folders(["/"]).roots == (Path("/"),)


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ("a b/c.py", None),
        ("file://{folder}/a%20b/c.py", None),
        ("FILE://localhost{folder}/a%20b/c.py", None),
        ("a b\\c.py", None),
        ("file://elsewhere{folder}/a%20b/c.py", "on another machine"),
        ("file://{folder}/../outside.py", "outside the folders"),
        ("file://{folder}/%2e%2e/outside.py", "outside the folders"),
        ("..\\outside.py", "outside the folders"),
        ("file://{folder}/c%00.py", "contains a NUL"),
        ("file:", "is not a regular file"),
    ],
)
def test_a_path_may_be_written_as_a_uri_or_with_backslashes(tmp_path, given, refusal):
    folder = tmp_path / "project"
    (folder / "a b").mkdir(parents=True)
    file = folder / "a b" / "c.py"
    for path in (file, tmp_path / "outside.py"):
        path.write_text("")
    given = given.format(folder=folder)
    if refusal is None:
        assert Folders([folder]).find(given) == file
    else:
        with pytest.raises(UsageError, match=refusal):
            Folders([folder]).find(given)


def test_a_file_with_a_backslash_in_its_name_is_found(tmp_path):
    (tmp_path / "a\\b.py").write_text("")
    assert Folders([tmp_path]).find("a\\b.py") == tmp_path / "a\\b.py"
