"""One edit through the real engine and a real model (the solved model, which knows edits by heart)."""

import contextlib
import dataclasses
import tomllib
from functools import partial
from itertools import count, pairwise

import pytest

from editd.config import Config, ModelConfig
from editd.daemon.framing import pack, unpack
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Keep
from editd.engine import Engine
from editd.engine.local_text_source import LocalBudget
from editd.engine.provenance import spans
from editd.messages import Delta, Done, EditRequest, EditResult, Progress, WarmupRequest
from editd.messages.options import EditOptions
from editd.turns import Turns
from tests.fixtures.solved.edits import demo_folder
from tests.tiny import checkpoint

pytestmark = pytest.mark.usefixtures("settled_costs")

CASES = tomllib.loads((demo_folder() / "cases.toml").read_text())["edit"]
RENAME = "inventory-rename"


def text_of(name):
    return (demo_folder() / name).read_bytes().decode()


def request(name, **changes):
    case = next(case for case in CASES if case["name"] == name)
    first, last = case.get("lines", (None, None))
    made = EditRequest(
        "r1",
        text_of(case["file"]),
        case["instruction"],
        path=case["file"],
        start_line=None if first is None else first - 1,
        end_line=last,
    )
    return dataclasses.replace(made, **changes)


def after(name):
    return text_of(next(case["after"] for case in CASES if case["name"] == name))


@pytest.fixture(scope="module")
def engine(demo_model):
    with engine_for(demo_model) as engine:
        yield engine


@contextlib.contextmanager
def engine_for(model, **model_options):
    engine = Engine(Config(ModelConfig(str(model), threads=1, **model_options)))
    yield engine
    engine.close()


def check_origins(hunks):
    """Every character of every new line has one origin, and the spans are as long as they can be."""
    for hunk in hunks:
        assert [o.line for o in hunk.origins] == sorted(o.line for o in hunk.origins)
        for index, line in enumerate(hunk.new_lines):
            spans = [o for o in hunk.origins if o.line == index]
            assert [o.start for o in spans] == [0, *(o.end for o in spans[:-1])]
            assert spans[-1].end == len(line)
            assert all(a[3:] != b[3:] for a, b in pairwise(map(dataclasses.astuple, spans)))


def edit(engine, asked):
    job = engine.start(asked)
    messages = []
    while not job.finished:
        assert not any(isinstance(message, EditResult) for message in messages), "it had ended"
        messages += job.advance()
    assert [isinstance(message, EditResult) for message in messages].count(True) == 1
    for message in messages:
        assert unpack(pack(message)) == message
    return messages[-1], messages[:-1]


# They write much that is new, as two others do that are not slow.
SLOW = ("textstats-docstrings", "report-fstrings", "worker-logging", "geometry-hints")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(case["name"], marks=[pytest.mark.slow] if case["name"] in SLOW else [])
        for case in CASES
    ],
)
def test_every_demo_edit_comes_out_byte_for_byte(engine, name):
    result, told = edit(engine, request(name))
    asked = request(name)
    assert result.finish_reason == "stop"
    assert result.error is None
    assert result.text == after(name)
    assert apply(result.hunks, asked.text) == result.text
    # What was told on the way is what came out in the end.
    ops = [op for message in told if isinstance(message, Delta) for op in message.ops]
    done = [op for op in ops if isinstance(op, Hunk) and op.done]
    bare = {"suspect": None, "origins": (), "note_spans": ()}  # which come at the end
    unmarked = [dataclasses.replace(hunk, **bare) for hunk in result.hunks]
    assert done == unmarked
    check_origins(result.hunks)
    line = 0
    for op in ops:
        if isinstance(op, Keep):
            line += op.count
        elif op.done:
            assert op.start == line
            line += op.old_count
    assert line == len(asked.text.replace("\r\n", "\n").splitlines())


