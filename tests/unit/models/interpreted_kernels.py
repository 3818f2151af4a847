"""The Triton kernels in Triton's own interpreter, on the CPU: run by ``test_kernels``.

A process of its own, because Triton decides when it is imported whether it compiles or interprets.
"""

import numpy as np
import pytest
import torch
import triton.language as tl
from triton.runtime import interpreter

from editd.models.torch.gpu import split_kv as split
from editd.models.torch.gpu.choose_kernel import agrees
from editd.models.torch.gpu.reference import attend_torch
from editd.models.torch.masks import unpack
from tests.attention_cases import BRANCHES, TABLE, case, check


@pytest.fixture(autouse=True)
def _products_as_a_gpu_makes_them(monkeypatch):
    monkeypatch.setattr(interpreter.InterpreterBuilder, "create_dot", _dot)


def _dot(_builder, a, b, added, *_):
    """Each row by itself: the order in which BLAS adds depends on where a row stands."""
    a, b = _floats(a), _floats(b)
    product = np.concatenate([a[row : row + 1] @ b for row in range(len(a))])
    return interpreter.TensorHandle(product + added.data, added.dtype.scalar)


def _floats(handle):
    # The interpreter itself multiplies bfloat16 by its bit patterns (triton issue 11584).
    if handle.dtype.scalar == tl.bfloat16:
        return (handle.data.astype(np.uint32) << 16).view(np.float32)
    return handle.data.astype(np.float32)


@pytest.mark.parametrize("line", TABLE)
def test_kernels_are_the_definition(line):
    check(split.attend_split, line, torch.float32, 5e-6)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_kernels_in_half_precision(dtype):
    for line in (TABLE[3], TABLE[9]):
        check(split.attend_split, line, dtype, 0.003 if dtype == torch.float16 else 0.02)
    assert agrees(split.attend_split, torch.device("cpu"), dtype)


def test_a_row_alone_is_the_same_row_among_many_bit_for_bit():
    query, key, value, length, _ = case(64, 2, 1, 64, 230, 512)
    wide = split.attend_split(query, key, value, length)
    for row in (0, 1, 30, 63):
        alone = split.attend_split(query[:, :, row : row + 1], key, value, length + row)
        assert torch.equal(alone[0, 0], wide[0, row])


def test_a_row_knows_nothing_of_the_others_bit_for_bit():
    query, key, value, length, _ = case(12, 2, 1, 64, 250, 512)
    plain = split.attend_split(query, key, value, length)
    swapped, junk_key, junk_value = query.clone(), key.clone(), value.clone()
    swapped[:, :, 6:] = query[:, :, 6:].flip(2) * 100
    junk_key[:, :, 256:], junk_value[:, :, 256:] = 7e4, -7e4
    assert torch.equal(
        split.attend_split(swapped, junk_key, junk_value, length)[:, :6], plain[:, :6]
    )


def test_a_row_knows_nothing_of_the_buffers_size_bit_for_bit():
    query, key, value, length, _ = case(2, 2, 1, 64, 300, 9000)
    small = split.attend_split(query, key[:, :, :512], value[:, :, :512], length)
    assert torch.equal(split.attend_split(query, key, value, length), small)


def test_branches_know_nothing_of_each_other_bit_for_bit():
    query, key, value, length, tree = case(13, 2, 1, 64, 250, 512, BRANCHES)
    plain = split.attend_split(query, key, value, length, tree)
    key[:, :, 256:262], value[:, :, 256:262] = 9.0, 9.0  # rows 6 … 11: others than 0 … 4 see them
    seen = unpack(tree, 13)[:, 6:12].any(dim=1)
    changed = split.attend_split(query, key, value, length, tree)
    same = [torch.equal(changed[0, row], plain[0, row]) for row in range(13)]
    assert same == [not row for row in seen.tolist()]


def test_length_is_read_when_it_runs():
    query, key, value, length, _ = case(3, 2, 1, 64, 290, 512)
    first = split.attend_split(query, key, value, length)
    length.fill_(20)  # as between two replays of a graph
    key[:, :, 23:], value[:, :, 23:] = float("nan"), float("nan")
    second = split.attend_split(query, key, value, length)
    assert (second - attend_torch(query, key, value, length)).abs().max() < 5e-6
    assert not torch.equal(first, second)


@pytest.mark.parametrize("bucket", [1, 256, 257, 4096, 8192, 8193, 40960, 40961, 131072])
def test_splits_cover_the_buffer(bucket):
    starts = [_start(index) for index in range(split.num_splits(bucket) + 1)]
    assert starts[-2] < bucket <= starts[-1]
    assert starts == sorted(set(starts))


def _start(index):
    return min(index, 32) * 256 + min(max(index - 32, 0), 32) * 1024 + max(index - 64, 0) * 4096


def test_torch_takes_it_as_an_operator():
    operator = torch.ops.editd.attend_split.default
    arguments = (*case(3, 2, 1, 64, 20, 256, [-1, 0]), None, 5)
    torch.library.opcheck(operator, arguments, test_utils=("test_schema", "test_faketensor"))
