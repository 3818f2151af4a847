"""The adapter: what was trained, a few million weights that are added to the base model's.

Low-rank pairs ``layers.N.PART.a`` ``[rank, in]`` and ``.b`` ``[out, rank]`` (Hu et al. 2021, the scale
included in ``b``). A part is several of the base model's matrices one below the other, since they
read the same values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from editd.errors import ModelDamaged

if TYPE_CHECKING:
    from torch import Tensor

JOINED = {
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "o": ("self_attn.o_proj",),
    "gate_up": ("mlp.gate_proj", "mlp.up_proj"),
    "down": ("mlp.down_proj",),
}
"""By part the matrices of a layer that it consists of, in their order."""

_NAME = re.compile(r"layers\.(\d+)\.(\w+)\.a")


def merged(base: Mapping[str, Tensor], adapter: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The base model's weights, by transformers' names, with the adapter added; float32.

    Raises ``ModelDamaged`` where the two do not fit together.
    """
    import torch

    weights = {name: weight.float() for name, weight in base.items()}
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
        added = high.float() @ low.float()
        heights = [len(weights[one]) for one in names]
        if added.shape != (sum(heights), weights[names[0]].shape[1]):
            break
        for one, rows in zip(names, torch.split(added, heights), strict=True):
            weights[one] = weights[one] + rows
        used += 2
    if used != len(adapter):
        raise ModelDamaged("The embedded model's adapter does not fit its base model.")
    return weights
