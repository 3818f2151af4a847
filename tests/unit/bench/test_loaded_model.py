"""``python -m benchmarks drafters``: whole edits with the model that is set."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from benchmarks.app import app
from editd.errors import ModelNotFound, UsageError
from editd.outcome import outcome_of
from tests.fixtures.solved.edits import demo_folder, load_edits


@pytest.fixture(autouse=True)
def own_settings(monkeypatch, tmp_path):
    for name in ("EDITD_CACHE_DIR", "EDITD_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "EDITD_CONFIG").touch()


def invoke(*words):
    return CliRunner().invoke(app, ["drafters", *map(str, words)])


def test_edits_are_compared_with_plain_decoding(demo_model, tmp_path):
    known = {edit.name: edit for edit in load_edits(demo_folder())}["settings-constant"]
    case = {"instruction": known.instruction, "before": known.before, "after": known.after}
    uncut = {**case, "before": "x" * 70_000}  # refused: no place to cut it
    cases, out = tmp_path / "cases.jsonl", tmp_path / "edit.json"
    cases.write_text("\n".join(map(json.dumps, ({"id": "one", **case}, {"id": "two", **uncut}))))
    result = invoke(cases, "--model", demo_model, "--drafter", "buffer,suffix", "--json", out)
    assert result.exit_code == 0, result.output
    runs = {(run["case"], run["drafter"]): run for run in json.loads(out.read_text())}
    assert set(runs) == {
        (case, spec) for case in ("one", "two") for spec in ("none", "buffer", "suffix")
    }
    assert {run["finish_reason"] for (case, _), run in runs.items() if case == "two"} == {"refused"}
    plain, drafted = runs["one", "none"], runs["one", "buffer"]
    assert plain["rounds"] == plain["output_tokens"] > 10 * drafted["rounds"]
    assert drafted["same"]
    assert "1/2" in result.output


@pytest.mark.parametrize(
    ("words", "sentence", "error"),
    [
        (("nothing.jsonl",), "nothing.jsonl cannot be read", UsageError),
        (("CASES", "--drafter", "genius"), "There is no drafter", UsageError),
        (("CASES", "--model", "./nothing"), "give an existing model folder", ModelNotFound),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(words, sentence, error, tmp_path, demo_model):
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"instruction": "x", "before": "a\n", "after": "b\n"}))
    words = [cases if word == "CASES" else word for word in words]
    if "--model" not in words:
        words += ["--model", demo_model]
    result = invoke(*words)
    assert result.exit_code == outcome_of(error("…")).exit_code
    assert sentence in result.output
