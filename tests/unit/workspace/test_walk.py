import os
from pathlib import Path

import pytest

from editd.workspace.walk import DEFAULT_LIMITS, IndexLimits, find_files, read_files
from tests.unit.workspace.projects import write


def paths(root: Path, limits: IndexLimits = DEFAULT_LIMITS) -> list[str]:
    return [file.path for file in find_files(root, limits).files]


def contents(root: Path, found, limits: IndexLimits = DEFAULT_LIMITS) -> dict[str, bytes]:
    return {file.path: content for file, content in read_files(root, iter(found.files), limits)}


def changed(root: Path, path: str, seconds: int) -> None:
    os.utime(root / path, (seconds, seconds))


def test_links_are_not_followed(root, tmp_path):
    write(tmp_path / "outside", {"a.py": "secret", "b/c.py": "secret"})
    write(root, {"inside/d.py": "d"})
    (root / "file.py").symlink_to(tmp_path / "outside" / "a.py")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    (root / "again.py").symlink_to(root / "inside" / "d.py")
    assert paths(root) == ["inside/d.py"]


@pytest.mark.parametrize("swapped", ["a", "a/b.py"])
def test_a_link_that_appears_after_the_walk_is_not_followed(root, tmp_path, swapped):
    write(root, {"a/b.py": "ours", "c.py": "ours"})
    write(tmp_path / "outside", {"b.py": "secret"})
    found = find_files(root, DEFAULT_LIMITS)
    (root / swapped).rename(tmp_path / "moved")
    target = tmp_path / "outside" / ("" if swapped == "a" else "b.py")
    (root / swapped).symlink_to(target)
    assert contents(root, found) == {"c.py": b"ours"}


def test_pipes_and_unreadable_files_stop_nothing(root):
    write(root, {"a.py": "a"})
    os.mkfifo(root / "pipe")
    os.mkfifo(root / ".gitignore")
    found = find_files(root, DEFAULT_LIMITS)
    assert [file.path for file in found.files] == ["a.py"]
    write(root, {"b.py": "b"})
    found = find_files(root, DEFAULT_LIMITS)
    (root / "a.py").unlink()
    os.mkfifo(root / "a.py")
    assert contents(root, found) == {"b.py": b"b"}


def test_a_file_that_grew_beyond_the_limit_is_not_read(root):
    write(root, {"a.py": "a", "b.py": "b"})
    found = find_files(root, IndexLimits(file_bytes=10))
    write(root, {"a.py": "a" * 11})
    assert contents(root, found, IndexLimits(file_bytes=10)) == {"b.py": b"b"}


def test_large_and_empty_files_are_left_out(root):
    write(root, {"a.py": "a" * 11, "b.py": "b" * 10, "c.py": ""})
    assert paths(root, IndexLimits(file_bytes=10)) == ["b.py"]


def test_of_too_many_files_those_changed_last_are_kept_last_one_last(root):
    write(root, {f"{n}.py": "x" * 10 for n in range(5)})
    for n, seconds in enumerate((50, 10, 40, 20, 30)):
        changed(root, f"{n}.py", seconds)
    assert paths(root) == ["1.py", "3.py", "4.py", "2.py", "0.py"]
    assert paths(root, IndexLimits(files=2)) == ["2.py", "0.py"]
    found = find_files(root, IndexLimits(total_bytes=35))
    assert [file.path for file in found.files] == ["4.py", "2.py", "0.py"]
    assert found.left_out == 2


def test_a_walk_gives_up_at_its_limits(root):
    write(root, {f"{n:02}.py": "x" for n in range(20)} | {"z/y/x/w.py": "x"})
    assert len(paths(root, IndexLimits(entries=7))) == 7
    assert "z/y/x/w.py" not in paths(root, IndexLimits(depth=2))
    assert "z/y/x/w.py" in paths(root, IndexLimits(depth=3))


def test_folders_that_can_be_made_again_are_left_out(root):
    write(root, {"a.py": "a", "target/CACHEDIR.TAG": "", "target/b.py": "b"})
    write(root, {"env3/pyvenv.cfg": "", "env3/lib/c.py": "c", "pyvenv.cfg": ""})
    assert set(paths(root)) == {"a.py"}


def test_names_that_are_no_text_are_left_out(root):
    write(root, {"a.py": "a", "b\nc.py": "b"})
    (root / os.fsdecode(b"\xff.py")).write_text("x")
    assert paths(root) == ["a.py"]
