"""``editd edit`` at a pseudo terminal: the questions after the diff, and what is in the file after each answer."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from editd.diff.document import Document
from editd.frontends.follow_up import follow_up
from editd.messages import EditRequest, EditResult
from editd.refactor.computed import hunks_to

# The command line with an engine that knows one answer to each instruction.
PROGRAM = """
import sys
from dataclasses import replace
from editd import interrupts
interrupts.listen()
from editd.diff.document import Document
from editd.diff.edits import apply
from editd.errors import EditRefused
from editd.frontends.cli import edit, main
from editd.messages import EditResult
from editd.refactor.computed import hunks_to

ANSWERS = {
    "upper": "A\\nb\\nC\\nd\\nE\\n",
    "first": "A\\nb\\nc\\nd\\ne\\n",
    "doubtful": "A\\nb\\nC\\nd\\ne\\n",
    "wrong": "A\\nb\\nc\\nd\\ne\\n",
    "nothing": "a\\nb\\nc\\nd\\ne\\n",
}
DOUBTED = {"doubtful": [1], "wrong": [0]}

class Client:
    async def ask(self, request):
        with open("asked", "a") as asked:
            print(request.instruction, repr(request.based_on), request.start_line, request.end_line, file=asked)
        if request.instruction not in ANSWERS:
            raise EditRefused("Not understood.")
        hunks = list(hunks_to(Document.of(request.text), ANSWERS[request.instruction]))
        for index in DOUBTED.get(request.instruction, []):
            hunks[index] = replace(hunks[index], suspect="It loops.")
        yield EditResult(request.request_id, "stop", apply(hunks, request.text), tuple(hunks),
                         suspects=tuple(x.suspect for x in hunks if x.suspect))

    async def aclose(self):
        pass

