"""A product says the same in either order of its weight; only what is worth it is held twice."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from editd.models.torch.run import cpu_matmul as products
from editd.models.torch.run.cpu_matmul import Product, pack

ROWS = (1, 2, 3, 7, 16, 65, 130)


def product(inputs=96, outputs=160, bias=True, dtype=torch.float32):
    generator = torch.Generator().manual_seed(inputs * outputs)
    weight = torch.randn(inputs, outputs, generator=generator).to(dtype)
    return Product(weight, torch.randn(outputs, generator=generator).to(dtype) if bias else None)


def rows_for(one, count):
    return torch.randn(count, len(one.weight), generator=torch.Generator().manual_seed(count))


@pytest.fixture(autouse=True)
def everything_is_wide(monkeypatch):
    monkeypatch.setattr(products, "_WIDE", 1)


@pytest.mark.parametrize("bias", [True, False])
@torch.inference_mode()
def test_both_orders_say_the_same(bias):
    one = product(bias=bias)
    plain = {count: one(rows_for(one, count)) for count in ROWS}
    assert pack([one], most_bytes=one.weight.nbytes) == one.weight.nbytes
    for count, expected in plain.items():
        torch.testing.assert_close(one(rows_for(one, count)), expected, rtol=1e-4, atol=1e-4)
    strided = rows_for(one, 14)[::2]
    torch.testing.assert_close(one(strided), one(strided.contiguous()))
    one.weight.zero_()  # from here on one row and several part: each reads its own copy
    assert one(rows_for(one, 1)).abs().max() < one(rows_for(one, 2)).abs().max()


def test_where_all_do_not_fit_none_is_packed():
    both = [product(), product(32, 32)]
    assert pack(both, most_bytes=sum(one.weight.nbytes for one in both) - 1) == 0
    assert pack(both, most_bytes=sum(one.weight.nbytes for one in both)) > 0


def test_narrow_ones_and_other_numbers_stay_as_they_are(monkeypatch):
    assert pack([product(dtype=torch.float64)], most_bytes=1 << 30) == 0
    monkeypatch.setattr(products, "_WIDE", 96 * 160)
    wide, narrow = product(), product(32, 32)
    assert pack([wide, narrow], most_bytes=1 << 30) == wide.weight.nbytes


def test_without_onednn_nothing_is_packed(monkeypatch):
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert pack([product()], most_bytes=1 << 30) == 0


def test_without_the_operations_nothing_is_packed(monkeypatch):
    monkeypatch.setattr(torch.ops, "mkldnn", SimpleNamespace(_linear_pointwise=None))
    assert pack([product()], most_bytes=1 << 30) == 0
