"""What models run instead of transformers' attention and rotary embeddings.

On a CPU, transformers' ``sdpa`` does two costly things. With a mask, it copies keys and values once per
query head of a group. And it passes a boolean mask, which torch converts in each layer. This
replacement is registered under a name with which a model is loaded: ``gpu.attend`` over a static cache,
else SDPA. On a GPU, a pass over a growing cache uses transformers' own ``sdpa``.

Rotary embeddings must not change in the middle of a text. LongRoPE models (Phi-3, Phi-4) have two sets
of frequencies, and transformers picks one in each pass by its largest position. A draft that crosses the
border would rotate its first rows differently than passes of one token do, and what was cached before
the border would keep the other set. So one set is pinned.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from editd.models.torch.gpu import StaticPass, attend
from editd.models.torch.gpu.reference import grouped_sdpa

NAME = "editd"


def use_grouped_attention(model: PreTrainedModel) -> bool:
    """Switch ``model`` to this attention where that is known to mean the same; whether it was."""
    if not (model._supports_attention_backend and attention_name(model.config) == "sdpa"):  # noqa: SLF001 - its only name
        return False
    AttentionInterface.register(NAME, grouped_attention)
    AttentionMaskInterface.register(NAME, additive_mask)
    model.set_attn_implementation(NAME)
    return True


def attention_name(config: Any) -> str:
    """Which attention a model runs with: ``sdpa``, ``eager``, ours, …"""
    return str(config._attn_implementation)  # noqa: SLF001 - transformers has no public name for it


def grouped_attention(
    module: torch.nn.Module,
    query: torch.Tensor,  # [1, heads, rows, head_dim]
    key: torch.Tensor,  # [1, kv_heads, cached, head_dim]
    value: torch.Tensor,  # [1, kv_heads, cached, head_dim]
    attention_mask: torch.Tensor | None,  # [1, 1, rows, cached], added to the scores
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,  # noqa: FBT001 - transformers calls it so
    static_pass: StaticPass | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """As transformers' ``sdpa_attention_forward``; returns ``[1, rows, heads, head_dim]``.

    static_pass: of a pass over a static cache, whose whole buffers ``key`` and ``value`` are.
    """
    if any(kwargs.get(term) is not None for term in ("position_bias", "s_aux", "softcap")):
        raise NotImplementedError("this model's attention has terms that only its own code adds")
    if static_pass is not None:
        length, tree = static_pass.length, static_pass.tree
        window = kwargs.get("sliding_window") or 0
        return attend(query, key, value, length, tree, scaling, window), None
    if query.device.type != "cpu":  # a GPU's fast kernels take no mask together with groups
        output: torch.Tensor = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, is_causal
        )[0]
        return output, None
    if is_causal is None:
        is_causal = bool(getattr(module, "is_causal", True))
    is_causal = is_causal and query.shape[2] > 1 and attention_mask is None
    return grouped_sdpa(
        query, key, value, attention_mask, scaling, is_causal=is_causal, dropout_p=dropout
    ), None


def additive_mask(*args: Any, **kwargs: Any) -> torch.Tensor | None:
    """The mask that transformers makes, as the number that is added to a score."""
    mask = sdpa_mask(*args, **kwargs)
    if mask is None or mask.dtype != torch.bool:
        return mask
    zero = torch.zeros((), dtype=kwargs["dtype"], device=mask.device)
    return torch.where(mask, zero, float("-inf"))


@torch.no_grad()
def pin_long_rope(model: PreTrainedModel, max_context: int) -> None:
    """One set for all texts: the long one if ``max_context`` may reach beyond the short one's end.

    The same rule as vLLM's (``Phi3LongRoPEScaledRotaryEmbedding``): decided by the longest text
    that may come, not by the one at hand.
    """
    for module in model.modules():
        rotary: Any = module
        if getattr(rotary, "rope_type", None) != "longrope":
            continue
        border = rotary.config.rope_parameters["original_max_position_embeddings"]
        if max_context > border:
            frequencies, _ = ROPE_INIT_FUNCTIONS["longrope"](
                rotary.config, rotary.inv_freq.device, seq_len=border + 1
            )
            rotary.inv_freq.copy_(frequencies)
        rotary.rope_type = "pinned"  # transformers leaves frequencies of unknown kinds alone
