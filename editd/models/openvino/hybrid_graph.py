"""The network of a Qwen 3.5: three layers of gated delta net, then one that attends, and so on.

Beside a ``graph.Network``'s inputs and outputs it has, for each layer that keeps a state, ``state.N`` (after a whole
number of chunks), ``rows.N`` (the rows since then as the convolution and the rule take them, after the last few before
them, which the convolution looks back at) and ``new_rows.N``; and ``filling``: rows of zeros that fill the last chunk.
No pass puts a state out: a second network (``settling_network``) moves states on, over rows that are there to stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import openvino as ov
from openvino import opset15 as ops

from editd.models.openvino.delta_rule import RuleRows, last_state, mixed_rows
from editd.models.openvino.graph import Network, Weights
from editd.models.openvino.operations import END, int64, ints, parameter, result, size, slices
from editd.models.openvino.weights import DeltaShape, NetworkShape

_EPSILON = 1e-6  # of the length of a query or a key


class HybridNetwork(Network):
    """Such a network under construction."""

    def __init__(self, shape: NetworkShape, weights: Weights, delta: DeltaShape) -> None:
        super().__init__(shape, weights)
        self._delta = delta
        self._filling = parameter("filling", [-1, delta.row_width], np.float32)
        self._more_inputs.append(self._filling)

    def _mixed(self, layer: int, x: Any, cos: Any, sin: Any) -> Any:
        if layer in self._shape.state_layers:
            return self._delta_net(layer, x)
        return self._attention(f"blk.{layer}.", x, cos, sin)

    def _attention(self, name: str, x: Any, cos: Any, sin: Any) -> Any:
        """A layer's attention as ``Network._attention``, but its output is multiplied by a gate;
        the weights of queries and gates alternate by head.
        """
        shape, width = self._shape, self._shape.head_width
        both = ops.reshape(
            self._linear(x, f"{name}attn_q"), ints(0, 0, shape.heads, 2 * width), special_zero=True
        )
        q = ops.transpose(slices(both, 0, width, 3), ints(0, 2, 1, 3))
        gate = ops.reshape(
            slices(both, width, END, 3), ints(0, 0, shape.heads * width), special_zero=True
        )
        k = self._heads(self._linear(x, f"{name}attn_k"), shape.kv_heads)
        v = self._heads(self._linear(x, f"{name}attn_v"), shape.kv_heads)
        rows = self._attended(name, q, k, v, cos, sin)
        return self._linear(ops.multiply(rows, ops.sigmoid(gate)), f"{name}attn_output")

    def _delta_net(self, layer: int, x: Any) -> Any:
        """The gated delta net of ``layer`` over normed rows ``x``; returns ``[rows, 1, width]``.

        Adds the layer's inputs ``state.N`` and ``rows.N`` and its output ``new_rows.N`` to the
        network. Raises ``KeyError`` for a missing weight.
        """
        name, delta = f"blk.{layer}.", self._delta
        rows = ops.reshape(x, ints(-1, self._shape.width), special_zero=False)
        new = self._rule_rows(name, rows)
        self._more_results.append(result(f"new_rows.{layer}", new))
        state, earlier = state_inputs(layer, delta)
        self._more_inputs += [state, earlier]
        joined = ops.concat([earlier, new, self._filling], axis=0)
        mixed = mixed_rows(convolved(joined, name, delta, self._weights), state)
        # Of these rows the new ones: behind the earlier ones, before the filling.
        first = ops.subtract(_count(earlier), ints(delta.kernel - 1))
        mixed = ops.slice(mixed, first, ops.add(first, _count(new)), ints(1), ints(0))
        gate = ops.reshape(
            self._linear(rows, f"{name}attn_gate"),
            ints(-1, delta.value_heads, delta.head_width),
            special_zero=False,
        )
        gated = ops.multiply(self._norm(mixed, f"{name}ssm_norm"), ops.swish(gate))
        width = delta.value_heads * delta.head_width
        # Paged attention has made each row a batch of its own.
        return self._linear(
            ops.reshape(gated, ints(-1, 1, width), special_zero=False), f"{name}ssm_out"
        )

    def _rule_rows(self, name: str, rows: Any) -> Any:
        """Normed rows as the convolution and the rule take them, ``[rows, row_width]``: queries,
        keys, values, decays, betas. Raises ``KeyError`` for a missing weight.
        """
        steps = ops.add(self._linear(rows, f"{name}ssm_alpha"), self._float32(f"{name}ssm_dt.bias"))
        decay = ops.multiply(ops.softplus(steps), self._float32(f"{name}ssm_a"))
        beta = ops.sigmoid(self._linear(rows, f"{name}ssm_beta"))
        return ops.concat([self._linear(rows, f"{name}attn_qkv"), decay, beta], axis=1)

    def _float32(self, name: str) -> Any:
        """A vector, as a constant."""
        values = np.asarray(self._required_weight(name).values, np.float32)
        return ops.constant(values.reshape(-1))


def settling_network(layers: Sequence[int], delta: DeltaShape, weights: Weights) -> ov.Model:
    """The network that moves states on: inputs ``state.N`` and ``rows.N`` (whole chunks) to outputs
    ``settled.N``, N a layer's number.

    layers: those that keep a state. Raises ``KeyError`` for a missing weight.
    """
    inputs, results = [], []
    for layer in layers:
        state, rows = state_inputs(layer, delta)
        inputs += [state, rows]
        moved = last_state(convolved(rows, f"blk.{layer}.", delta, weights), state)
        results.append(result(f"settled.{layer}", moved))
    return ov.Model(results, inputs, "settling")


def state_inputs(layer: int, delta: DeltaShape) -> tuple[Any, Any]:
    """The inputs for a layer's state and its rows since then."""
    sizes = [1, delta.value_heads, delta.head_width, delta.head_width]
    return (
        parameter(f"state.{layer}", sizes, np.float32),
        parameter(f"rows.{layer}", [-1, delta.row_width], np.float32),
    )


