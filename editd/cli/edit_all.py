"""The talk with the daemon about some texts, one after the other, and what each came to.

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
from editd.cli.console import complain
from editd.cli.inputs import Source
from editd.cli.outputs import Output
from editd.daemon.engine_client import problem_of
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
    when the user interrupts, with a sentence about what has been done by then.
    """
    codes: list[int] = []
    client: EngineClient | None = None
    unreachable: DaemonUnreachable | None = None
    try:
        for given in names:
            result = None
            try:
                await asyncio.sleep(0)  # Ctrl-C until here is heard here, and not after a wait
                source = read(given)
                request = request_for(source)
                if unreachable is not None:
                    raise unreachable  # one attempt is enough: it takes its time
                output.started(source)
                if client is None:
                    try:
                        client = await connect()
                    except DaemonUnreachable as error:
                        unreachable = error
                        raise
                result = await _edit(client, request, output)
                if (trouble := problem_of(result)) is not None:
                    raise trouble
                assert result.text is not None  # noqa: S101  # or else there was trouble
                interrupts.check()  # nothing is written after one
                codes.append(output.finished(source, result, result.text))
            except EditdError as error:
                output.failed(given, error, result)
                named = len(names) == 1 or str(error).startswith(given)
                complain(str(error) if named else f"{given}: {error}")
                codes.append(error.exit_code)
                if isinstance(error, DaemonUnreachable) and client is not None:
                    await _close(client)  # the next text may find a new daemon
                    client = None
            except (asyncio.CancelledError, KeyboardInterrupt):
                cancelled = EditCancelled(_cancelled(codes))
                output.failed(given, cancelled, None)
                raise cancelled from None
    finally:
        output.close()
        if client is not None:
            await _close(client)
    return next((code for code in codes if code != 0), 0)


async def _edit(client: EngineClient, request: EditRequest, output: Output) -> EditResult:
    """One edit; whatever stops us from listening on also stops the engine."""
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


async def _close(client: EngineClient) -> None:
    with contextlib.suppress(Exception):  # what is said has been said
        await client.aclose()
