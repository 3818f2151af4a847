"""Models on torch and transformers: the only package that uses either, or a CUDA device.

``memory_plan`` says what a model takes, ``read_weights`` reads them, ``stored`` knows those that were quantised;
``runner`` decodes with them. ``gpu`` is what a GPU's passes need. ``loading`` joins them.
"""

from __future__ import annotations

from editd.models.model import Model, ModelSpec, Progress


def load(
    spec: ModelSpec, progress: Progress | None = None, *, most_bytes: int | None = None
) -> Model:
    """As ``model.Backend.load``; torch is imported by it, not by importing this package."""
    import torch  # noqa: F401 - where it is missing, that is said before anything is looked at

    from editd.models.torch.loading import load_model

    return load_model(spec, progress, most_bytes=most_bytes)
