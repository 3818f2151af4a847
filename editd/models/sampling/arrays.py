"""The array library that sampling runs on: numpy here, torch if logits are on a device.

Operators, slices, ``argmax(-1)``, ``sum(-1)``, ``any`` and ``all`` are the same in both. The rest is here for
numpy and in ``models.torch.run.sampling`` for torch, so that the sampling code is written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

NO_RIVAL = 1e4  # margin of a choice without alternative; infinity is no JSON
LOWEST = float("-inf")


class Arrays:
    """numpy's, ``[rows, n]``. Sums run in float64, as torch's do inside.

    waits: whether looking at a number waits for a device.
    """

    waits = False

    def ids(self, values: Sequence[int], like: Any) -> Any:  # noqa: ARG002 - all is in one place
        """Integers, int64, where ``like`` is."""
        return np.asarray(values, dtype=np.int64)

    def falses(self, like: Any) -> Any:
        """Booleans of the shape of ``like``."""
        return np.zeros(like.shape, dtype=bool)

    def floats(self, rows: Sequence[Any], width: int, like: Any) -> Any:  # noqa: ARG002 - as above
        """Float64, each row cut or padded with zeros to ``width``, where ``like`` is."""
        stacked = np.zeros((len(rows), width))
        for row, numbers in enumerate(rows):
            stacked[row, : min(width, len(numbers))] = numbers[:width]
        return stacked

    def where(self, condition: Any, one: Any, other: Any) -> Any:
        return np.where(condition, one, other)

    def exp(self, x: Any) -> Any:
        return np.exp(x)

    def log(self, x: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(x)

    def double(self, x: Any) -> Any:
        return x.astype(np.float64)

    def gather(self, x: Any, columns: Any) -> Any:
        """``x[row, columns[row]]``."""
        return np.take_along_axis(x, columns, -1)

    def cumsum(self, x: Any) -> Any:
        return np.cumsum(x, axis=-1, dtype=np.float64).astype(x.dtype)

    def softmax(self, x: Any) -> Any:
        """In float64."""
        raised = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
        return raised / raised.sum(axis=-1, keepdims=True)

    def logsumexp(self, x: Any) -> Any:
        """``[rows, 1]``."""
        most = x.max(axis=-1, keepdims=True)
        rest = np.exp((x - most).astype(np.float64)).sum(axis=-1, keepdims=True)
        return (most + np.log(rest)).astype(x.dtype)

    def largest(self, x: Any, count: int) -> tuple[Any, Any]:
        """The ``count`` largest of each row, descending, and their columns."""
        columns = np.broadcast_to(np.arange(x.shape[-1]), x.shape)
        if count < x.shape[-1]:
            columns = np.argpartition(x, -count, axis=-1)[:, -count:]
        order = np.argsort(-np.take_along_axis(x, columns, -1), axis=-1, kind="stable")
        columns = np.take_along_axis(columns, order, -1)
        return np.take_along_axis(x, columns, -1), columns

    def first_and_margin(self, scores: Any) -> tuple[Any, Any]:
        """Column of the largest (the first of equals) and its distance to the second. ``[rows]``."""
        rows = np.arange(len(scores))
        index = scores.argmax(axis=-1)
        first = scores[rows, index]
        scores[rows, index] = LOWEST
        second = scores.max(axis=-1)
        scores[rows, index] = first
        return index, (first - second).astype(np.float64)

    def certainty(self, scores: Any, token_id: int) -> tuple[float, float, float]:
        """Of one row, ``[n]``: log-probability of ``token_id``, columns of the two largest."""
        first = scores.argmax()
        most, own = scores[first], scores[token_id]
        # Not in float64: pairwise sums are good to six digits, and this is several times as fast.
        raised = scores - most
        rest = np.log(np.exp(raised, out=raised).sum())
        scores[first] = LOWEST
        second = scores.argmax()
        scores[first] = most
        return float(own - most - rest), int(first), int(second)

    def told(self, *columns: Any) -> list[list[float]]:
        """Each of ``columns``, ``[rows]`` or one number for all, as a list: one copy, if any."""
        return [column.tolist() if np.ndim(column) else [float(column)] for column in columns]

    def numpy(self, x: Any) -> Any:
        return x


NUMPY = Arrays()
