"""``--in-place``: the whole new content or the old, and everything else about the file as it was."""

import itertools
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from editd.errors import EditFailed
from editd.files import replacing
from editd.files.replacing import Source, replace_texts
from tests.fakes import Script
from tests.unit.frontends.cli.fake_client import FakeClient


def leftovers(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


@pytest.mark.parametrize(
    ("name", "data", "new"),
    [
        ("lf.txt", b"a\nb\n", b"A\nB\n"),
        ("crlf.txt", b"a\r\nb\r\n", b"A\r\nB\r\n"),
        ("cr.txt", b"a\rb\r", b"A\rB\r"),
        ("mixed.txt", b"a\r\nb\nc\rd", b"A\r\nB\nC\rD"),
        ("unended.txt", b"a\nb", b"A\nB"),
        ("odd.txt", "a\fb\x0bc\u2028d\x85e\n".encode(), "A\fB\x0bC\u2028D\x85E\n".encode()),
        ("tabs.txt", b"\ta \t\n", b"\tA \t\n"),
        ("emoji.txt", "\U0001f600a \u4e2d\n".encode(), "\U0001f600A \u4e2d\n".encode()),
        ("bom.txt", b"\xef\xbb\xbfa\r\n", b"\xef\xbb\xbfA\r\n"),
        ("utf16le.txt", "\ufeffa\r\n\u4e2d".encode("utf-16-le"), "\ufeffA\r\n\u4e2d".encode("utf-16-le")),
        ("utf16be.txt", "\ufeffa\n".encode("utf-16-be"), "\ufeffA\n".encode("utf-16-be")),
        ("utf32le.txt", "\ufeffa\n".encode("utf-32-le"), "\ufeffA\n".encode("utf-32-le")),
        ("utf32be.txt", "\ufeffa\n".encode("utf-32-be"), "\ufeffA\n".encode("utf-32-be")),
        ("latin.py", b"#coding: LATIN-1\nx='\xe4'\n", b"#CODING: LATIN-1\nX='\xc4'\n"),
        ("cp.py", b"#!/x\n# -*- coding: cp1252 -*-\n'\x80a'\n", None),
    ],
)  # fmt: skip
def test_encoding_bom_and_line_ends_are_kept_byte_for_byte(editd, tmp_path, name, data, new):
    file = tmp_path / name
    file.write_bytes(data)
    same = editd("edit", name, "-i", "x", "--in-place", script=Script(rewrite="same"))
    assert (same.code, file.read_bytes()) == (0, data)
    if name == "latin.py":  # an upper-case cookie is none
        return
    outcome = editd("edit", name, "-i", "x", "--in-place", "--range", "1:1")
    assert outcome.code == 0, outcome.err
    if new is not None:
        outcome = editd("edit", name, "-i", "x", "--in-place")
        assert (outcome.code, file.read_bytes()) == (0, new)
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("# coding: latin-1\n'\xb5'\n".encode("latin-1"), "cannot hold"),  # upper-case: U+039C
        ("# coding: cp1252\n'\u20ac\xfc'\n".encode("cp1252"), "another encoding"),
    ],
)
def test_an_answer_that_the_encoding_cannot_hold_is_refused(editd, tmp_path, data, sentence):
    file = tmp_path / "a.py"
    file.write_bytes(data)
    outcome = editd("edit", "a.py", "-i", "x", "--in-place")
    assert (outcome.code, file.read_bytes()) == (1, data)
    assert sentence in outcome.err


def test_mode_and_symbolic_link_are_kept(editd, tmp_path):
    target = tmp_path / "real" / "a.py"
    target.parent.mkdir()
    target.write_text("a\n")
    target.chmod(0o751)
    (tmp_path / "link.py").symlink_to("real/a.py")
    outcome = editd("edit", "link.py", "-i", "x", "--in-place")
    assert outcome.code == 0, outcome.err
    assert target.read_text() == "A\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o751
    assert (tmp_path / "link.py").readlink() == Path("real/a.py")
    assert (leftovers(tmp_path), leftovers(target.parent)) == ([], [])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_owner_is_kept(editd, tmp_path):
    file = tmp_path / "a.py"
    file.write_text("a\n")
    os.chown(file, 12345, 12346)
    assert editd("edit", "a.py", "-i", "x", "--in-place").code == 0
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 12346)


def test_extended_attributes_are_kept(editd, tmp_path):
    file = tmp_path / "a.py"
    file.write_text("a\n")
    try:
        os.setxattr(file, "user.note", b"kept")
    except (OSError, AttributeError):
        pytest.skip("this file system has no extended attributes")
    assert editd("edit", "a.py", "-i", "x", "--in-place").code == 0
    assert os.getxattr(file, "user.note") == b"kept"


