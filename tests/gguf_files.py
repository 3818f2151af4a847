"""GGUF files for tests: tiny models, written by the ``gguf`` package, quantised by llama.cpp's library."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import gguf
import pytest
import torch

from benchmarks.compare import gguf_file
from tests import tiny

# Rows of 256, so that every kind of block fits.
WIDE = {"hidden_size": 256, "intermediate_size": 256, "head_dim": 64, "num_hidden_layers": 2}


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

    class_name, changes = tiny.FAMILIES[family]
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
