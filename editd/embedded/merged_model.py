"""The embedded model of this machine: base model and adapter merged once, stored in the user's cache.

The folder holds a GGUF file where llama.cpp can run it (a quarter of the size, and no torch), else a checkpoint for
torch; the rest of editd sees a model like any other. Keyed by its content. Each folder holds ``editd.json`` too,
which names the families of edits that the model may be asked for. Built through ``models.registry``, as a
``models.model.Builder``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from editd.embedded import base_model
from editd.embedded.base_model import merge_adapter
from editd.embedded.families import describe
from editd.files.local_cache import cache_dir
from editd.models.build_cache import build_once
from editd.models.llama_cpp.header import value_of
from editd.models.llama_cpp.library import is_library_installed
from editd.prompts.formats import END, EmbeddedFormat

_FORMAT_VERSION = 3  # raise it when the code changes what is written

Report = Callable[[str, float], None]
"""Progress: called with one sentence and how much of the work is done, 0 to 1."""

GGUF, SAFETENSORS = "gguf", "safetensors"
_END_ID = 2
_MERGING = "merging the embedded model, once"
_OPENED, _MERGED = 0.2, 0.6  # of the work is done then; the rest is to quantise and write

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


def built_folder(report: Report | None = None) -> Path:
    """The folder of the embedded model; merged now, in some ten seconds, if it is not in the cache.

    A GGUF file where llama.cpp's library is installed, else a checkpoint for torch. report: called with the progress.
    Raises ``ModelNotFound`` if the base weights are not on this machine, ``ModelDamaged`` if they are others than editd
    knows, ``ModelError`` if the result cannot be stored.
    """
    added = _shipped("adapter.safetensors")
    families = json.loads(_shipped("families.json"))["families"]
    form = GGUF if is_library_installed() else SAFETENSORS
    key = hashlib.sha256(
        f"{_FORMAT_VERSION} {base_model.SHA256} {families} {form}".encode() + added
    )

    def merge(unfinished: Path) -> None:
        file = base_model.base_file()
        adapter = base_model.read_adapter(added)
        write_model(unfinished, file, adapter, families, form, report)

    folder = cache_dir() / "embedded" / f"merged-{key.hexdigest()[:16]}"
    return build_once(folder, merge, "The embedded model (540 MB at most)")


def _shipped(name: str) -> bytes:
    """The content of a file that comes with editd."""
    return (files("editd.embedded") / "weights" / name).read_bytes()


def write_model(
    folder: Path,
    base: Path,
    adapter: Mapping[str, base_model.Array],
    families: Sequence[str],
    form: str = SAFETENSORS,
    report: Report | None = None,
) -> None:
    """Fill ``folder`` with base model and adapter, merged, and ``editd.json``. families: those that it is offered for.
    form: ``GGUF`` or ``SAFETENSORS``. report: called with the progress.

    Raises ``ModelDamaged`` if ``base`` is another file than editd knows, or the adapter does not fit it, and
    ``OSError``.
    """
    progress = report or (lambda _message, _done: None)
    progress(_MERGING, 0.0)
    reader = base_model.open_base(base)
    progress(_MERGING, _OPENED)
    weights = merge_adapter(base_model.read_weights(reader), adapter)
    progress(_MERGING, _MERGED)
    if form == GGUF:
        _write_gguf(folder / "model.gguf", reader, weights, progress)
    else:
        _write_checkpoint(folder, base, weights)
    _write_json(folder / "editd.json", describe(families, EmbeddedFormat.name))
    progress("merged the embedded model", 1.0)


def _write_gguf(
    path: Path, reader: Any, weights: Mapping[str, base_model.Array], progress: Report
) -> None:
    """Write a GGUF file at ``path`` with the fields of the base model's file (``reader``) and other weights: matrices
    in 8 bits (``Q8_0``), the rest in float32. Reports the progress for each matrix.
    """
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    try:
        for field in reader.fields.values():
            if field.name.startswith("GGUF.") or field.name == "general.architecture":
                continue  # the writer's own
            inner = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(field.name, value_of(field), field.types[0], sub_type=inner)
        writer.kv_data[0].pop("general.file_type", None)
        writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
        for number, tensor in enumerate(reader.tensors):
            progress(_MERGING, _MERGED + (1 - _MERGED) * number / len(reader.tensors))
            weight = base_model.as_in_gguf(tensor.name, weights)
            if weight.ndim == 1:
                writer.add_tensor(tensor.name, weight)
            else:
                kind = gguf.GGMLQuantizationType.Q8_0
                writer.add_tensor(tensor.name, gguf.quantize(weight, kind), raw_dtype=kind)
        for write in ("header", "kv_data", "tensors"):
            getattr(writer, f"write_{write}_to_file")()
    finally:
        writer.close()


def _write_checkpoint(folder: Path, base: Path, weights: Mapping[str, base_model.Array]) -> None:
    """Write weights, configuration and tokenizer into ``folder`` as ``save_pretrained`` would, readable by all. base:
    the file from which the tokenizer is read.
    """
    from safetensors.numpy import save_file

    whole = {name: np.ascontiguousarray(weight) for name, weight in weights.items()}
    save_file(whole, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "model.safetensors").chmod(0o644)  # safetensors writes 0600
    _write_json(folder / "config.json", _CONFIG)
    _write_json(folder / "generation_config.json", {"eos_token_id": _END_ID})
    _write_json(folder / "tokenizer.json", base_model.tokenizer(base))
    _write_json(folder / "tokenizer_config.json", _TOKENIZER_CONFIG)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write ``content`` as JSON."""
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