def convolved(rows: Any, name: str, delta: DeltaShape, weights: Weights) -> RuleRows:
    """The rule's rows after the convolution and its activation, queries and keys as heads of a
    fixed length: all of ``rows`` but the first ``kernel - 1``, which the convolution looks back at.

    rows: ``[rows, row_width]``. name: with which the layer's weights begin. Raises ``KeyError`` if
    the convolution's weight is missing.
    """
    kernel = weights(f"{name}ssm_conv1d.weight")
    if kernel is None:
        raise KeyError(f"{name}ssm_conv1d.weight")
    channels, back = delta.channels, delta.kernel - 1
    total: Any = None
    for place in range(delta.kernel):
        factor = np.asarray(kernel.values[None, :, place], np.float32)
        last = place - back if place < back else END
        part = ops.slice(rows, ints(place, 0), ints(last, channels), ints(1, 1), ints(0, 1))
        product = ops.multiply(part, ops.constant(np.ascontiguousarray(factor)))
        total = product if total is None else ops.add(total, product)
    mixed, width, heads = ops.swish(total), delta.head_width, delta.value_heads
    half = delta.key_heads * width
    queries = _unit(_by_head(slices(mixed, 0, half, 1), width), delta, width**-0.5)
    keys = _unit(_by_head(slices(mixed, half, 2 * half, 1), width), delta, 1.0)
    values = _by_head(slices(mixed, 2 * half, END, 1), width)
    decay, beta = (
        ops.slice(rows, ints(back, first), ints(END, first + heads), ints(1, 1), ints(0, 1))
        for first in (channels, channels + heads)
    )
    return RuleRows(queries, keys, values, decay, beta)


def _unit(rows: Any, delta: DeltaShape, length: float) -> Any:
    """The heads of ``rows``, scaled to this length and repeated, all in turn, as often as a head of
    keys has heads of values.

    rows: ``[rows, heads, width]``. Written as the norm that OpenVINO has a kernel for.
    """
    width = delta.head_width
    mean = ops.reduce_mean(ops.power(rows, ops.constant(np.float32(2))), ints(-1), keep_dims=True)
    root = ops.sqrt(ops.add(mean, ops.constant(np.float32(_EPSILON / width))))
    scaled = ops.multiply(rows, ops.divide(ops.constant(np.float32(1)), root))
    unit = ops.multiply(scaled, ops.constant(np.full(width, length * width**-0.5, np.float32)))
    times = delta.value_heads // delta.key_heads
    return unit if times == 1 else ops.concat([unit] * times, axis=1)


def _by_head(rows: Any, width: int) -> Any:
    """``[rows, heads * width]`` to ``[rows, heads, width]``."""
    return ops.reshape(rows, ints(-1, size(rows, 1) // width, width), special_zero=False)


def _count(rows: Any) -> Any:
    """The number of rows, as a list of one number."""
    return ops.gather(ops.shape_of(rows), ints(0), int64(0))
