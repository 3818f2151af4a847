"""Ends a server whose editor has died without saying ``exit``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import psutil

_POLL_SECONDS = 1.0
_FIRST_PARENT = os.getppid()  # of this process; the present one is another when that has died


def watch_parent(process_id: int, gone: Callable[[], None]) -> asyncio.Task[None]:
    """Call ``gone`` when the editor's process has ended.

    Only an ancestor of this process is watched: in a container, or at the other end of a remote
    connection, the same number is another process or none. There, the end of standard input is the sign.
    """
    # Looked for before the editor has its answer: afterwards it may die before we look.
    return asyncio.ensure_future(_watch(process_id, _ancestor(process_id), gone))


async def _watch(process_id: int, editor: psutil.Process | None, gone: Callable[[], None]) -> None:
    if editor is None and process_id != _FIRST_PARENT:
        return
    while editor is not None and _alive(editor):  # noqa: ASYNC110  the end of a stranger is no event
        await asyncio.sleep(_POLL_SECONDS)
    gone()


def _ancestor(process_id: int) -> psutil.Process | None:
    try:
        return next((p for p in psutil.Process().parents() if p.pid == process_id), None)
    except psutil.Error:
        return None


def _alive(process: psutil.Process) -> bool:
    """Whether it runs. A process of the same number may be another one; a zombie does not count."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
