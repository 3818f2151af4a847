"""Every test here runs models: on one thread, so that parallel runs do not wait for one another."""

import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)
