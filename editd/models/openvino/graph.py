"""The network as OpenVINO's own operations: a Llama and its likes, from a shape and its weights.

Knows layers and names, which are GGUF's. Reading weights is left to ``reading``, running passes to ``paged``. Each
operation is written as OpenVINO's plug-ins expect it, so that they recognise norms, rotary positions and quantised
matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray
from openvino import opset15 as ops

from editd.models.openvino.operations import (
    END,
    int64,
    ints,
    parameter,
    result,
    slices,
    to_float32,
)
from editd.models.openvino.weights import GROUP, Matrix, NetworkShape

Weights = Callable[[str], Matrix | None]
"""Finds a weight by GGUF's name; ``None`` if the network has none, such as a bias."""

_NIBBLE_VALUES = (np.arange(16, dtype=np.float32) + 8) % 16 - 8  # what four bits mean
_NIBBLE_PAIRS = np.stack(
    [np.tile(_NIBBLE_VALUES, 16), np.repeat(_NIBBLE_VALUES, 16)], -1
)  # by byte, ``[256, 2]``


class Network:
    """A network under construction: ``input_ids`` and ``position_ids`` to ``logits`` of the rows in ``wanted_rows``.

    Its past is a state, as ``paged_attention_transformation`` expects it.
    """

    def __init__(self, shape: NetworkShape, weights: Weights) -> None:
        self._shape, self._weights = shape, weights
        self._sinks: list[Any] = []
        self._more_inputs: list[Any] = []
        self._more_results: list[Any] = []
        self._ids = parameter("input_ids", [-1, -1], np.int64)
        self._places = parameter("position_ids", [-1, -1], np.int64)
        self._beams = parameter("beam_idx", [-1], np.int32)
        self._wanted_rows = parameter("wanted_rows", [-1], np.int64)
        self._batch = ops.gather(ops.shape_of(self._ids, output_type="i64"), ints(0), int64(0))

    def model(self) -> ov.Model:
        """The whole network as OpenVINO's model, with embedding, layers, and a head for the wanted
        rows alone; call once. Raises ``KeyError`` for a missing weight.
        """
        shape = self._shape
        embedding = self._required_weight("token_embd.weight")
        x = _scale(_gather_rows(embedding, self._ids), shape.embedding_scale)
        cos, sin = self._rotations()
        for layer in range(shape.layers):
            name = f"blk.{layer}."
            mixed = self._mixed(layer, self._norm(x, f"{name}attn_norm"), cos, sin)
            x = ops.add(x, _scale(mixed, shape.residual_scale))
            widened = self._mlp(name, self._norm(x, f"{name}{shape.mlp_norm}"))
            x = ops.add(x, _scale(widened, shape.residual_scale))
        # The head reads the wanted rows alone: a vocabulary is as dear as some layers.
        rows = ops.reshape(self._norm(x, "output_norm"), ints(-1, shape.width), special_zero=False)
        head = self._weights("output.weight") or embedding
        product = _matmul(ops.gather(rows, self._wanted_rows, int64(0)), head)
        logits = result("logits", _scale(product, 1 / shape.logit_scale))
        inputs = [self._ids, self._places, self._beams, self._wanted_rows, *self._more_inputs]
        return ov.Model([logits, *self._more_results], self._sinks, inputs, "editd")

    def _mixed(self, layer: int, x: Any, cos: Any, sin: Any) -> Any:
        """The part of a layer that mixes rows: attention. x: its rows, normed."""
        return self._attention(f"blk.{layer}.", x, cos, sin)

    def _attention(self, name: str, x: Any, cos: Any, sin: Any) -> Any:
        """The attention of the layer whose weights begin with ``name``, over normed rows ``x``, ``[batch, rows,
        width]``, with its output projection and without a causal mask, which the paged attention that replaces it
        brings. Adds the states of its past keys and values.

        Raises ``KeyError`` for a missing weight.
        """
        shape = self._shape
        q = self._heads(self._linear(x, f"{name}attn_q"), shape.heads)
        k = self._heads(self._linear(x, f"{name}attn_k"), shape.kv_heads)
        v = self._heads(self._linear(x, f"{name}attn_v"), shape.kv_heads)
        return self._linear(self._attended(name, q, k, v, cos, sin), f"{name}attn_output")

    def _attended(self, name: str, q: Any, k: Any, v: Any, cos: Any, sin: Any) -> Any:
        """The values that rows attend to, ``[batch, rows, width]``: queries and keys are normed if
        the layer has weights for that, positions are rotated, and the states of the layer's past
        keys and values added.

        name: of the layer, with which its weights begin. q, k, v: ``[batch, heads, rows,
        head_width]``, q with the query heads, k and v with those that they share.
        """
        shape = self._shape
        if self._weights(f"{name}attn_q_norm.weight") is not None:
            q, k = self._norm(q, f"{name}attn_q_norm"), self._norm(k, f"{name}attn_k_norm")
        k = self._with_past(f"{name}key", self._rotate(k, cos, sin))
        v = self._with_past(f"{name}value", v)
        # The paged attention that takes the place of this one knows which rows see which.
        unmasked = ops.constant(np.zeros((1, 1, 1, 1), np.float32))
        scale = shape.attention_scale or shape.head_width**-0.5
        mixed = ops.scaled_dot_product_attention(
            self._rotate(q, cos, sin),
            self._repeat_for_heads(k),
            self._repeat_for_heads(v),
            unmasked,
            ops.constant(np.float32(scale)),
        )
        rows = ops.transpose(mixed, ints(0, 2, 1, 3))
        width = shape.heads * shape.head_width
        return ops.reshape(rows, ints(0, 0, width), special_zero=True)

    def _mlp(self, name: str, x: Any) -> Any:
        """A layer's gated MLP."""
        gate = ops.swish(self._linear(x, f"{name}ffn_gate"))
        return self._linear(ops.multiply(gate, self._linear(x, f"{name}ffn_up")), f"{name}ffn_down")

    def _linear(self, x: Any, name: str) -> Any:
        """``x`` times the transposed matrix of the weight ``{name}.weight``, plus ``{name}.bias``
        if the network has that. Raises ``KeyError`` for a missing weight.
        """
        product = _matmul(x, self._required_weight(f"{name}.weight"))
        bias = self._weights(f"{name}.bias")
        return product if bias is None else ops.add(product, _as_float32(bias))

    def _norm(self, x: Any, name: str) -> Any:
        """The RMS norm of ``x`` over its last axis, times the weight ``{name}.weight``. Raises
        ``KeyError`` if that is missing.
        """
        squares = ops.power(x, ops.constant(np.float32(2)))
        mean = ops.reduce_mean(squares, ints(-1), keep_dims=True)
        root = ops.sqrt(ops.add(mean, ops.constant(np.float32(self._shape.epsilon))))
        scaled = ops.multiply(x, ops.divide(ops.constant(np.float32(1)), root))
        return ops.multiply(scaled, _as_float32(self._required_weight(f"{name}.weight")))

    def _heads(self, x: Any, count: int) -> Any:
        """``[batch, rows, width]`` to ``[batch, heads, rows, head_width]``."""
        apart = ops.reshape(x, ints(0, 0, count, self._shape.head_width), special_zero=True)
        return ops.transpose(apart, ints(0, 2, 1, 3))

    def _rotations(self) -> tuple[Any, Any]:
        """Cosine and sine of the rotary angle at each position, ``[batch, 1, rows, rotary_width]``;
        with Llama 3.1's factors if the network has them.
        """
        width = self._shape.rotary_width
        steps = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
        frequencies = (1.0 / self._shape.rope_base**steps).astype(np.float32)
        if (factors := self._weights("rope_freqs.weight")) is not None:  # Llama 3.1's
            frequencies /= factors.values
        places = ops.convert(ops.unsqueeze(self._places, ints(-1)), "f32")
        angles = ops.multiply(places, ops.constant(frequencies.reshape(1, 1, -1)))
        both = ops.unsqueeze(ops.concat([angles, angles], axis=-1), ints(1))
        return ops.cos(both), ops.sin(both)

    def _rotate(self, x: Any, cos: Any, sin: Any) -> Any:
        """``x``, ``[batch, heads, rows, head_width]``, with rotary positions, which the first
        ``rotary_width`` numbers of a head take.
        """
        width = self._shape.rotary_width
        if width < self._shape.head_width:
            head, rest = slices(x, 0, width, 3), slices(x, width, END, 3)
            return ops.concat([_turn(head, width, cos, sin), rest], axis=-1)
        return _turn(x, width, cos, sin)

    def _with_past(self, name: str, new: Any) -> Any:
        """Append ``new`` to the past keys or values of the state ``name``, of the sequences that
        the network's input of beams picks; returns both together. Adds that state, which keeps the
        result, to the network.
        """
        heads, width = self._shape.kv_heads, self._shape.head_width
        sizes = ops.concat([self._batch, ints(heads, 0, width)], axis=0)
        empty = ops.broadcast(ops.constant(np.float32(0)), sizes)
        past = ops.read_value(empty, name, ov.Type.f32, ov.PartialShape([-1, heads, -1, width]))
        all_of = ops.concat([ops.gather(past, self._beams, int64(0)), new], axis=-2)
        self._sinks.append(ops.assign(all_of, name))
        return all_of

    def _repeat_for_heads(self, x: Any) -> Any:
        """Keys or values, ``[batch, kv_heads, tokens, width]``, repeated for the query heads that
        share them; ``x`` itself if none do.
        """
        shape = self._shape
        times = shape.heads // shape.kv_heads
        if times == 1:
            return x
        apart = ops.unsqueeze(x, ints(2))
        wide = ops.broadcast(apart, ints(1, 1, times, 1, 1), broadcast_spec="BIDIRECTIONAL")
        return ops.reshape(wide, ints(0, shape.heads, -1, shape.head_width), special_zero=True)

    def _required_weight(self, name: str) -> Matrix:
        """A weight by name. Raises ``KeyError`` if it is missing."""
        found = self._weights(name)
        if found is None:
            raise KeyError(name)
        return found


