"""Keeps the libraries of all backends offline, silent while they are imported, and kind to busy cores.

An edit never downloads. This module only sets environment variables; it imports no library.
"""

from __future__ import annotations

import logging
import os

_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",  # else it warns at each later fork
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",  # else it says at import that there is no torch
    "TQDM_DISABLE": "1",  # of libraries that transformers calls
}

_SPIN = "GOMP_SPINCOUNT"
_SPIN_COUNT = "1000"
"""Turns (some 20 µs) that a thread of llama.cpp or torch waits awake for the others. GNU's OpenMP waits
300,000, so on busy cores a thread that waits keeps the one that it waits for from its core."""

# Say at import what of them is not for this device, or in each layer which dtype they prefer.
_CHATTY = ("torchao", "torch.utils._pytree", "bitsandbytes")


def prepare_imports() -> None:
    """What the libraries read when they are imported; the package calls it first of all."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault(_SPIN, _SPIN_COUNT)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.ERROR)
