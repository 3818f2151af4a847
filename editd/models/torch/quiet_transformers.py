"""Keeps transformers, its progress bars and its warnings off our standard streams.

A daemon's stdout may be a protocol, and its stderr a log without buffer contents. What a user must
know is reported through ``errors``.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self


@contextmanager
def quiet_loading(progress: Callable[[float], None] | None = None) -> Iterator[None]:
    """Load inside this: nothing is printed, ``progress`` hears the fraction of weights placed."""
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
    """What transformers takes for a tqdm bar: iterates, and tells how far it came."""

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
    def make(_factory: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return _Bar(progress, *args, **kwargs)

    return make
