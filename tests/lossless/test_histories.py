"""Whatever a target of llama.cpp has read, drafted and kept before, its rows have the bits of a fresh context.

On architectures with sliding windows, with recurrent states, and on one with neither; on OpenVINO on a hybrid.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from editd.models import registry
from editd.models.model import ModelSpec
from tests.architectures import PLAIN, RECURRENT, SLIDING, WINDOW, random_file
from tests.gguf_files import DEVICE
from tests.histories import Histories, OpenVinoHistories

pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")


def loaded(architecture):
    return registry.load(ModelSpec(str(random_file(architecture)), device=DEVICE, threads=1))


def check(architecture, seed, sequences, **passes):
    with closing(loaded(architecture)) as model:
        target = model.target
        target.passes = target.contexts.passes = replace(target.passes, **passes)
        assert model.target.passes.window == (WINDOW if architecture in SLIDING else 0)
        histories = Histories(model.target, seed)
        histories.live(sequences)
    return histories.seen


@pytest.mark.parametrize("architecture", [*PLAIN, *SLIDING, *RECURRENT])
def test_random_histories_change_no_bit(architecture):
    seen = check(architecture, seed=4, sequences=16)
    assert min(seen.compared, seen.cropped, seen.cancelled, seen.grown) > 0
    assert sum(cached > WINDOW for cached in seen.hits) > 3


def test_what_is_read_again_with_the_pass_that_follows_changes_no_bit():
    """As on a GPU, where a pass is dear and rows are not."""
    assert check("qwen35", seed=4, sequences=8, reread_limit=48).compared > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5, 10))
@pytest.mark.parametrize("architecture", [*PLAIN, *SLIDING, *RECURRENT])
def test_many_random_histories_change_no_bit(architecture, seed):
    check(architecture, seed, sequences=40)


def check_openvino(seed, sequences, monkeypatch, tmp_path):
    pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    spec = ModelSpec(f"openvino:{random_file('qwen35')}", threads=1)
    with closing(registry.load(spec)) as model:
        histories = OpenVinoHistories(model.target, seed)
        histories.live(sequences)
        model.drop_caches()
        assert model.target.cache_bytes == 0  # no block and no state was lost
    return histories.seen


def test_random_histories_on_openvino(monkeypatch, tmp_path):
    seen = check_openvino(4, 16, monkeypatch, tmp_path)
    assert min(seen.compared, seen.cropped, seen.cancelled, seen.grown) > 0
    assert sum(cached > WINDOW for cached in seen.hits) > 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5, 10))
def test_many_random_histories_on_openvino(seed, monkeypatch, tmp_path):
    check_openvino(seed, 60, monkeypatch, tmp_path)
