"""Prevents rotary embeddings from changing in the middle of a text.

LongRoPE models (Phi-3, Phi-4) have two sets of frequencies, and transformers picks one in each pass by
its largest position. A draft that crosses the border would rotate its first rows differently than
passes of one token do, and what was cached before the border would keep the other set.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import PreTrainedModel
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS


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
