"""Requests to real daemons and waiting for them; the fixtures are in ``conftest``."""

import asyncio

import psutil

from editd.daemon import logs
from editd.messages import Delta, EditRequest, EditResult
from tests.fakes import with_script

LONG = "a\n" * 100_000  # with the pace below: minutes of work
PACE = {"unit_seconds": 0.002}


def edit(request_id="e", text="a\nb\n", document="", priority="interactive", **script):
    options = with_script(**script)
    return EditRequest(
        request_id, text, "shout", document=document, options=options, priority=priority
    )


async def result_of(client, request) -> EditResult:
    return [message async for message in client.ask(request)][-1]


async def start_of(messages) -> None:
    """Return when the first delta has come."""
    async for message in messages:
        if isinstance(message, Delta):
            return


async def end_of(messages) -> None:
    async for _ in messages:
        pass


async def pid_of(client) -> int:
    return (await client.status()).pid


async def gone(pid: int) -> None:
    await asyncio.to_thread(
        psutil.wait_procs, [psutil.Process(pid)] if psutil.pid_exists(pid) else [], 60
    )
    assert not psutil.pid_exists(pid)


async def until(client, condition) -> None:
    """Wait for something that only a status shows."""
    async with asyncio.timeout(60):
        while not condition(await client.status()):  # noqa: ASYNC110 - a round trip each
            await asyncio.sleep(0.005)


async def until_state(client, state: str) -> None:
    await until(client, lambda report: report.state == state)


def log() -> str:
    return logs.log_path().read_text()
