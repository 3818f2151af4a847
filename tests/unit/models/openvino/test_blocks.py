"""Blocks of keys and values: shared, copied only when one is written to, and all given back."""

import subprocess
from pathlib import Path

import numpy as np
import psutil
import pytest

from editd import errors
from editd.decode.target import GREEDY
from editd.models import registry
from editd.models.model import ModelSpec
from editd.models.openvino.paged import BlockTable
from tests.gguf_files import wide_file

pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")

IDS = [7 * n % 500 + 3 for n in range(400)]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        loaded = registry.load(ModelSpec(f"openvino:{wide_file('llama', 'q8_0')}", threads=1))
    yield loaded
    loaded.close()


@pytest.fixture
def network(model):
    """Nothing is in use before, and nothing after."""
    model.drop_caches()
    network = model.target.network
    assert network.used_bytes == 0
    yield network
    assert network.used_bytes == 0


@pytest.mark.parametrize("length", [64, 70, 96])
def test_a_prefix_shares_its_blocks_and_neither_changes_the_other(network, length):
    first = BlockTable(network)
    first.append_without_logits(IDS[:100])
    expected = first.append_chain(IDS[100:120]).copy()
    first.crop_to(100)
    used = network.used_bytes
    second = first.copy_prefix(length, 0)
    assert network.used_bytes == used  # nothing was copied
    assert abs(first.nbytes + second.nbytes - used) <= 1  # and nothing counted twice
    second.append_without_logits([9] * 50)
    assert np.array_equal(first.append_chain(IDS[100:120]), expected)
    second.crop_to(length)
    second.append_without_logits(IDS[length:100])
    assert np.array_equal(second.append_chain(IDS[100:120]), expected)
    partly = length % network.tokens != 0
    assert network.used_bytes - used <= network.block_bytes * (2 + partly)
    first.close()
    second.close()


def test_rolling_back_is_forgetting(network):
    table = BlockTable(network)
    table.append_without_logits(IDS[:50])
    expected = table.append_chain(IDS[50:60]).copy()
    for wrong in range(1, 40, 7):
        table.crop_to(50)
        table.append_chain([wrong] * wrong)
        table.crop_to(50)
        assert np.array_equal(table.append_chain(IDS[50:60]), expected)
    table.close()


def test_a_draft_model_draws_from_its_last_row(model, network):
    sequence = model.target.open(IDS)
    rows = sequence.table.append_chain(IDS[:9]).copy()
    sequence.table.crop_to(0)
    drawn = sequence.draw(IDS[:9], GREEDY)
    assert drawn.token_id == rows[-1].argmax()
    sequence.crop(0)
    assert sequence.draw(IDS[:300], GREEDY).token_id >= 0
    assert sequence.length == 300
    sequence.crop(0)
    sequence.close()


def test_what_closed_sequences_keep_gives_way_and_then_it_is_said(model, network, monkeypatch):
    held = network._free[: -300 // network.tokens]  # all but room for some 300 tokens
    monkeypatch.setattr(network, "_free", network._free[-300 // network.tokens :])
    for start in (0, 100, 200):
        sequence = model.target.open(IDS[start : start + 100])
        sequence.prefill(IDS[start : start + 99])
        sequence.close()
    assert len(model.target.prefixes) >= 1
    sequence = model.target.open([1, *IDS[:220]])
    sequence.prefill(IDS[:220])
    assert sequence.length == 220
    with pytest.raises(errors.OutOfMemory, match="edit fewer lines"):
        sequence.prefill(IDS[:200])
    length = sequence.length
    assert sequence.table.length == length  # what was read stays
    sequence.crop(0)
    sequence.close()
    monkeypatch.setattr(network, "_free", [*held, *network._free])
    model.drop_caches()


def test_a_chain_wider_than_a_pass_takes_several(model, network):
    sequence = model.target.open(IDS)
    whole = sequence.verify(IDS[:300], GREEDY).choice_ids
    sequence.crop(0)
    assert [sequence.verify([one], GREEDY).choice_ids[0] for one in IDS[:300]] == whole
    sequence.crop(0)
    sequence.close()


def test_a_cache_limit_of_the_user_is_kept(model, network, monkeypatch):
    monkeypatch.setattr(model.target, "kv_limit_bytes", 3 * network.block_bytes)
    sequence = model.target.open(IDS)
    sequence.prefill(IDS[:60])
    with pytest.raises(errors.OutOfMemory, match=r"daemon\.memory"):
        sequence.prefill(IDS[60:200])
    sequence.crop(0)
    sequence.close()


def test_a_closed_model_lets_open_sequences_go(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    loaded = registry.load(ModelSpec(f"openvino:{wide_file('llama', 'q4_0')}", threads=1))
    sequence = loaded.target.open(IDS)
    sequence.prefill(IDS[:50])
    loaded.close()
    loaded.close()
    sequence.close()
    assert loaded.target.cache_bytes == 0


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="Linux says it there")
def test_memory_that_is_reserved_hinders_no_program_that_is_started(network):
    held = []
    while sum(array.nbytes for array in held) < 2 * psutil.virtual_memory().total:
        held.append(network._reserve((1 << 31,)))
    try:
        subprocess.run(["true"], check=True, preexec_fn=lambda: None)
    finally:
        del network._maps[-len(held) :], held
