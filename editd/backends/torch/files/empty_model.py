"""A model without memory for its weights: its names and sizes are those that it will have."""

from __future__ import annotations

from typing import Any

import torch


def empty_model(config: Any, *, dtype: torch.dtype | None = None) -> Any:
    """The model of ``config`` without memory for its weights; no code but transformers' runs."""
    from transformers import AutoModelForCausalLM

    options = {} if dtype is None else {"dtype": dtype}
    with torch.device("meta"):
        model: Any = AutoModelForCausalLM.from_config(  # type: ignore[no-untyped-call]
            config, trust_remote_code=False, **options
        )
    return model
