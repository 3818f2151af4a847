import asyncio
import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

import editd
from editd.daemon import lifecycle, logs, spawning, transport
from editd.daemon.file_lock import FileLock
from editd.errors import DaemonUnreachable


def test_a_lock_has_one_holder_and_can_be_taken_again(tmp_path):
    path = tmp_path / "lock"
    lock = FileLock.try_acquire(path)
    assert FileLock.try_acquire(path) is None
    assert FileLock.read_note(path) == str(os.getpid())
    lock.write_note("a longer note than before")
    lock.write_note("short")
    assert FileLock.read_note(path) == "short"
    lock.release()
    assert not path.exists()
    again = FileLock.try_acquire(path)
    assert FileLock.try_acquire(path) is None
    again.release()
    assert FileLock.read_note(path) == ""


def test_a_lock_on_a_file_that_was_removed_is_nobodys(tmp_path):
    path = tmp_path / "lock"
    removed = FileLock.try_acquire(path)
    path.unlink()  # as by somebody who clears /tmp
    lock = FileLock.try_acquire(path)
    assert lock is not None
    assert FileLock.try_acquire(path) is None
    os.close(removed._descriptor)
    lock.release()


def test_a_lock_whose_file_goes_while_it_is_taken_is_taken_again(tmp_path, monkeypatch):
    path = tmp_path / "lock"
    flock, calls = fcntl.flock, []

    def remove_then_lock(descriptor, operation):
        if not calls:
            path.unlink()  # its last holder, releasing it
        calls.append(descriptor)
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", remove_then_lock)
    lock = FileLock.try_acquire(path)
    assert len(calls) == 2
    assert FileLock.read_note(path) == str(os.getpid())
    lock.release()


def test_where_nothing_can_be_locked_a_sentence_says_so(tmp_path):
    with pytest.raises(DaemonUnreachable, match="local disk"):
        FileLock.try_acquire(tmp_path / "missing" / "lock")


