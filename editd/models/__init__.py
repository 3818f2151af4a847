"""Models behind one interface: the names that can be loaded, the library for each, and the models in memory.

``model`` is the interface of a backend, ``text_source`` that of whatever writes answers, ``registry`` finds the
backend for a name, ``pool`` holds loaded models. ``text`` is shared by all backends. Each library is used in its own
package only. It is kept offline, because an edit never downloads, silent while it is imported, and from holding busy
cores.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

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

# Loggers that report at import what does not run on this device, or in each layer which dtype they prefer.
_CHATTY = ("torchao", "torch.utils._pytree", "bitsandbytes")

# At the top of the package, so that it precedes the import of any backend's library, whichever module does that.
_ADDED = {name: value for name, value in _ENVIRONMENT.items() if name not in os.environ}
os.environ.update(_ADDED)
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", _SPIN_COUNT)
for _name in _CHATTY:
    logging.getLogger(_name).setLevel(logging.ERROR)


@contextmanager
def network_allowed() -> Iterator[None]:
    """A context in which Hugging Face's library may use the network and show progress, unless the
    user's own environment forbids that.

    Changes the environment of the process, and that library's constant, and restores both at the
    end. For commands that download at the user's request; no edit runs within it.
    """
    hidden = [
        name
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "TQDM_DISABLE")
        if name in _ADDED
    ]
    for name in hidden:
        os.environ.pop(name, None)
    try:
        from huggingface_hub import constants

        was_offline = constants.HF_HUB_OFFLINE
        if "HF_HUB_OFFLINE" in hidden and "TRANSFORMERS_OFFLINE" in hidden:
            constants.HF_HUB_OFFLINE = False
        try:
            yield
        finally:
            constants.HF_HUB_OFFLINE = was_offline
    finally:
        os.environ.update({name: _ADDED[name] for name in hidden})


@contextmanager
def quiet_loading(progress: Callable[[float], None] | None = None) -> Iterator[None]:
    """A context in which transformers logs nothing, shows no bars, and Python shows no warnings;
    logs and bars of transformers, and its and torch's warnings, stay off afterwards.

    progress: called with the fraction done of each loop that transformers would show a bar for
    (weights placed); the hook for bars is put back at the end.
    """
    from transformers.utils import logging as transformers_logging

    # For good: forward passes warn as well.
    transformers_logging.set_verbosity(logging.CRITICAL)
    warnings.filterwarnings("ignore", module=r"(torch|transformers)\b")
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    previous = transformers_logging.set_tqdm_hook(_tqdm_hook(progress)) if progress else None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if progress:
            transformers_logging.set_tqdm_hook(previous)


class _Bar:
    """A stand-in for a tqdm bar of transformers: iterates, and reports the fraction done to ``progress``."""

    def __init__(
        self, progress: Callable[[float], None], iterable: Any = (), **kwargs: Any
    ) -> None:
        self._progress = progress
        self._iterable = iterable
        self._total = kwargs.get("total") or (len(iterable) if hasattr(iterable, "__len__") else 0)

    def __iter__(self) -> Iterator[Any]:
        for count, item in enumerate(self._iterable, start=1):
            yield item
            if self._total:
                self._progress(count / self._total)

    def __getattr__(self, _: str) -> Callable[..., None]:
        return lambda *_args, **_kwargs: None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def _tqdm_hook(progress: Callable[[float], None]) -> Callable[..., Any]:
    """A function for transformers to make its progress bars with: each is a ``_Bar``, which shows
    nothing and reports to ``progress``.
    """

    def make(_factory: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return _Bar(progress, *args, **kwargs)

    return make
