"""``editd apply`` as a process: by text it needs neither a model nor a daemon."""

import os
import subprocess
import sys

import pytest

BEFORE = "import os\n\n\ndef add(a, b):\n    x = a\n    return x + b\n"
SKETCH = "# ... existing code ...\n    x = a\n    x *= 2\n    return x + b\n"
DOUBTFUL = "# ...\n    y = 1\n    x = a\n    z = 2\n# ...\n"
AFTER = BEFORE.replace("    x = a\n", "    x = a\n    x *= 2\n")


@pytest.fixture
def apply(tmp_path):
    (tmp_path / "a.py").write_text(BEFORE)

    def run(*options, sketch=SKETCH):
        # A torch that cannot be imported, and a daemon that cannot be found.
        (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')")
        environment = {
            **os.environ,
            "EDITD_CONFIG": "",
            "XDG_RUNTIME_DIR": str(tmp_path / "none"),
            "NO_COLOR": "1",
        }
        path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
        return subprocess.run(
            [sys.executable, "-m", "editd", "apply", "a.py", *options],
            input=sketch, capture_output=True, text=True, cwd=tmp_path,
            env={**environment, "PYTHONPATH": path},
        )  # fmt: skip

    run.file = tmp_path / "a.py"
    return run


def test_the_new_text_goes_to_a_pipe_and_into_the_file_if_asked(apply):
    done = apply()
    assert (done.returncode, done.stdout, done.stderr) == (0, AFTER, "")
    assert apply.file.read_text() == BEFORE
    done = apply("--in-place")
    assert (done.returncode, done.stdout) == (0, "")
    assert "Merged without a model, one reading." in done.stderr
    assert apply.file.read_text() == AFTER


def test_a_doubt_is_one_sentence_and_the_file_stays(apply):
    done = apply("--merge", "text", "--in-place", sketch=DOUBTFUL)
    assert done.returncode == 1
    assert done.stderr.startswith("editd: “y = 1” (line 2 of the sketch) is not in the file")
    assert done.stderr.count("\n") == 1
    assert apply.file.read_text() == BEFORE


def test_a_reading_without_a_mark_is_not_written_and_not_called_suspect(apply):
    sketch = "def sub(a, b):\n    return a - b\n"
    done = apply("--merge", "text", "--in-place", sketch=sketch)
    assert done.returncode == 1
    assert "the likeliest reading of the paste, and not the only one" in done.stderr
    assert apply.file.read_text() == BEFORE
    done = apply("--merge", "text", "--diff", sketch=sketch)
    assert done.returncode == 0
    assert "note: " in done.stderr
    assert "suspect" not in done.stderr
    assert apply("--merge", "text", "--in-place", "--allow-suspect", sketch=sketch).returncode == 0
    assert apply.file.read_text() == f"{BEFORE}\n\n{sketch}"


def test_without_a_model_a_doubt_says_what_is_ambiguous_and_no_package(apply):
    done = apply(
        *("--in-place", "--no-daemon", "--model", str(apply.file.with_name("none.gguf"))),
        sketch=DOUBTFUL,
    )
    assert done.returncode == 1
    assert "“y = 1” (line 2 of the sketch) is not in the file" in done.stderr
    assert done.stderr.rstrip().endswith("No model is set up that could decide it.")
    assert apply.file.read_text() == BEFORE


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--merge", "guess"), "must be auto, text, certain or model"),
        (("--way", "guess"), "must be reading, words, resembling, model, again or whole"),
        (("--merge", "text", "--way", "again"), "leave one of them out"),
        (("--diff", "--json"), "cannot be combined"),
        (("--range", "3:99"), "has only 6 lines"),
        (("--sketch", "gone.txt"), "gone.txt: no such file"),
    ],
)
def test_wrong_options_are_named(apply, options, sentence):
    done = apply(*options)
    assert done.returncode == 2
    assert sentence in done.stderr


def diff_of(*names):
    one = "--- a/{0}\n+++ b/{0}\n@@ -5,2 +5,3 @@\n     x = a\n+    x *= 2\n     return x + b\n"
    return "".join(one.format(name) for name in names)


@pytest.mark.parametrize(
    ("other", "code", "written"),
    [
        (BEFORE, 0, ["a.py", "b.py"]),
        ("nothing of it\n", 1, []),
        (None, 2, []),
        (AFTER, 1, []),
    ],
)
def test_the_files_of_one_diff_are_written_together_or_not_at_all(apply, other, code, written):
    files = [apply.file, apply.file.with_name("b.py")]
    if other is not None:
        files[1].write_text(other)
    before = {file.name: file.read_text() for file in files if file.exists()}
    done = apply("b.py", "--merge", "text", "--in-place", sketch=diff_of("a.py", "b.py"))
    assert done.returncode == code, done.stderr
    after = {file.name: file.read_text() for file in files if file.exists()}
    assert after == before | dict.fromkeys(written, AFTER)
    assert (
        "nothing was written, because the changes of all files belong together" in done.stderr
    ) == (code != 0)
    left = {file.name for file in apply.file.parent.iterdir()}
    assert left == {*before, "torch.py"}
