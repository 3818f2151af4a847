"""Bit for bit: what a row says depends neither on its place nor on its neighbours, or it is not said."""

from __future__ import annotations

import random
from functools import cache

import pytest
import torch

from editd.decode.target import GREEDY
from editd.files.local_cache import keep, recall
from editd.models.torch.gpu.exactness import VERIFY_WIDTHS, verify_width
from editd.models.torch.gpu.execution_mode import Mode, enter
from editd.models.torch.runner import ModelRunner
from tests import tiny
from tests.unit.models.sequences import opened, random_ids

CHUNK, WIDTH, BUCKET = 16, 16, 64
DTYPES = ("float32", "bfloat16")


@cache
def model(family, dtype):
    return tiny.random_model(family, dtype=dtype)


def runner(family="llama", dtype="bfloat16", *, entered=True, **options):
    made = ModelRunner(model(family, dtype), prefill_chunk=CHUNK)
    if entered:
        mode = Mode("bitwise", verify_width=WIDTH, first_bucket=BUCKET, **options)
        enter(made, family, mode)
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
    cache = sequence.cache
    tensors = cache.storage.tensors if hasattr(cache, "storage") else [cache.layers[0].keys]
    return rows, [tensor[:, :, : len(text)].clone() for tensor in tensors]


@pytest.mark.parametrize(
    ("family", "dtype"),
    [  # single precision rounds more rarely: of each kind of attention one
        *((family, "bfloat16") for family in tiny.ATTENTION_FAMILIES),
        *((family, "float32") for family in ("llama", "gemma2", "gpt2")),
    ],
)
def test_logits_and_cache_are_the_same_however_a_text_is_cut(family, dtype):
    """One token a pass, some, more than a pass holds; over the end of two buckets."""
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


def test_bitwise_promises_no_trees_and_excuses_nothing():
    target = runner()
    assert not target.supports_trees
    assert target.near_tie_margin == 0.0
    with pytest.raises(ValueError, match="chains only"):
        opened(target, [5, 6]).verify([5, 6, 7], GREEDY, parents=[-1, -1])


def beside(logits):
    """A row says a little of what its neighbours say."""
    return logits + 1e-3 * logits.mean(dim=1, keepdim=True)


def below(logits):
    """A row says where in the pass it stands."""
    where = torch.arange(logits.shape[1], dtype=logits.dtype)[None, :, None]
    return logits + torch.where(where == WIDTH - 1, 2e-2, 0.0).to(logits.dtype)


@pytest.mark.parametrize("lie", [beside, below])
def test_a_model_whose_rows_depend_on_one_another_is_not_called_bitwise(lie, caplog, monkeypatch):
    target = runner("llama", "float32", entered=False)
    forward = target.model.forward

    def lies(*args, **kwargs):
        output = forward(*args, **kwargs)
        if output.logits.shape[1] > 1:
            output.logits = lie(output.logits)
        return output

    monkeypatch.setattr(target.model, "forward", lies)
    enter(target, "liar", Mode("bitwise", verify_width=WIDTH, first_bucket=BUCKET))
    assert (target.exactness, target.passes) == ("token", None)
    assert "liar: its rows depend on one another" in caplog.text


def test_the_width_is_measured_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    target = runner("llama", "float32")
    chosen = verify_width(target.passes, "this model here")
    assert chosen in VERIFY_WIDTHS
    assert recall("this model here", "verify_width") == chosen
    keep("this model here", "verify_width", 32)
    assert verify_width(target.passes, "this model here") == 32
    keep("this model here", "verify_width", "nonsense")
    assert verify_width(target.passes, "this model here") in VERIFY_WIDTHS


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', "\x00"])
def test_a_spoilt_file_of_figures_is_measured_again(content, tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    (tmp_path / "measured.json").write_text(content)
    assert recall("a", "b") is None
    keep("a", "b", 3)
    assert recall("a", "b") == 3
