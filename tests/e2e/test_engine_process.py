"""The engine's process dies, hangs or is left behind: what the daemon and its clients make of it."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from editd.daemon import logs, transport
from editd.errors import DaemonUnreachable
from editd.messages import Delta, EditResult
from tests.e2e.daemons import (
    LONG,
    PACE,
    edit,
    end_of,
    gone,
    log,
    pid_of,
    result_of,
    start_of,
    until,
    until_state,
)


async def engine_of(client) -> psutil.Process:
    """The engine's process of a daemon that has one."""
    (engine,) = psutil.Process(await pid_of(client)).children()
    return engine


async def hanging(engine: psutil.Process) -> None:
    """Return when it has its models and computes for ever, and no other thread of it gets to run."""
    begun = engine.cpu_times().user
    async with asyncio.timeout(60):
        while engine.cpu_times().user < begun + 1:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def died(client, request) -> str:
    """The sentence that answers an edit whose engine dies."""
    result = await asyncio.wait_for(result_of(client, request), 60)
    assert (result.finish_reason, result.error.code, result.text) == ("error", "failed", None)
    return result.error.message


async def test_an_engine_that_is_killed_costs_the_running_edit_and_no_other(connect):
    client, other = await connect(**PACE), await connect()
    batch = asyncio.create_task(
        result_of(other, edit("put aside", "a\nb\n" * 20, priority="batch", prefill_units=1000))
    )
    await until_state(client, "busy")
    running = asyncio.create_task(died(client, edit("running", LONG)))
    await until(client, lambda report: report.queue == 2)
    waiting = asyncio.create_task(result_of(client, edit("waiting")))
    await until(client, lambda report: report.queue == 3)
    await asyncio.sleep(0.1)
    daemon, engine = await pid_of(client), await engine_of(client)
    engine.kill()
    sentence = await running
    assert "try again" in sentence
    assert "it was killed, perhaps because the machine's memory ran out" in sentence
    assert (await waiting).text == "A\nB\n"
    assert (await batch).text == "A\nB\n" * 20
    assert await pid_of(client) == daemon
    assert (await engine_of(client)).pid != engine.pid
    assert "the engine's process has gone: it was killed" in log()


async def test_an_edit_that_was_put_aside_and_has_told_something_is_not_told_again(connect):
    client, other = await connect(**PACE), await connect()
    messages = other.ask(edit("begun", LONG, priority="batch"))
    await start_of(messages)
    running = asyncio.create_task(died(client, edit("running", LONG)))
    await until(client, lambda report: report.queue == 2)
    await asyncio.sleep(0.1)
    (await engine_of(client)).kill()
    assert "engine process ended" in await running
    *_, last = [message async for message in messages]
    assert (last.finish_reason, last.error.code) == ("error", "failed")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ({"fatal": "signal"}, "it crashed with SIGSEGV"),
        ({"fatal": "hang"}, "it said nothing for 10 seconds and was ended"),
    ],
    ids=["a native crash", "the interpreter held"],
)
async def test_an_engine_that_crashes_or_hangs_is_replaced(connect, script, reason):
    client = await connect(silent=10.0)  # longer than an engine takes to start, however busy it is
    assert reason in await died(client, edit("fatal", **script))
    assert (await result_of(client, edit())).text == "A\nB\n"


async def test_an_edit_that_hangs_can_be_cancelled_and_status_is_told(connect):
    client = await connect()
    messages = client.ask(edit("hangs", fatal="hang"))
    async for message in messages:
        if message.stage == "prefill":  # the next unit hangs
            break
    await hanging(engine := await engine_of(client))
    await client.cancel("hangs")
    *_, last = [message async for message in messages]
    assert last.finish_reason == "cancelled"
    assert (await client.status()).state == "busy"  # the engine's turn is not over
    engine.kill()
    assert (await result_of(client, edit())).text == "A\nB\n"


@pytest.mark.parametrize("script", [PACE, {"fatal": "hang"}, {"load_seconds": 100}])
async def test_a_daemon_that_is_killed_takes_its_engine_along(connect, script):
    client = await connect()
    running = asyncio.create_task(result_of(client, edit("long", LONG, **script)))
    await until(client, lambda report: report.state != "idle")
    daemon = psutil.Process(await pid_of(client))
    async with asyncio.timeout(60):
        while not (family := daemon.children(recursive=True)):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    if "fatal" in script:
        await hanging(await engine_of(client))
    daemon.kill()
    _, left = await asyncio.to_thread(psutil.wait_procs, family, 60)
    assert left == []
    with pytest.raises(DaemonUnreachable):
        await running


