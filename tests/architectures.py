"""GGUF files with random float32 weights, of architectures whose caches are not plain ones.

Some slide a window over their keys, some keep a recurrent state beside them or instead of them; ``PLAIN`` is there to
compare with. Only hyperparameters are written down (``SHAPES``). Which tensors such a file has, and their shapes,
llama.cpp's loader knows: an empty file is offered to it, it names a tensor that is missing or the shape that it
expects, and so on until it is content.
"""

from __future__ import annotations

import ctypes
import os
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from editd.models.llama_cpp.layouts import set_known
from editd.models.llama_cpp.library import load_library
from tests import gguf_writer as gguf_file
from tests import tiny

WINDOW = 48
"""Tokens that a layer with a window sees: fewer than a chunk of prefill, more than most drafts."""

_LAYERS, _WIDTH = 4, 64
_VOCABULARY = 512
_EVERYWHERE = {
    "block_count": _LAYERS,
    "embedding_length": _WIDTH,
    "context_length": 4096,
    "feed_forward_length": 96,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
    "attention.key_length": 16,
    "attention.value_length": 16,
    "rope.dimension_count": 16,
    "rope.freq_base": 1e4,
    "attention.layer_norm_rms_epsilon": 1e-6,
    "vocab_size": _VOCABULARY,
}
_EXPERTS = {"expert_count": 8, "expert_used_count": 2, "expert_feed_forward_length": 64}
_SHARED_EXPERT = {
    "leading_dense_block_count": 1,
    "expert_shared_count": 1,
    "expert_weights_scale": 1.0,
    "expert_weights_norm": True,
    "expert_gating_func": 2,
}
_ONE_OF_FOUR = [0, 0, 2, 0]  # heads of keys and values by layer: attention in the third alone
_MAMBA = {
    "ssm.conv_kernel": 4,
    "ssm.state_size": 16,
    "ssm.inner_size": 128,
    "ssm.group_count": 1,
    "ssm.time_step_rank": 4,
}
_DELTA_NET = {
    "attention.key_length": 64,
    "attention.value_length": 64,
    "rope.dimension_sections": [11, 11, 10, 0],
    "ssm.conv_kernel": 4,
    "ssm.state_size": 32,
    "ssm.group_count": 2,
    "ssm.time_step_rank": 4,
    "ssm.inner_size": 128,
    "full_attention_interval": 4,
}


@dataclass(frozen=True, slots=True)
class Shape:
    """Hyperparameters, and what the graph needs although the loader calls it optional: tensors, with their shapes."""

    values: dict[str, Any]
    optional: dict[str, tuple[int, ...]] = field(default_factory=dict)


def _delta_net(**more: Any) -> Shape:
    """Three layers of gated delta net, then one of attention, as Qwen 3.5 has it."""
    keys, values = 2 * 2 * 32, 4 * 32
    optional = {}
    for layer in range(_LAYERS - 1):
        optional[f"blk.{layer}.attn_qkv.weight"] = (_WIDTH, keys + values)
        optional[f"blk.{layer}.attn_gate.weight"] = (_WIDTH, values)
    return Shape({**_DELTA_NET, **more}, optional)


def _mamba(*layers: int, **more: Any) -> Shape:
    """With Mamba 2 in ``layers``."""
    channels = _MAMBA["ssm.inner_size"] + 2 * _MAMBA["ssm.state_size"]
    return Shape(
        {**_MAMBA, **more}, {f"blk.{layer}.ssm_conv1d.bias": (channels,) for layer in layers}
    )


PLAIN = ("glm4moe",)
SLIDING = ("gemma3", "gemma4", "gpt-oss")
RECURRENT = (
    *("qwen35", "qwen35moe", "lfm2", "lfm2moe", "granitehybrid"),
    *("mamba2", "nemotron_h", "falcon-h1"),
)
SHAPES = {
    "glm4moe": Shape({**_EXPERTS, **_SHARED_EXPERT}),
    "gemma3": Shape({"attention.sliding_window": WINDOW}),
    "gemma4": Shape(
        {
            "attention.sliding_window": WINDOW,
            "attention.key_length_swa": 16,
            "attention.value_length_swa": 16,
            "rope.dimension_count_swa": 16,
            "rope.freq_base_swa": 1e4,
            "attention.sliding_window_pattern": [True, True, True, False],
            "attention.shared_kv_layers": 0,
            "embedding_length_per_layer_input": 0,
            "final_logit_softcapping": 30.0,
        }
    ),
    "gpt-oss": Shape(
        {
            **_EXPERTS,
            "attention.sliding_window": WINDOW,
            "rope.scaling.type": "yarn",
            "rope.scaling.factor": 32.0,
            "rope.scaling.original_context_length": 1024,
        }
    ),
    "qwen35": _delta_net(),
    "qwen35moe": _delta_net(**_EXPERTS, expert_shared_feed_forward_length=64),
    "lfm2": Shape({"shortconv.l_cache": 3, "attention.head_count_kv": _ONE_OF_FOUR}),
    "lfm2moe": Shape(
        {
            **_EXPERTS,
            "shortconv.l_cache": 3,
            "attention.head_count_kv": _ONE_OF_FOUR,
            "leading_dense_block_count": 1,
            "expert_gating_func": 2,
        }
    ),
    "granitehybrid": _mamba(
        *(0, 1, 3),
        **{
            "attention.head_count_kv": _ONE_OF_FOUR,
            "logit_scale": 3.0,
            "embedding_scale": 1.0,
            "residual_scale": 1.5,
            "attention.scale": 0.2,
        },
    ),
    "mamba2": _mamba(*range(_LAYERS), **{"attention.head_count": 0, "attention.head_count_kv": 0}),
    "nemotron_h": _mamba(
        *(0, 3),
        **{
            "attention.layer_norm_epsilon": 1e-5,
            "attention.head_count_kv": _ONE_OF_FOUR,
            "feed_forward_length": [0, 96, 0, 0],
        },
    ),
    "falcon-h1": _mamba(*range(_LAYERS)),
}


