"""The adapter: what was trained, a few million weights that are added to the base model's.

Low-rank pairs ``layers.N.PART.a`` ``[rank, in]`` and ``.b`` ``[out, rank]`` (Hu et al. 2021, the scale
included in ``b``). A part is several of the base model's matrices one below the other, since they
read the same values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from editd.embedded.base_model import Array
from editd.errors import ModelDamaged

JOINED = {
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "o": ("self_attn.o_proj",),
    "gate_up": ("mlp.gate_proj", "mlp.up_proj"),
    "down": ("mlp.down_proj",),
}
"""By part the matrices of a layer that it consists of, in their order."""

_NAME = re.compile(r"layers\.(\d+)\.(\w+)\.a")


def read(content: bytes) -> dict[str, Array]:
    """The weights of ``adapter.safetensors``, which stand there in bfloat16."""
    import safetensors

    deserialize: Any = safetensors.deserialize
    weights = {}
    for name, tensor in deserialize(content):
        upper_halves = np.frombuffer(tensor["data"], np.uint16).astype(np.uint32)
        weights[name] = (upper_halves << 16).view(np.float32).reshape(tensor["shape"])
    return weights


def merged(base: Mapping[str, Array], adapter: Mapping[str, Array]) -> dict[str, Array]:
    """The base model's weights, by transformers' names, with the adapter added.

    Raises ``ModelDamaged`` where the two do not fit together.
    """
    weights = dict(base)
    used = 0
    for name, low in adapter.items():
        found = _NAME.fullmatch(name)
        if found is None:
            continue
        layer, part = found.groups()
        names = [f"model.layers.{layer}.{one}.weight" for one in JOINED.get(part, ())]
        high = adapter.get(name.removesuffix("a") + "b")
        if not names or high is None or not weights.keys() >= set(names):
            break
        added = high @ low
        ends = np.cumsum([len(weights[one]) for one in names])
        if added.shape != (ends[-1], weights[names[0]].shape[1]):
            break
        for one, rows in zip(names, np.split(added, ends[:-1]), strict=True):
            weights[one] = weights[one] + rows
        used += 2
    if used != len(adapter):
        raise ModelDamaged("The embedded model's adapter does not fit its base model.")
    return weights
