"""Models behind one interface: what can be loaded, with which library, and what is kept in memory.

``model`` is the interface of a backend, ``registry`` finds the backend for a name, ``pool`` holds loaded
models. ``text`` is shared by all backends. Each library is used in its own package only, and kept offline, because an
edit never downloads, silent while it is imported, and from holding busy cores.
"""

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

# Turns (some 20 µs) that a thread of llama.cpp or torch waits awake for the others. GNU's OpenMP waits 300,000, so on
# busy cores a thread that waits keeps the one that it waits for from its core.
_SPIN_COUNT = "1000"

# Say at import what of them is not for this device, or in each layer which dtype they prefer.
_CHATTY = ("torchao", "torch.utils._pytree", "bitsandbytes")

# Here, so that it comes before any library of a backend is imported, whichever module does that.
for _name, _value in _ENVIRONMENT.items():
    os.environ.setdefault(_name, _value)
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", _SPIN_COUNT)
for _name in _CHATTY:
    logging.getLogger(_name).setLevel(logging.ERROR)
