"""Recordings begin when they pay, and one that fails or lies costs speed alone.

The tape stands in for a CUDA graph: it too knows only what lies in buffers.
"""

from __future__ import annotations

import time

import pytest
import torch

from editd.decode.target import GREEDY
from editd.models.torch.gpu import choose_recorder as recorders
from editd.models.torch.gpu.execution_mode import Mode, enter
from editd.models.torch.runner import ModelRunner
from tests import tiny
from tests.unit.models.sequences import opened, random_ids
from tests.unit.models.tape import Tape

CHUNK, BUCKET = 16, 64
MODEL = tiny.random_model("llama")


def runner(recorder, *, cache_bytes=1 << 24, **options):
    mode = Mode(static=True, way="masks", recorder=recorder, first_bucket=BUCKET, **options)
    made = ModelRunner(MODEL, prefill_chunk=CHUNK, cache_bytes=cache_bytes)
    enter(made, "this-model", mode)
    return made


def plainly(text, start):
    sequence = opened(ModelRunner(MODEL, prefill_chunk=CHUNK), text[:start])
    return [sequence.verify([token_id], GREEDY).choice_ids[0] for token_id in text[start:]]


def test_a_daemon_answers_first_and_records_when_nobody_waits():
    target, text = runner(Tape(), widths=(1, 8)), random_ids(60)
    captures = target.passes.captures
    sequence = opened(target, text[:40])
    first = sequence.verify([text[40]], GREEDY).choice_ids
    assert captures.recorded == 0
    units = 0
    while target.idle_work():
        units += 1
    assert units == captures.recorded > 3
    assert not target.idle_work()
    assert sequence.length == 41  # recording changed nothing of it
    rest = [sequence.verify([token_id], GREEDY).choice_ids[0] for token_id in text[41:]]
    assert [*first, *rest] == plainly(text, 40)
    assert captures.recorder.replays >= 19
    assert "passes recorded as tape" in target.runs


def test_a_pass_that_comes_often_is_recorded_in_the_middle_of_an_edit():
    target, text = runner(Tape(), widths=(1, 8)), random_ids(60)
    sequence = opened(target, text[:40])
    said = [sequence.verify([token_id], GREEDY).choice_ids[0] for token_id in text[40:]]
    assert said == plainly(text, 40)
    assert target.passes.captures.recorded == 1
    assert target.passes.captures.recorder.replays > 10


class Fails(Tape):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def record(self, program):
        raise self.error


class Lies(Tape):
    """A replay that says and leaves what it did when it was recorded."""

    def record(self, program):
        output = program()
        return lambda: output


@pytest.mark.parametrize(
    ("recorder", "words"),
    [
        (Fails(RuntimeError("operation not permitted\nlong story")), "operation not permitted"),
        (Fails(torch.OutOfMemoryError("CUDA out of memory. Tried")), "out of memory"),
        (Lies(), "differs from the pass"),
    ],
)
def test_a_recording_that_fails_or_lies_is_not_used_and_said_once(recorder, words, caplog):
    target, text = runner(recorder, widths=(8,)), random_ids(60)
    sequence = opened(target, text[:40])
    with caplog.at_level("WARNING", logger="editd.models.torch.gpu.recorded_passes"):
        while target.idle_work():
            pass
        said = [sequence.verify([token_id], GREEDY).choice_ids[0] for token_id in text[40:]]
    assert said == plainly(text, 40)
    captures = target.passes.captures
    assert captures.recorded == 0
    assert len(caplog.records) == captures.failed > 0
    assert all(words in record.message for record in caplog.records)


def test_a_length_of_the_hosts_in_a_pass_is_found_out(monkeypatch, caplog):
    """A recording would repeat the number for ever, so it must not be used."""
    from editd.models.torch.gpu.pass_program import Program

    target, text = runner(Tape(), widths=(8,)), random_ids(60)
    body = Program.body

    def with_a_number(self):
        tensor = self._inputs.start
        self._inputs.start = torch.tensor(tensor.tolist())
        try:
            return body(self)
        finally:
            self._inputs.start = tensor

    monkeypatch.setattr(Program, "body", with_a_number)
    monkeypatch.setattr(torch.Tensor, "tolist", _quietly(torch.Tensor.tolist))
    sequence = opened(target, text[:40])
    while target.idle_work():
        pass
    assert [sequence.verify([i], GREEDY).choice_ids[0] for i in text[40:]] == plainly(text, 40)
    assert target.passes.captures.recorded == 0
    assert "differs from the pass" in caplog.text


def _quietly(tolist):
    """Reading back as a graph would let it pass: behind the tape's back."""
    from torch.utils._python_dispatch import _disable_current_modes

    def read(tensor):
        with _disable_current_modes():
            return tolist(tensor)

    return read


def test_recordings_go_with_the_storage_they_belong_to():
    target = runner(Tape(), widths=(8,), cache_bytes=1)
    sequence = opened(target, random_ids(40))
    while target.idle_work():
        pass
    storage = sequence.cache.storage
    assert storage.steps
    sequence.verify(random_ids(700), GREEDY)
    assert sequence.cache.storage is not storage
    text = random_ids(20, seed=4)
    sequence.crop(40)
    rows = sequence.verify(text, GREEDY).choice_ids
    fresh = opened(ModelRunner(MODEL, prefill_chunk=CHUNK), random_ids(40))
    assert rows == fresh.verify(text, GREEDY).choice_ids


def test_a_pass_can_be_compiled():
    """Traced whole, without a break: what torch.compile needs before it can fuse anything."""
    target, text = runner(None, widths=(8,)), random_ids(48)
    sequence = opened(target, text[:40])
    expected = sequence.verify(text[40:], GREEDY).choice_ids
    sequence.crop(40)
    passes = target.passes
    program = passes.program(sequence.cache.storage, passes.verifying(40, 8, tree=False))
    compiled = torch.compile(program.body, backend="eager", dynamic=False, fullgraph=True)
    passes.inputs.fill(40, text[40:], 8, None)
    with torch.inference_mode():
        assert compiled().greedy[0].tolist() == expected
        passes.inputs.fill(40, [5] * 8, 8, None)
        assert compiled().greedy[0].tolist() == sequence.verify([5] * 8, GREEDY).choice_ids


class Slow(Tape):
    def record(self, program):
        replay = super().record(program)

        def slowly():
            time.sleep(0.05)
            return replay()

        return slowly


def test_a_recorded_pass_is_timed_as_it_is_replayed(monkeypatch):
    monkeypatch.setattr(recorders, "_BEHIND", 100)
    target = runner(None)
    slow, fast = (recorders.seconds(target.passes, 16, recorder) for recorder in (Slow(), Tape()))
    assert slow > max(0.05, fast)
    assert opened(target, random_ids(20)).length == 20  # no seat is kept


def test_what_was_measured_to_be_faster_is_taken_at_the_next_start(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    cuda, key = torch.device("cuda"), "this model here"

    def name(capture, exactness="fast"):
        made = recorders.recorder_for(cuda, capture, exactness, key)
        return made and made.name

    assert name("auto") == "CUDA graphs"
    recorders.prefer("compile", key)
    assert name("auto") == "compiled CUDA graphs"
    assert name("auto", "bitwise") == name("graphs") == "CUDA graphs"
    assert name("off") is None
    recorders.prefer("graphs", key)
    assert name("auto") == "CUDA graphs"
