"""The solved checkpoint for tests that want a real model; solved once, then found again.

A plugin of ``conftest``: ask for the fixture ``demo_model``. Give a subprocess ``ENVIRONMENT``, and it
is the model that it uses.
"""

import os
from pathlib import Path

import pytest

from tests.fixtures.solved.cache import demo_model_dir, demo_model_name

# Inside the checkout, where git ignores it: the second run of the tests is quick, and nothing of
# the user's is touched.
CACHE = Path(
    os.environ.get("EDITD_CACHE_DIR") or Path(__file__).resolve().parents[1] / ".testenv" / "cache"
)
with pytest.MonkeyPatch.context() as _patch:
    _patch.setenv("EDITD_CACHE_DIR", str(CACHE))
    MODEL = demo_model_name()
ENVIRONMENT = {"EDITD_CACHE_DIR": str(CACHE), "EDITD_MODEL": str(MODEL)}


@pytest.fixture(scope="session")
def demo_model() -> Path:
    """The folder of a model that knows every edit of ``examples/demo`` by heart."""
    import torch  # most sessions need neither

    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        return demo_model_dir()