async def test_a_command_that_is_killed_takes_its_engine_along(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    command = [sys.executable, "-m", "editd", "edit", "a.py", "-i", "x", "--no-daemon"]
    edits = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)  # noqa: ASYNC220
    process = psutil.Process(edits.pid)
    async with asyncio.timeout(60):
        while not (family := process.children()):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    edits.kill()
    _, left = await asyncio.to_thread(psutil.wait_procs, family, 60)
    assert left == []
    edits.wait()


async def test_idle_time_ends_the_engine_and_all_its_memory_comes_back(connect):
    client = await connect(daemon={"unload_after": 0.2}, **PACE)
    before = (await client.status()).rss_bytes
    messages = client.ask(edit("long", LONG))
    await start_of(messages)
    engine = await engine_of(client)
    alone = psutil.Process(await pid_of(client)).memory_info().rss
    assert (await client.status()).rss_bytes > alone + engine.memory_info().rss // 2
    await client.cancel("long")
    await end_of(messages)
    await gone(engine.pid)
    report = await client.status()
    assert report.models == ()
    assert report.rss_bytes < before + (20 << 20)
    assert (await result_of(client, edit())).text == "A\nB\n"


async def test_an_engine_that_cannot_start_is_named(connect):
    client = await connect(unknown=1)
    assert "it ended with exit code 1" in await died(client, edit())
    assert "unknown" in logs.stderr_path().read_text()


# --- at random points ----------------------------------------------------------------------------


async def ask_and_be_killed(connect, seed: int, edits: int) -> None:
    """Two clients ask; somebody kills. Everybody is answered once, and what is answered is right."""
    rng = random.Random(seed)
    script = {"unit_seconds": 0.002, "load_seconds": rng.choice([0.0, 0.1])}
    clients = [await connect(**script), await connect(**script)]

    async def ask(number: int) -> str:
        client = rng.choice(clients)
        text = "line\n" * rng.randint(1, 40)
        request = edit(f"e{number}", text, document=rng.choice(["", "d"]),
            priority=rng.choice(["interactive", "batch"]))  # fmt: skip
        await asyncio.sleep(rng.random() * 0.1 * edits)
        answers, walked = [], 0
        try:
            async for message in client.ask(request):
                if isinstance(message, EditResult):
                    answers.append(message)
                elif isinstance(message, Delta):
                    assert not answers
                    walked += 1
        except DaemonUnreachable:
            return "unreachable"
        (answer,) = answers
        if answer.finish_reason == "stop":
            assert answer.text == text.upper()
        else:
            assert answer.text is None
        return answer.finish_reason

    async def kill() -> None:
        for _ in range(1 + edits // 10):
            await asyncio.sleep(rng.random() * 0.1 * edits)
            client, kills_engine = rng.choice(clients), rng.random() < 0.8
            # Since the last kill there may be nobody to kill: asking for the status starts no daemon.
            with suppress(DaemonUnreachable, psutil.NoSuchProcess, ProcessLookupError):
                victims = [daemon := await pid_of(client)]
                if kills_engine:
                    victims = [child.pid for child in psutil.Process(daemon).children()]
                for victim in victims:
                    os.kill(victim, signal.SIGKILL)

    async def after_the_kills(client) -> str | None:
        """An edit's text; the first one may be lost, if the last kill was not noticed yet."""
        with suppress(DaemonUnreachable):
            answer = await result_of(client, edit("last"))
            if answer.finish_reason != "error":
                return answer.text
        return (await result_of(client, edit("the very last"))).text

    killing = asyncio.create_task(kill())
    async with asyncio.timeout(30 + edits):
        outcomes = await asyncio.gather(*(ask(number) for number in range(edits)))
        await killing
        assert set(outcomes) <= {"stop", "error", "cancelled", "unreachable"}
        for client in clients:
            assert await after_the_kills(client) == "A\nB\n"
        await until_state(clients[0], "idle")


@pytest.mark.parametrize("seed", range(2))
async def test_processes_killed_at_random_points_cost_no_answer(connect, seed):
    await ask_and_be_killed(connect, seed, 10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
async def test_processes_killed_at_many_random_points_cost_no_answer(connect, seed):
    await ask_and_be_killed(connect, seed, 30)
    assert transport.socket_path().exists()
