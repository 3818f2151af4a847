"""The gated delta rule over chunks of ``CHUNK`` rows, in OpenVINO's plain operations.

A head keeps a state, ``[keys, values]``. Row by row it decays, and what it holds for the row's key moves towards the row's
value by ``beta``: ``state = decay * state; state += key (beta * (value - key state))``. The rows of a chunk are computed
together: within it, corrections depend on those of earlier rows by a triangular system, whose inverse is computed once.

Chunks begin at multiples of ``CHUNK`` of the *sequence*, so that a row's bits do not depend on the pass that computes
it. Knows no layers and no caches (``hybrid_graph``, ``states``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import openvino as ov
from openvino import opset15 as ops

from editd.models.openvino.operations import END, ints, size, slices

CHUNK = 16
"""Rows of a chunk."""

_PLACES = np.arange(CHUNK)
_TRIANGLE = (_PLACES[:, None] >= _PLACES).astype(np.float32)
_BELOW = (_PLACES[:, None] > _PLACES).astype(np.float32)


class RuleRows(NamedTuple):
    """A whole number of chunks. Keys have the length one, queries the inverse root of their width.

    queries, keys, values: ``[rows, heads, width]``. decay: the logarithm, ``[rows, heads]``. beta: ``[rows, heads]``.
    A row with decay and beta 0 leaves the state as it is.
    """

    queries: Any
    keys: Any
    values: Any
    decay: Any
    beta: Any


class _Chunks(NamedTuple):
    """Parts of the rule that do not depend on the state, ``[chunks, heads, …]``; the order is that of the loop's inputs.

    corrections: of an empty state, by row. readers: keys that read what the state holds, which corrections make up for.
    writers: keys, transposed, that write corrections to the state at the chunk's end. decay: of the whole chunk.
    """

    corrections: Any
    readers: Any
    writers: Any
    decay: Any


def mixed_rows(rows: RuleRows, state: Any) -> Any:
    """The rule's output after each row, ``[rows, heads, width]``, as an operation.

    state: before the first row, ``[1, heads, keys, values]``.
    """
    chunks, decay, decayed = _chunks(rows)
    queries, keys = _by_chunk(rows.queries), _by_chunk(rows.keys)
    scores = ops.multiply(ops.matmul(queries, keys, False, True), decay)
    queries = ops.multiply(queries, decayed)
    output, _ = _loop(chunks, state, queries, scores)
    heads, width = size(rows.values, 1), size(rows.values, 2)
    return ops.reshape(ops.transpose(output, ints(0, 2, 1, 3)), ints(-1, heads, width), False)


def last_state(rows: RuleRows, state: Any) -> Any:
    """The state after all rows, ``[1, heads, keys, values]``."""
    chunks, _, _ = _chunks(rows)
    return _loop(chunks, state)[1]


def _chunks(rows: RuleRows) -> tuple[_Chunks, Any, Any]:
    """The rows by chunk as ``_loop`` takes them (``_Chunks``); the decay between any two rows of a
    chunk, 0 for a later one; and the decay from the chunk's beginning to each row.
    """
    keys, values = _by_chunk(rows.keys), _by_chunk(rows.values)
    beta, logarithm = _by_chunk(rows.beta), _by_chunk(rows.decay)  # [chunks, heads, CHUNK, 1]
    summed = ops.matmul(ops.constant(_TRIANGLE), logarithm, False, False)
    differences = ops.subtract(summed, ops.transpose(summed, ints(0, 1, 3, 2)))
    triangle = ops.constant(_TRIANGLE)
    # Masked before the exponential, which would overflow above the diagonal, and after it.
    decay = ops.multiply(ops.exp(ops.multiply(differences, triangle)), triangle)
    likeness = ops.multiply(ops.matmul(keys, keys, False, True), decay)
    inverse = _inverse(ops.multiply(ops.multiply(likeness, ops.constant(_BELOW)), beta))
    decayed = ops.exp(summed)
    corrections = ops.matmul(inverse, ops.multiply(values, beta), False, False)
    readers = ops.matmul(inverse, ops.multiply(ops.multiply(keys, beta), decayed), False, False)
    end = slices(summed, -1, END, 2)
    writers = ops.multiply(keys, ops.exp(ops.subtract(end, summed)))
    writers = ops.transpose(writers, ints(0, 1, 3, 2))
    return _Chunks(corrections, readers, writers, ops.exp(end)), decay, decayed


def _inverse(below: Any) -> Any:
    """The inverse of the identity plus ``below``, which has numbers below its diagonal alone, ``[…,
    CHUNK, CHUNK]``.

    Inverses of blocks of 1, 2, 4, … rows are joined two by two, as exact as substitution. The
    shorter series of powers is useless where keys repeat: its terms grow beyond all bounds and
    should cancel.
    """
    inverse: Any = ops.constant(np.eye(CHUNK, dtype=np.float32))
    half = 1
    while half < CHUNK:
        lower = _PLACES[:, None] // half % 2 > _PLACES // half % 2
        pairs = _PLACES[:, None] // (2 * half) == _PLACES // (2 * half)
        joining = ops.multiply(below, ops.constant((lower & pairs).astype(np.float32)))
        if half > 1:  # else the inverses on both sides are ones
            joining = ops.matmul(ops.matmul(inverse, joining, False, False), inverse, False, False)
        inverse = ops.subtract(inverse, joining)
        half *= 2
    return inverse


def _loop(chunks: _Chunks, state: Any, queries: Any = None, scores: Any = None) -> tuple[Any, Any]:
    """The rule chunk after chunk: the outputs of the rows, ``[chunks, heads, CHUNK, values]``, and
    the state after the last chunk.

    Without ``queries`` the first is ``None``. state: before the first chunk. queries: decayed from
    the chunk's beginning. scores: of queries and keys in the chunk, decayed; given with
    ``queries``.
    """
    heads, keys, values = (size(state, axis) for axis in (1, 2, 3))
    inputs = list(chunks)
    if queries is not None:  # one product with the state for both
        inputs[1] = ops.concat([chunks.readers, queries], axis=2)
        inputs.append(scores)
    num_readers = size(inputs[1], 2)
    shapes = [
        [CHUNK, values],
        [num_readers, keys],
        [keys, CHUNK],
        [1, 1],
        [CHUNK, CHUNK],
    ]
    body = [ops.parameter([1, heads, *sizes], np.float32) for sizes in shapes[: len(inputs)]]
    before = ops.parameter([1, heads, keys, values], np.float32)
    read: Any = ops.matmul(body[1], before, False, False)
    own = slices(read, 0, CHUNK, 2) if queries is not None else read
    corrections = ops.subtract(body[0], own)
    moved = ops.matmul(body[2], corrections, False, False)
    after = ops.result(ops.add(ops.multiply(before, body[3]), moved))
    results = [after]
    if queries is not None:
        within = ops.matmul(body[4], corrections, False, False)
        results.append(ops.result(ops.add(slices(read, CHUNK, END, 2), within)))
    loop = ops.tensor_iterator()
    loop.set_body(ov.Model(results, [*body, before], "chunk"))
    for parameter, given in zip(body, inputs, strict=True):
        loop.set_sliced_input(parameter, given.output(0), 0, 1, 1, -1, 0)
    loop.set_merged_input(before, state.output(0), after.output(0))
    last = loop.get_iter_value(after.output(0), -1)
    if queries is None:
        return None, last
    return loop.get_concatenated_slices(results[1].output(0), 0, 1, 1, -1, 0), last


def _by_chunk(rows: Any) -> Any:
    """``[rows, heads, width]`` or ``[rows, heads]`` reshaped to ``[chunks, heads, CHUNK, width]``,
    with a width of 1 for the latter.
    """
    heads = size(rows, 1)
    width = size(rows, 2) if rows.get_output_partial_shape(0).rank.get_length() == 3 else 1
    apart = ops.reshape(rows, ints(-1, CHUNK, heads, width), False)
    return ops.transpose(apart, ints(0, 2, 1, 3))
