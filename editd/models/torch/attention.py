"""Replacements for transformers' attention and rotary embeddings.

On a CPU, transformers' ``sdpa`` does two costly things. With a mask, it copies keys and values once per query head of
a group. And it passes a boolean mask, which torch converts in each layer. This replacement is registered under a name
with which a model is loaded. On a GPU it is transformers' own ``sdpa``.

Rotary embeddings must not change in the middle of a text. LongRoPE models (Phi-3, Phi-4) have two sets of
frequencies, and transformers picks one in each pass by its largest position. A draft that crosses the border would
rotate its first rows differently than passes of one token do, and what was cached before the border would keep the
other set. So one set is pinned.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

NAME = "editd"


def use_grouped_attention(model: PreTrainedModel) -> bool:
    """Switch ``model`` to this module's attention if it runs transformers' ``sdpa`` and supports
    others; returns whether it was switched.

    Only then registers the attention and its mask with transformers, for the process, under the
    name ``editd``.
    """
    if not (model._supports_attention_backend and attention_name(model.config) == "sdpa"):  # noqa: SLF001 - its only name
        return False
    AttentionInterface.register(NAME, grouped_attention)
    AttentionMaskInterface.register(NAME, additive_mask)
    model.set_attn_implementation(NAME)
    return True


def attention_name(config: Any) -> str:
    """The attention that a model runs with: ``sdpa``, ``eager``, ``editd``, …"""
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
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Attention as transformers' ``sdpa_attention_forward`` computes it; returns ``[1, rows, heads,
    head_dim]``, and ``None``.

    On a device other than the CPU it is that function. Raises ``NotImplementedError`` for a term of
    attention that only the model's own code adds (``position_bias``, ``s_aux``, ``softcap``).
    """
    if any(kwargs.get(term) is not None for term in ("position_bias", "s_aux", "softcap")):
        raise NotImplementedError("this model's attention has terms that only its own code adds")
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


def grouped_sdpa(
    query: torch.Tensor,  # [1, heads, rows, head_dim]
    key: torch.Tensor,  # [1, kv_heads, cached, head_dim]
    value: torch.Tensor,
    mask: torch.Tensor | None,
    scale: float | None,
    **options: Any,
) -> torch.Tensor:
    """Torch's attention for heads that share keys, ``[1, rows, heads, head_dim]``, contiguous.

    query, key, value: ``[1, heads, tokens, head_dim]``. mask: added to the scores, ``None`` for
    none; must not differ between heads. scale: of the scores, ``None`` for torch's own. options:
    further arguments of torch's function.
    """
    _, heads, rows, _ = query.shape
    groups = heads // key.shape[1]
    if rows == 1 and groups > 1:
        # All heads of a group become rows of one head: their keys are read once.
        query = query.reshape(1, key.shape[1], groups, query.shape[-1])
        groups = 1
    output = scaled_dot_product_attention(
        query, key, value, attn_mask=mask, scale=scale, enable_gqa=groups > 1, **options
    )
    return output.reshape(1, heads, rows, value.shape[-1]).transpose(1, 2).contiguous()


def additive_mask(*args: Any, **kwargs: Any) -> torch.Tensor | None:
    """The mask that transformers' ``sdpa_mask`` makes of these arguments, as numbers to add to the
    scores: 0 or ``-inf`` in ``kwargs["dtype"]``.

    ``None`` if it makes none; unchanged if it is not boolean.
    """
    mask = sdpa_mask(*args, **kwargs)
    if mask is None or mask.dtype != torch.bool:
        return mask
    zero = torch.zeros((), dtype=kwargs["dtype"], device=mask.device)
    return torch.where(mask, zero, float("-inf"))


@torch.no_grad()
def pin_long_rope(model: PreTrainedModel, max_context: int) -> None:
    """Fix the frequencies of LongRoPE in ``model`` for all texts: the long set if ``max_context``
    reaches beyond the short one's end, else the short one.

    The same rule as vLLM's (``Phi3LongRoPEScaledRotaryEmbedding``): decided by the longest text
    that may come, not by the one at hand. Models with another kind of embedding stay as they are.
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
