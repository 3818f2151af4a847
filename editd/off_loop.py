"""Work that would hold up an event loop, in one of four threads beside it.

Who waits may stop waiting: what has not begun is dropped, what runs ends unheard. A leaf; what is worth
a thread is left to those who call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SMALL = 1 << 14  # characters or bytes: done before another thread would have begun

_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="editd-off-loop")


async def off_loop(size: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """``function`` of its arguments, in a thread unless they are of a small ``size``."""
    if size <= SMALL:
        return function(*args, **kwargs)
    work = partial(function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_threads, work)
