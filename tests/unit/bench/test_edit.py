"""``python -m benchmarks edit`` and ``make bench-gpu``: whole edits through the engine, forced."""

from __future__ import annotations

import json

import pytest
import torch
from typer.testing import CliRunner

from benchmarks import gpu
from benchmarks.app import app
from benchmarks.edits.cases import SAMPLE, choose, made_codec, stratified
from benchmarks.edits.figures import LOOKUP, PLAIN, EditFigures, Run
from benchmarks.edits.summary import early_changes, engine_gains, fast_copies, summary
from benchmarks.gpu_aims import aims
from benchmarks.steps import shapes, timing
from benchmarks.steps.shapes import SHAPES
from editd.errors import UsageError
from tests import tiny
from tests.recorded_cases import Case, read_cases, size_of

LINES = [f"value_{i} = read(source, {i})\n" for i in range(24)]
CASES = [
    {
        "id": "rename",
        "language": "python",
        "kind": "rename",
        "instruction": "rename read to load",
        "before": "".join(LINES),
        "after": "".join(LINES).replace("read", "load"),
    },
    {
        "id": "insert",
        "language": "python",
        "kind": "insert",
        "instruction": "say what comes",
        "before": "".join(LINES).replace("\n", "\r\n"),
        "after": "".join([*LINES[:9], "print('nine')\n", *LINES[9:]]).replace("\n", "\r\n"),
    },
]
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
def tiny_shape(monkeypatch, tmp_path):
    torch.set_num_threads(1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(timing, "_CPU_BYTES", 4 << 20)
    monkeypatch.setitem(shapes.SHAPES, "tiny-shaped", TINY)


@pytest.fixture
def cases_file(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in CASES) + "\n")
    return path


def invoke(*words):
    return CliRunner().invoke(app, ["edit", *map(str, words)])


def test_whole_edits_are_forced_and_compared(cases_file, tmp_path):
    out, plot = tmp_path / "edit.json", tmp_path / "edit.png"
    words = (cases_file, "--model", "tiny-shaped", "--forced", "--device", "cpu", "--threads", "1")
    modes = ("--mode", "eager", "--mode", "bitwise")
    result = invoke(*words, *modes, "--json", out, "--plot", plot)
    assert result.exit_code == 0, result.output
    assert "answers forced" in result.output
    assert plot.read_bytes().startswith(b"\x89PNG")
    told = json.loads(out.read_text())
    runs = [Run(**run) for run in told["runs"]]
    assert all(run.same for run in runs)
    ways = {run.way for run in runs}
    assert ways == {
        "none, eager",
        "buffer, eager",
        "none, bitwise",
        "buffer, bitwise",
        PLAIN,
        LOOKUP,
    }
    assert len(runs) == len(ways) * 2 * len(CASES)
    for run in runs:
        if run.way not in (PLAIN, LOOKUP):
            assert 0 < run.pass_seconds < run.decode_seconds
            assert run.read_seconds > 0
        answer = told["cases"][run.case]["answer_tokens"]
        assert run.output_tokens in (answer, answer - 1)  # the line end behind the fence
        if run.drafter == "buffer":
            assert run.measured == run.output_tokens
            assert run.rounds < run.output_tokens / 3
            assert 0 < run.first_hunk_rounds <= run.rounds
        else:
            assert run.measured <= 192
    assert told["cases"]["rename"]["copied"] > 0.8
    assert told["cases"]["insert"]["copied"] > 0.95
    warm = {run.case: run for run in runs if run.way == "buffer, eager" and run.warm}
    assert warm["rename"].first_hunk_rounds <= 3


def test_a_model_of_its_own_writes_what_it_likes(tmp_path):
    folder, out = tiny.checkpoint("qwen2", dtype="float32"), tmp_path / "edit.json"
    short, long = (
        {**CASES[0], "before": "read(a)\n", "after": "load(a)\n"},
        {**CASES[0], "id": "long"},
    )
    long["before"] *= 9
    cases_file = tmp_path / "two.jsonl"
    cases_file.write_text(f"{json.dumps(short)}\n{json.dumps(long)}\n")
    words = ("--model", folder, "--device", "cpu", "--threads", "1")
    result = invoke(cases_file, *words, "--json", out)
    assert result.exit_code == 0, result.output
    assert "forced" not in result.output
    told = json.loads(out.read_text())
    assert told["tokenizer"] == "the model's own"
    assert len(told["runs"]) == 8  # four ways, warm and cold, of the one that fits
    assert told["notes"][0].startswith("long is left out")
    assert {run["same"] for run in told["runs"]} == {None}


def test_a_shape_writes_no_answer_of_its_own(cases_file):
    result = invoke(cases_file, "--model", "tiny-shaped", "--device", "cpu")
    assert result.exit_code == 2
    assert "add --forced" in result.output


# --- samples -------------------------------------------------------------------------------------


def sized(number, lines):
    return Case(f"c{number:03}", "", "", "", "", "x\n" * lines)


def test_samples_hold_every_size_and_never_change():
    cases = [sized(i, (10, 100, 300, 500, 900)[i % 5]) for i in range(50)]
    drawn = stratified(cases, 16)
    assert drawn == stratified(list(cases), 16)
    assert len({case.id for case in drawn}) == 16
    assert len({size_of(case) for case in drawn}) == 5
    assert drawn != stratified(cases, 16, seed=1)
    assert [case.id for case in drawn] == sorted(case.id for case in drawn)
    rare = [sized(i, 10) for i in range(40)] + [sized(99, 900)]
    assert sized(99, 900) in stratified(rare, 4)


