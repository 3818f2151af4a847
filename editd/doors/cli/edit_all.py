"""Texts that a command edits, one after the other over one connection, and the exit code of all.

Knows requests, answers and errors; how they look is an ``Output``'s matter, where the engine runs
is the client's.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from editd import interrupts
from editd.daemon.engine_client import problem_of
from editd.doors.cli.console import complain
from editd.doors.cli.inputs import Source
from editd.doors.cli.outputs import Output
from editd.errors import DaemonUnreachable, EditCancelled, EditdError
from editd.messages import Delta, EditRequest, EditResult, Progress

if TYPE_CHECKING:
    from editd.daemon.client import EngineClient


async def edit_all(
    names: Sequence[str],
    read: Callable[[str], Source],
    request_for: Callable[[Source], EditRequest],
    connect: Callable[[], Awaitable[EngineClient]],
    output: Output,
) -> int:
    """Edit every text over one connection, going on past failures; the exit code.

    That is 0 if all are done, else the code of the first that is not. Raises ``EditCancelled``
    when the user interrupts, with a sentence about what was done.
    """
    codes: list[int] = []
    client = _Client(connect)
    try:
        for given in names:
            try:
                prefix = "" if len(names) == 1 else given
                codes.append(await _edit_one(given, prefix, read, request_for, client, output))
            except (asyncio.CancelledError, KeyboardInterrupt):
                cancelled = EditCancelled(_cancelled([] if output.together else codes))
                output.failed(given, cancelled, None)
                raise cancelled from None
        try:
            codes.append(output.concluded(failed=any(codes)))
        except KeyboardInterrupt:
            raise EditCancelled(_cancelled([])) from None
    finally:
        output.close()
        await client.close()
    return next((code for code in codes if code != 0), 0)


class _Client:
    """The client, connected when the first text needs it. One failed attempt is enough: it takes time."""

    def __init__(self, connect: Callable[[], Awaitable[EngineClient]]) -> None:
        self._connect = connect
        self._connected: EngineClient | None = None
        self._unreachable: DaemonUnreachable | None = None

    def check(self) -> None:
        """Raise ``DaemonUnreachable`` if that was so before."""
        if self._unreachable is not None:
            raise self._unreachable

    async def connected(self) -> EngineClient:
        if self._connected is None:
            try:
                self._connected = await self._connect()
            except DaemonUnreachable as error:
                self._unreachable = error
                raise
        return self._connected

    async def close(self) -> None:
        client, self._connected = self._connected, None
        if client is not None:
            with contextlib.suppress(Exception):  # what is said has been said
                await client.aclose()


async def _edit_one(
    given: str,
    prefix: str,
    read: Callable[[str], Source],
    request_for: Callable[[Source], EditRequest],
    client: _Client,
    output: Output,
) -> int:
    """Edit one text; its exit code. prefix: put before its messages, unless they begin with it."""
    result = None
    try:
        await asyncio.sleep(0)  # Ctrl-C until here is heard here, and not after a wait
        source = read(given)
        request = request_for(source)
        client.check()
        output.started(source)
        result = await _edit(await client.connected(), request, output)
        if (trouble := problem_of(result)) is not None:
            raise trouble
        assert result.text is not None  # noqa: S101  # or else there was trouble
        interrupts.check()  # nothing is written after one
        return output.finished(source, result, result.text)
    except EditdError as error:
        output.failed(given, error, result)
        named = str(error).startswith(prefix)
        complain(str(error) if named else f"{prefix}: {error}")
        if isinstance(error, DaemonUnreachable):
            await client.close()  # the next text may find a new daemon
        return error.exit_code


async def _edit(client: EngineClient, request: EditRequest, output: Output) -> EditResult:
    """One edit; if we stop listening for any reason, the engine stops too."""
    async with aclosing(client.edit(request)) as messages:
        async for message in messages:
            match message:
                case Progress():
                    output.progress(message)
                case Delta():
                    output.delta(message)
                case EditResult():
                    return message
    raise DaemonUnreachable("The daemon ended during the edit; see `editd logs`.")


def _cancelled(codes: Sequence[int]) -> str:
    done = sum(code == 0 for code in codes)
    if not done:
        return "Cancelled; nothing was written."
    return f"Cancelled; {done} {'text was' if done == 1 else 'texts were'} done before."
