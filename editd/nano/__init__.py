"""The small model of our own: what ``embedded`` names."""

from __future__ import annotations

from pathlib import Path

from editd.demo import Report

_TRAINED = Path(__file__).parent / "weights"
"""Where a release has its trained weights, if it has any (``python -m editd.nano.export --out``)."""


def embedded_model_dir(report: Report | None = None) -> Path:
    """The folder of the model that comes with editd.

    The trained one if this package brings its weights; else the demo model (``solved``): real
    weights, solved on this machine the first time, that know sixteen edits by heart; ``report``
    hears a sentence and how much is done.
    """
    if (_TRAINED / "model.safetensors").is_file():
        return _TRAINED
    from editd.demo.cache import demo_model_dir

    return demo_model_dir(report)
