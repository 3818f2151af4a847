"""Ctrl-C and a reader that leaves, in real processes."""

import asyncio
import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import sleep

import psutil
import pytest

from editd.frontends.cli import inputs

# The command line with an engine that never ends; it tells on standard error that it was stopped.
PROGRAM = """
import sys
from editd.frontends.cli import edit
from tests.unit.frontends.cli.fake_client import FakeClient

class Client(FakeClient):
    async def aclose(self):
        print("stopped:", len(self.cancelled), file=sys.stderr, flush=True)

def make_client(config, *, in_process):
    return Client(hang=sys.argv[1] == "hang")

edit.make_client = make_client
from editd.frontends.cli.app import run
sys.exit(run(sys.argv[2:]))
"""


@pytest.fixture
def start(tmp_path):
    (tmp_path / "config.toml").touch()
    (tmp_path / "a.py").write_text("one\ntwo\n")
    processes = []

    def call(how, *arguments):
        environment = {
            **os.environ,
            "PYTHONPATH": str(Path.cwd()),
            "EDITD_CONFIG": str(tmp_path / "config.toml"),
        }
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, how, *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        processes.append(process)
        return process

    yield call
    for process in processes:
        process.kill()
        process.communicate()


def test_ctrl_c_cancels_the_edit_and_exits_with_130(start, tmp_path):
    process = start("hang", "edit", "a.py", "-i", "x", "--stream")
    events = []
    while not events or events[-1]["event"] != "delta":
        events.append(json.loads(process.stdout.readline()))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    last = json.loads(out.splitlines()[-1])
    assert (last["event"], last["finish_reason"]) == ("result", "cancelled")
    assert err.decode() == "stopped: 1\neditd: Cancelled; nothing was written.\n"
    assert (tmp_path / "a.py").read_text() == "one\ntwo\n"


def test_ctrl_c_while_standard_input_is_awaited(start):
    process = subprocess.Popen(
        [sys.executable, "-m", "editd", "edit", "-", "-i", "x"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # It reads when its end of the pipe is drained: then it is past its imports.
    process.stdin.write(b"x" * (1 << 17))
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, b"Traceback" in err) == (130, False)


@pytest.fixture
def environment(tmp_path):
    """Of a program that finds this checkout, and settings that say nothing."""
    (tmp_path / "config.toml").touch()
    return {
        **os.environ,
        "PYTHONPATH": str(Path.cwd()),
        "EDITD_CONFIG": str(tmp_path / "config.toml"),
    }


# The program from its first line on, with Ctrl-C where one module begins to load: raised there, or
# inside of what Python calls in passing, where it is printed and forgotten.
LOADING = """
import os, signal, sys

at, how, sys.argv = sys.argv[1], sys.argv[2], ["editd", *sys.argv[3:]]

class Passing:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10):
            pass

class Finder:
    def find_spec(self, name, *_):
        if name == at:
            if how == "passing":
                Passing()
            else:
                os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from editd.frontends.cli import main
main()
"""


@pytest.mark.parametrize("how", ["here", "passing"])
@pytest.mark.parametrize(
    "module",
    [
        "editd.frontends.cli",
        "editd.frontends.cli.app",
        "typer",
        "editd.config_sources",
        "cattrs",
        "editd.daemon.client",
    ],
)
def test_ctrl_c_while_the_program_still_loads(tmp_path, environment, module, how):
    (tmp_path / "a.py").write_text("one\n")
    done = subprocess.run(
        [sys.executable, "-c", LOADING, module, how, "edit", "a.py", "-i", "x", "--in-place"],
        capture_output=True,
        timeout=60,
        cwd=tmp_path,
        env=environment,
    )
    # The client is loaded once the edit has begun, when there is something to say.
    late = module in ("editd.daemon.client", "cattrs")
    told = b"editd: Cancelled; nothing was written.\n" if late else b""
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", told)
    assert (tmp_path / "a.py").read_text() == "one\n"


# The command line as the program runs it, with an engine that answers or never ends.
WHOLE = """
import os, signal, sys
from editd import interrupts
interrupts.listen()
from editd.frontends.cli import edit
from tests.unit.frontends.cli.fake_client import FakeClient

class Passing:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def passing(request):
    # Inside of a task, where asking it to end is not missed, and outside of any.
    interrupts._state.cancel = None
    Passing()
    print("Forgotten.", file=sys.stderr)

def make_client(config, *, in_process):
    return FakeClient(hang=how == "hang", on_edit=passing if how == "passing" else None)

edit.make_client = make_client
how = sys.argv.pop(1)
from editd.frontends.cli import main
main()
"""


def test_ctrl_c_that_python_forgot_is_remembered_and_nothing_is_written(tmp_path, environment):
    (tmp_path / "a.py").write_text("one\n")
    done = subprocess.run(
        [sys.executable, "-c", WHOLE, "passing", "edit", "a.py", "-i", "x", "--in-place"],
        capture_output=True,
        timeout=60,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 130
    assert done.stderr == b"Forgotten.\neditd: Cancelled; nothing was written.\n"
    assert (tmp_path / "a.py").read_text() == "one\n"


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 130),
        (signal.SIGTERM, 143),
        (signal.SIGHUP, 129),
        (signal.SIGQUIT, 131),
    ],
)
def test_whoever_ends_it_finds_the_cursor_again(tmp_path, environment, number, code):
    (tmp_path / "a.py").write_text("one\ntwo\n")
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", WHOLE, "hang", "edit", "a.py", "-i", "x"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        cwd=tmp_path,
        env={**environment, "TERM": "xterm-256color"},
    )
    os.close(follower)
    screen = b""
    try:
        while b"\x1b[?25l" not in screen:
            screen += os.read(leader, 1 << 16)
        process.send_signal(number)
        with contextlib.suppress(OSError):  # the end of a terminal
            while data := os.read(leader, 1 << 16):
                screen += data
        assert process.wait(timeout=60) == code
    finally:
        process.kill()
        process.wait()
        os.close(leader)
    assert screen.rindex(b"\x1b[?25h") > screen.rindex(b"\x1b[?25l")
    assert b"Traceback" not in screen