@pytest.mark.parametrize("crash_in", ["fsync", "replace"])
@pytest.mark.parametrize("crash", [KeyboardInterrupt, MemoryError, OSError(28, "No space left")])
def test_a_crash_between_write_and_replace_leaves_the_old_file(
    editd, tmp_path, monkeypatch, crash_in, crash
):
    file = tmp_path / "a.py"
    file.write_text("a\n")

    def fail(*arguments):
        raise crash

    with monkeypatch.context() as patch:
        patch.setattr(replacing.os, crash_in, fail)
        outcome = editd("edit", "a.py", "-i", "x", "--in-place")
    assert outcome.code == {KeyboardInterrupt: 130, MemoryError: 4}.get(crash, 1)
    assert file.read_text() == "a\n"
    assert leftovers(tmp_path) == []


def test_the_new_content_is_on_disk_before_the_name_points_to_it(tmp_path, monkeypatch):
    file = tmp_path / "a.py"
    file.write_text("a\n")
    order = []
    real_fsync, real_replace = os.fsync, os.replace
    monkeypatch.setattr(replacing.os, "fsync", lambda fd: (order.append("fsync"), real_fsync(fd)))
    monkeypatch.setattr(
        replacing.os, "replace", lambda a, b: (order.append("replace"), real_replace(a, b))
    )
    replacing.replace_files([replacing.FileChange(file, b"A\n", lambda: order.append("look"))])
    assert order == ["fsync", "look", "replace", "fsync"]
    assert file.read_bytes() == b"A\n"


def test_a_file_that_changed_meanwhile_is_left_alone(editd, tmp_path):
    file = tmp_path / "a.py"
    file.write_text("a\n")
    client = FakeClient(on_edit=lambda request: file.write_text("mine\n"))
    outcome = editd("edit", "a.py", "-i", "x", "--in-place", client=client)
    assert (outcome.code, file.read_text()) == (1, "mine\n")
    assert "changed on disk" in outcome.err


def test_a_file_that_is_saved_while_the_new_content_goes_to_the_disk_is_left_alone(
    editd, tmp_path, monkeypatch
):
    file = tmp_path / "a.py"
    file.write_text("a\n")
    fsync = os.fsync

    def save_meanwhile(descriptor):
        fsync(descriptor)
        file.write_text("mine\n")

    with monkeypatch.context() as patch:
        patch.setattr(replacing.os, "fsync", save_meanwhile)
        outcome = editd("edit", "a.py", "-i", "x", "--in-place")
    assert (outcome.code, file.read_text()) == (1, "mine\n")
    assert "changed on disk" in outcome.err
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("become", [os.mkfifo, lambda path: path.symlink_to("b.py")])
def test_a_file_that_became_something_else_meanwhile_is_left_alone(editd, tmp_path, become):
    file = tmp_path / "a.py"
    file.write_text("one\n")
    (tmp_path / "b.py").write_text("one\n")

    def change(_):
        file.unlink()
        become(file)

    outcome = editd("edit", file, "-i", "x", "--in-place", client=FakeClient(on_edit=change))
    assert (outcome.code, "it changed on disk meanwhile" in outcome.err) == (1, True)
    assert not file.is_file() or file.is_symlink()
    assert (tmp_path / "b.py").read_text() == "one\n"


def test_a_file_that_went_away_meanwhile_is_not_made_again(editd, tmp_path):
    file = tmp_path / "a.py"
    file.write_text("a\n")
    client = FakeClient(on_edit=lambda request: file.unlink())
    outcome = editd("edit", "a.py", "-i", "x", "--in-place", client=client)
    assert (outcome.code, file.exists()) == (1, False)


def test_suspect_hunks_are_refused_unless_allowed(editd, tmp_path):
    file = tmp_path / "a.py"
    file.write_text("a\n")
    script = Script(suspect="It repeats itself.")
    outcome = editd("edit", "a.py", "-i", "x", "--in-place", script=script)
    assert (outcome.code, file.read_text()) == (1, "a\n")
    assert "line 1: It repeats itself." in outcome.err
    assert "--allow-suspect" in outcome.err
    outcome = editd("edit", "a.py", "-i", "x", "--in-place", "--allow-suspect", script=script)
    assert (outcome.code, file.read_text()) == (0, "A\n")


