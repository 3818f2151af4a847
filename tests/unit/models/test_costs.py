"""What a round costs is measured quickly, kept, found again, and refined; it changes no text."""

import itertools
import json
from dataclasses import replace
from functools import partial
from time import perf_counter, sleep

import pytest
import torch

from editd.decode.costs import CPU_SHAPE
from editd.models import round_costs as costs
from editd.models.model import ModelSpec, Timing
from editd.models.round_costs import measure_sizes, round_costs
from editd.models.torch.loading import load
from tests import tiny


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    torch.set_num_threads(1)


def model(family="llama"):
    return load(ModelSpec(str(tiny.checkpoint(family)), device="cpu", threads=1))


def files(tmp_path):
    return sorted((tmp_path / "costs").glob("*"))


def test_a_small_model_is_measured_at_once_and_kept(tmp_path):
    known = round_costs(model())
    assert 1 in known.sizes  # and more, as far as a blink reaches
    assert 0 < known.seconds(1, 0) <= known.seconds(64, 0)
    [file] = files(tmp_path)
    assert set(json.loads(file.read_text())["seconds"]) == {str(size) for size in known.sizes}


def test_the_next_start_has_it(monkeypatch):
    first = round_costs(model())
    monkeypatch.setattr(costs, "measure_sizes", lambda _model: pytest.fail("measured again"))
    again = round_costs(model())
    assert again is not first
    assert again.sizes == first.sizes
    for rows in (1, 7, 100):
        assert again.seconds(rows, 500) == pytest.approx(first.seconds(rows, 500))


def test_what_the_machine_does_meanwhile_does_not_count(monkeypatch):
    """Rounds of a model on a CPU are timed by what their thread computes, not by the wall."""
    loaded = model()
    assert loaded.device == "cpu"
    clock = loaded.timing.clock
    before, started = clock(), perf_counter()
    sleep(0.05)
    assert perf_counter() - started >= 0.05
    assert clock() - before < 0.02
    monkeypatch.setattr(loaded, "device", "cuda:0")
    assert loaded.timing.clock is perf_counter


def test_one_model_has_one_account():
    loaded = model()
    assert round_costs(loaded) is round_costs(loaded)


def test_another_model_or_number_of_threads_has_its_own(tmp_path):
    loaded = model()
    round_costs(loaded)
    round_costs(model("qwen3"))
    more_threads = model()
    torch.set_num_threads(2)
    round_costs(more_threads)
    assert len(files(tmp_path)) == 3


def test_a_large_model_is_not_measured_before_its_first_edit(tmp_path, monkeypatch):
    loaded = model()
    loaded.weights_bytes = 10 << 30
    monkeypatch.setattr(loaded.target, "open", lambda _ids: pytest.fail("measured"))
    assert round_costs(loaded).sizes == ()
    assert files(tmp_path) == []


def test_a_warm_up_measures_the_rest_size_by_size():
    loaded = model()
    loaded.weights_bytes = 10 << 30
    round_costs(loaded)
    assert list(measure_sizes(loaded)) == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert list(measure_sizes(loaded)) == []
    assert len(round_costs(loaded).sizes) == 9


def test_measuring_leaves_the_model_as_it_was():
    loaded = model()
    before = loaded.target.cache_bytes
    list(measure_sizes(loaded))
    assert loaded.target.cache_bytes == before


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"seconds": {"1": -3}}', '{"seconds": [1]}', "\x00"]
)
def test_a_damaged_file_is_measured_anew(tmp_path, text):
    round_costs(model())
    [file] = files(tmp_path)
    file.write_text(text)
    assert 1 in round_costs(model()).sizes


def test_a_disk_that_keeps_nothing_costs_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "file"))
    assert round_costs(model()).sizes


def test_real_rounds_are_kept_after_a_while(tmp_path):
    loaded = model()
    known = round_costs(loaded)
    [file] = files(tmp_path)
    before = file.read_text()
    for _ in range(60):
        known.learn(64, 0, 1.0)
    round_costs(loaded)
    assert file.read_text() != before


def test_sizes_that_are_slow_here_are_measured_once_while_nothing_is_asked(monkeypatch):
    """8 rows take so long that a warm-up measures no more; 16 are found to be cheap for it."""
    loaded = model()
    took = {1: 0.04, 2: 0.08, 4: 0.15, 8: 0.3, 16: 0.31, 32: 0.7}
    monkeypatch.setattr(costs, "_time_chain", lambda _sequence, ids, _clock: took[len(ids)])
    loaded.weights_bytes = 10 << 30
    assert list(measure_sizes(loaded)) == [1, 2, 4, 8]
    known = round_costs(loaded)
    assert known.sizes == (1, 2, 4, 8)
    while costs.measure_when_idle(loaded):
        pass
    assert known.sizes == (1, 2, 4, 8, 16, 32)
    assert known.seconds(16, 0) < 1.1 * known.seconds(8, 0)
    assert not costs.measure_when_idle(loaded)


def test_what_reading_again_takes_is_measured_and_kept(monkeypatch):
    loaded = model()
    plainly = type(loaded.target).open

    def reads_again(target, prompt_ids):
        sequence = plainly(target, prompt_ids)
        verify, crop, taken_back = sequence.verify, sequence.crop, 0

        def cropped(length):
            nonlocal taken_back
            taken_back = length
            crop(length)

        def verified(token_ids, sampling, **more):
            nonlocal taken_back
            again, taken_back = taken_back, 0
            return replace(verify(token_ids, sampling, **more), num_read_again=again)

        sequence.crop, sequence.verify = cropped, verified
        return sequence

    monkeypatch.setattr(loaded.target, "open", partial(reads_again, loaded.target))
    ticks = itertools.count(0, 0.5)
    loaded.weights_bytes = 10 << 30
    monkeypatch.setattr(
        type(loaded), "timing", property(lambda _: Timing(lambda: next(ticks), key=("ticks",)))
    )
    monkeypatch.setattr(costs, "_time_chain", lambda *_: 0.1)
    list(measure_sizes(loaded))
    again = round_costs(loaded).again_row
    assert again == pytest.approx(0.4 / 8)
    restored = costs._restored(loaded)
    assert restored.again_row == again


def test_a_model_that_cannot_go_back_is_not_measured(monkeypatch):
    loaded = model()
    monkeypatch.setattr(loaded.target, "rewindable", False)  # as a Mamba on llama.cpp
    assert list(measure_sizes(loaded)) == []
    assert round_costs(loaded).sizes == ()


def test_a_cpu_has_the_shape_of_a_cpu():
    loaded = model()
    loaded.weights_bytes = 10 << 30
    known = round_costs(loaded)
    known.learn(1, 0, 0.1)
    assert known.seconds(16, 0) == pytest.approx(0.1 * dict(CPU_SHAPE)[16])
