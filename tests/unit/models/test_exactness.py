"""Bit for bit: what a row says depends neither on its place nor on its neighbours, or it is not said."""

from __future__ import annotations

import random
from functools import cache

import pytest
import torch

from editd.decode.target import GREEDY
from editd.files.local_cache import keep, recall
from editd.models.torch.exactness import enter_bitwise
from editd.models.torch.runner import ModelRunner
from tests import tiny
from tests.unit.models.sequences import opened, random_ids

CHUNK = WIDTH = 16
DTYPES = ("float32", "bfloat16")


@cache
def model(family, dtype):
    return tiny.random_model(family, dtype=dtype)


def runner(family="llama", dtype="bfloat16", *, entered=True):
    made = ModelRunner(model(family, dtype), prefill_chunk=CHUNK)
    if entered:
        enter_bitwise(made, family)
    return made


def rows_in_pieces(target, text, start, sizes):
    """Margins and choices after each token from ``start`` on, and the keys and values left.

    Each piece is verified together with a wrong draft behind it, which is then taken back.
    """
    sequence, chance = opened(target, text[:start]), random.Random(len(sizes))
    rows = []
    while start < len(text):
        count = min(chance.choice(sizes), len(text) - start)
        wrong = random_ids(chance.choice(sizes), seed=start)
        said = sequence.verify([*text[start : start + count], *wrong], GREEDY)
        rows += zip(said.choice_ids[:count], said.margins[:count], strict=True)
        start += count
        sequence.crop(start)
    layers = sequence.cache.layers
    tensors = [tensor for layer in layers for tensor in (layer.keys, layer.values)]
    return rows, [tensor[:, :, : len(text)].clone() for tensor in tensors]


@pytest.mark.parametrize(
    ("family", "dtype"),
    [  # single precision rounds more rarely: of each kind of attention one
        *((family, "bfloat16") for family in tiny.ATTENTION_FAMILIES),
        *((family, "float32") for family in ("llama", "gemma2", "gpt2")),
    ],
)
def test_logits_and_cache_are_the_same_however_a_text_is_cut(family, dtype):
    """One token a pass, some, more than a pass holds."""
    target, text = runner(family, dtype), random_ids(100)
    assert target.exactness == "bitwise"
    expected, kept = rows_in_pieces(target, text, 37, [1])
    for sizes in ([2, 7], [16, 40]):
        rows, left = rows_in_pieces(target, text, 37, sizes)
        assert rows == expected  # margins too, which are logits
        assert all(torch.equal(one, other) for one, other in zip(left, kept, strict=True))


def test_the_fast_way_is_not_so():
    """Else the test above would prove nothing."""
    target, text = runner("llama", "float32", entered=False), random_ids(100)
    assert target.exactness == "token"
    expected, _ = rows_in_pieces(target, text, 37, [1])
    rows, _ = rows_in_pieces(target, text, 37, [2, 7])
    assert [choice for choice, _ in rows] == [choice for choice, _ in expected]
    assert rows != expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_warmed_is_fresh(dtype):
    """A prefix that was read for another prompt, moved, and continued differently."""
    text = random_ids(120)
    expected = rows_in_pieces(runner("llama", dtype), text, 90, [1])
    target = runner("llama", dtype)
    for seed in range(3):
        first = opened(target, [*text[:70], *random_ids(40 * seed, seed)])
        first.verify(random_ids(10), GREEDY)
        first.close()
        opened(target, random_ids(50, seed)).close()
        rows, left = rows_in_pieces(target, text, 90, [4, 16])
        assert rows == expected[0]
        assert all(torch.equal(one, other) for one, other in zip(left, expected[1], strict=True))


def test_a_pass_that_fails_leaves_the_cache_as_it_was(monkeypatch):
    """Tokens that an aligned pass reads once more stay known."""
    target, text = runner("llama", "float32"), random_ids(60)
    expected, _ = rows_in_pieces(target, text, 37, [1])
    sequence = opened(target, text[:37])
    with monkeypatch.context() as patch:
        patch.setattr(target, "forward", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sequence.verify(text[37:50], GREEDY)
    assert (sequence.length, sequence.cache.length) == (37, 37)
    said = sequence.verify(text[37:], GREEDY)
    assert list(zip(said.choice_ids, said.margins, strict=True)) == expected


def test_a_pass_reaches_over_the_last_position(monkeypatch):
    """Rows that fill a pass up stand nowhere; a table of positions ends where the model does."""
    target, text = runner("gpt2", "float32"), random_ids(60)
    expected, _ = rows_in_pieces(target, text, 37, [1])
    short = ModelRunner(model("gpt2", "float32"), prefill_chunk=CHUNK, max_context=60)
    enter_bitwise(short, "gpt2")
    rows, _ = rows_in_pieces(short, text, 37, [1])
    assert rows == expected


def test_bitwise_promises_no_trees_and_excuses_nothing():
    target = runner()
    assert not target.supports_trees
    assert target.near_tie_margin == 0.0
    with pytest.raises(ValueError, match="chains only"):
        opened(target, [5, 6]).verify([5, 6, 7], GREEDY, parents=[-1, -1])


def beside(logits):
    """A row says a little of what its neighbours say."""
    return logits + 1e-3 * logits.mean(dim=1, keepdim=True)


def before_last(logits):
    """A row says a little of what the last row says."""
    return logits + 1e-2 * logits[:, -1:]


@pytest.mark.parametrize("lie", [beside, before_last])
def test_a_model_whose_rows_depend_on_one_another_is_not_called_bitwise(lie, caplog, monkeypatch):
    target = runner("llama", "float32", entered=False)
    forward = target.model.forward

    def lies(*args, **kwargs):
        output = forward(*args, **kwargs)
        if output.logits.shape[1] > 1:
            output.logits = lie(output.logits)
        return output

    monkeypatch.setattr(target.model, "forward", lies)
    enter_bitwise(target, "liar")
    assert (target.exactness, target.verify_width) == ("token", 0)
    assert "liar: its rows depend on one another" in caplog.text


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', "\x00"])
def test_a_spoilt_file_of_figures_is_measured_again(content, tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    (tmp_path / "measured.json").write_text(content)
    assert recall("a", "b") is None
    keep("a", "b", 3)
    assert recall("a", "b") == 3