def test_on_a_full_disk_a_sentence_says_so_and_nothing_stays_locked(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(DaemonUnreachable, match=r"lock cannot be written \(No space left"):
            FileLock.try_acquire(tmp_path / "lock")
    assert FileLock.try_acquire(tmp_path / "lock")


async def test_somebody_who_looks_whether_a_daemon_runs_keeps_none_from_starting(home):
    path = transport.socket_path()
    assert not lifecycle.is_running(path)
    glance = FileLock.try_acquire(lifecycle.lock_path(path))
    taking_over = asyncio.create_task(lifecycle.take_over(path))
    await asyncio.sleep(0)
    glance.release()
    lock = await taking_over
    assert lifecycle.is_running(path)
    lock.release()
    assert not lifecycle.is_running(path)


async def test_a_new_daemon_waits_for_one_that_leaves_and_not_for_one_that_stays(home):
    path = transport.socket_path()
    old = await lifecycle.take_over(path)
    with pytest.raises(DaemonUnreachable, match=rf"process {os.getpid()}.*already running"):
        await lifecycle.take_over(path)
    old.write_note(f"123{lifecycle.EXITING}")
    with pytest.raises(DaemonUnreachable, match=r"process 123.*still finishing"):
        await lifecycle.take_over(path, seconds=0.05)
    waiting = asyncio.create_task(lifecycle.take_over(path))
    await asyncio.sleep(0)
    old.release()
    (await waiting).release()


def test_a_daemon_is_killed_only_if_it_holds_its_lock(home):
    path = transport.socket_path()
    with pytest.raises(DaemonUnreachable, match="No editd daemon"):
        lifecycle.kill(path)
    lifecycle.lock_path(path).write_text(str(os.getpid()))
    with pytest.raises(DaemonUnreachable, match="No editd daemon"):
        lifecycle.kill(path)


@pytest.mark.parametrize("note", ["", " leaving", "0", "1", "-1", "x"])
def test_a_lock_without_a_process_kills_nothing(home, note):
    path = transport.socket_path()
    command = [sys.executable, "-c", HOLDER, str(lifecycle.lock_path(path)), note]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.read(1) == b"."
        with pytest.raises(DaemonUnreachable, match="has not said which process it is"):
            lifecycle.kill(path)
        assert holder.poll() is None
        holder.communicate()


HOLDER = """
import subprocess
import sys
from pathlib import Path
from editd.daemon.file_lock import FileLock
lock = FileLock.try_acquire(Path(sys.argv[1]))
lock.write_note(sys.argv[2])
print(end=".", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"HOME": "/home/x", "PATH": "/bin", "LC_ALL": "C"}, {"HOME", "PATH", "LC_ALL"}),
        ({"CUDA_VISIBLE_DEVICES": "1", "HF_HOME": "/m"}, {"CUDA_VISIBLE_DEVICES", "HF_HOME"}),
        (
            {"GGML_VK_VISIBLE_DEVICES": "0", "ZE_AFFINITY_MASK": "1", "DRI_PRIME": "1"},
            {"GGML_VK_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "DRI_PRIME"},
        ),
        (
            {"GGML_BACKEND_PATH": "x", "VK_DRIVER_FILES": "x", "VK_LAYER_PATH": "x"}
            | {
                "VK_ICD_FILENAMES": "x",
                "GGML_METAL_PATH_RESOURCES": "x",
                "VK_INSTANCE_LAYERS": "x",
            },
            set(),
        ),
        ({"LD_PRELOAD": "x", "PYTHONSTARTUP": "x", "PYTHONHOME": "x", "SECRET": "x"}, set()),
    ],
)
def test_the_daemon_inherits_what_it_needs_and_no_more(monkeypatch, given, kept):
    monkeypatch.setattr(os, "environ", given)
    monkeypatch.setattr(sys, "path", ["/somewhere/bin"])
    assert set(spawning.daemon_environment()) == kept


def test_the_daemon_finds_the_editd_that_started_it(monkeypatch):
    source = str(Path(editd.__file__).resolve().parent.parent)
    monkeypatch.setattr(os, "environ", {"PYTHONPATH": f"/evil{os.pathsep}{source}"})
    monkeypatch.setattr(sys, "path", ["/somewhere/bin"])
    assert spawning.daemon_environment() == {"PYTHONPATH": source}


def test_directories_are_told_in_full_since_the_daemon_lives_elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", {transport.ENV_RUNTIME_DIR: "here"})
    assert spawning.daemon_environment()[transport.ENV_RUNTIME_DIR] == str(tmp_path / "here")


def test_logs_go_beside_the_socket_where_there_is_no_home_of_ones_own(monkeypatch, home):
    monkeypatch.delenv(logs.ENV_STATE_DIR)
    monkeypatch.setattr("platformdirs.user_log_path", lambda *args, **kwargs: Path("/proc/editd"))
    assert logs.log_path() == transport.runtime_directory() / "daemon.log"
    monkeypatch.setattr("platformdirs.user_log_path", lambda *args, **kwargs: home / "logs")
    assert logs.log_path() == home / "logs" / "daemon.log"
    monkeypatch.setenv(logs.ENV_STATE_DIR, str(home))
    assert logs.log_path() == home / "daemon.log"
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.raises(DaemonUnreachable, match="belongs to another user"):
        logs.log_path()
    monkeypatch.setenv(logs.ENV_STATE_DIR, "/proc/editd")
    with pytest.raises(DaemonUnreachable, match=logs.ENV_STATE_DIR):
        logs.log_path()


@pytest.mark.parametrize(
    ("note", "is_held", "left_alone"),
    [
        ("{pid}\n{package}", True, True),
        ("{pid}\n{package}", False, False),  # dead
        ("{pid}\n{package}/missing", True, False),  # removed
        ("{pid}", True, False),  # from before notes named it
        ("{pid}\n{changed}", True, False),  # upgraded in its place
        ("{pid} leaving", True, False),
    ],
)
def test_a_daemon_of_another_installation_is_left_alone(tmp_path, note, is_held, left_alone):
    package, changed = tmp_path / "package", tmp_path / "changed"
    for folder in (package, changed):
        folder.mkdir()
        (folder / "a.py").write_text(f"# {folder.name}")
    other = tmp_path / f"editd-1-{transport.build_id(str(package))}.sock"
    lock = FileLock.try_acquire(lifecycle.lock_path(other))
    lock.write_note(note.format(pid=os.getpid(), package=package, changed=changed))
    if not is_held:
        lock.release()
    assert lifecycle._is_installed(other) is left_alone
    if is_held:
        lock.release()
