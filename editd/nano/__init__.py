"""The small model of our own: what ``embedded`` names."""

from __future__ import annotations

from pathlib import Path

from editd.nano.solved import Report


def embedded_model_dir(report: Report | None = None) -> Path:
    """The folder of the model that comes with editd.

    Until a trained one is part of the package this is the demo model (``solved``): real weights,
    solved on this machine the first time, that know a dozen edits by heart; ``report``
    hears a sentence and how much is done.
    """
    from editd.nano.solved.cache import demo_model_dir

    return demo_model_dir(report)