def test_it_says_what_was_written(editd, tmp_path):
    (tmp_path / "a.py").write_text("a\n")
    outcome = editd("edit", "a.py", "-i", "x", "--in-place")
    assert (outcome.out, outcome.err.startswith("editd: wrote a.py: 1 hunk, +1 -1;")) == (b"", True)
    before = (tmp_path / "a.py").stat()
    outcome = editd("edit", "a.py", "-i", "x", "--in-place", script=Script(rewrite="same"))
    assert outcome.err.startswith("editd: left a.py: unchanged;")
    assert (tmp_path / "a.py").stat().st_ino == before.st_ino


def test_a_pipe_is_no_place(editd, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDWR)
    os.write(reader, b"a\n")
    # Reading would wait for the writer to close; nobody should get that far.
    outcome = editd("edit", "pipe", "-i", "x", "--in-place")
    os.close(reader)
    assert (outcome.code, "not a regular file" in outcome.err) == (2, True)


def three(folder):
    files = [folder / name for name in ("a.py", "b.py", "c.py")]
    for file in files:
        file.write_text("old\n")
        file.chmod(0o640)
    return files, [replacing.FileChange(file, b"new\n", lambda: None) for file in files]


def failing_at(number, real, crash):
    calls = itertools.count(1)

    def call(*arguments):
        if next(calls) == number:
            raise crash
        return real(*arguments)

    return call


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("call", ["replace", "fsync"])
@pytest.mark.parametrize("crash", [KeyboardInterrupt, OSError(28, "No space left"), MemoryError])
def test_of_several_files_all_are_replaced_or_none(tmp_path, monkeypatch, call, number, crash):
    files, changes = three(tmp_path)
    before = [file.stat().st_ino for file in files]
    with monkeypatch.context() as patch:
        patch.setattr(replacing.os, call, failing_at(number, getattr(os, call), crash))
        with pytest.raises(crash if isinstance(crash, type) else type(crash)):
            replacing.replace_files(changes)
    assert [file.read_text() for file in files] == ["old\n"] * 3
    assert [file.stat().st_ino for file in files] == before
    assert leftovers(tmp_path) == []
    replacing.replace_files(changes)
    assert [file.read_text() for file in files] == ["new\n"] * 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o640}
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("changed", [0, 1, 2])
def test_none_is_replaced_where_one_has_changed_between_two_replacements(tmp_path, changed):
    files, changes = three(tmp_path)
    looks = itertools.count()

    def may():
        if next(looks) == 1:  # the second look is right before its own replacement
            raise OSError(16, "changed")

    changes[changed] = replacing.FileChange(files[changed], b"new\n", may)
    if changed == 0:  # the first is looked at once, and nothing is replaced by then
        next(looks)
    with pytest.raises(OSError, match="changed"):
        replacing.replace_files(changes)
    assert [file.read_text() for file in files] == ["old\n"] * 3
    assert leftovers(tmp_path) == []


def test_what_cannot_be_put_back_is_named(tmp_path, monkeypatch):
    """A file system without links, on which the second file cannot be replaced."""
    files, _ = three(tmp_path)
    sources = [Source(f.name, f.name, f, b"old\n", "old\n", "utf-8") for f in files]

    def no_links(*_):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(replacing.os, "link", no_links)
    monkeypatch.setattr(replacing.os, "replace", failing_at(2, os.replace, OSError(28, "No space")))
    with pytest.raises(EditFailed, match=r"Only a part was written: a\.py has its new text"):
        replace_texts([(source, "new\n") for source in sources])
    assert [file.read_text() for file in files] == ["new\n", "old\n", "old\n"]
    assert leftovers(tmp_path) == []


def test_a_kill_between_two_replacements_leaves_whole_files(tmp_path):
    files, _ = three(tmp_path)
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom editd.files import replacing\n"
        "replace = os.replace\n"
        "def once(*a):\n    replace(*a)\n    os._exit(9)\n"
        "replacing.os.replace = once\n"
        "replacing.replace_files([replacing.FileChange(Path(f), b'new\\n', lambda: None) for f in sys.argv[1:]])"
    )
    done = subprocess.run([sys.executable, "-c", code, *map(str, files)], check=False)
    assert done.returncode == 9
    assert [file.read_text() for file in files] == ["new\n", "old\n", "old\n"]


@pytest.mark.parametrize("name", ["\u4e2d" * 83, "x" * 255, "\U0001f600" * 63, "e\u0301" * 80])
def test_a_long_name_in_any_script_can_be_written(tmp_path, name):
    (tmp_path / name).write_text("old\n")
    replacing.replace_files([replacing.FileChange(tmp_path / name, b"new\n", lambda: None)])
    assert (tmp_path / name).read_text() == "new\n"
    assert leftovers(tmp_path) == []
