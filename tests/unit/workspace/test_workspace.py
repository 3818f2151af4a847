import logging
import threading
from pathlib import Path

import pytest

from editd.workspace.pool import Workspaces
from editd.workspace.watcher import Watcher
from editd.workspace.workspace import Pace, Workspace
from tests.unit.workspace.projects import BuilderHere, ids, text, write

QUICK = Pace(calm=0.01, rest=0.01, rescan=0.05, safety=60.0, wanted=60.0)
SECONDS = 30.0


def says(path: str, said: str):
    """Whether the snapshot has that file with that text (and no other of that name)."""

    def true_of(_status, index) -> bool:
        if index is None:
            return False
        found = [file for file in index.files() if file.path == path]
        return [text(index.tokens(f.start, f.num_tokens).tolist()) for f in found] == [said]

    return true_of


def lacks(path: str):
    return lambda _status, index: index is not None and path not in index.paths


@pytest.fixture
def opened(root, tokenizer, cache):
    """Opens workspaces with a builder in this process, and closes them."""
    workspaces: list[Workspace] = []

    def open_one(**options) -> Workspace:
        options = {"trusted": True, "pace": QUICK, "builder": BuilderHere(), **options}
        workspace = Workspace.open(root, tokenizer, cache, **options)
        workspaces.append(workspace)
        return workspace

    yield open_one
    for workspace in workspaces:
        workspace.close()
    assert not [t for t in threading.enumerate() if t.name == "editd-workspace"]


def changes_are_followed(root: Path, workspace: Workspace) -> None:
    assert workspace.wait(says("a.py", "one\n"), SECONDS)
    write(root, {"b.py": "two\n"})
    assert workspace.wait(says("b.py", "two\n"), SECONDS)
    write(root, {"b.py": "three\n"})
    assert workspace.wait(says("b.py", "three\n"), SECONDS)
    (root / "b.py").rename(root / "c.py")
    assert workspace.wait(says("c.py", "three\n"), SECONDS)
    assert workspace.wait(lacks("b.py"), SECONDS)
    (root / "a.py").unlink()
    assert workspace.wait(lacks("a.py"), SECONDS)
    write(root, {".gitignore": "c.py\n"})
    assert workspace.wait(lacks("c.py"), SECONDS)


def test_changes_are_followed_by_events(root, opened):
    write(root, {"a.py": "one\n"})
    workspace = opened()
    changes_are_followed(root, workspace)
    assert workspace._watcher.watching == "events"


def test_changes_are_followed_without_events(root, opened):
    write(root, {"a.py": "one\n"})
    workspace = opened(watch=lambda root, heard: Watcher(root, heard, most_folders=-1))
    changes_are_followed(root, workspace)
    assert workspace._watcher.watching == "rescan"
    assert "from time to time" in workspace.status().message


def test_the_builder_process_builds_and_an_old_snapshot_stays(root, tokenizer, opened):
    write(root, {"a.py": "one\n"})
    workspace = opened(builder=None)
    assert workspace.wait(says("a.py", "one\n"), SECONDS)
    old = workspace.snapshot()
    write(root, {"a.py": "two\n"})
    assert workspace.wait(says("a.py", "two\n"), SECONDS)
    assert says("a.py", "one\n")(None, old)
    status = workspace.status()
    assert (status.state, status.files, status.tokens) == ("ready", 1, 4)
    assert status.memory_bytes > 0


def test_closing_ends_a_build_at_once(root, tokenizer, cache):
    write(root, {f"{n}.py": "x = 1\n" * 1000 for n in range(50)})
    workspace = Workspace.open(root, tokenizer, cache, trusted=True)
    workspace.close()
    assert workspace._thread is not None
    assert not workspace._thread.is_alive()
    assert workspace.status().state == "closed"


def test_what_an_earlier_run_left_is_there_before_the_first_build(root, opened):
    write(root, {"a.py": "one\n"})
    first = opened()
    assert first.wait(says("a.py", "one\n"), SECONDS)
    first.close()

    class Never(BuilderHere):
        def build(self, root, tokenizer, path):
            self.stopped.wait(SECONDS)
            return super().build(root, tokenizer, path)

    second = opened(builder=Never())
    assert second.wait(says("a.py", "one\n"), SECONDS)
    assert second.status().state == "building"


