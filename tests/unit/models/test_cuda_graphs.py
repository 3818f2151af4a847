"""On a CUDA device: what was recorded says what fresh passes say, and bits are bits there too."""

from __future__ import annotations

import random
from functools import cache

import pytest
import torch

from editd.decode.target import GREEDY, Sampling
from editd.models.torch.attention import use_grouped_attention
from editd.models.torch.device import queue_copy, to_device, to_host
from editd.models.torch.gpu.execution_mode import Mode, enter
from editd.models.torch.runner import ModelRunner
from tests import tiny
from tests.unit.models.sequences import opened, random_ids

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]
CHUNK, BUCKET, WIDTHS = 16, 64, (1, 16, 32)


@cache
def model(family, dtype):
    built = tiny.random_model(family, dtype=dtype).to("cuda")
    use_grouped_attention(built)
    return built


def runner(family="llama", dtype="float32", **options):
    made = ModelRunner(model(family, dtype), prefill_chunk=CHUNK)
    enter(made, family, Mode(**{"first_bucket": BUCKET, "widths": WIDTHS, **options}))
    assert made.passes is not None
    return made


def rows_in_pieces(target, text, start, sizes):
    sequence, chance, rows = opened(target, text[:start]), random.Random(1), []
    while start < len(text):
        count = min(chance.choice(sizes), len(text) - start)
        wrong = random_ids(chance.choice(sizes), seed=start)
        said = sequence.verify([*text[start : start + count], *wrong], GREEDY)
        rows += zip(said.choice_ids[:count], said.margins[:count], strict=True)
        start += count
        sequence.crop(start)
    sequence.close()
    return rows


@pytest.mark.parametrize("capture", ["graphs", "compile", "off"])
@pytest.mark.parametrize("family", tiny.ATTENTION_FAMILIES)
def test_recorded_passes_say_what_a_growing_cache_says(family, capture):
    if capture == "compile" and family not in ("llama", "gemma3"):
        pytest.skip("compiling takes long; two families have all kinds of layers")
    plain = ModelRunner(model(family, "float32"), prefill_chunk=CHUNK)
    target = runner(family, capture=capture, static=True)
    text = random_ids(100)
    for _ in range(2):
        for sizes in ([1], [5, 20]):
            rows = rows_in_pieces(target, text, 40, sizes)
            expected = rows_in_pieces(plain, text, 40, sizes)
            assert [choice for choice, _ in rows] == [choice for choice, _ in expected]
        while target.idle_work():
            pass
    captures = target.passes.captures
    assert captures.failed == 0
    assert (captures.recorded > 0) == (capture != "off")


@pytest.mark.parametrize("capture", ["graphs", "off"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("family", ["llama", "qwen2", "mistral", "gemma2"])
def test_bits_are_bits_on_the_device(family, dtype, capture):
    target = runner(family, dtype, exactness="bitwise", verify_width=16, capture=capture)
    assert target.exactness == "bitwise"
    text = random_ids(150)
    expected = rows_in_pieces(target, text, 37, [1])
    while target.idle_work():
        pass
    for sizes in ([2, 7], [16, 40], [1]):
        assert rows_in_pieces(target, text, 37, sizes) == expected
    warm = opened(target, [*text[:30], *random_ids(50)])
    warm.close()
    opened(target, random_ids(90, seed=3)).close()
    assert rows_in_pieces(target, text, 37, [3, 9]) == expected


def test_a_capture_that_fails_leaves_a_working_device(monkeypatch, caplog):
    target, text = runner(capture="graphs"), random_ids(60)
    forward = target.model.forward

    def waits(**arguments):
        arguments["position_ids"].max().item()  # not allowed while a stream is captured
        return forward(**arguments)

    with monkeypatch.context() as patch:
        patch.setattr(target.model, "forward", waits)
        rows = rows_in_pieces(target, text, 40, [1, 8])
        while target.idle_work():
            pass
        assert target.passes.captures.recorded == 0
        assert "not recorded" in caplog.text
        assert torch.cuda.current_stream() == torch.cuda.default_stream()
        assert rows_in_pieces(target, text, 40, [1, 8]) == rows
    later = runner(capture="graphs")  # another one can still be recorded
    rows_in_pieces(later, text, 40, [1])
    while later.idle_work():
        pass
    assert later.passes.captures.recorded > 0


def test_uploads_do_not_overtake_one_another():
    """What is copied from is used again only when the copy before has left it."""
    buffer = torch.zeros(4096, dtype=torch.int64, device="cuda")
    busy = torch.randn(4096, 4096, device="cuda")
    copies = []
    for number in range(50):
        busy = busy @ busy * 1e-3
        queue_copy(buffer, [number] * 4096)
        copies.append(buffer.clone())
    assert [int(copy.min()) == int(copy.max()) == index for index, copy in enumerate(copies)] == [
        True
    ] * 50


def test_values_come_back_as_they_were():
    values = list(range(1000))
    there = to_device(values, torch.device("cuda"))
    assert to_host(torch.stack([there, there]).double()) == [values, values]


def test_sampling_on_the_device_is_sampling_on_the_cpu():
    text = random_ids(60)
    cpu = ModelRunner(tiny.random_model("llama", dtype="float32"), prefill_chunk=CHUNK)
    for sampling in (
        Sampling(temperature=0.8, seed=3),
        Sampling(temperature=0.8, top_k=7, seed=3),
        Sampling(temperature=0.8, top_p=0.9, seed=3),
    ):
        there = opened(runner(), text[:40]).verify(text[40:], sampling)
        here = opened(cpu, text[:40]).verify(text[40:], sampling)
        assert there.choice_ids == here.choice_ids
