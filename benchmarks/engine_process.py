"""What the engine's process costs: an edit and a round through it, against the engine called directly.

``python -m benchmarks.engine_process`` starts an engine's process whose engine computes nothing: it
answers an edit of a 20 KB file in a given number of rounds, each with one changed line. What the
same jobs take when they are called in this process, and their messages written down, is taken off.
Figures are medians, and the least, to which other work on the machine adds nothing.

``--model M`` measures the first edit after idle time instead, when the engine's process has been
ended: its first hunk or answer, before and after, and the memory of both processes at each point.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import statistics
import sys
from contextlib import aclosing
from time import perf_counter
from typing import Any, cast

from editd.config import Config, DaemonConfig, ModelConfig
from editd.daemon.dispatcher import HostingEngineClient
from editd.daemon.engine_core import serve
from editd.daemon.engine_process import EngineProcess
from editd.daemon.envelope import Outgoing
from editd.diff.hunk import Hunk
from editd.messages import Delta, EditRequest, EditResult, ServerMessage
from editd.messages.options import EditOptions

ROUNDS = (1, 200)
TEXT = "    value = compute(value, other_value)\n" * 500


class IdleEngine:
    """Answers in as many rounds as the instruction says."""

    def __init__(self, *_: Any) -> None: ...

    def start(self, request: Any) -> IdleJob:
        return IdleJob(request)

    def models(self) -> tuple[()]:
        return ()

    def workspaces(self) -> tuple[()]:
        return ()

    def take_traces(self) -> list[Any]:
        return []

    def interrupt(self) -> None: ...

    def idle_work(self) -> bool:
        return False

    def close(self) -> None: ...


class IdleJob:
    """One line a round, then the result."""

    preparing = False

    def __init__(self, request: EditRequest) -> None:
        self.finished = False
        self._request = request
        self._left = int(request.instruction)
        self._hunks: list[Hunk] = []

    def advance(self) -> list[ServerMessage]:
        """One round."""
        request_id = self._request.request_id
        if not self._left:
            self.finished = True
            return [EditResult(request_id, "stop", self._request.text, tuple(self._hunks))]
        self._left -= 1
        number = len(self._hunks)
        self._hunks.append(Hunk(number + 1, number, 1, ("    value = compute(value)\n",)))
        return [Delta(request_id, number, (self._hunks[-1],))]

    def cancel(self, reason: str = "") -> list[ServerMessage]:
        """Say nothing more."""
        del reason
        self.finished = True
        return []


def called(rounds: int) -> float:
    """Seconds of an edit that is called here."""
    started = perf_counter()
    job = IdleJob(EditRequest("e", TEXT, str(rounds)))
    while not job.finished:
        for message in job.advance():
            Outgoing.of(message)
    return perf_counter() - started


async def asked(client: HostingEngineClient, rounds: int) -> float:
    """Seconds of an edit in the engine's process."""
    started = perf_counter()
    async with aclosing(client.edit(EditRequest("e", TEXT, str(rounds)))) as messages:
        async for _ in messages:
            pass
    return perf_counter() - started


async def measure(repeats: int) -> None:
    """Print the figures."""
    command = [sys.executable, "-m", "benchmarks.engine_process", "--serve"]
    client = HostingEngineClient(Config(), functools.partial(EngineProcess, command=command))
    try:
        came_up = await asked(client, 1)
        for rounds in ROUNDS:  # once for warmth
            await asked(client, rounds)
        through: dict[int, list[float]] = {rounds: [] for rounds in ROUNDS}
        here: dict[int, list[float]] = {rounds: [] for rounds in ROUNDS}
        for _ in range(repeats):
            for rounds in ROUNDS:
                through[rounds].append(await asked(client, rounds))
                here[rounds].append(called(rounds))
    finally:
        await client.aclose()
    few, many = ROUNDS
    for name, least in (("median", statistics.median), ("least", min)):
        edit, bare = least(through[few]), least(here[few])
        added = {n: least(through[n]) - least(here[n]) for n in ROUNDS}
        a_round = (added[many] - added[few]) / (many - few)
        print(f"{name}: an edit of one round {1000 * edit:.2f} ms, called here {1000 * bare:.2f} ms: "
              f"{1000 * added[few]:.2f} ms added; {1000 * a_round:.3f} ms added a round")  # fmt: skip
    print(f"first edit, with the start of the process: {1000 * came_up:.0f} ms")


async def measure_idle(model: str, repeats: int) -> None:
    """Print how long an edit takes that finds no engine, and what memory is held without one."""
    config = Config(model=ModelConfig(name=model), daemon=DaemonConfig(unload_after=0.1))
    client = HostingEngineClient(config)
    options = EditOptions(max_new_tokens=1)
    request = EditRequest("e", "x = 1\n", "Add a comment.", options=options)

    async def edit() -> float:
        started = perf_counter()
        async with aclosing(client.edit(request)) as messages:
            async for _ in messages:
                pass
        return perf_counter() - started

    async def memory() -> str:
        return f"{(await client.status()).rss_bytes / 2**20:.0f} MiB"

    try:
        print(f"before: {await memory()}; cold edit {await edit():.2f} s", flush=True)
        for _ in range(repeats):
            print(f"warm edit {await edit():.2f} s, {await memory()};", end=" ")
            while (await client.status()).models:  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)
            print(f"idle {await memory()}; first edit after it {await edit():.2f} s", flush=True)
    finally:
        await client.aclose()


def main() -> None:
    """Measure, or be the process that is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engine_process")
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--model", default="", help="measure the first edit after idle time")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(cast(Any, IdleEngine))
    elif arguments.model:
        asyncio.run(measure_idle(arguments.model, arguments.repeats))
    else:
        asyncio.run(measure(arguments.repeats))


if __name__ == "__main__":
    main()