@pytest.mark.parametrize(("drafter", "window"), [("buffer", 7), ("prompt-lookup:tuned", 20)])
def test_the_text_does_not_depend_on_the_drafter(engine, drafter, window):
    options = EditOptions(drafter=drafter, window=window)
    result, _ = edit(engine, request("ring-rename", options=options))
    assert result.text == after("ring-rename")
    assert result.stats.exactness == "token"
    assert result.stats.near_ties == 0
    assert (result.stats.accepted > 0, result.stats.drafter) == (True, drafter)


def test_where_the_model_hesitated_stands_on_its_own_words(engine, monkeypatch):
    """Every token told, and only the model's own; the trace says how likely each was."""
    monkeypatch.setattr("editd.engine.provenance.spans", partial(spans, less_than=1.1))
    result, _ = edit(engine, request("inventory-hints"))
    told = [(hunk, span) for hunk in result.hunks for span in hunk.note_spans]
    assert told
    for hunk, span in told:
        (origin,) = (
            o for o in hunk.origins if o.line == span.line and o.start <= span.start < o.end
        )
        assert (origin.source, origin.detail) == ("new", "")
        assert hunk.new_lines[span.line][span.start : span.end] in span.text
    trace = engine.take_traces()[-1]
    known = [done.chance for done in trace.rounds if done.chance is not None]
    assert len(known) > len(trace.rounds) / 2
    assert all(0 < chance <= 1 for chance in known)
    monkeypatch.undo()
    result, _ = edit(engine, request("inventory-hints"))  # by heart: nothing to hesitate at
    assert not any(hunk.note_spans for hunk in result.hunks)


def test_drafting_from_the_buffer_saves_most_rounds(engine):
    stats = edit(engine, request(RENAME))[0].stats
    assert stats.tokens_per_round > 10
    assert stats.output_tokens == pytest.approx(stats.rounds * stats.tokens_per_round, rel=0.01)
    assert stats.drafted == stats.accepted + stats.rejected
    assert stats.accepted_prediction_tokens == stats.accepted


def test_a_prediction_takes_the_buffer_s_place(engine):
    good = edit(engine, request(RENAME, prediction=after(RENAME)))[0]
    bad = edit(engine, request(RENAME, prediction="nothing of the kind\n"))[0]
    assert good.text == bad.text == after(RENAME)
    assert good.stats.rounds < 0.1 * bad.stats.rounds


def test_the_first_hunk_comes_before_the_end(engine):
    _, told = edit(engine, request(RENAME, options=EditOptions(window=16)))
    deltas = [message for message in told if isinstance(message, Delta)]
    assert len(deltas) > 3
    assert [message.seq for message in deltas] == list(range(len(deltas)))


def test_the_buffer_s_kv_survives_a_new_instruction(engine):
    edit(engine, request(RENAME))
    asked = request("inventory-hints", options=EditOptions(max_new_tokens=4))
    other = edit(engine, asked)[0]
    assert other.stats.cached_tokens >= 512


def test_a_warm_up_prefills_the_buffer():
    """Of a format that shows the buffer before the instruction."""
    options = EditOptions(max_new_tokens=4)
    asked = request(RENAME, text="total = 1\n" * 20, instruction="shorten it", options=options)
    with engine_for(checkpoint("llama")) as engine:
        job = engine.start(WarmupRequest("w", asked.text, path=asked.path))
        told = []
        while not job.finished:
            told += job.advance()
        assert isinstance(told[-1], Done)
        assert isinstance(told[0], Progress)
        assert told[0].stage == "loading"
        result, told = edit(engine, asked)
        assert result.stats.cached_tokens > 0.5 * result.stats.prompt_tokens
        assert not any(isinstance(m, Progress) and m.stage == "loading" for m in told)


def test_loading_is_told_apart(demo_model):
    with engine_for(demo_model) as engine:
        stats = edit(engine, request(RENAME))[0].stats
        again = edit(engine, request(RENAME, request_id="r2"))[0].stats
    assert stats.load_seconds > 10 * again.load_seconds
    assert stats.first_hunk_ms < 1000 * (stats.total_seconds - stats.load_seconds)


