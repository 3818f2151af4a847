"""The demo checkpoint for tests that want a real model; solved once, then found again.

A plugin of ``conftest``: ask for the fixture ``demo_model``. Give a subprocess ``ENVIRONMENT`` so
that it finds the same checkpoint instead of solving its own.
"""

import os
from pathlib import Path

import pytest

# Inside the checkout, where git ignores it: the second run of the tests is quick, and nothing of
# the user's is touched.
CACHE = Path(
    os.environ.get("EDITD_CACHE_DIR") or Path(__file__).resolve().parents[1] / ".testenv" / "cache"
)
ENVIRONMENT = {"EDITD_CACHE_DIR": str(CACHE)}


@pytest.fixture(scope="session")
def demo_model() -> Path:
    """The folder of the demo model: every edit of ``examples/demo``, by heart."""
    import torch  # most sessions need neither

    from benchmarks.solved.cache import demo_model_dir

    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        return demo_model_dir()
