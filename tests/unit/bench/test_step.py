"""``python -m benchmarks step`` measures what a round costs, by each way, of folders and of shapes."""

from __future__ import annotations

import json

import pytest
import torch
from typer.testing import CliRunner

from benchmarks.app import app
from benchmarks.steps import shapes, timing
from benchmarks.steps.measure import StepFigures, measure
from benchmarks.steps.models import BenchModel, ModelOptions, weights_read
from benchmarks.steps.shapes import SHAPES, is_shape, random_model, vocabulary_of
from benchmarks.steps.timing import Step, copy_bandwidth, steps_at
from editd.errors import ModelUnsupported, UsageError
from editd.models.torch import exactness
from tests import tiny

TINY = {
    **SHAPES["8m-shaped"],
    "vocab_size": 600,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 16,
}


@pytest.fixture(autouse=True)
def tiny_shape(monkeypatch):
    torch.set_num_threads(1)
    monkeypatch.setattr(timing, "_CPU_BYTES", 4 << 20)
    monkeypatch.setitem(shapes.SHAPES, "tiny-shaped", TINY)


def test_every_cell_is_measured():
    heard = []
    figures = measure(
        BenchModel(ModelOptions("tiny-shaped", "cpu", threads=1)),
        contexts=(20, 150),
        sizes=(1, 4),
        modes=("eager", "bitwise"),
        repeats=2,
        report=lambda what, done: heard.append((what, done)),
    )
    cells = [(step.mode, step.context, step.k) for step in figures.steps]
    assert len(cells) == len(set(cells)) == 8
    assert figures.random_weights
    assert all(0 < step.low_ms <= step.median_ms <= step.high_ms for step in figures.steps)
    assert [done for _, done in heard] == sorted(done for _, done in heard)
    assert heard[-1][1] == 1.0


def test_ratios_are_to_the_same_mode_and_context():
    figures = StepFigures("m", "cpu", "float32", True, copy_bandwidth=2e9, weights_read=4_000_000)
    for mode, context, k, ms in (("a", 5, 1, 4.0), ("a", 5, 8, 6.0), ("b", 5, 8, 8.0)):
        figures.steps.append(Step(mode, context, k, ms, ms, ms, ms))
    assert figures.limit_ms == 2.0
    told = figures.as_json()["steps"]
    assert [step["ratio_to_t1"] for step in told] == [1.0, 1.5, None]
    assert [step["ratio_to_limit"] for step in told] == [2.0, 3.0, 4.0]


@pytest.mark.parametrize("tied", [True, False])
def test_an_input_embedding_of_its_own_is_not_read(tied, monkeypatch):
    monkeypatch.setitem(shapes.SHAPES, "tiny-shaped", {**TINY, "tie_word_embeddings": tied})
    model = random_model("tiny-shaped", "cpu")
    whole = sum(weight.nbytes for weight in model.parameters())
    embedding = 600 * 32 * 4
    assert weights_read(model) == (whole if tied else whole - embedding)


def test_shapes_have_the_sizes_of_their_models():
    with torch.device("meta"):
        sizes = {name: _parameters(name) for name in SHAPES if name != "tiny-shaped"}
    assert sizes == {
        "8m-shaped": 7_483_648,
        "qwen2.5-coder-0.5b-shaped": 494_032_768,
        "qwen2.5-coder-1.5b-shaped": 1_543_714_304,
        "qwen2.5-coder-7b-shaped": 7_615_616_512,
        "llama-3.1-8b-shaped": 8_030_261_248,
    }


def _parameters(name):
    return sum(weight.numel() for weight in random_model(name, "meta", "bfloat16").parameters())


def test_a_folder_is_measured_as_well():
    folder = tiny.checkpoint("qwen2", dtype="float32")
    bench = BenchModel(ModelOptions(str(folder), "cpu", threads=1))
    figures = measure(bench, contexts=(20,), sizes=(1, 2), repeats=2)
    assert [step.k for step in figures.steps] == [1, 2]
    assert not figures.random_weights


def test_what_cannot_be_measured_is_said():
    with pytest.raises(UsageError, match="8m-shaped"):
        is_shape("70b-shaped")
    assert not is_shape("Qwen/Qwen2.5-Coder-0.5B")
    assert vocabulary_of("tiny-shaped") == 600
    bench = BenchModel(ModelOptions("tiny-shaped", "cpu", threads=1))
    with pytest.raises(UsageError, match="choose among"):
        bench.modes(("fast",))
    with pytest.raises(UsageError, match="smaller --context"):
        steps_at(bench.runner("eager"), "eager", 131_072, (1,), 1)


def test_a_mode_that_a_model_lacks_is_refused(monkeypatch):
    monkeypatch.setattr(exactness, "neighbours_change_nothing", lambda *_: False)
    bench = BenchModel(
        ModelOptions(str(tiny.checkpoint("llama", dtype="float32")), "cpu", threads=1)
    )
    with pytest.raises(ModelUnsupported, match="no mode bitwise"):
        bench.runner("bitwise")


def test_the_command_prints_writes_and_draws(tmp_path):
    out, plot = tmp_path / "step.json", tmp_path / "step.png"
    words = [
        "step",
        "--model",
        "tiny-shaped",
        "--device",
        "cpu",
        "--context",
        "30",
        "--repeats",
        "1",
    ]
    result = CliRunner().invoke(app, [*words, "--json", str(out), "--plot", str(plot)])
    assert result.exit_code == 0, result.output
    assert "random weights" in result.output
    assert "behind 30 tokens" in result.output
    told = json.loads(out.read_text())
    assert [step["k"] for step in told["steps"]] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert told["copy_bandwidth"] > 0
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_the_command_refuses_in_one_sentence():
    result = CliRunner().invoke(app, ["step", "--model", "70b-shaped"])
    assert result.exit_code == 2
    assert "There is no shape 70b-shaped" in result.output


def test_copy_bandwidth_is_plausible():
    assert 1e8 < copy_bandwidth("cpu") < 1e13
