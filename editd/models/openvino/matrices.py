"""A weight as OpenVINO reads it: numbers, or codes in groups of 32 with a scale each.

Knows how codes are packed and how they become operations of a graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset15 as ops

GROUP = 32


@dataclass(frozen=True, slots=True)
class Matrix:
    """values: float32 or float16 as they are, or codes: int8 ``[rows, groups, 32]``, or two integers of
    four bits a byte, the first in the lower half: uint8 ``[rows, groups, 16]``. scales: float16
    ``[rows, groups, 1]`` of codes.

    Constants share the arrays' memory, which has to outlive the graph and what is compiled of it.
    """

    values: NDArray[Any]
    scales: NDArray[np.float16] | None = None

    def constant(self) -> Any:
        """The numbers themselves, of a bias or a norm."""
        return ops.constant(np.asarray(self.values, np.float32))

    def times(self, x: Any) -> Any:
        """``x`` times the transposed matrix, in the form whose codes OpenVINO leaves as they are."""
        if self.scales is None:
            return ops.matmul(x, _single(_shared(self.values)), transpose_a=False, transpose_b=True)
        rows, groups = self.scales.shape[:2]
        numbers = ops.multiply(ops.convert(self._codes(), "f16"), _shared(self.scales))
        flat = ops.reshape(numbers, _sizes(rows, groups * GROUP), special_zero=False)
        return ops.matmul(x, ops.convert(flat, "f32"), transpose_a=False, transpose_b=True)

    def rows(self, ids: Any) -> Any:
        """The rows of ``ids``, ``[batch, rows, width]``."""
        first = ops.constant(np.int64(0))
        if self.scales is None:
            return _single(ops.gather(_shared(self.values), ids, first))
        codes = ops.convert(ops.gather(self._codes(), ids, first), "f32")
        scales = ops.convert(ops.gather(_shared(self.scales), ids, first), "f32")
        width = self.scales.shape[1] * GROUP
        return ops.reshape(ops.multiply(codes, scales), _sizes(0, 0, width), special_zero=True)

    def _codes(self) -> Any:
        if self.values.dtype != np.uint8:
            return _shared(self.values)
        shape = ov.Shape([*self.values.shape[:2], GROUP])
        return ops.constant(ov.Tensor(self.values, shape, ov.Type.i4), shared_memory=True)


def in_eight_bits(numbers: NDArray[np.float32]) -> Matrix:
    """``numbers``, ``[rows, width]``, rounded to 8 bits in groups of 32, as ``q8_0`` does it."""
    grouped = numbers.reshape(len(numbers), -1, GROUP)
    scales = (np.abs(grouped).max(-1, keepdims=True) / 127).astype(np.float16)
    exact = scales.astype(np.float32)
    inverse = np.divide(1, exact, out=np.zeros_like(exact), where=exact > 0)
    codes = np.clip(np.rint(grouped * inverse), -127, 127).astype(np.int8)
    return Matrix(codes, scales)


def two_a_byte(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Codes of four bits, neighbours joined."""
    joined: NDArray[np.uint8] = np.left_shift(codes[..., 1::2], 4)
    joined |= codes[..., 0::2]
    return joined


def _shared(values: NDArray[Any]) -> Any:
    return ops.constant(values, shared_memory=True)


def _single(x: Any) -> Any:
    return x if x.get_element_type() == ov.Type.f32 else ops.convert(x, "f32")


def _sizes(*values: int) -> Any:
    return ops.constant(np.array(values, np.int64))