def test_the_usual_sample_is_committed(cases_file, tmp_path):
    ids = json.loads(SAMPLE.read_text())["ids"]
    assert len(set(ids)) == 16
    cases = read_cases(cases_file)
    assert [case.id for case in choose(cases, "", 0)] == ["rename", "insert"]  # none of the usual
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"ids": ["insert"]}))
    assert [case.id for case in choose(cases, str(mine), 0)] == ["insert"]
    assert len(choose(cases, "1", 0)) == 1
    mine.write_text(json.dumps({"ids": ["gone"]}))
    with pytest.raises(UsageError, match="lack gone"):
        choose(cases, str(mine), 0)
    with pytest.raises(UsageError, match="cannot be read as a sample"):
        choose(cases, str(tmp_path / "nothing"), 0)


def test_a_made_tokenizer_spells_the_cases(cases_file):
    cases = read_cases(cases_file)
    codec = made_codec(cases, 600)
    assert codec.decode(codec.encode(cases[0].after)) == cases[0].after
    assert codec.vocab_size == 600


# --- summaries -----------------------------------------------------------------------------------


def run(way, mode, drafter, seconds, **changes):
    values = {
        "case": "one",
        "warm": True,
        "output_tokens": 3000,
        "measured": 3000,
        "rounds": 30,
        "prefill_seconds": 0.0,
        "first_hunk_rounds": 2,
        "first_hunk_seconds": 0.01,
        "same": True,
    }
    return Run(way=way, mode=mode, drafter=drafter, decode_seconds=seconds, **{**values, **changes})


def figures():
    case = {"copied": 0.99, "first_change": 20, "answer_tokens": 3000}
    result = EditFigures("m", "cuda", "bfloat16", True, True, "made", cases={"one": case})
    result.runs = [
        run("none, eager", "eager", "none", 12.0, measured=192),
        run(
            "buffer, eager",
            "eager",
            "buffer",
            0.25,
            pass_seconds=0.2,
            read_seconds=0.125,
        ),
        run(PLAIN, "peer", "none", 60.0, measured=192),
        run(LOOKUP, "peer", "prompt lookup", 10.0, measured=192),
    ]
    return result


def test_gains_are_told_apart():
    rows = {row.way: row for row in summary(figures())}
    drafted = rows["buffer, eager"]
    assert (drafted.against_plain, drafted.against_lookup, drafted.against_none) == (240, 40, 48)
    assert drafted.price == 2.0
    assert drafted.host_share == pytest.approx(0.2)
    assert (rows[PLAIN].price, rows[PLAIN].host_share) == (None, None)
    assert rows["none, eager"].scaled
    assert not drafted.scaled
    assert engine_gains(figures()) == {"eager": 5.0}
    assert fast_copies(figures(), "eager", "buffer") == 12_000
    assert early_changes(figures(), "eager", "buffer") == [2]


def test_aims_are_read_off_the_figures():
    def step(mode, k, ms):
        values = {"mode": mode, "k": k, "median_ms": ms}
        return {**values, "ratio_to_t1": ms / 4.0, "ratio_to_limit": ms / 3.5}

    steps = {"steps": [step("eager", 1, 4.0), step("eager", 64, 5.0)], "notes": []}
    stages = {"steps": steps, "edits": figures().as_json()}
    found = {aim.what: aim for aim in aims({"stages": stages})}
    assert found["t(1), eager"].met is True
    assert found["t(64), eager"].met is False
    assert found["t(256), eager"].met is None
    assert found["buffer, eager: times transformers' plain"].met is True
    assert found["buffer, eager: tokens/s, 98 % copied, 2,000 and more"].met is True
    assert found["buffer, eager: a change in the first 100 tokens shows within 3 rounds"].met
    assert found["buffer, eager: price of writing"].met is False
    assert found["buffer, eager: share outside passes"].measured == "0.20"


# --- make bench-gpu ------------------------------------------------------------------------------


def test_bench_gpu_resumes_where_it_was(cases_file, tmp_path, monkeypatch):
    out = tmp_path / "build" / "gpu.json"
    plan = gpu.Plan("tiny-shaped", "tiny-shaped", "cpu", cases_file, out, quick=True)
    heard = []
    first = gpu.run(plan, say=heard.append)
    assert set(first["stages"]) == set(gpu._STAGES)
    assert first["stages"]["edits"]["forced"]
    kept = json.loads(out.read_text())
    del kept["stages"]["draft model"]
    out.write_text(json.dumps(kept))
    anew = {name: lambda _plan: "measured anew" for name in gpu._STAGES}
    monkeypatch.setattr(gpu, "_STAGES", anew)
    again = gpu.run(plan, say=heard.append)
    assert again["stages"] == {**kept["stages"], "draft model": "measured anew"}
    assert "steps: kept from an earlier run" in heard
    out.write_text(json.dumps({**kept, "identity": {"model": "another"}}))
    assert set(gpu.run(plan, say=heard.append)["stages"].values()) == {"measured anew"}


def test_bench_gpu_without_a_gpu_says_so(capsys, tmp_path):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    gpu.main(out=tmp_path / "gpu.json", model="m", draft_model="d", device="cuda", cases=None)
    assert (
        capsys.readouterr().out.strip() == "There is no CUDA device here, so nothing was measured."
    )
    assert not list(tmp_path.iterdir())
