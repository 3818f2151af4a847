import errno
import queue
from pathlib import Path

import pytest

from editd.workspace.watcher import Watcher
from tests.unit.workspace.projects import write


class Heard:
    """What a watcher said; ``until`` waits for a path."""

    def __init__(self) -> None:
        self.paths: queue.Queue[str] = queue.Queue()
        self.all: list[str] = []

    def __call__(self, path: str) -> None:
        self.paths.put(path)

    def until(self, path: str) -> None:
        while path not in self.all:
            self.all.append(self.paths.get(timeout=20))


@pytest.fixture
def heard(root):
    heard = Heard()
    watcher = Watcher(root, heard)
    write(root, {"old.py": "x", "gone.py": "x", "sub/a.py": "x"})
    assert watcher.start() == "events"
    yield heard
    watcher.stop()
    watcher.stop()


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda root: write(root, {"new.py": "x"}), "new.py"),
        (lambda root: write(root, {"old.py": "y"}), "old.py"),
        (lambda root: (root / "gone.py").unlink(), "gone.py"),
        (lambda root: (root / "old.py").rename(root / "moved.py"), "moved.py"),
        (lambda root: (root / "sub" / "a.py").write_text("y"), "sub/a.py"),
        (lambda root: (root / "sub").rename(root / "sub2"), "sub2"),
        (lambda root: write(root, {".gitignore": "x"}), ".gitignore"),
    ],
)
def test_every_kind_of_change_is_heard(root, heard, change, path):
    change(root)
    heard.until(path)


def test_what_does_not_count_is_not_heard(root, heard):
    write(root, {".env": "x", "node_modules/a.js": "x", ".git/HEAD": "x", "a.lock": "x"})
    (root / "old.py").read_text()
    write(root, {"last.py": "x"})
    heard.until("last.py")
    assert set(heard.all) == {"last.py"}


class NoMoreWatches:
    def schedule(self, *args, **kwargs) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    def unschedule_all(self) -> None:
        pass

    def is_alive(self) -> bool:
        return False


def test_without_watches_it_says_so_and_does_not_fail(root):
    watcher = Watcher(root, lambda _path: None, observer=NoMoreWatches)
    assert watcher.start() == "rescan"
    assert "inotify watch limit reached" in watcher.message
    assert watcher.check() == "rescan"
    watcher.stop()


def test_a_project_of_too_many_folders_is_not_watched(root):
    write(root, {f"node_modules/{n}/a.js": "x" for n in range(5)})
    watcher = Watcher(root, lambda _path: None, most_folders=5)
    assert watcher.start() == "rescan"
    assert "folders" in watcher.message
    watcher = Watcher(root, lambda _path: None, most_folders=6)
    assert watcher.start() == "events"
    watcher.stop()


def test_a_watcher_whose_threads_have_died_is_given_up(root: Path):
    watcher = Watcher(root, lambda _path: None)
    assert watcher.start() == "events"
    observer = watcher._observer
    assert observer is not None
    for emitter in observer.emitters:
        emitter.stop()
        emitter.join(10)
    assert watcher.check() == "rescan"
    assert "ended" in watcher.message
    assert not observer.is_alive()