def _turn(x: Any, width: int, cos: Any, sin: Any) -> Any:
    """``x``, whose last axis is ``width`` long, with rotary positions: its two halves are the parts
    of the pairs. cos, sin: of each position.
    """
    low, high = slices(x, 0, width // 2, 3), slices(x, width // 2, END, 3)
    turned = ops.concat([ops.multiply(high, ops.constant(np.float32(-1))), low], axis=-1)
    return ops.add(ops.multiply(x, cos), ops.multiply(turned, sin))


def _scale(x: Any, factor: float) -> Any:
    """``x`` times a constant."""
    return x if factor == 1 else ops.multiply(x, ops.constant(np.float32(factor)))


def _as_float32(matrix: Matrix) -> Any:
    """The values of a bias or a norm, as a constant."""
    return ops.constant(np.asarray(matrix.values, np.float32))


def _matmul(x: Any, matrix: Matrix) -> Any:
    """The product of ``x`` and the transposed matrix, whose scales and offsets are applied to its
    codes if it has them; in the form in which OpenVINO keeps the codes and multiplies with them.
    """
    if matrix.scales is None:
        weights = to_float32(_shared_constant(matrix.values))
        return ops.matmul(x, weights, transpose_a=False, transpose_b=True)
    rows, groups = matrix.scales.shape[:2]
    numbers = ops.multiply(ops.convert(_codes(matrix), "f32"), _shared_constant(matrix.scales))
    flat = ops.reshape(numbers, ints(rows, groups * GROUP), special_zero=False)
    product = ops.matmul(x, flat, transpose_a=False, transpose_b=True)
    if matrix.offsets is None:
        return product
    # An offset moves a whole group, so it needs the group's sum alone. As zero points of the codes they would be
    # subtracted by kernels that round otherwise at some widths.
    outer = [0] * (x.get_output_partial_shape(0).rank.get_length() - 1)
    apart = ops.reshape(x, ints(*outer, groups, GROUP), special_zero=True)
    sums = ops.reduce_sum(apart, int64(-1), keep_dims=False)
    moved = ops.matmul(sums, _shared_constant(matrix.offsets), transpose_a=False, transpose_b=True)
    return ops.add(product, moved)


def _gather_rows(matrix: Matrix, ids: Any) -> Any:
    """The rows of ``ids``, ``[batch, rows]``, in a matrix, as float32 ``[batch, rows, width]``."""
    if matrix.scales is None:
        return to_float32(ops.gather(_shared_constant(matrix.values), ids, int64(0)))
    groups = matrix.scales.shape[1]
    values = ops.gather(_shared_constant(matrix.values), ids, int64(0))
    if matrix.values.dtype == np.uint8:  # as bytes, since OpenVINO would widen the whole table
        pairs = ops.gather(ops.constant(_NIBBLE_PAIRS), ops.convert(values, "i32"), int64(0))
        codes = ops.reshape(pairs, ints(0, 0, groups, GROUP), special_zero=True)
    else:
        codes = ops.convert(values, "f32")
    numbers = ops.multiply(codes, ops.gather(_shared_constant(matrix.scales), ids, int64(0)))
    if matrix.offsets is not None:
        offsets = ops.gather(_shared_constant(matrix.offsets), ids, int64(0))
        numbers = ops.add(numbers, ops.unsqueeze(offsets, int64(-1)))
    return ops.reshape(numbers, ints(0, 0, groups * GROUP), special_zero=True)


def _codes(matrix: Matrix) -> Any:
    """The codes of a matrix, as a constant in its own memory: 8 bits, or 4 if two are packed in a
    byte.
    """
    if matrix.values.dtype != np.uint8:
        return _shared_constant(matrix.values)
    shape = ov.Shape([*matrix.values.shape[:2], GROUP])
    return ops.constant(ov.Tensor(matrix.values, shape, ov.Type.i4), shared_memory=True)


def _shared_constant(values: NDArray[Any]) -> Any:
    """A constant in the array's memory, which has to outlive the graph and what is compiled of it."""
    return ops.constant(values, shared_memory=True)
