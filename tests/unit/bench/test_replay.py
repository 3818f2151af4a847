"""The replay benchmark: it counts what the loop does, and it cannot leak."""

import io
import itertools
import json
import random
import time

import pytest
from rich.console import Console
from typer.testing import CliRunner

from benchmarks.app import app
from benchmarks.replay.report import print_report
from editd.decode.drafters import EMPTY
from editd.decode.drafters.buffer import BufferDrafter
from editd.decode.target import GREEDY
from editd.errors import UsageError
from tests import recorded_cases
from tests.model_free_codec import PseudoCodec
from tests.replay import rounds as replay
from tests.replay import transcripts as replay_cases
from tests.replay.copy_oracle import oracle_runs
from tests.replay.cost_profiles import PROFILES
from tests.replay.scripted_target import ScriptedTarget

LINES = [f"value_{i} = read(source, {i})\n" for i in range(30)]
CASES = [
    {
        "id": "one",
        "language": "python",
        "kind": "rename",
        "instruction": "rename read to load",
        "before": "".join(LINES),
        "after": "".join(LINES).replace("read", "load"),
    },
    {
        "id": "two",
        "language": "python",
        "kind": "no-op",
        "instruction": "nothing to do",
        "before": "\ufeff" + "".join(LINES).replace("\n", "\r\n"),
        "after": "".join(LINES),
        "stats": {"hunks": 0},
        "message": "SECRET of the case",
    },
    {
        "id": "three",
        "language": "go",
        "kind": "insert",
        "instruction": "add a fence",
        "before": "a\n```\nb",
        "after": "a\n```\nnew words stand here\n```\nb",
    },
]


def case(**fields):
    return recorded_cases.Case(**{"language": "", "kind": "", **CASES[0], **fields})


def transcript(codec, number=0):
    record = CASES[number]
    names = ("id", "language", "kind", "instruction", "before", "after")
    return replay_cases.transcribe(
        recorded_cases.Case(**{name: record[name] for name in names}), codec
    )


@pytest.fixture
def cases_file(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in CASES) + "\n")
    return path


def test_cases_are_read_as_a_model_sees_them(cases_file):
    read = recorded_cases.read_cases(cases_file)
    assert [one.id for one in read] == ["one", "two", "three"]
    assert len(recorded_cases.read_cases(cases_file, limit=2)) == 2
    codec = PseudoCodec()
    second = replay_cases.transcribe(read[1], codec)
    assert second.buffer == "".join(LINES)
    assert codec.decode(second.answer_ids[:-1]) == "".join(LINES) + "```"


def test_the_fence_does_not_clash_with_the_text():
    codec = PseudoCodec()
    third = transcript(codec, 2)
    assert third.closing == "````"
    assert codec.decode(third.prompt_ids).endswith("````\n")
    # A missing final newline is added, as every format does before its closing fence.
    assert codec.decode(third.answer_ids[:-1]).endswith("\nb\n````")


@pytest.mark.parametrize("line", ["{", "[]", '{"instruction": "x"}', "3"])
def test_a_bad_line_is_named(tmp_path, line):
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(CASES[0]) + "\n" + line + "\n")
    with pytest.raises(UsageError, match="line 2"):
        recorded_cases.read_cases(path)


