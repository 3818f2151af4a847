"""``editd bench`` and ``benchmarks drafters``: with the model that is set, whichever backend runs it."""

from __future__ import annotations

import json

import pytest
import torch
from typer.testing import CliRunner

from benchmarks.app import app as benchmarks
from benchmarks.solved.edits import demo_folder, load_edits
from editd.doors.cli import bench
from editd.doors.cli.app import app
from editd.doors.cli.bench import copy_bandwidth
from tests import tiny
from tests.gguf_files import wide_file


@pytest.fixture(autouse=True)
def quick(monkeypatch, tmp_path):
    torch.set_num_threads(1)
    for name in ("EDITD_CACHE_DIR", "EDITD_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "EDITD_CONFIG").touch()
    monkeypatch.setattr(bench, "_CPU_BYTES", 4 << 20)
    monkeypatch.setattr(bench, "SIZES", (1, 2, 4))


def invoke(*words):
    chosen = benchmarks if words[0] == "drafters" else app
    return CliRunner().invoke(chosen, list(map(str, words)))


def model_of(backend):
    if backend == "torch":
        return tiny.checkpoint("qwen2", dtype="float32")
    pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")
    return wide_file("llama", "q8_0")


@pytest.mark.parametrize("backend", ["torch", "llama_cpp"])
def test_a_step_is_measured_on_either_backend(backend, tmp_path):
    out = tmp_path / "step.json"
    result = invoke(
        "bench", "--model", model_of(backend), "--context", 30, "--repeats", 1, "--json", out
    )
    assert result.exit_code == 0, result.output
    assert "read once in" in result.output
    told = json.loads(out.read_text())
    assert [(cell["context"], cell["k"]) for cell in told["steps"]] == [(30, 1), (30, 2), (30, 4)]
    assert all(0 < cell["low_ms"] <= cell["median_ms"] <= cell["high_ms"] for cell in told["steps"])
    assert told["limit_ms"] > 0


def test_edits_are_compared_with_plain_decoding(demo_model, tmp_path):
    known = {edit.name: edit for edit in load_edits(demo_folder())}["settings-constant"]
    case = {"instruction": known.instruction, "before": known.before, "after": known.after}
    uncut = {**case, "before": "x" * 70_000}  # refused: no place to cut it
    cases, out = tmp_path / "cases.jsonl", tmp_path / "edit.json"
    cases.write_text("\n".join(map(json.dumps, ({"id": "one", **case}, {"id": "two", **uncut}))))
    result = invoke(
        "drafters", cases, "--model", demo_model, "--drafter", "buffer,suffix", "--json", out
    )
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
    ("words", "sentence"),
    [
        (("bench", "--model", "./nothing"), "give an existing model folder"),
        (("bench", "--context", 9_000_000), "smaller --context"),
        (("drafters", "nothing.jsonl"), "nothing.jsonl cannot be read"),
        (("drafters", "CASES", "--drafter", "genius"), "There is no drafter"),
        (("drafters", "CASES", "--model", "./nothing"), "give an existing model folder"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(words, sentence, tmp_path, demo_model):
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps({"instruction": "x", "before": "a\n", "after": "b\n"}))
    words = [cases if word == "CASES" else word for word in words]
    if "--model" not in words:
        words += ["--model", demo_model]
    result = invoke(*words)
    assert result.exit_code
    assert sentence in f"{result.output} {result.exception}"


def test_copy_bandwidth_is_plausible():
    assert 1e8 < copy_bandwidth("cpu") < 1e13
