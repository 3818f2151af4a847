"""A picture of a training's log."""

from __future__ import annotations

import json
from pathlib import Path


def plot(log: Path, picture: Path) -> bool:
    """Loss and exact match over tokens; ``False`` where matplotlib is not installed."""
    try:
        import matplotlib as mpl
    except ImportError:
        return False
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    losses = [(entry["tokens"] / 1e6, entry["loss"]) for entry in entries if "loss" in entry]
    exact = [(entry["tokens"] / 1e6, entry["exact"]) for entry in entries if "exact" in entry]
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 7))
    if losses:
        above.plot(*zip(*losses, strict=True))
    above.set_yscale("log")
    above.set_ylabel("loss of the answer's tokens")
    keys = sorted({key for _, found in exact for key in found if key.startswith(("all", "no-ch"))})
    for key in keys:
        points = [(tokens, found[key]) for tokens, found in exact if key in found]
        below.plot(*zip(*points, strict=True), marker="o", markersize=3, label=key)
    below.set_ylim(0, 1.02)
    below.set_ylabel("whole answer exact, held out")
    below.set_xlabel("million tokens")
    if keys:
        below.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(picture, dpi=110)
    plt.close(figure)
    return True
