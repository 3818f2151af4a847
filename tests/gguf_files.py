"""GGUF files for tests: tiny models, written by the ``gguf`` package, quantised by llama.cpp's library."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import gguf
import pytest
import torch

from tests import gguf_writer as gguf_file
from tests import tiny

DEVICE = os.environ.get("EDITD_TEST_LLAMA_DEVICE", "cpu")
"""``model.device`` of the tests of llama.cpp: `make test-vulkan` runs them on a GPU."""

# Rows of 256, so that every kind of block fits.
WIDE = {"hidden_size": 256, "intermediate_size": 256, "head_dim": 64, "num_hidden_layers": 2}
_FAMILIES = {
    **tiny.FAMILIES,
    "mistral": ("MistralConfig", {"sliding_window": None}),
    "granite": (
        "GraniteConfig",
        {
            "attention_multiplier": 0.2,
            "embedding_multiplier": 6.0,
            "residual_multiplier": 0.4,
            "logits_scaling": 3.0,
        },
    ),
}


def write(source, path, weights="float32", **fields):
    """By the benchmark's converter, with ``fields`` (dots as two underscores) instead or besides.

    cut: how text is cut. tensor: one more of that name. end: the word of the end token.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gguf_file, "_STAND_IN", fields.pop("cut", "gpt-2"))
        patch.setattr(gguf.GGUFWriter, "write_header_to_file", with_fields(fields))
        gguf_file.write_gguf(source, path, weights)
    return path


def with_fields(fields):
    plainly = gguf.GGUFWriter.write_header_to_file

    def write_header(self):
        if "tensor" in fields:
            self.add_tensor(fields["tensor"], torch.ones(6).numpy())
        for key, value in fields.items():
            if key != "tensor":
                name = key.replace("__", ".")
                self.kv_data[0].pop(name, None)
                add = {str: self.add_string, int: self.add_uint32, bool: self.add_bool}
                add[type(value)](name, value)
        plainly(self)

    return write_header


@cache
def wide_checkpoint(family):
    """The folder of a tiny model whose rows can be quantised in blocks of 256."""
    import transformers

    class_name, changes = _FAMILIES[family]
    values = {**tiny._BASE, **changes, **WIDE, "initializer_range": 0.15}
    torch.manual_seed(0)
    config = getattr(transformers, class_name)(**values)
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    return tiny.save(Path(mkdtemp(dir=tiny._session_folder())) / family, model)


@cache
def wide_file(family, weights):
    """A GGUF file of it."""
    source = wide_checkpoint(family)
    return write(source, source / f"{weights}.gguf", weights)


@cache
def mamba_file():
    """A tiny Mamba with the weights of ``tiny.random_model("mamba", dtype="float32")``."""
    source = tiny.checkpoint("mamba", dtype="float32")
    model = tiny.random_model("mamba", dtype="float32")
    config, path = model.config, source / "model.gguf"
    writer = gguf.GGUFWriter(path, "mamba")
    writer.add_context_length(1024)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_ssm_conv_kernel(config.conv_kernel)
    writer.add_ssm_inner_size(config.intermediate_size)
    writer.add_ssm_state_size(config.state_size)
    writer.add_ssm_time_step_rank(config.time_step_rank)
    writer.add_layer_norm_rms_eps(config.layer_norm_epsilon)
    gguf_file._write_vocabulary(writer, source, config.to_dict())
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.MAMBA, config.num_hidden_layers)
    for name, weight in model.state_dict().items():
        if name.startswith("lm_head") and config.tie_word_embeddings:
            continue
        tensor = -weight.exp() if name.endswith("A_log") else weight.squeeze()
        writer.add_tensor(names.get_name(name, (".weight", ".bias")), tensor.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
