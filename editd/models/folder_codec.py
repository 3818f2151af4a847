"""The codec of any model folder, for processes that do not load the model.

A model folder has a ``tokenizer.json``. If only llama.cpp can tokenise for the model, the folder has the
name of its file instead.
"""

from __future__ import annotations

from pathlib import Path

from editd.models.llama_cpp.header import SOURCE, tokenizer_file
from editd.models.text.codec import ModelCodec, load_codec


def codec_in(folder: Path, *, vocab_size: int = 0) -> ModelCodec:
    """The codec of ``folder``; as ``text.codec.load_codec``, or by llama.cpp."""
    if tokenizer_file(folder).name == SOURCE:
        from editd.models.llama_cpp.words import words_in

        return ModelCodec(words_in(folder), vocab_size=vocab_size)
    return load_codec(folder, vocab_size=vocab_size)
