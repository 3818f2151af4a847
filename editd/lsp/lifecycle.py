"""The end of a server whose editor died: without one, nobody would ever tell it to leave."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import psutil

_POLL_SECONDS = 1.0


async def watch_parent(process_id: int, gone: Callable[[], None]) -> None:
    """Call ``gone`` when the editor's process has ended.

    Only an ancestor of this process is watched: in a container, or at the other end of a remote
    connection, the same number is another process or none. The end of standard input tells then.
    """
    parent = _ancestor(process_id)
    while parent is not None:
        await asyncio.sleep(_POLL_SECONDS)
        if not _alive(parent):
            gone()
            return


def _ancestor(process_id: int) -> psutil.Process | None:
    try:
        return next((p for p in psutil.Process(os.getpid()).parents() if p.pid == process_id), None)
    except psutil.Error:
        return None


def _alive(process: psutil.Process) -> bool:
    """Whether it runs: a process of the same number may be another, and a zombie waits in vain."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
