"""Ctrl-C and a reader that leaves, in real processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# The command line with an engine that never ends; it tells on standard error that it was stopped.
PROGRAM = """
import sys
from editd.cli import edit
from tests.unit.cli.fake_client import FakeClient

class Client(FakeClient):
    async def aclose(self):
        print("stopped:", len(self.cancelled), file=sys.stderr, flush=True)

async def connect(config, *, in_process):
    return Client(hang=sys.argv[1] == "hang")

edit.connect = connect
from editd.cli.app import run
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
    out, err = process.communicate(timeout=20)
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
    _, err = process.communicate(timeout=20)
    assert (process.returncode, b"Traceback" in err) == (130, False)


def test_ctrl_c_while_the_program_still_loads():
    program = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *_):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
from editd.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_reader_that_leaves_stops_the_edit_without_a_traceback(start):
    process = start("go", "edit", "a.py", "-i", "x", "--stream")
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert err.decode() in ("", "stopped: 0\n", "stopped: 1\n")
