"""Keeps the libraries of all backends offline, and silent while they are imported.

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

# Say at import what of them is not for this device, or in each layer which dtype they prefer.
_CHATTY = ("torchao", "torch.utils._pytree", "bitsandbytes")


def prepare_imports() -> None:
    """Offline, and silent while they are imported; the package calls it first of all."""
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.ERROR)
