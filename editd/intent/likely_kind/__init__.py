"""Tells which kind of edit a sentence most likely asks for, by weights that were learned from sentences.

Rows and cues know the words that they were written with; the weights know how much each word speaks for each kind, and so read
sentences that nobody foresaw. What exactly is to change, the weights do not say: ``refactor.by_kind`` looks for that in the
buffer. ``training/kinds.py`` learns them from the sentences of ``tests/fixtures``, by logistic regression. Standard library only.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from editd.intent.likely_kind.features import features_of

__all__ = ["OPEN", "WEIGHTS", "features_of", "kinds_of"]

WEIGHTS = Path(__file__).with_name("weights.json")
"""``kinds``: their names; ``scale`` and ``bias``; ``features``, and ``rows`` in base 64: of each feature one signed byte for each kind."""
OPEN = "open"
"""The kind of what takes understanding, asks for nothing, or for several things."""


@dataclass(frozen=True, slots=True)
class _Weights:
    """kinds: the names of the columns. rows: of each feature its weights, one for each kind."""

    kinds: tuple[str, ...]
    bias: tuple[float, ...]
    rows: Mapping[str, bytes]
    scale: float


def kinds_of(text: str, names: Collection[str]) -> dict[str, float]:
    """How likely a sentence asks for each kind of edit (0 to 1, together 1), the likeliest first; ``open`` is what takes understanding.
    names: of the buffer.
    """
    weights = _weights()
    known = [weights.rows[x] for x in features_of(text, names) if x in weights.rows]
    scale = weights.scale / math.sqrt(len(known)) if known else 0
    columns = zip(*(memoryview(row).cast("b") for row in known), strict=True)
    sums = [sum(column) for column in columns] or [0] * len(weights.kinds)
    odds = [math.exp(x * scale + bias) for x, bias in zip(sums, weights.bias, strict=True)]
    likely = zip(weights.kinds, (x / sum(odds) for x in odds), strict=True)
    return dict(sorted(likely, key=lambda x: -x[1]))


@lru_cache(maxsize=1)
def _weights() -> _Weights:
    """The weights of the package."""
    data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    rows, width = base64.b64decode(data["rows"]), len(data["kinds"])
    each = (rows[at : at + width] for at in range(0, len(rows), width))
    by_feature = dict(zip(data["features"], each, strict=True))
    return _Weights(tuple(data["kinds"]), tuple(data["bias"]), by_feature, data["scale"])