edit.make_client = lambda config, *, in_process: Client()
main()
"""
OLD = "a\nb\nc\nd\ne\n"
QUESTION = re.compile(rb"(?:,\?\]\? |Refine: )\Z")
COLOURS = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


class Dialogue:
    """A run of ``editd`` at a terminal of its own. screen: all that it printed, without colours."""

    def __init__(self, folder, *arguments):
        self.folder, self.screen = folder, b""
        (folder / "config.toml").touch()
        (folder / "a.txt").write_text(OLD)
        self.leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "edit", *arguments],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            cwd=folder,
            start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": str(Path.cwd()),
                "EDITD_CONFIG": str(folder / "config.toml"),
                "TERM": "xterm-256color",
                "COLUMNS": "200",
            },
        )
        os.close(follower)

    def read(self, until=None):
        """Read until the screen ends with ``until``, or to the end."""
        while until is None or not until.search(self.screen):
            assert select.select([self.leader], [], [], 60)[0], self.screen
            try:
                data = os.read(self.leader, 1 << 16)
            except OSError:  # the end of a terminal
                data = b""
            if not data:
                break
            self.screen = COLOURS.sub(b"", self.screen + data)

    def answer(self, line):
        """Wait for a question and type an answer to it: a line, the end of input, or Ctrl-C as a signal."""
        self.read(QUESTION)
        if line == "^C":
            self.process.send_signal(signal.SIGINT)
        else:
            os.write(self.leader, b"\x04" if line == "^D" else f"{line}\n".encode())
            self.screen += b"#"  # answered

    def end(self):
        """Read what is left; returns the exit code."""
        self.read()
        return self.process.wait(timeout=60)


@pytest.fixture
def talk(tmp_path):
    """Run ``editd edit`` on ``a.txt`` and type ``answers``; returns the dialogue, its exit code and the file."""
    dialogues = []

    def call(instruction, answers, *more):
        dialogue = Dialogue(tmp_path, "a.txt", "-i", instruction, *more)
        dialogues.append(dialogue)
        for line in answers:
            dialogue.answer(line)
        return dialogue.end(), dialogue

    yield call
    for dialogue in dialogues:
        dialogue.process.kill()
        dialogue.process.wait()
        with contextlib.suppress(OSError):
            os.close(dialogue.leader)


@pytest.mark.parametrize(
    ("instruction", "answers", "new", "sentence"),
    [
        ("upper", ["y"], "A\nb\nC\nd\nE\n", "Wrote a.txt: 3 hunks, +3 -3."),
        ("upper", ["n"], OLD, "Nothing was written."),
        ("upper", ["^D"], OLD, "Nothing was written."),
        ("upper", ["", "yes", "Y"], "A\nb\nC\nd\nE\n", "h - decide hunk by hunk"),
        ("upper", ["h", "y", "n", "y"], "A\nb\nc\nd\nE\n", "Wrote a.txt: 2 of 3 hunks, +2 -2."),
        ("upper", ["h", "n", "a"], "a\nb\nC\nd\nE\n", "Wrote a.txt: 2 of 3 hunks"),
        ("upper", ["h", "y", "q"], "A\nb\nc\nd\ne\n", "Wrote a.txt: 1 of 3 hunks"),
        ("upper", ["h", "n", "n", "n"], OLD, "Nothing was written."),
        ("upper", ["h", "y", "^D"], OLD, "Nothing was written."),
        ("first", ["h", "y"], "A\nb\nc\nd\ne\n", "Write this change to a.txt [y,n,r,?]?"),
        ("doubtful", ["y"], "A\nb\nc\nd\ne\n", "Write 1 of 2 hunks, which are not suspect, to a.txt [y,n,h,r,?]?"),
        ("doubtful", ["h", "a"], "A\nb\nc\nd\ne\n", "Wrote a.txt: 1 of 2 hunks"),
        ("doubtful", ["h", "n", "y"], "a\nb\nC\nd\ne\n", "suspect: It loops."),
        ("wrong", ["y", "h", "y"], "A\nb\nc\nd\ne\n", "Write this change, which is suspect, to a.txt [n,h,r,?]?"),
        ("upper", ["r", "first", "y"], "A\nb\nc\nd\ne\n", "Wrote a.txt: 1 hunk, +1 -1."),
        ("upper", ["r", "", "r", "fail", "y"], "A\nb\nC\nd\nE\n", "Not understood. The change before it is still there."),
        ("upper", ["r", "nothing", "y"], "A\nb\nC\nd\nE\n", "editd: The change before it is still there."),
        ("upper", ["r", "^D", "n"], OLD, "Nothing was written."),
    ],
)  # fmt: skip
def test_what_is_written_is_what_was_answered(talk, tmp_path, instruction, answers, new, sentence):
    code, dialogue = talk(instruction, answers)
    assert (code, (tmp_path / "a.txt").read_text()) == (0, new), dialogue.screen
    assert sentence in dialogue.screen.decode()


def test_a_refinement_builds_on_the_answer_and_stays_where_it_is(talk, tmp_path):
    talk("first", ["r", "upper", "n"])
    assert (tmp_path / "asked").read_text().splitlines() == [
        "first None None None",
        r"upper 'A\nb\nc\nd\ne\n' 0 1",
    ]


@pytest.mark.parametrize("before", [[], ["h", "y"], ["r"]])
def test_ctrl_c_leaves_the_file_as_it_was(talk, tmp_path, before):
    code, dialogue = talk("upper", [*before, "^C"])
    assert (code, (tmp_path / "a.txt").read_text()) == (130, OLD)
    assert b"Cancelled; nothing was written." in dialogue.screen
    assert b"Traceback" not in dialogue.screen


def test_a_file_that_changed_meanwhile_is_not_written(tmp_path, talk):
    dialogue = Dialogue(tmp_path, "a.txt", "-i", "upper")
    dialogue.read(QUESTION)
    (tmp_path / "a.txt").write_text("new\n")
    dialogue.answer("y")
    assert (dialogue.end(), (tmp_path / "a.txt").read_text()) == (1, "new\n")
    assert b"a.txt was not written, because it changed on disk meanwhile" in dialogue.screen


@pytest.mark.parametrize(
    ("instruction", "more", "new"),
    [
        ("nothing", [], OLD),
        ("upper", ["--diff"], OLD),
        ("upper", ["--json"], OLD),
        ("upper", ["--check"], OLD),
        ("upper", ["--in-place"], "A\nb\nC\nd\nE\n"),
    ],
)
def test_nothing_is_asked_with_an_output_of_its_own_or_without_a_change(
    talk, tmp_path, instruction, more, new
):
    _, dialogue = talk(instruction, [], *more)
    assert b"]?" not in dialogue.screen
    assert (tmp_path / "a.txt").read_text() == new


def test_several_files_are_asked_about_one_by_one(tmp_path):
    (tmp_path / "b.txt").write_text(OLD)
    dialogue = Dialogue(tmp_path, "a.txt", "b.txt", "-i", "first")
    dialogue.answer("n")
    dialogue.answer("y")
    assert dialogue.end() == 0
    assert (tmp_path / "a.txt").read_text() == OLD
    assert (tmp_path / "b.txt").read_text() == "A\nb\nc\nd\ne\n"


CODE = "import os\n\n\ndef a():\n    x = 1\n    return x\n\n\ndef b():\n    y = 2\n\n    return y\n\n\nz = 3\n"


@pytest.mark.parametrize(
    ("old", "new", "selected", "lines"),
    [
        ("x = 1", "x = 11", None, (3, 6)),
        ("y = 2\n", "y = 2\n    y += 1\n", None, (8, 12)),
        ("x = 1", "x = 11", (0, 15), (0, 15)),
        ("import os", "import re", None, (0, 1)),
        ("z = 3\n", "z = 3\nw = 4\n", None, (14, 15)),
        ("1\n    return x\n\n\ndef b():\n    y = 2", "3\n    return x\n\n\ndef b():\n    y = 4", None, (3, 12)),
        ("import os\n", "import os\nimport re\n", None, (1, 2)),
    ],
)  # fmt: skip
def test_the_lines_that_a_refinement_may_change(old, new, selected, lines):
    text = CODE.replace(old, new)
    start, end = selected or (None, None)
    request = EditRequest("1", CODE, "x", "a.py", start_line=start, end_line=end, prediction="p")
    answer = EditResult("1", "stop", text, hunks_to(Document.of(CODE), text))
    refined = follow_up(request, answer, "y")
    assert (refined.start_line, refined.end_line) == lines
    assert (refined.instruction, refined.based_on, refined.prediction) == ("y", text, None)
    assert refined.request_id != "1"
