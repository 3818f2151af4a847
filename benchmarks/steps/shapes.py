"""Shapes of known models, to be measured with random weights.

Speed does not depend on the values of the weights, so a step can be measured without real ones. All
figures of a shape are labelled as such. Shapes exist only here: an edit never uses random weights.
"""

from __future__ import annotations

from typing import Any

from editd.errors import UsageError

_QWEN: dict[str, Any] = {
    "class": "Qwen2Config",
    "vocab_size": 151_936,
    "num_key_value_heads": 2,
    "tie_word_embeddings": True,
    "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1e6},
}

SHAPES: dict[str, dict[str, Any]] = {
    # A small model with heads of 64 dimensions and biases.
    "8m-shaped": {
        "class": "LlamaConfig",
        "vocab_size": 4096,
        "hidden_size": 256,
        "intermediate_size": 704,
        "num_hidden_layers": 8,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "head_dim": 64,
        "attention_bias": True,
        "tie_word_embeddings": True,
    },
    "qwen2.5-coder-0.5b-shaped": {
        **_QWEN,
        "hidden_size": 896,
        "intermediate_size": 4864,
        "num_hidden_layers": 24,
        "num_attention_heads": 14,
    },
    "qwen2.5-coder-1.5b-shaped": {
        **_QWEN,
        "hidden_size": 1536,
        "intermediate_size": 8960,
        "num_hidden_layers": 28,
        "num_attention_heads": 12,
    },
    "qwen2.5-coder-7b-shaped": {
        **_QWEN,
        "vocab_size": 152_064,
        "hidden_size": 3584,
        "intermediate_size": 18_944,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "tie_word_embeddings": False,
    },
    "llama-3.1-8b-shaped": {
        "class": "LlamaConfig",
        "vocab_size": 128_256,
        "hidden_size": 4096,
        "intermediate_size": 14_336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "tie_word_embeddings": False,
        "rope_parameters": {"rope_type": "default", "rope_theta": 5e5},
    },
}
_CONTEXT = 131_072  # tokens: the largest recorded edit and its answer fit


def is_shape(name: str) -> bool:
    """Whether ``name`` is a shape. Raises ``UsageError`` for an unknown one."""
    if name.endswith("-shaped") and name not in SHAPES:
        raise UsageError(f"There is no shape {name}: choose one of {', '.join(SHAPES)}.")
    return name in SHAPES


def vocabulary_of(name: str) -> int:
    """How many tokens a shape has logits for."""
    return int(SHAPES[name]["vocab_size"])


def random_model(name: str, device: str, dtype: str = "auto") -> Any:
    """A model of the shape ``name`` with random weights, made on the device that it is for."""
    import torch
    import transformers

    from editd.models.torch.device import choose_dtype

    shape = dict(SHAPES[name])
    config = getattr(transformers, shape.pop("class"))(
        max_position_embeddings=_CONTEXT, bos_token_id=None, eos_token_id=None, **shape
    )
    place = torch.device(device)
    torch.manual_seed(0)
    make: Any = transformers.AutoModelForCausalLM
    with place:
        return make.from_config(config, dtype=choose_dtype(dtype, place)).eval()
