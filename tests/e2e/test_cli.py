"""The command line as a user runs it: processes, a real daemon behind a real socket.

The daemon serves a scripted engine where timing must be forced, and the real one with the solved
model where the answer counts.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo_model import ENVIRONMENT, MODEL, demo_model  # noqa: F401  # a fixture
from tests.fakes import daemon_command

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo"

# ``editd``, except that the daemon it starts is the one given.
PROGRAM = """
import json, sys
from editd.daemon import lifecycle
command = json.loads(sys.argv[1])
if command:
    lifecycle.daemon_command = lambda: command
from editd.frontends.cli.app import run
sys.exit(run(sys.argv[2:]))
"""


class Shell:
    """Runs editd in a folder of its own, with a home, a daemon and settings of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemon: list[str] = []
        (folder / "config.toml").touch()
        self.environment = {
            **os.environ,
            **ENVIRONMENT,
            "PYTHONPATH": str(ROOT),
            "EDITD_EDIT_WORDS": "false",  # a model is what these tests are about
            "EDITD_CONFIG": str(folder / "config.toml"),
            "EDITD_RUNTIME_DIR": str(folder / "run"),
            "EDITD_STATE_DIR": str(folder / "state"),
            "OMP_NUM_THREADS": "1",
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, json.dumps(self.daemon), *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, stdin: str = "") -> tuple[int, str, str]:
        process = self.start(*arguments)
        out, err = process.communicate(stdin, timeout=100)
        return process.returncode, out, err

    def status(self) -> dict:
        return json.loads(self.run("status", "--json")[1])


@pytest.fixture
def shell(tmp_path):
    shell = Shell(tmp_path)
    yield shell
    for lock in (tmp_path / "run").glob("*.lock"):  # a daemon notes its process in its lock
        with contextlib.suppress(ValueError, ProcessLookupError, FileNotFoundError):
            os.kill(int(lock.read_text()), signal.SIGKILL)


def until_event(process, name):
    """Read the stream's events up to the first ``name``."""
    while True:
        event = json.loads(process.stdout.readline())
        if event["event"] == name:
            return event


def test_start_edit_status_logs_stop(shell):
    shell.daemon = daemon_command()
    (shell.folder / "a.py").write_text("one\n")
    assert shell.run("status")[0] == 3
    code, out, err = shell.run("edit", "a.py", "-i", 'say "it\'s"\n$HOME', "--in-place")
    assert (code, out) == (0, ""), err
    assert (shell.folder / "a.py").read_text() == "ONE\n"
    status = shell.status()
    assert (status["state"], status["models"][0]["name"]) == ("idle", str(MODEL))
    assert shell.run("edit", "-", "-i", "x", stdin="two\n") == (0, "TWO\n", "")
    assert shell.status()["pid"] == status["pid"]
    code, log, _ = shell.run("logs")
    assert code == 0
    assert "HOME" not in log
    assert shell.run("stop")[0] == 0
    assert shell.run("status")[0] == 3
    assert shell.run("stop")[0] == 0


def test_edits_at_once_start_one_daemon(shell):
    shell.daemon = daemon_command()
    processes = [shell.start("edit", "-", "-i", "x", "--json") for _ in range(4)]
    for number, process in enumerate(processes):
        process.stdin.write(f"text {number}\n")
        process.stdin.close()
        process.stdin = None
    answers = [json.loads(process.communicate(timeout=100)[0]) for process in processes]
    assert [answer["text"] for answer in answers] == [f"TEXT {number}\n" for number in range(4)]
    starts = [path for path in (shell.folder / "run").iterdir() if path.suffix == ".sock"]
    assert len(starts) == 1
    assert shell.status()["state"] == "idle"


def test_a_daemon_killed_mid_edit_is_exit_code_3_and_the_next_edit_works(shell):
    shell.daemon = daemon_command(unit_seconds=0.3)
    text = "one\ntwo\n" * 500
    (shell.folder / "a.py").write_text(text)
    process = shell.start("edit", "a.py", "-i", "x", "--stream")
    until_event(process, "delta")
    os.kill(shell.status()["pid"], signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    last = json.loads(out.splitlines()[-1])
    assert (last["event"], last["error"]["code"]) == ("result", "daemon-unreachable")
    assert err.startswith("editd: ")
    assert (shell.folder / "a.py").read_text() == text
    shell.daemon = daemon_command()
    assert shell.run("edit", "-", "-i", "x", stdin="two\n") == (0, "TWO\n", "")


def test_ctrl_c_cancels_the_edit_at_the_daemon(shell):
    shell.daemon = daemon_command(unit_seconds=0.2)
    (shell.folder / "a.py").write_text("one\n" * 5000)
    process = shell.start("edit", "a.py", "-i", "x", "--stream")
    until_event(process, "delta")
    assert shell.status()["state"] == "busy"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out.splitlines()[-1])["finish_reason"] == "cancelled"
    assert err == "editd: Cancelled; nothing was written.\n"
    # A unit that had begun may have to end first; the next edit waits for it and is served.
    assert shell.run("edit", "-", "-i", "x", stdin="two\n")[1] == "TWO\n"
    assert shell.status()["state"] == "idle"


def test_a_file_of_50000_lines(shell):
    shell.daemon = daemon_command(lines_per_unit=10_000)
    text = "".join(f"line {number}\n" for number in range(50_000))
    (shell.folder / "a.txt").write_text(text)
    code, _, err = shell.run("edit", "a.txt", "-i", "x", "--in-place", "--range", "25000:25001")
    assert code == 0, err
    changed = (shell.folder / "a.txt").read_text().splitlines()
    assert changed[24_998:25_002] == ["line 24998", "LINE 24999", "LINE 25000", "line 25001"]


def test_editd_lsp_ends_when_its_editor_does(shell):
    assert shell.run("lsp", "--stdio")[0] in (0, 1)


@pytest.mark.parametrize("how", [[], ["--no-daemon"]])
def test_a_wrong_model_is_exit_code_4(shell, how):
    code, out, err = shell.run("edit", "-", "-i", "x", "--model", "./nowhere", *how, stdin="a\n")
    said = [line for line in err.splitlines() if "no answer yet" not in line]  # a slow machine
    assert (code, out, len(said)) == (4, "", 1), err
    assert str(shell.folder / "nowhere") in said[0]


def test_the_demo_model_rewrites_a_real_file(shell, demo_model):  # noqa: F811
    """CRLF file, real weights: the answer is the model's own, byte for byte."""
    shutil.copy(DEMO / "settings.py", shell.folder)
    file = shell.folder / "settings.py"
    before = file.read_bytes()
    instruction = "Change the default timeout from 30 to 45 seconds."
    code, _, err = shell.run("edit", "settings.py", "-i", instruction, "--in-place")
    assert code == 0, err
    after = file.read_bytes()
    assert after != before
    assert after.count(b"\r\n") == after.count(b"\n")
    assert b"45" in after
