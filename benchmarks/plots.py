"""matplotlib, which only ``--plot`` needs: asked for before the work is done, loaded after it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from editd.errors import UsageError


def require_matplotlib() -> None:
    """Say what to install before the work is done, not after it. Raises ``UsageError``."""
    if find_spec("matplotlib") is None:
        raise UsageError("--plot needs matplotlib: pip install 'editd[plot]'.")


def pyplot() -> Any:
    """``matplotlib.pyplot``, which draws into files and looks for no screen."""
    require_matplotlib()
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    return plt
