import errno
import logging
import os
import threading
import time
from collections.abc import Callable

import pytest

from editd.workspace.walk import IndexLimits
from editd.workspace.workspace import Pace, Workspace
from tests.unit.workspace.projects import CharacterCodec, content, ids, write

QUICK = Pace(calm=0.01, rest=0.01, rescan=0.05, safety=60.0, idle_after=60.0, shown=60.0)
SECONDS = 30.0
LONG_AGO = 1_500_000_000


class CountingCodec(CharacterCodec):
    """Counts what it read, and can be told to wait or to fail."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.go_on = threading.Event()
        self.go_on.set()
        self.failing = False

    def encode(self, text: str, after: str = "") -> list[int]:
        self.go_on.wait(SECONDS)
        self.read.append(text)
        if self.failing:
            raise RuntimeError(text)
        return super().encode(text, after)


@pytest.fixture
def opened(root):
    """Opens workspaces, and closes them."""
    workspaces: list[Workspace] = []

    def open_one(codec=None, **options) -> Workspace:
        workspace = Workspace(root, codec or CountingCodec(), **{"pace": QUICK, **options})
        workspaces.append(workspace)
        return workspace

    yield open_one
    for workspace in workspaces:
        workspace.close()
    assert not [t for t in threading.enumerate() if t.name == "editd-workspace"]


def becomes(true_of: Callable[[], bool], seconds: float = SECONDS) -> bool:
    deadline = time.monotonic() + seconds
    while not true_of() and time.monotonic() < deadline:
        time.sleep(0.005)
    return true_of()


def holds(workspace: Workspace, files: dict[str, str], seconds: float = SECONDS) -> bool:
    """Whether the index comes to have these files and no others."""

    def true_of() -> bool:
        index = workspace.snapshot()
        return index is not None and content(index) == files

    return becomes(true_of, seconds)


def age(root) -> None:
    """Let all files look as if they had not changed for long."""
    for file in root.rglob("*"):
        os.utime(file, (LONG_AGO, LONG_AGO))


NO_EVENTS = {"most_folders": -1}


class NoMoreWatches:
    def schedule(self, *args, **kwargs) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    def unschedule_all(self) -> None:
        pass

    def is_alive(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ""),
        (NO_EVENTS, "folders: looked through from time to time"),
        ({"observer": NoMoreWatches}, "inotify watch limit reached"),
    ],
)
def test_changes_are_followed_with_events_and_without(root, opened, options, words):
    write(root, {"a.py": "one\r\n", "sub/d.py": "four\n", ".env": "KEY=1", "d.bin": b"\0\1"})
    write(root, {"node_modules/e.js": "e", "dist/x.js": "x"})
    workspace = opened(**options)
    files = {"a.py": "one\n", "sub/d.py": "four\n"}
    assert holds(workspace, files)
    assert words in workspace.status().message
    assert bool(words) == bool(workspace.status().message)
    for change, said in [
        (lambda: write(root, {"b.py": "two\n"}), {"b.py": "two\n"}),
        (lambda: write(root, {"b.py": "three\n"}), {"b.py": "three\n"}),
        ((root / "a.py").unlink, {"a.py": None}),
        (lambda: (root / "b.py").rename(root / "c.py"), {"b.py": None, "c.py": "three\n"}),
        (lambda: (root / "sub").rename(root / "s"), {"sub/d.py": None, "s/d.py": "four\n"}),
        (lambda: write(root, {".gitignore": "c.py\n"}), {"c.py": None, ".gitignore": "c.py\n"}),
    ]:
        change()
        files = {path: text for path, text in {**files, **said}.items() if text is not None}
        assert holds(workspace, files)


def test_what_does_not_count_is_not_looked_at(root, opened):
    write(root, {"a.py": "one\n"})
    workspace = opened()
    assert holds(workspace, {"a.py": "one\n"})
    assert becomes(lambda: workspace.status().state == "ready")
    index = workspace.snapshot()
    write(root, {".env": "x", "node_modules/a.js": "x", ".git/HEAD": "x", "a.lock": "x"})
    (root / "a.py").read_text()
    time.sleep(0.3)
    assert workspace.snapshot() is index


def test_only_changed_files_are_read_again(root, opened, monkeypatch):
    monkeypatch.setattr("editd.workspace.workspace._RACY_NS", -(10**12))
    write(root, {"a.py": "aaa\n", "b.py": "bbb\n", "c.py": "ccc\n", "d.bin": b"\0"})
    codec = CountingCodec()
    workspace = opened(codec)
    assert holds(workspace, {"a.py": "aaa\n", "b.py": "bbb\n", "c.py": "ccc\n"})
    codec.read.clear()
    write(root, {"b.py": "new\n", "e.py": "eee\n"})
    (root / "c.py").unlink()
    assert holds(workspace, {"a.py": "aaa\n", "b.py": "new\n", "e.py": "eee\n"})
    assert sorted(codec.read) == ["eee\n", "new\n"]


def test_a_change_within_the_file_systems_tick_is_found(root, opened):
    write(root, {"a.py": "aaa\n"})
    stamp = (root / "a.py").stat()
    workspace = opened(**NO_EVENTS)
    assert holds(workspace, {"a.py": "aaa\n"})
    write(root, {"a.py": "bbb\n"})
    os.utime(root / "a.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert holds(workspace, {"a.py": "bbb\n"})


def test_the_file_changed_last_is_there_first(root, opened):
    for n in range(4):
        write(root, {f"{n}.py": f"{n}\n"})
        os.utime(root / f"{n}.py", (LONG_AGO + n, LONG_AGO + n))
    codec = CountingCodec()
    codec.go_on.clear()
    workspace = opened(codec, pace=Pace(shown=0.0))
    assert workspace.snapshot() is None
    assert workspace.status().state == "building"
    codec.go_on.set()
    assert holds(workspace, {f"{n}.py": f"{n}\n" for n in range(4)})
    assert codec.read == ["3\n", "2\n", "1\n", "0\n"]
    assert workspace.snapshot().paths == ("0.py", "1.py", "2.py", "3.py")


def test_an_old_snapshot_stays_as_it_was(root, opened):
    write(root, {"a.py": "one\n"})
    workspace = opened()
    assert holds(workspace, {"a.py": "one\n"})
    old = workspace.snapshot()
    write(root, {"a.py": "two\n"})
    assert holds(workspace, {"a.py": "two\n"})
    assert content(old) == {"a.py": "one\n"}
    assert becomes(lambda: workspace.status().state == "ready")
    status = workspace.status()
    assert (status.root, status.files, status.tokens) == (str(root), 1, 4)
    assert status.memory_bytes > 0


def test_closing_ends_a_long_read(root, opened):
    write(root, {f"{n}.py": "x = 1\n" * 1000 for n in range(500)})
    workspace = opened()
    workspace.close()
    assert not workspace._thread.is_alive()
    assert workspace.status().state == "closed"
    assert len(workspace._codec.read) < 500


def test_a_failure_is_told_and_quotes_nothing(root, opened, caplog):
    write(root, {"a.py": "very private\n"})
    codec = CountingCodec()
    codec.failing = True
    workspace = opened(codec)
    assert becomes(lambda: workspace.status().state == "failed")
    assert workspace.status().message.startswith("RuntimeError while indexing")
    assert workspace.snapshot() is None
    assert "very private" not in workspace.status().message


def test_nobody_asks_nothing_is_read(root, opened):
    write(root, {"a.py": "one\n"})
    codec = CountingCodec()
    pace = Pace(calm=0.0, rest=0.0, rescan=0.01, idle_after=-1.0)
    workspace = opened(codec, pace=pace, **NO_EVENTS)
    assert becomes(lambda: workspace.status().state == "ready")
    write(root, {"a.py": "two\n"})
    time.sleep(0.2)
    assert codec.read == ["one\n"]


def test_limits_hold_and_are_told(root, opened):
    write(root, {f"{n}.py": "x" * 100 for n in range(5)} | {"large.py": "y" * 2000})
    for limits, files, words in (
        (IndexLimits(file_bytes=1000, total_bytes=250), 2, "3 files stayed out"),
        (IndexLimits(entries=3), 3, "more than 3 names"),
        (IndexLimits(), 5, ""),
    ):
        status = opened(limits=limits).status
        assert becomes(lambda status=status: status().state == "ready")
        assert status().files == files
        assert words in status().message


def test_logs_name_no_file_and_no_text(root, opened, caplog):
    write(root, {"telltale.py": "private\n"})
    with caplog.at_level(logging.DEBUG):
        workspace = opened()
        assert holds(workspace, {"telltale.py": "private\n"})
        workspace.close()
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("editd")]
    assert ours
    assert not any(word in message for message in ours for word in ("telltale", "private"))


def test_the_project_is_untouched(root, opened):
    write(root, {"a.py": "one\n", "b/c.py": "two\n"})
    before = sorted(root.rglob("*"))
    workspace = opened()
    assert holds(workspace, {"a.py": "one\n", "b/c.py": "two\n"})
    assert workspace.snapshot().longest_match(ids("one"), 1).token_ids == ids("\n")
    assert sorted(root.rglob("*")) == before
