"""GGUF files on llama.cpp, in this process: the only package that uses the library.

``library`` finds it and checks its layout, ``placement`` plans memory, ``weights`` loads a file, ``context`` runs passes,
``target`` decodes with them, ``header`` reads the tokenizer; ``loading`` joins them.
"""

from __future__ import annotations

from editd.models.model import Model, ModelSpec, Progress


def load(
    spec: ModelSpec, progress: Progress | None = None, *, most_bytes: int | None = None
) -> Model:
    """As ``model.Backend.load``; the name is a ``.gguf`` file."""
    from editd.models.llama_cpp.loading import load_model

    return load_model(spec, progress, most_bytes=most_bytes)