# As above, and a signal when Python ends and has given up its own handlers.
LATE = """
import os
class Late:
    def __del__(self, kill=os.kill, me=os.getpid()):
        kill(me, NUMBER)
late = Late()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_whoever_ends_it_when_all_is_done_changes_nothing(tmp_path, environment, number):
    (tmp_path / "a.py").write_text("one\n")
    late = LATE.replace("NUMBER", str(int(number)))
    done = subprocess.run(
        [sys.executable, "-c", late + WHOLE, "go", "edit", "a.py", "-i", "x", "--in-place"],
        capture_output=True,
        timeout=60,
        cwd=tmp_path,
        env=environment,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"editd: wrote a.py")
    assert (tmp_path / "a.py").read_text() == "ONE\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_ends_it_is_heard_while_it_waits_for_a_pipe(tmp_path, environment, number):
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen(
        [sys.executable, "-c", WHOLE, "go", "edit", "pipe", "-i", "x"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
    )
    with process:
        while psutil.Process(process.pid).num_threads() == 1:
            sleep(0.02)  # until a thread of its own waits for somebody to write
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert err == b"editd: Cancelled; nothing was written.\n"


# Its one loop waits without end when the kernel gives the signal to another thread.
ASLEEP = """
import asyncio, signal, sys, threading, time
from editd import interrupts

interrupts.listen()
interrupts.end_in_order()

def elsewhere():
    time.sleep(0.2)  # by now the loop waits
    signal.pthread_kill(threading.get_ident(), int(sys.argv[1]))
    time.sleep(60)

async def work():
    threading.Thread(target=elsewhere, daemon=True).start()
    await asyncio.Event().wait()

try:
    interrupts.run(work())
except KeyboardInterrupt:
    sys.exit(interrupts.exit_code(0))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_loop_that_waits_hears_a_signal_that_another_thread_got(environment, number):
    done = subprocess.run(
        [sys.executable, "-c", ASLEEP, str(int(number))],
        capture_output=True,
        timeout=60,
        env=environment,
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + number, b"", b"")


def test_a_cancelled_edit_does_not_begin_to_wait(monkeypatch):
    """Ctrl-C between the last time that the loop listened and the wait."""

    async def edit():
        asyncio.current_task().cancel()
        inputs._patiently(threading.Event().wait)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(edit())


def test_a_reader_that_leaves_stops_the_edit_without_a_traceback(start):
    process = start("go", "edit", "a.py", "-i", "x", "--stream")
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.decode() in ("", "stopped: 0\n", "stopped: 1\n")
