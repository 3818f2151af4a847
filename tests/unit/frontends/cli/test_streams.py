"""Standard streams that are closed or full, and names that lead to a pipe, in real processes."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from editd.messages import Progress
from tests.unit.frontends.cli.fake_client import FakeClient

# The command line with an engine that answers at once.
PROGRAM = """
from editd.frontends.cli import edit, main
from tests.unit.frontends.cli.fake_client import FakeClient

def make_client(config, *, in_process):
    return FakeClient()

edit.make_client = make_client
main()
"""


@pytest.fixture
def shell(tmp_path):
    """Run a line of shell, in which ``editd`` is editd: exit code, output, words."""
    (tmp_path / "config.toml").touch()
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "a.py").write_text("one\ntwo\n")
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[4]),
        "EDITD_CONFIG": str(tmp_path / "config.toml"),
    }

    def start(line):
        function = f'editd() {{ "{sys.executable}" "{tmp_path}/program.py" "$@"; }}\n'
        return subprocess.Popen(
            ["bash", "-c", function + line],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(line):
        process = start(line)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    run.start = start
    return run


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("editd edit a.py -i x >&-", 1, "editd: The output could not be written: Bad file"),
        ("editd status 2>&-", 3, ""),
        (
            "editd edit - -i x <&-",
            2,
            "editd: Standard input is empty: name a file with text in it.\n",
        ),
        ("editd edit a.py -i x --in-place <&- >&- 2>&-", 0, ""),
        ("editd edit nowhere -i x <&- >&- 2>&-", 2, ""),
        ("editd --version > /dev/full", 1, "editd: The output could not be written: No space"),
        ("editd edit a.py -i x > /dev/full", 1, "editd: The output could not be written: No space"),
        ("editd edit a.py -i x --json > /dev/full", 1, "editd: The output could not be written: N"),
    ],
)
def test_a_stream_that_is_closed_or_full_is_one_sentence_at_most(
    shell, tmp_path, line, code, words
):
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    outcome = shell("export EDITD_RUNTIME_DIR=$PWD/run\n" + line)
    assert outcome[:2] == (code, "")
    assert outcome[2].startswith(words)
    assert len(outcome[2].splitlines()) == bool(words)
    written = "--in-place" in line
    assert (tmp_path / "a.py").read_text() == ("ONE\nTWO\n" if written else "one\ntwo\n")


@pytest.mark.parametrize("name", ["/dev/stdin", "<(cat a.py)"])
def test_a_pipe_may_have_a_name(shell, name):
    assert shell(f"cat a.py | editd edit {name} -i x") == (0, "ONE\nTWO\n", "")


def test_ctrl_c_ends_the_wait_for_a_pipe(shell, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    process = shell.start("editd edit a.py pipe -i x --diff")
    with (tmp_path / "pipe").open("wb"):  # it is read from now on, and nothing comes
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "editd: Cancelled; 1 text was done before.\n")


def test_a_terminal_that_knows_no_such_character_shows_another(shell):
    code, out, err = shell("PYTHONIOENCODING=ascii editd apply --help")
    assert (code, err) == (0, "")
    assert "?... existing code" in " ".join(out.split())


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("editd edit a.py -i x --diff", 2, "editd: a.py: no such file.\n"),
        ('editd edit "$there/a.py" -i x --diff', 0, ""),
        ("echo one | editd edit - -i x", 0, ""),
        ("editd config list", 0, ""),
    ],
)
def test_the_current_directory_may_be_gone(shell, command, code, words):
    outcome = shell(f"there=$PWD; mkdir gone; cd gone; rmdir ../gone; {command}")
    assert (outcome[0], outcome[2]) == (code, words)


class Slow(FakeClient):
    """Says what it does, and takes its time."""

    async def ask(self, request):
        yield Progress(request.request_id, "loading", "loading embedded", 0.25)
        await asyncio.sleep(0.05)
        async for message in super().ask(request):
            yield message


@pytest.mark.parametrize("patience", [0.01, 60])
@pytest.mark.parametrize("mode", [[], ["--diff"], ["--json"], ["--in-place"]])
def test_a_long_wait_is_explained_in_one_line_where_there_is_no_terminal(
    editd, tmp_path, monkeypatch, mode, patience
):
    (tmp_path / "a.py").write_text("one\n")
    monkeypatch.setattr("editd.frontends.cli.outputs.PATIENCE", patience)
    outcome = editd("edit", "a.py", "-i", "x", *mode, client=Slow())
    said = "editd: no answer yet: a.py: loading embedded 25%.\n"
    assert outcome.code == 0
    assert (outcome.err.count("\n") - ("--in-place" in mode), said in outcome.err) == (
        (1, True) if patience < 1 else (0, False)
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such limit")
@pytest.mark.parametrize("kilobytes", [100_000, 400_000])
def test_memory_that_runs_out_is_one_sentence(tmp_path, kilobytes, demo_model):
    (tmp_path / "a.py").write_text("one\n")
    (tmp_path / "config.toml").touch()
    edit = ["edit", "a.py", "-i", "x", "--no-daemon", "--model", demo_model]
    # By the shell, because a fork of a large test process would not survive the limit.
    limited = ["sh", "-c", f'ulimit -v {kilobytes}; exec "$@"', "sh"]
    done = subprocess.run(
        [*limited, sys.executable, "-m", "editd", *edit],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path.cwd()), "EDITD_CONFIG": "config.toml"},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (4, b""), done.stderr
    *waited, last = done.stderr.splitlines()
    assert last.startswith(b"editd: There is not enough memory for editd")
    assert all(b"no answer yet" in line for line in waited)  # on a slow machine
