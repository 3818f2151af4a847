"""The embedded model of this machine: base model and adapter merged once, kept in the user's cache.

The folder is one that ``save_pretrained`` might have written, so that the rest of editd sees a model
like any other. Keyed by what goes into it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editd.backends.torch.files.made_folder import made_once
from editd.embedded import base_model
from editd.embedded.adapter import merged
from editd.embedded.manifest import describe
from editd.local_cache import cache_dir
from editd.prompts.formats.embedded import END, EmbeddedFormat

if TYPE_CHECKING:
    from torch import Tensor

_FORMAT_VERSION = 2  # raise it when the code changes what is written
_END_ID = 2

Report = Callable[[str, float], None]
"""Progress: called with one sentence and how much of the work is done, 0 to 1."""


def embedded_model_dir(report: Report | None = None) -> Path:
    """The folder of the embedded model; merged now, in a few seconds, if it is not there.

    Raises ``ModelNotFound`` if the base weights are not on this machine, ``ModelError`` if there is
    no place for the result.
    """
    root = cache_dir() / "embedded"
    adapter = _shipped("adapter.safetensors")
    families = json.loads(_shipped("families.json"))["families"]
    key = hashlib.sha256(f"{_FORMAT_VERSION} {base_model.SHA256} {families}".encode() + adapter)
    folder = root / f"merged-{key.hexdigest()[:16]}"

    def merge(unfinished: Path) -> None:
        from safetensors.torch import load

        file = base_model.base_file()
        tell = report or (lambda _message, _done: None)
        tell("merging the embedded model, once", 0.1)
        write_model(unfinished, file, load(adapter), families)
        tell("merged the embedded model", 1.0)

    return made_once(folder, merge, "The embedded model (540 MB)")


def write_model(
    folder: Path, base: Path, adapter: Mapping[str, Tensor], families: Sequence[str]
) -> None:
    """Fill ``folder`` with base model and adapter, merged. families: those that it is offered for."""
    from safetensors.torch import save_file

    weights = merged(base_model.read(base), adapter)
    save_file(
        {name: weight.contiguous() for name, weight in weights.items()},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )
    (folder / "model.safetensors").chmod(0o644)  # safetensors writes 0600
    _write_json(folder / "config.json", _CONFIG)
    _write_json(folder / "generation_config.json", {"eos_token_id": _END_ID})
    _write_json(folder / "tokenizer.json", base_model.tokenizer(base))
    _write_json(folder / "tokenizer_config.json", _TOKENIZER_CONFIG)
    _write_json(folder / "editd.json", describe(families, EmbeddedFormat.name))


def _shipped(name: str) -> bytes:
    return (files("editd.embedded") / "weights" / name).read_bytes()


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


# Of the file with the digest that ``base_model`` names, in transformers' words.
_CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 49_152,
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "head_dim": 64,
    "hidden_act": "silu",
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-5,
    "rope_parameters": {"rope_type": "default", "rope_theta": 100_000.0},
    "attention_bias": False,
    "mlp_bias": False,
    "tie_word_embeddings": True,
    "bos_token_id": 1,
    "eos_token_id": _END_ID,
    "pad_token_id": _END_ID,
    "dtype": "float32",
}
_TOKENIZER_CONFIG: dict[str, Any] = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "eos_token": END,
    "pad_token": END,
    "clean_up_tokenization_spaces": False,
    "model_max_length": 8192,
}
