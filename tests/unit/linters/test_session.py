"""The user's linters on edits: what they mark, and what a bad one costs."""

import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from editd.config import ChecksConfig
from editd.diff.hunk import Hunk
from editd.linters.running import Command, lint
from editd.linters.session import Linters
from editd.messages import EditRequest, EditResult
from editd.messages.reports import Stats

OLD, NEW = "x = 1\nbad = 2\n", "x = bad\nbad = 2\n"
# Prints a finding for each line with "bad", of its file or of standard input.
LINTER = """
import sys
for number, line in enumerate(open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin, 1):
    if "bad" in line:
        print(f"{sys.argv[1] if len(sys.argv) > 1 else '-'}:{number}:1: B1 bad word")
"""


def command(code, *arguments):
    return shlex.join([sys.executable, "-c", code, *arguments])


def judging(tmp_path, line, **fields):
    """A session with this linter, and an edit of a file in a trusted project."""
    folder = tmp_path / "project" / "package"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text(OLD)
    (folder.parent / "settings.toml").write_text("")
    request = EditRequest(
        "r",
        OLD,
        "use it",
        path="package/a.py",
        file=str(folder / "a.py"),
        workspace_root=str(folder.parent),
    )
    request = replace(request, **fields)
    result = EditResult(
        "r", "stop", NEW, (Hunk(1, 0, 1, ("x = bad\n",)),), stats=Stats(written_by="model")
    )
    return Linters(ChecksConfig(python=line, time_limit=2.0)), request, result


@pytest.mark.parametrize("arguments", [(), ("{path}",)])
async def test_a_new_finding_makes_its_hunk_suspect(tmp_path, arguments):
    linters, request, result = judging(tmp_path, command(LINTER, *arguments))
    judged = await linters.judge(request, result)
    name = Path(sys.executable).name
    assert judged.suspects == (f"{name}: bad word (B1) at line 1.",)
    assert [hunk.suspect for hunk in judged.hunks] == [*judged.suspects]
    assert (judged.text, judged.notices) == (NEW, ())


@pytest.mark.parametrize(
    ("fields", "written_by"),
    [
        ({"workspace_root": ""}, "model"),
        ({"workspace_root": "/elsewhere"}, "model"),
        ({"file": ""}, "model"),
        ({"path": "a.rb"}, "model"),
        ({}, "words"),
    ],
)
async def test_what_is_not_judged(tmp_path, fields, written_by):
    mark = tmp_path / "started"
    linters, request, result = judging(tmp_path, command(f"open({str(mark)!r}, 'w')"), **fields)
    result = replace(result, stats=Stats(written_by=written_by))
    assert await linters.judge(request, result) is result
    assert not mark.exists()


def test_the_project_is_beside_the_text(tmp_path):
    _, request, _ = judging(tmp_path, "")
    (tmp_path / "project" / "package" / "b.py").write_text("")
    listing = "import os; print('-:1:', sorted(os.listdir()), sorted(os.listdir('package')))"
    place = (tmp_path / "project", tmp_path / "project" / "package" / "a.py")
    (finding,) = lint(Command(command(listing)), *place, request.text, 5)
    assert finding.message == "['package', 'settings.toml'] ['a.py', 'b.py']"


HANG = "import time; time.sleep(60)"
HANGS_BELOW = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HANG!r}])"
FLOOD = "while True: print('x' * 10000)"
WRITE = "import sys; open(sys.argv[1], 'w').write('lost')"


@pytest.mark.parametrize(
    ("line", "notice"),
    [
        (command(HANG), "took longer than 2 s (checks.time_limit)"),
        (command(HANGS_BELOW), "took longer than 2 s (checks.time_limit)"),
        (command(FLOOD), "printed more than 4 MiB"),
        (command("import os; os.abort()"), "ended with status -6"),
        (command(r"print('a\0b:1: x')"), "could not run (embedded null byte)"),
        (command("1 / 0"), "ended with status 1: ZeroDivisionError: division by zero"),
        (command(WRITE, "{path}"), "changed the file that it was to judge, which was a copy"),
        ("no-such-linter -", "is not installed"),
        ("package/linter", "names its program by a relative path; use a name or an absolute path"),
        ("'", "cannot be read: No closing quotation"),
    ],
)
async def test_a_bad_linter_costs_one_notice(tmp_path, line, notice):
    linters, request, result = judging(tmp_path, line)
    began = time.monotonic()
    judged = await linters.judge(request, result)
    assert time.monotonic() - began < 6
    assert replace(judged, notices=()) == result
    (sentence,) = judged.notices
    assert f" {notice}; it is off until editd is started again." in sentence
    assert await linters.judge(request, result) is result
    assert (tmp_path / "project" / "package" / "a.py").read_text() == OLD
