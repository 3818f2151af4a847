"""``editd edit``: what is asked, what comes out, and how it ends."""

import json
import os
import subprocess

import pytest

from editd import errors
from editd.diff.hunk import Hunk
from editd.messages import EditResult
from editd.models.model_folder import open_checkpoint
from tests.fakes import Script
from tests.unit.frontends.cli.fake_client import FakeClient

TEXT = "one\ntwo\nTHREE\nfour\n"
UPPER = "ONE\nTWO\nTHREE\nFOUR\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(TEXT)
    return path


# --- what is asked -------------------------------------------------------------------------------


def test_every_option_reaches_the_request(editd, file, tmp_path):
    (tmp_path / "expected.py").write_text("ONE\n")
    (tmp_path / "model").mkdir()
    instruction = "say \"it's\"\nand 'more' $HOME `x` \\n"
    outcome = editd(
        "edit", file, "-i", instruction, "--range", "2:3", "--path", "src/b.py",
        "--model", "./model", "--draft-model", "org/small", "--prediction", "expected.py",
        "--drafter", "buffer+suffix", "--window", 64, "--temperature", 0.5, "--top-p", 0.9,
        "--top-k", 40, "--seed", 7, "--max-new-tokens", 99, "--timeout", 1.5, "--acceptance", "coupled",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    (request,) = outcome.client.requests
    assert (request.text, request.instruction, request.path) == (TEXT, instruction, "src/b.py")
    assert (request.start_line, request.end_line) == (1, 3)
    assert request.prediction == "ONE\n"
    assert request.priority == "interactive"
    options = request.options
    assert options.model == str(tmp_path / "model")
    assert (options.draft_model, options.acceptance) == ("org/small", "coupled")
    assert (options.drafter, options.window) == ("buffer+suffix", 64)
    assert (options.temperature, options.top_p, options.top_k) == (0.5, 0.9, 40)
    assert (options.seed, options.max_new_tokens, options.timeout) == (7, 99, 1.5)


def test_what_nobody_sets_is_left_to_the_daemon(editd, file):
    options = editd("edit", file, "-i", "x").client.requests[0].options
    assert options.model is None
    assert options.temperature is None


def test_flags_win_over_the_environment_and_that_over_the_file(editd, file, tmp_path, monkeypatch):
    (tmp_path / "settings" / "config.toml").write_text(
        "[decode]\nwindow = 1\nseed = 1\ntop_k = 1\n"
    )
    monkeypatch.setenv("EDITD_DECODE_SEED", "2")
    monkeypatch.setenv("EDITD_DECODE_TOP_K", "2")
    options = editd("edit", file, "-i", "x", "--top-k", "0").client.requests[0].options
    assert (options.window, options.seed, options.top_k) == (1, 2, 0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-i", "x"], "Name a file"),
        (["a.py"], "Missing option"),
        (["a.py", "-i", "  "], "instruction is empty"),
        (["nowhere.py", "-i", "x"], "nowhere.py: no such file"),
        ([".", "-i", "x"], ". is a directory"),
        (["empty.py", "-i", "x"], "empty.py is empty"),
        (["bom.py", "-i", "x"], "bom.py is empty"),
        (["binary.py", "-i", "x"], "binary.py is not text"),
        (["latin.txt", "-i", "x"], "latin.txt is not UTF-8 (byte 1)"),
        (["cookie.py", "-i", "x"], "unknown encoding"),
        (["loop.py", "-i", "x"], "loop.py cannot be read"),
        (["", "-i", "x"], "A file's name is empty."),
        (["a" * 300, "-i", "x"], "a cannot be read: File name too long."),
        (["/dev/zero", "-i", "x"], "/dev/zero is larger than 256 MiB, the maximum."),
        (["a.py", "-i", "x", "--seed", "9" * 30], "but must be less than 2**63."),
        (["a.py", "-i", "x", "--range", "2"], "must be START:END"),
        (["a.py", "-i", "x", "--range", "0:2"], "lines start at 1"),
        (["a.py", "-i", "x", "--range", "3:2"], "END must not be below START"),
        (["a.py", "-i", "x", "--range", "3:5"], "a.py has only 4 lines"),
        (["a.py", "-i", "x", "--diff", "--json"], "--diff and --json cannot be combined"),
        (["a.py", "b.py", "-i", "x"], "Several files need one of"),
        (["a.py", "-i", "x", "--workspace", "nowhere"], "nowhere: no such file"),
        (["a.py", "b.py", "-i", "x", "--check", "--path", "c"], "--path takes one file"),
        (["-", "-i", "x", "--in-place"], "cannot write to standard input"),
        (["-", "-i", "x"], "Standard input is empty"),
        (["-", "--files-from", "-", "-i", "x", "--json"], "both the text and the list"),
        (["--files-from", "nowhere", "-i", "x"], "nowhere: no such file"),
        (["a.py", "-i", "x", "--prediction", "nowhere"], "nowhere: no such file"),
        (
            ["a.py", "-i", "x", "--top-p", "0"],
            "--top-p is 0.0, but must be a number above 0 and at most 1.",
        ),
        (["a.py", "-i", "x", "--temperature", "-1"], "--temperature is -1.0"),
        (["a.py", "-i", "x", "--window", "many"], "--window"),
        (["a.py", "-i", "x", "--colour"], "--colour"),
        (["a.py", "-i", "x\udc80"], "not valid UTF-8"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_exit_code_2(
    editd, file, tmp_path, arguments, sentence
):
    (tmp_path / "b.py").write_text(TEXT)
    (tmp_path / "empty.py").touch()
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbf")
    (tmp_path / "binary.py").write_bytes(b"a\0b\n")
    (tmp_path / "latin.txt").write_bytes(b"a\xe4\n")
    (tmp_path / "cookie.py").write_bytes(b"# coding: klingon\n")
    (tmp_path / "loop.py").symlink_to("loop.py")
    outcome = editd("edit", *arguments)
    lines = outcome.err.splitlines()
    assert (outcome.code, len(lines)) == (2, 1), outcome.err
    assert lines[0].startswith("editd: ")
    assert sentence in lines[0]
    assert not outcome.client.requests, "no daemon is started for a wrong request"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_unreadable_and_read_only_files_are_refused(editd, file):
    file.chmod(0o000)
    assert editd("edit", file, "-i", "x").code == 2
    file.chmod(0o400)
    outcome = editd("edit", file, "-i", "x", "--in-place")
    assert (outcome.code, "read-only" in outcome.err) == (2, True)


# --- how it ends ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "error", "code", "sentence"),
    [
        (Script(), None, 0, ""),
        (Script(error="failed"), None, 1, "The script says so."),
        (Script(error="refused"), None, 1, "The script says so."),
        (Script(finish_reason="error"), None, 1, "failed without saying why"),
        (Script(error="usage"), None, 2, "The script says so."),
        (Script(), errors.DaemonUnreachable("No daemon."), 3, "No daemon."),
        (Script(), errors.ProtocolError("Another version."), 3, "Another version."),
        (Script(load_error="model-not-found"), None, 4, "The model is broken."),
        (Script(load_error="out-of-memory"), None, 4, "The model is broken."),
        (Script(error="cut-off"), None, 5, "The script says so."),
        (Script(error="cancelled"), None, 130, "The script says so."),
    ],
)
@pytest.mark.parametrize("output", [[], ["--in-place"], ["--diff"], ["--check"]])
def test_exit_codes(editd, file, script, error, code, sentence, output):
    if output == ["--check"] and code == 0:
        code = 1  # it would change
    outcome = editd("edit", file, "-i", "x", *output, script=script, error=error)
    assert outcome.code == code
    assert sentence in outcome.err
    assert "Traceback" not in outcome.err
    if sentence:
        assert outcome.out == b""
        assert file.read_text() == TEXT


def test_a_daemon_that_dies_mid_edit_is_said_to_be_gone(editd, file):
    outcome = editd("edit", file, "-i", "x", "--in-place", client=FakeClient(die=True))
    assert (outcome.code, outcome.err) == (3, "editd: The daemon died.\n")
    assert file.read_text() == TEXT


def test_an_engine_that_ends_without_an_answer_is_a_dead_daemon(editd, file):
    class Silent(FakeClient):
        async def ask(self, request):
            return
            yield

    outcome = editd("edit", file, "-i", "x", client=Silent())
    assert outcome.code == 3


# --- what comes out ------------------------------------------------------------------------------


def test_a_pipe_gets_the_new_text_and_nothing_else(editd, file):
    outcome = editd("edit", file, "-i", "x")
    assert (outcome.code, outcome.text, outcome.err) == (0, UPPER, "")


def test_standard_input_goes_to_standard_output_also_on_a_terminal(editd):
    for terminal in (False, True):
        outcome = editd(
            "edit", "-", "-i", "x", "--path", "c.js", stdin=b"a\r\nb", terminal=terminal
        )
        assert (outcome.code, outcome.out) == (0, b"A\r\nB")
        assert outcome.client.requests[0].path == "c.js"


def test_an_answer_with_doubts_is_handed_out_with_a_warning(editd, file):
    outcome = editd("edit", file, "-i", "x", script=Script(suspect="It drops half the file."))
    assert (outcome.code, outcome.text) == (0, UPPER)
    assert "suspect: lines 1, 2 and 4: It drops half the file." in outcome.err


MARKED = Script(
    note="Not named by the words.",
    span="hesitated here: `x` or `y`",
    summary="Merged.",
    ways=("model", "whole"),
)


def test_notes_are_told_and_taken(editd, file):
    outcome = editd("edit", file, "-i", "x", script=MARKED)
    assert (outcome.code, outcome.text) == (0, UPPER)
    told = (
        "lines 1, 2 and 4: Not named by the words.",
        "lines 1, 2 and 4: hesitated here: `x` or `y`",
    )
    assert all(f"editd: note: {note}\n" in outcome.err for note in told)
    outcome = editd("edit", file, "-i", "x", "--in-place", script=MARKED)
    assert (outcome.code, file.read_text()) == (0, UPPER)
    assert outcome.err.endswith(". Merged.\n")


def test_json_tells_marks_and_ways(editd, file):
    (record,) = editd("edit", file, "-i", "x", "--json", script=MARKED).records
    assert record["hunks"][0]["note"] == MARKED.note
    assert record["hunks"][0]["note_spans"] == [
        {"line": 0, "start": 0, "end": 2, "text": MARKED.span}
    ]
    assert (record["summary"], record["stats"]["written_by"]) == ("Merged.", "model")
    assert record["ways"][0] == {"name": "model", "title": "Ask the model", "needs_model": True}


def test_the_way_goes_into_the_request(editd, file):
    outcome = editd("edit", file, "-i", "x", "--way", "again")
    assert outcome.client.requests[0].options.way == "again"


def test_notices_are_words_and_no_results(editd, file):
    outcome = editd("edit", file, "-i", "x", script=Script(notices=("Only f was shown.",)))
    assert (outcome.text, outcome.err) == (UPPER, "editd: note: Only f was shown.\n")


def test_check_writes_nothing_and_says_whether_it_would(editd, file):
    outcome = editd("edit", file, "-i", "x", "--check")
    assert (outcome.code, outcome.text) == (1, "would change a.py: 3 hunks, +3 -3\n")
    outcome = editd("edit", file, "-i", "x", "--check", script=Script(rewrite="same"))
    assert (outcome.code, outcome.text) == (0, "a.py: unchanged\n")
    assert file.read_text() == TEXT


def test_json_is_one_object_with_edits_in_code_points(editd, tmp_path):
    (tmp_path / "e.txt").write_text("\U0001f600 a\nB\nc\n")
    outcome = editd("edit", "e.txt", "-i", "x", "--json")
    (record,) = outcome.records
    assert list(record) == [
        "path", "finish_reason", "text", "edits", "hunks", "suspects", "notices", "summary", "ways",
        "stats", "model", "error",
    ]  # fmt: skip
    assert record["text"] == "\U0001f600 A\nB\nC\n"
    assert record["edits"][-1] == {"start": 6, "end": 7, "new_text": "C"}
    assert record["hunks"][-1] == {
        "id": 2, "start": 2, "old_count": 1, "new_lines": ["C\n"], "done": True, "suspect": None,
        "origins": [], "note": None, "note_spans": [],
    }  # fmt: skip
    assert (record["finish_reason"], record["error"], record["model"]) == ("stop", None, "embedded")
    figures = {"output_tokens", "rounds", "tokens_per_round", "drafted", "accepted", "rejected"}
    figures |= {
        "acceptance_rate",
        "first_hunk_ms",
        "tokens_per_second",
        "cached_tokens",
        "drafter_seconds",
    }
    figures |= {"exactness", "min_margin", "near_ties"}
    figures |= {"accepted_prediction_tokens", "rejected_prediction_tokens"}
    assert figures <= set(record["stats"])


@pytest.mark.parametrize(
    ("script", "error", "reason", "name"),
    [
        (Script(error="failed"), None, "error", "failed"),
        (Script(error="scope-too-large"), None, "refused", "scope-too-large"),
        (Script(error="cut-off"), None, "length", "cut-off"),
        (Script(error="cancelled"), None, "cancelled", "cancelled"),
        (Script(), errors.DaemonUnreachable("No daemon."), "error", "daemon-unreachable"),
    ],
)
def test_json_tells_failures_too(editd, file, script, error, reason, name):
    outcome = editd("edit", file, "-i", "x", "--json", script=script, error=error)
    (record,) = outcome.records
    assert (record["finish_reason"], record["text"]) == (reason, None)
    assert record["error"]["code"] == name
    assert outcome.err == f"editd: {record['error']['message']}\n"


def test_stream_tells_events_as_they_happen(editd, file):
    outcome = editd("edit", file, "-i", "x", "--stream", script=Script(open_hunks=True))
    events = [record["event"] for record in outcome.records]
    assert events[:2] == ["start", "progress"]
    assert events[-1] == "result"
    assert {record["path"] for record in outcome.records} == {str(file)}
    deltas = [record for record in outcome.records if record["event"] == "delta"]
    assert [delta["seq"] for delta in deltas] == list(range(len(deltas)))
    ops = [op for delta in deltas for op in delta["ops"]]
    assert {"keep": 1} in ops
    assert [op["hunk"]["done"] for op in ops if "hunk" in op][:2] == [False, True]
    assert outcome.records[-1]["text"] == UPPER
    progress = next(record for record in outcome.records if record["event"] == "progress")
    assert progress["stage"] == "prefill"
    assert progress["fraction"] == 1.0


def test_diff_is_a_patch_for_git(editd, tmp_path):
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    texts = {
        "plain.py": b"one\ntwo\nTHREE\nfour\n",
        "crlf.py": b"one\r\ntwo\r\nTHREE\r\n",
        "unended.py": b"ONE\ntwo",
        "cookie.py": b"# -*- coding: latin-1 -*-\nX = '\xe4'\n",
        "mixed.py": b"one\r\ntwo\nTHREE\rfour\n",
        "with space.py": b"a\n",
        "\u00fc.py": b"a\n",
    }
    (tmp_path / "sub").mkdir()
    names = [f"sub/{name}" for name in texts]
    for name, data in texts.items():
        (tmp_path / "sub" / name).write_bytes(data)
    outcome = editd("edit", *names, "-i", "x", "--diff")
    assert outcome.code == 0, outcome.err
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=outcome.out, check=True)
    for name, data in texts.items():
        new = (tmp_path / "sub" / name).read_bytes()
        encoding = "latin-1" if name == "cookie.py" else "utf-8"
        assert new == data.decode(encoding).upper().encode(encoding), name


@pytest.mark.parametrize("output", [[], ["--diff"]])
def test_without_a_terminal_an_unchanged_text_is_said(editd, tmp_path, output):
    (tmp_path / "a.py").write_bytes(b"ONE\n")
    told = editd("edit", "a.py", "-i", "x", *output).err
    assert told == "editd: a.py stays as it is. There is nothing to change.\n"
    (tmp_path / "a.py").write_bytes(b"one\n")
    assert editd("edit", "a.py", "-i", "x", *output).err == ""


def test_the_patch_of_a_file_with_a_bom_has_it_once(editd, tmp_path):
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfone\nTWO\n")

    class Client(FakeClient):
        async def ask(self, request):
            hunks = (Hunk(1, 0, 1, ("ONE\n",)),)
            yield EditResult(request.request_id, "stop", "\ufeffONE\nTWO\n", hunks)

    outcome = editd("edit", "a.py", "-i", "x", "--diff", client=Client())
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=outcome.out, check=True)
    assert (tmp_path / "a.py").read_bytes() == b"\xef\xbb\xbfONE\nTWO\n"


