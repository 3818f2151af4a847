"""Tiny checkpoints made on the spot: real architectures, random weights, real tokenizers.

``checkpoint(family)`` gives the folder of one; each is made once a session. Random weights copy
nothing, so a draft for them must come from elsewhere (their own plain output, say).
"""

from __future__ import annotations

import atexit
import json
import os
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from tokenizers import processors as post_processors

from editd.models import quiet_loading

DEVICE = os.environ.get("EDITD_TEST_DEVICE", "cpu")
"""Where the tests of `tests/lossless` run: `make test-gpu` sets it."""

_VOCAB_SIZE = 512
_WINDOW = 24  # of sliding layers: much shorter than any test's text and draft
_BASE = {
    "vocab_size": _VOCAB_SIZE,
    "hidden_size": 48,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 12,
    "max_position_embeddings": 1024,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": 2,
    # Large enough that greedy text varies instead of repeating one token.
    "initializer_range": 0.5,
    "tie_word_embeddings": False,
}
_SLIDING = {"sliding_window": _WINDOW}

# Name → (configuration class of transformers, what it sets beside or instead of the above).
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "qwen2": ("Qwen2Config", {}),
    "qwen2-sliding": (
        "Qwen2Config",
        {**_SLIDING, "use_sliding_window": True, "max_window_layers": 1},
    ),
    "qwen3": ("Qwen3Config", {}),
    "llama": ("LlamaConfig", {}),
    "mistral": ("MistralConfig", _SLIDING),
    "gemma2": ("Gemma2Config", {**_SLIDING, "query_pre_attn_scalar": 12}),
    "gemma3": (
        "Gemma3TextConfig",
        {
            **_SLIDING,
            "query_pre_attn_scalar": 12,
            "num_hidden_layers": 4,
            "sliding_window_pattern": 2,
        },
    ),
    "phi3": ("Phi3Config", _SLIDING),
    "starcoder2": ("Starcoder2Config", _SLIDING),
    "gpt2": ("GPT2Config", {"n_embd": 48, "n_layer": 3, "n_head": 4, "n_positions": 1024}),
    "mamba": ("MambaConfig", {"state_size": 8, "conv_kernel": 4, "expand": 2}),
}
ATTENTION_FAMILIES = tuple(name for name in FAMILIES if name != "mamba")


@cache
def checkpoint(family: str, *, dtype: str = "float64", tokenizer: str = "byte-level") -> Path:
    """The folder of a tiny model of ``family`` (``FAMILIES``), made once a session."""
    folder = Path(_session_folder()) / f"{family}-{dtype}-{tokenizer}"
    save(folder, random_model(family, dtype=dtype), tokenizer=tokenizer)
    return folder


def random_model(family: str, *, dtype: str = "float64", seed: int = 0) -> Any:
    """A model of ``family`` with random weights."""
    class_name, changes = FAMILIES[family]
    config = getattr(transformers, class_name)(**{**_BASE, **changes})
    torch.manual_seed(seed)
    auto: Any = transformers.AutoModelForCausalLM  # typed or not by the order in which mypy reads
    model = auto.from_config(config, dtype=torch.float32)
    return model.to(getattr(torch, dtype)).eval()


def save(folder: Path, model: Any, *, tokenizer: str = "byte-level", **files: Any) -> Path:
    """Write ``model`` with a tokenizer; ``files`` by stem are written as JSON beside it."""
    with quiet_loading():
        model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    words = byte_level_tokenizer() if tokenizer == "byte-level" else sentencepiece_tokenizer()
    words.save(str(folder / "tokenizer.json"))
    for stem, values in files.items():
        (folder / f"{stem}.json").write_text(json.dumps(values), encoding="utf-8")
    return folder


@cache
def byte_level_tokenizer() -> Tokenizer:
    """A BPE over bytes, as GPT-2, Qwen and Llama 3 have it; three control tokens first."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=_VOCAB_SIZE - 8,
        special_tokens=["<|begin|>", "<|end|>", "<|pad|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.add_tokens([AddedToken("<|tool|>", normalized=False)])
    return tokenizer


@cache
def sentencepiece_tokenizer() -> Tokenizer:
    """A BPE over characters with byte fallback and a dummy space first, as Llama 2 has it."""
    trained = Tokenizer(models.BPE())
    spaces = normalizers.Replace(" ", "▁")
    trained.normalizer = spaces
    trained.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    trainer = trainers.BpeTrainer(vocab_size=_VOCAB_SIZE - 270, show_progress=False)
    trained.train_from_iterator([text.replace("\n", " ") for text in corpus()], trainer)
    learned = json.loads(trained.to_str())["model"]
    controls = ["<s>", "</s>", "<unk>"]
    words = [*controls, *(f"<0x{byte:02X}>" for byte in range(256))]
    words += [word for word in learned["vocab"] if word not in words]
    tokenizer = Tokenizer(
        models.BPE(
            vocab={word: index for index, word in enumerate(words)},
            merges=[tuple(merge) for merge in learned["merges"]],
            unk_token="<unk>",
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    tokenizer.add_special_tokens(controls)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), spaces])
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.post_processor = post_processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 0)]
    )
    return tokenizer


def corpus(count: int = 60) -> list[str]:
    """Code-like text, the same on every machine."""
    chance = random.Random(0)
    names = ["value", "index", "total", "path", "result", "count", "name", "items", "größe"]
    lines = [
        "def {a}({b}, {c}=None):\n    return {b} + {c}\n",
        "    for {a} in {b}:\n        if {a} is not None:\n            {c}.append({a})\n",
        "class {a}:\n\tint {b};\n\tprivate final String {c};\n",
        "    if ({a} >= {b}) {{\n        {c} += 1;\n    }}\n\n",
        "# {a} and {b}\nimport {c}\n\n",
    ]
    texts = []
    for _ in range(count):
        a, b, c = chance.sample(names, 3)
        texts.append("".join(chance.choice(lines).format(a=a, b=b, c=c) for _ in range(6)))
    return texts


@cache
def _session_folder() -> str:
    folder = tempfile.mkdtemp(prefix="editd-tiny-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
