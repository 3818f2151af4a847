"""OpenVINO's operations with their constants, spelt short."""

from __future__ import annotations

from typing import Any

import numpy as np
import openvino as ov
from openvino import opset15 as ops

END = 2**31 - 1
"""The end of an axis, for ``slices``."""


def parameter(name: str, shape: list[int], kind: Any) -> Any:
    """A new input of a network with this name; a size of -1 is free. kind: of its numbers, in
    numpy's words.
    """
    made = ops.parameter(ov.PartialShape(shape), kind, name=name)
    made.output(0).get_tensor().set_names({name})
    return made


def result(name: str, x: Any) -> Any:
    """A new output of a network that gives ``x`` out under this name."""
    made = ops.result(x, name=name)
    made.output(0).get_tensor().set_names({name})
    return made


def int64(value: int) -> Any:
    """A constant number."""
    return ops.constant(np.int64(value))


def ints(*values: int) -> Any:
    """A constant list of numbers."""
    return ops.constant(np.array(values, np.int64))


def slices(x: Any, first: int, last: int, axis: int) -> Any:
    """The part of ``x`` from ``first`` to before ``last`` along ``axis``; negative numbers count from the end."""
    return ops.slice(x, ints(first), ints(last), ints(1), ints(axis))


def to_float32(x: Any) -> Any:
    """``x`` in single precision."""
    return x if x.get_element_type() == ov.Type.f32 else ops.convert(x, "f32")


def size(x: Any, axis: int) -> int:
    """The size of an axis. Raises ``RuntimeError`` if it is free."""
    return int(x.get_output_partial_shape(0)[axis].get_length())