# --- several files -------------------------------------------------------------------------------


def test_several_files_share_a_connection_and_go_on_past_failures(editd, tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(f"{name}\n")
    outcome = editd("edit", "a", "missing", "c", "-i", "x", "--json")
    assert outcome.code == 2
    assert [record["path"] for record in outcome.records] == ["a", "missing", "c"]
    assert [record["text"] for record in outcome.records] == ["A\n", None, "C\n"]
    assert outcome.records[1]["error"]["code"] == "usage"
    assert outcome.client.closed == 1
    assert {request.priority for request in outcome.client.requests} == {"batch"}
    assert outcome.err == "editd: missing: no such file.\n"


@pytest.mark.parametrize("separator", ["\n", "\r\n", "\0"])
def test_files_come_from_a_list(editd, tmp_path, separator):
    for name in ("a b", "c"):
        (tmp_path / name).write_text("x\n")
    names = separator.join(["a b", "c", ""]).encode()
    outcome = editd("edit", "c", "--files-from", "-", "-i", "x", "--json", stdin=names)
    assert [record["path"] for record in outcome.records] == ["c", "a b"]
    (tmp_path / "list").write_bytes(names)
    outcome = editd("edit", "--files-from", "list", "-i", "x", "--json")
    assert [record["path"] for record in outcome.records] == ["a b", "c"]


def test_a_file_name_need_not_be_utf8(editd, tmp_path):
    name = os.fsdecode(b"\xff.py")
    (tmp_path / name).write_text("x\n")
    outcome = editd("edit", name, "-i", "x", "--json")
    assert outcome.records[0]["path"] == "\ufffd.py"
    assert json.dumps(outcome.client.requests[0].path).isascii()
    outcome = editd("edit", name, "-i", "x", "--in-place")
    assert (outcome.code, (tmp_path / name).read_text()) == (0, "X\n")


@pytest.mark.parametrize("name", ["m" * 300, "m/" * 2000, "/m" * 2000, "\x00", "m" * 10_000])
@pytest.mark.parametrize("flag", ["--model", "--draft-model"])
def test_a_model_s_name_may_be_anything(editd, tmp_path, flag, name):
    (tmp_path / "a.py").write_text("one\n")
    outcome = editd("edit", "a.py", "-i", "x", flag, name)
    if len(name) > 4096:
        assert (outcome.code, outcome.client.requests) == (2, [])
        assert outcome.err.startswith(f"editd: {flag} is a text of 10,000 characters, but must")
    else:
        assert (outcome.code, outcome.err) == (0, "")  # whether there is one, the engine says
        with pytest.raises(errors.ModelNotFound):
            open_checkpoint(name)


def test_a_name_that_is_no_text_is_shown_as_far_as_it_is(editd, tmp_path):
    (tmp_path / "a.py").write_text("one\n")
    outcome = editd("edit", "a.py", "-i", "x", "--path", os.fsdecode(b"\xff.py"))
    assert (outcome.code, outcome.text, outcome.err) == (0, "ONE\n", "")
    assert outcome.client.requests[0].path == "\ufffd.py"