def test_a_warm_up_of_a_buffer_that_is_too_large_is_no_error(demo_model):
    with engine_for(demo_model, max_context=600) as engine:
        job = engine.start(WarmupRequest("w", request(RENAME).text, path="inventory.py"))
        while not job.finished:
            told = job.advance()
    assert isinstance(told[-1], Done)
    assert "not read" in told[-1].message


def test_a_buffer_that_takes_long_is_not_read_ahead(demo_model, monkeypatch):
    monkeypatch.setattr(LocalBudget, "seconds", lambda _room, prompt, answer: (prompt + answer) / 5)
    asked = request(RENAME)
    with engine_for(demo_model) as engine:
        job = engine.start(WarmupRequest("w", asked.text, path=asked.path))
        while not job.finished:
            told = job.advance()
        assert isinstance(told[-1], Done)
        assert "not read: that takes about" in told[-1].message
        assert edit(engine, asked)[0].stats.cached_tokens < 128


def check_failure(engine, asked, reason, code, *words):
    result, _ = edit(engine, asked)
    assert result.finish_reason == reason
    assert result.text is None
    assert not result.hunks
    assert result.error.code == code
    for word in words:
        assert word in result.error.message


def test_what_goes_wrong_says_so_in_a_sentence_and_gives_no_text(engine):
    cut = EditOptions(max_new_tokens=40)
    hurried = EditOptions(timeout=1e-9)
    check_failure(engine, request(RENAME, options=cut), "length", "cut-off", "--max-new-tokens")
    check_failure(engine, request(RENAME, options=hurried), "length", "cut-off", "--timeout")
    check_failure(engine, request(RENAME, instruction=" \n"), "error", "usage", "instruction")
    check_failure(
        engine, request(RENAME, options=EditOptions(drafter="magic")), "error", "usage", "magic"
    )
    check_failure(
        engine,
        request(RENAME, options=EditOptions(model="/no/such/folder")),
        "error",
        "model-not-found",
        "/no/such/folder",
    )


def test_an_edit_can_be_cancelled_between_any_two_units(engine):
    for units in (0, 1, 3, 6):
        job = engine.start(request(RENAME))
        for _ in range(units):
            job.advance()
        [result] = job.cancel()
        assert result.finish_reason == "cancelled"
        assert result.text is None
        assert job.finished
        assert job.advance() == job.cancel() == []
    assert edit(engine, request(RENAME))[0].text == after(RENAME)


def users(engine):
    return sum(entry.users for entry in engine.pool._entries.values())


def test_an_edit_gives_its_model_back_wherever_it_is_cancelled(engine, monkeypatch):
    # The time of a unit is over at every yield point.
    monkeypatch.setattr("editd.engine.job.Turns", lambda work: Turns(work, count().__next__))
    held = []
    for units in count(step=2):
        job = engine.start(request(RENAME))
        for _ in range(units):
            job.advance()
        held.append(users(engine))
        if job.finished:
            break
        job.cancel()
        assert users(engine) == 0, units
    assert (held[0], max(held), held[-1]) == (0, 1, 0)
    assert len(held) > 8


def test_messages_that_nobody_reads_to_the_end_are_a_cancelled_edit(engine):
    messages = engine.edit(request(RENAME))
    while not users(engine):
        next(messages)
    messages.close()
    assert users(engine) == 0


def test_two_edits_may_take_turns(engine):
    jobs = [engine.start(request(RENAME)), engine.start(request("cart-rename"))]
    last = {}
    while not all(job.finished for job in jobs):
        for index, job in enumerate(jobs):
            for message in job.advance():
                last[index] = message
    assert last[0].text == after(RENAME)
    assert last[1].text == after("cart-rename")


def test_a_buffer_too_large_for_the_context_names_the_remedy(demo_model):
    asked = request(RENAME, instruction="Improve it.")
    with engine_for(demo_model, max_context=600) as engine:
        check_failure(engine, asked, "refused", "scope-too-large", "--range", "600")