def test_no_file_and_no_cases_are_said(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        recorded_cases.read_cases(tmp_path / "missing.jsonl")
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(UsageError, match="no cases"):
        recorded_cases.read_cases(tmp_path / "empty.jsonl")


class Spy:
    """Notes all that a drafter is ever given."""

    name = "spy"
    branches = False

    def __init__(self, task):
        self.task = task
        self.seen = []

    def propose(self, output_ids, max_tokens):
        self.seen.append(list(output_ids))
        return EMPTY

    def observe(self, accepted_ids):
        self.seen.append(tuple(accepted_ids))


def test_a_drafter_sees_instruction_buffer_and_output_so_far_only(monkeypatch):
    codec = PseudoCodec()
    spies = []

    def build(_spec, task):
        spies.append(Spy(task))
        return spies[-1]

    monkeypatch.setattr(replay, "make_drafter", build)
    second = transcript(codec, 1)
    replay.replay_case(second, "spy", codec, window=8)
    (spy,) = spies
    told = f"{spy.task.prediction}"
    told += codec.decode(spy.task.prompt_ids)
    for secret in ("SECRET", "two", "no-op", "python"):
        assert secret not in told
    outputs = [seen for seen in spy.seen if isinstance(seen, list)]
    for number, output in enumerate(outputs):
        assert output == list(second.answer_ids[:number])
    assert spy.seen[1] == (second.answer_ids[0],)


def test_only_the_computing_of_a_drafter_is_timed(monkeypatch):
    class Sleeper(Spy):
        def propose(self, output_ids, max_tokens):
            time.sleep(0.02)
            return super().propose(output_ids, max_tokens)

    monkeypatch.setattr(replay, "make_drafter", lambda _spec, task: Sleeper(task))
    figures = replay.replay_case(transcript(PseudoCodec(), 1), "sleeper", PseudoCodec(), window=8)
    assert 0.0 < figures.drafter_seconds < 0.02 * figures.rounds / 2


def verified(answer, draft, seed, parents=None):
    target = ScriptedTarget([1, 2, 3, 4], answer, seed)
    target.length = 3
    return target.verify([4, *draft], GREEDY, parents=parents).choice_ids


def test_rows_behind_a_rejection_know_nothing_of_the_answer():
    """Two answers that agree up to the rejection look alike behind it, row by row."""
    rng = random.Random(5)
    for seed in range(50):
        agreed = rng.randrange(6)
        start = [rng.randrange(10, 90) for _ in range(agreed)]
        choice = rng.randrange(10, 90)
        draft = [*start, 99, *(rng.randrange(10, 90) for _ in range(12))]
        answers = [[*start, choice, *(rng.randrange(10, 90) for _ in range(20))] for _ in range(2)]
        first, second = (verified(answer, draft, seed) for answer in answers)
        assert first == second
        assert first[: agreed + 1] == [*start, choice]


def test_noise_depends_on_the_seed():
    draft = [9, *range(20, 60)]
    assert verified([5] * 60, draft, 1) == verified([5] * 60, draft, 1)
    assert verified([5] * 60, draft, 1) != verified([5] * 60, draft, 2)


def test_in_a_tree_only_the_right_branch_goes_on():
    answer = [10, 11, 12, 13]
    #        0   1   2   3   4
    draft = [99, 10, 11, 98, 12]
    parents = [-1, -1, 1, 1, 2]
    choices = verified(answer, draft, 0, parents)
    assert (choices[0], choices[2], choices[3], choices[5]) == (10, 11, 12, 13)


@pytest.mark.parametrize(
    ("prompt", "answer", "window", "runs"),
    [
        ([1, 2, 3], [1, 2, 3, -2], 8, [3]),
        ([1, 2, 3], [1, 2, 3, -2], 2, [2, 0]),
        ([1, 2, 3], [2, 3, 9, 1, -2], 8, [2, 1]),
        ([1], [5, 6, 5, 6, 5, 6, -2], 8, [0, 0, 2, 1]),  # the output is text to copy from, too
    ],
)
def test_the_oracle_takes_the_longest_run(prompt, answer, window, runs):
    assert oracle_runs(prompt, answer, window) == runs
    assert sum(run + 1 for run in runs) == len(answer)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_costs_rise_with_work(profile):
    times = [profile.seconds(k, 2000) for k in range(1, 400)]
    assert all(later >= earlier * 0.95 for earlier, later in itertools.pairwise(times))
    assert times[-1] > times[0]
    assert profile.seconds(64, 9000) >= profile.seconds(64, 1000)


def test_the_h200_profile_is_the_published_one():
    (h200,) = (profile for profile in PROFILES if profile.name == "h200")
    assert h200.seconds(1, 0) == pytest.approx(0.0039)
    assert h200.seconds(200, 0) == pytest.approx(0.00532)


def test_figures_add_up_and_comparisons_are_paired():
    codec = PseudoCodec()
    transcripts = [transcript(codec, number) for number in range(3)]
    specs = [replay.BASELINE, "buffer+suffix", replay.ORACLE]
    base, ours, oracle = replay.replay_all(transcripts, specs, codec, window=64)
    for figures in (base, ours, oracle):
        for one in figures.per_case:
            assert one.drafted == one.accepted + one.rejected
            assert one.output_tokens == one.accepted + one.rounds
            assert set(one.modelled_seconds) == {profile.name for profile in PROFILES}
        assert figures.total("output_tokens") == base.total("output_tokens")
    assert replay.gap_closed(base, base, oracle) == 0.0
    assert replay.gap_closed(oracle, base, oracle) == 1.0
    paired = replay.pair(ours, base, seed=1)
    assert paired.low <= paired.ratio <= paired.high
    assert paired == replay.pair(ours, base, seed=1)
    same = replay.pair(base, base)
    assert (same.ratio, same.low, same.high) == (1.0, 1.0, 1.0)
    assert set(same.not_slower.values()) == {1.0}


def test_a_replay_repeats_itself():
    codec = PseudoCodec()
    transcripts = [transcript(codec, number) for number in range(3)]

    def figures():
        (one,) = replay.replay_all(transcripts, ["buffer:tree+suffix"], codec, window=32, seed=4)
        return [(case.rounds, case.drafted, case.accepted) for case in one.per_case]

    assert figures() == figures()


@pytest.fixture(scope="module")
def seconds():
    """``seconds(window, costs)``: of a long edit, by each profile."""
    codec = PseudoCodec()
    rng = random.Random(5)
    before = "".join(f"value_{i} = read(source_{i % 7}, {i * i})\n" for i in range(150))
    lines = before.splitlines(keepends=True)
    for at in rng.sample(range(len(lines)), 12):
        lines[at] = f"changed_{rng.randrange(99)}(here, {rng.randrange(9999)})\n"
    long = replay_cases.transcribe(case(before=before, after="".join(lines)), codec)

    def get(window, costs=None):
        figures = replay.replay_case(long, "buffer+suffix", codec, window=window, costs=costs)
        return figures.modelled_seconds

    return get


@pytest.fixture(scope="module")
def seconds_of_fixed_ones(seconds):
    return [seconds(window) for window in (8, 16, 32, 64, 128, 255)]


@pytest.mark.parametrize("profile", PROFILES[::2], ids=lambda profile: profile.name)
def test_the_window_by_cost_is_no_slower_than_fixed_ones(profile, seconds, seconds_of_fixed_ones):
    by_cost = seconds(255, profile)[profile.name]
    assert by_cost <= 1.03 * min(fixed[profile.name] for fixed in seconds_of_fixed_ones)


def test_a_spec_may_name_a_profile():
    name, costs = replay.costs_of("buffer:tree+suffix@cpu-2")
    assert (name, costs.name) == ("buffer:tree+suffix", "cpu-2")
    assert replay.costs_of("buffer") == ("buffer", None)
    with pytest.raises(UsageError, match="h200, rtx4090-4bit, cpu-2"):
        replay.costs_of("buffer@abacus")


@pytest.mark.parametrize(
    ("part", "spec"),
    [
        ("", "buffer:tree+suffix"),
        ("branches", "buffer:chain+suffix"),
        ("suffix", "buffer:tree"),
        ("substitutions", "buffer:tree+suffix"),
    ],
)
def test_an_ablation_leaves_one_part_out_for_a_while(part, spec):
    learn = BufferDrafter._learn
    left, left_out = replay.ablated("buffer:tree+suffix", part)
    assert left == spec
    for _ in range(2):
        with left_out:
            assert (BufferDrafter._learn is learn) == (part != "substitutions")
        assert BufferDrafter._learn is learn


def test_the_command_writes_what_is_documented(cases_file, tmp_path):
    out = tmp_path / "out.json"
    picture = tmp_path / "out.png"
    arguments = ["replay", str(cases_file), "--drafter", "none,buffer+suffix", "--window", "32"]
    arguments += ["--json", str(out), "--plot", str(picture), "--ablate", "--limit", "2"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "pseudo" in result.output  # the stand-in tokenizer is named
    objects = json.loads(out.read_text())
    names = [one["drafter"] for one in objects]
    assert names[:3] == [replay.BASELINE, "none", "buffer+suffix"]
    assert names[-1] == replay.ORACLE
    assert "buffer+suffix -substitutions" in names
    for one in objects:
        assert one["window"] == 32
        assert one["cases"] == 2
        assert len(one["per_case"]) == 2
        assert one["tokens_per_round"] == pytest.approx(one["output_tokens"] / one["rounds"])
        assert {
            "median_tokens_per_round",
            "drafted",
            "accepted",
            "drafter_seconds",
        } <= set(one)
        assert set(one["by_kind"]) == {"rename", "no-op"}
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_no_figure_is_cut_in_a_narrow_terminal():
    codec = PseudoCodec()
    specs = [replay.BASELINE, "prompt-lookup:transformers", "buffer:tree+suffix", replay.ORACLE]
    transcripts = [transcript(codec, number) for number in range(3)]
    results = replay.replay_all(transcripts, specs, codec, window=64)
    printed = io.StringIO()
    print_report(Console(file=printed, width=80), results, "pseudo", 0)
    text = printed.getvalue()
    assert "…" not in text
    words = text.split()
    for figures in results:
        tokens, rounds = figures.total("output_tokens"), figures.total("rounds")
        seconds = (f"{figures.seconds(profile.name):,.1f}" for profile in PROFILES)
        assert {f"{rounds:.0f}", f"{tokens / rounds:.2f}", *seconds} <= set(words)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--drafter", "bufer"], "no drafter"),
        (["--tokenizer", "/nonexistent"], "cannot be read as a tokenizer"),
    ],
)
def test_a_wrong_option_is_one_sentence_and_exit_2(cases_file, arguments, said):
    result = CliRunner().invoke(app, ["replay", str(cases_file), *arguments])
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output
