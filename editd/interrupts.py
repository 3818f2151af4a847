"""Ctrl-C and other signals to end, handled from the first line of the program on.

Python raises ``KeyboardInterrupt`` wherever it happens to be, and where that is a callback it is
printed and lost. So a request to end is noted here as well, and ``check`` is called before
anything is written. A leaf; only ``editd`` as a program listens, not when imported as a library.

It is the first module to be loaded, and loads next to nothing itself: it cannot hear before.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import FrameType
    from typing import Any, TypeVar

    T = TypeVar("T")

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)  # the last by Ctrl-\\


class _State:
    listens = False
    asked = 0  # the first signal that asked this process to end
    at_once = True  # nothing has begun that needs cleaning up
    cancel: Callable[[], object] | None = None  # cancels the running coroutine


_state = _State()


def listen_in_program() -> None:
    """Handle Ctrl-C if this process is ``editd`` or ``python -m editd``."""
    program = next(iter(sys.argv), "")
    module = "".join(sys.orig_argv[sys.orig_argv.index("-m") + 1 :][:1]) if program == "-m" else ""
    if "editd" in (program.rpartition("/")[2], module):
        listen()


def listen() -> None:
    """Handle Ctrl-C, unless the parent process set it to be ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _on_signal)
        _state.listens = True


def end_in_order() -> None:
    """From now on let ``finally`` clauses run, also when the process is terminated or hung up on."""
    _state.at_once = False
    if not _state.listens:
        return
    for number in _ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _on_signal)


class nothing_begun:  # noqa: N801  # read as a word: with nothing_begun(): …
    """Inside, the process ends at once: modules are loading, and a traceback would only list them."""

    def __enter__(self) -> None:
        self._before, _state.at_once = _state.at_once, True

    def __exit__(self, *_: object) -> None:
        _state.at_once = self._before


def check() -> None:
    """Raise ``KeyboardInterrupt`` if this process was asked to end; called before writing."""
    if _state.asked:
        raise KeyboardInterrupt


def done() -> None:
    """All is done and said: from now on a signal must not make it look as if it were not."""
    if _state.listens:
        for number in (signal.SIGINT, *_ENDING):
            signal.signal(number, signal.SIG_IGN)


def exit_code(code: int) -> int:
    """``code``, or what a shell makes of the signal that this process was asked to end with."""
    return 128 + _state.asked if _state.asked else code


def run(work: Coroutine[Any, Any, T]) -> T:
    """As ``asyncio.run``: the first signal cancels ``work``, another one ends it where it is."""
    import asyncio
    import contextlib
    import socket

    if not _state.listens:
        return asyncio.run(work)

    async def main() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # noqa: S101
        # A signal that comes just before the loop begins to wait, or to another thread, would be
        # heard when the wait ends, which may be never: Python writes here, and the loop wakes.
        woken, waker = socket.socketpair()
        with woken, waker, contextlib.ExitStack() as stack:
            woken.setblocking(False)
            waker.setblocking(False)
            loop.add_reader(woken, woken.recv, 64)
            stack.callback(loop.remove_reader, woken)
            before = signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
            stack.callback(signal.set_wakeup_fd, before)
            _state.cancel = task.cancel
            try:
                check()
                return await work
            finally:
                _state.cancel = None

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        check()
        raise
    finally:
        work.close()  # if it was never begun


def _on_signal(number: int, frame: FrameType | None) -> None:
    del frame
    _state.asked = _state.asked or number
    if _state.at_once:
        os._exit(128 + number)
    cancel, _state.cancel = _state.cancel, None
    if cancel is None:
        raise KeyboardInterrupt
    cancel()


def is_cancelled() -> bool:
    """Whether the running task was asked to end."""
    if "asyncio" not in sys.modules:
        return False
    import asyncio

    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs
        return False
    return task is not None and task.cancelling() > 0
