"""Ctrl-C and other signals to end, handled from the first line of the program on.

Python raises ``KeyboardInterrupt`` at any place, and if that is a callback it is printed and lost, or another
exception is made of it on its way, as ``enum`` does. So a request to end is recorded as well: ``check`` is called
before anything is written, and whatever exception reaches the end of the program after it counts as that request. A
leaf; only ``editd`` as a program listens, not when imported as a library.

It is the first module to be loaded, and loads next to nothing itself: it cannot listen before.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import FrameType, TracebackType
    from typing import Any, TypeVar

    T = TypeVar("T")

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)  # the last by Ctrl-\\


class _State:
    """The process's state: whether signals are handled, and what a signal does now."""

    listens = False
    signal_number = 0  # the first signal that asked this process to end
    at_once = True  # nothing has begun that needs cleaning up
    is_over = False  # all is done and said
    cancel: Callable[[], object] | None = None  # cancels the running coroutine


_state = _State()


def listen_in_program() -> None:
    """Call ``listen`` if this process is ``editd`` or ``python -m editd``, by its arguments; else do nothing."""
    program = next(iter(sys.argv), "")
    module = "".join(sys.orig_argv[sys.orig_argv.index("-m") + 1 :][:1]) if program == "-m" else ""
    if "editd" in (program.rpartition("/")[2], module):
        listen()


def listen() -> None:
    """Handle Ctrl-C, and install hooks for uncaught errors; no effect unless Ctrl-C still has Python's own handler.

    A parent process may have set it to be ignored, for example.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _on_signal)
        sys.excepthook = _on_uncaught
        sys.unraisablehook = _on_lost
        _state.listens = True


def end_in_order() -> None:
    """Handle SIGTERM, SIGHUP and SIGQUIT, too, if the process listens and they have their default action: from now on
    ``finally`` clauses run when the process is asked to end. Before this call any signal ends the process at once.
    """
    for number in _ENDING if _state.listens else ():
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _on_signal)
    _state.at_once = False  # last: nobody catches what is raised before


class ending_at_once:  # noqa: N801  # read as a word: with ending_at_once(): …
    """A context in which a signal ends the process at once: modules are loading, and a traceback would only list
    them.
    """

    def __enter__(self) -> None:
        self._before, _state.at_once = _state.at_once, True

    def __exit__(self, *_: object) -> None:
        _state.at_once = self._before


def check() -> None:
    """Raise ``KeyboardInterrupt`` if this process was asked to end; called before writing."""
    if _state.signal_number:
        raise KeyboardInterrupt


def ignore_signals() -> None:
    """Ignore signals from now on: everything is done and reported, and must not look otherwise. If the process listens,
    the system ignores them, too. Cannot be undone.
    """
    _state.is_over = True  # first: the calls below can be interrupted
    if _state.listens:
        for number in (signal.SIGINT, *_ENDING):
            signal.signal(number, signal.SIG_IGN)


def is_ending() -> bool:
    """Whether this process was asked to end, so that any error may come of that."""
    return bool(_state.signal_number)


def exit_code(code: int) -> int:
    """``code``, or a shell's exit code for the signal that asked this process to end."""
    return 128 + _state.signal_number if _state.signal_number else code


def run(work: Coroutine[Any, Any, T]) -> T:
    """As ``asyncio.run``: run ``work`` and return its result. The first signal cancels ``work``,
    another one raises ``KeyboardInterrupt`` in it; after a signal that cancelled it
    ``KeyboardInterrupt`` is raised. Closes ``work`` in any case. Just ``asyncio.run`` if the
    process does not listen.
    """
    # While a loop is made, which cannot be broken off, the first signal is only noted.
    _state.cancel = _ignore
    try:
        return _run(work)
    finally:
        _state.cancel = None
        work.close()  # if it was never begun


def _ignore() -> None:
    """Do nothing: the first signal is only recorded."""


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` on a loop that a signal wakes, with ``_state.cancel`` set while it runs. Raises
    ``KeyboardInterrupt`` if a signal cancelled it, and what ``work`` raises; plain ``asyncio.run`` if the process does
    not listen.
    """
    import asyncio
    import contextlib
    import socket
    from functools import partial

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
            # In its turn: a callback may just have looked whether something was cancelled.
            _state.cancel = partial(loop.call_soon_threadsafe, task.cancel)
            try:
                check()
                return await work
            finally:  # the loop's own end is not broken off either, unless by another signal
                _state.cancel = None if _state.signal_number else _ignore

    whole = main()
    try:
        return asyncio.run(whole)
    except asyncio.CancelledError:
        check()
        raise
    finally:
        whole.close()  # as ``work``


def _on_signal(number: int, frame: FrameType | None) -> None:
    """Record the first signal and silence warnings; then end the process at once, with exit code
    128 + ``number``, before ``end_in_order`` was called; else cancel the running coroutine, or if
    there is none or it was cancelled raise ``KeyboardInterrupt``. No effect after ``ignore_signals``.
    """
    del frame
    if _state.is_over:
        return
    _state.signal_number = _state.signal_number or number
    warnings.simplefilter("ignore")  # of what is never awaited now
    if _state.at_once:
        os._exit(128 + number)
    cancel, _state.cancel = _state.cancel, None
    if cancel is None:
        raise KeyboardInterrupt
    cancel()


def _on_uncaught(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Show the error; or, if this process was asked to end, flush the outputs and exit with the signal's code, without
    a traceback.
    """
    if not _state.signal_number:
        sys.__excepthook__(kind, error, traceback)
        return
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105  # contextlib would be loaded for this
            stream.flush()
        except (OSError, ValueError, KeyboardInterrupt):  # nobody reads it, or another signal
            pass
    os._exit(128 + _state.signal_number)


def _on_lost(lost: sys.UnraisableHookArgs) -> None:
    """Print an error that Python cannot raise, as in ``__del__``, unless it may come of the request to end."""
    if not _state.signal_number:
        sys.__unraisablehook__(lost)


def is_cancelled() -> bool:
    """Whether the running task of asyncio was asked to end; false where no loop or task runs."""
    if "asyncio" not in sys.modules:
        return False
    import asyncio

    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs
        return False
    return task is not None and task.cancelling() > 0