def test_a_failing_builder_is_told_and_tried_again(root, opened):
    write(root, {"a.py": "one\n"})
    builder = BuilderHere()
    builder.failing = True
    workspace = opened(builder=builder)
    assert workspace.wait(lambda status, _index: status.state == "failed", SECONDS)
    assert workspace.status().message == "It was told to fail."
    assert workspace.snapshot() is None
    builder.failing = False
    write(root, {"a.py": "two\n"})
    assert workspace.wait(says("a.py", "two\n"), SECONDS)
    assert workspace.status().state == "ready"


def test_nobody_asks_nothing_is_built(root, opened):
    write(root, {"a.py": "one\n"})
    builder = BuilderHere()
    workspace = opened(builder=builder, pace=Pace(calm=0.0, rest=0.0, rescan=0.01, wanted=-1.0),
                       watch=lambda root, heard: Watcher(root, heard, most_folders=-1))  # fmt: skip
    assert workspace.wait(says("a.py", "one\n"), SECONDS)
    write(root, {"a.py": "two\n"})
    assert not workspace.wait(says("a.py", "two\n"), 0.2)
    assert builder.builds == 1


def test_a_root_that_is_not_trusted_is_not_looked_at(root, tokenizer, cache):
    write(root, {"a.py": "one\n"})
    workspace = Workspace.open(root, tokenizer, cache, trusted=False)
    assert workspace.snapshot() is None
    assert workspace.status().state == "refused"
    assert "trusted" in workspace.status().message
    assert not cache.exists()
    workspace.close()


def test_the_cache_is_never_in_the_project(root, tokenizer):
    workspace = Workspace.open(root, tokenizer, root / "cache", trusted=True)
    assert workspace.status().state == "refused"
    assert not (root / "cache").exists()


def test_a_model_without_a_tokenizer_file_is_told(root, tmp_path, cache):
    workspace = Workspace.open(root, tmp_path, cache, trusted=True)
    assert workspace.wait(lambda status, _index: status.state == "failed", SECONDS)
    assert "tokenizer.json" in workspace.status().message
    workspace.close()


def test_of_too_many_projects_the_one_unused_for_longest_is_closed(tmp_path, tokenizer, cache):
    roots = [tmp_path / name for name in "abc"]
    for folder in roots:
        write(folder, {"a.py": folder.name})
    pool = Workspaces(cache, most=2, pace=QUICK, make_builder=BuilderHere)
    a, b = (pool.open(folder, tokenizer, trusted=True) for folder in roots[:2])
    assert pool.open(roots[0], tokenizer, trusted=True) is a
    c = pool.open(roots[2], tokenizer, trusted=True)
    assert b.status().state == "closed"
    assert [status.root for status in pool.status()] == [str(roots[2]), str(roots[0])]
    assert pool.open(roots[1], tokenizer, trusted=False).status().state == "refused"
    for workspace in (a, c):
        assert workspace.wait(lambda _status, index: index is not None, SECONDS)
    pool.close()
    assert {w.status().state for w in (a, b, c)} == {"closed"}
    assert pool.status() == ()


def test_logs_name_no_file_and_no_text(root, opened, caplog):
    write(root, {"telltale.py": "private\n"})
    with caplog.at_level(logging.DEBUG):
        workspace = opened()
        assert workspace.wait(says("telltale.py", "private\n"), SECONDS)
        workspace.close()
    ours = [record for record in caplog.records if record.name.startswith("editd")]
    assert ours
    assert not any(word in str(r.getMessage()) for r in ours for word in ("telltale", "private"))


def test_asking_for_a_snapshot_does_not_wait_for_a_build(root, opened):
    write(root, {"a.py": "one\n"})
    started, go_on = threading.Event(), threading.Event()

    class Slow(BuilderHere):
        def build(self, root, tokenizer, path):
            started.set()
            go_on.wait(SECONDS)
            return super().build(root, tokenizer, path)

    workspace = opened(builder=Slow())
    assert started.wait(SECONDS)
    assert workspace.snapshot() is None
    assert workspace.status().state == "building"
    go_on.set()
    assert workspace.wait(says("a.py", "one\n"), SECONDS)
    index = workspace.snapshot()
    assert index is not None
    assert index.longest_match(ids("on")) is not None