@cache
def random_file(architecture: str) -> Path:
    """A file of one of ``SHAPES``, made once a session, with the words of ``tiny.checkpoint``."""
    path = Path(tiny._session_folder()) / f"{architecture}.gguf"
    shape = SHAPES[architecture]
    values = {**_EVERYWHERE, **shape.values}
    tensors = _tensors(architecture, values, shape.optional, path)
    writer = gguf.GGUFWriter(path, architecture)
    _add_values(writer, architecture, values)
    words = tiny.checkpoint("llama", dtype="float32")
    gguf_file._write_vocabulary(writer, words, {"vocab_size": _VOCABULARY, "eos_token_id": 1})
    random = np.random.default_rng(0)
    for name, extents in tensors.items():
        writer.add_tensor(name, _weights(name, extents, random))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _tensors(
    architecture: str, values: dict[str, Any], optional: dict[str, tuple[int, ...]], path: Path
) -> dict[str, tuple[int, ...]]:
    """All tensors of the file, by what the loader says; ``path`` is overwritten."""
    tensors, alike = dict(optional), dict[str, tuple[int, ...]]()
    while complaint := _complaint(architecture, values, tensors, path):
        missing = re.search(r"tensor '([^']+)' not found|missing tensor '([^']+)'", complaint)
        wrong = re.search(r"tensor '([^']+)' has wrong shape; expected\s+([\d, ]+), got", complaint)
        if missing:
            name = missing[1] or missing[2]
            tensors[name] = alike.get(_in_any_layer(name), (1,))
        elif wrong:
            extents = [int(number) for number in wrong[2].split(",")]
            while len(extents) > 1 and extents[-1] == 1:
                extents.pop()
            tensors[wrong[1]] = alike[_in_any_layer(wrong[1])] = tuple(extents)
        else:
            raise AssertionError(complaint)
    return tensors


def _in_any_layer(name: str) -> str:
    return re.sub(r"\.\d+\.", ".N.", name)


def _complaint(
    architecture: str, values: dict[str, Any], tensors: dict[str, tuple[int, ...]], path: Path
) -> str:
    """The error of the loader at a file of zeros; empty if it loads."""
    writer = gguf.GGUFWriter(path, architecture)
    _add_values(writer, architecture, values)
    writer.add_string("tokenizer.ggml.model", "no_vocab")
    sizes = {name: 4 * int(np.prod(extents)) for name, extents in tensors.items()}
    for name, extents in tensors.items():
        writer.add_tensor_info(name, extents[::-1], np.dtype(np.float32), sizes[name])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    aligned = sum(-(-size // 32) * 32 for size in sizes.values())
    os.truncate(path, path.stat().st_size + aligned + 4096)
    library = load_library()
    # Another test may have loaded the library once more, which hears its errors since then.
    library.llama_log_set(ctypes.cast(library._logger, ctypes.c_void_p), None)
    library.take_errors()
    params = library.llama_model_default_params()
    set_known(params, {"no_alloc": True, "use_mmap": False, "load_mode": 0})
    model = library.llama_model_load_from_file(os.fsencode(path), params)
    if model:
        library.llama_model_free(model)
        return ""
    return library.take_errors() or "no reason given"


def _add_values(writer: Any, architecture: str, values: dict[str, Any]) -> None:
    adders = {
        bool: writer.add_bool,
        int: writer.add_uint32,
        float: writer.add_float32,
        str: writer.add_string,
        list: writer.add_array,
    }
    for name, value in values.items():
        adders[type(value)](f"{architecture}.{name}", value)


def _weights(name: str, extents: tuple[int, ...], random: np.random.Generator) -> Any:
    """Of about unit gain; norms and what a state decays by as trained models have them."""
    shape = extents[::-1]
    if "norm" in name and name.endswith("weight"):
        return np.ones(shape, np.float32)
    if name.endswith("ssm_a"):
        return -random.uniform(0.02, 4.0, shape).astype(np.float32)
    scale = 0.1 if len(shape) == 1 else extents[0] ** -0.5
    return (scale * random.standard_normal(shape)).astype(np.float32)
