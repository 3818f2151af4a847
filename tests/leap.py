"""The clock of a running event loop, put forward: what waits for a timer need not wait for time."""

import asyncio


async def leap(seconds: float) -> None:
    """Let all timers of this loop be so much nearer, and those that are due be served."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds
    for _ in range(3):
        await asyncio.sleep(0)
