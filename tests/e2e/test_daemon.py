"""Daemons that are real processes, started, killed and replaced. The engine is scripted."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from contextlib import aclosing

import psutil
import pytest

from editd.daemon import lifecycle, logs, transport
from editd.daemon.client import SocketEngineClient, stop_daemon
from editd.errors import DaemonUnreachable
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
from tests.fakes import daemon_command

pytestmark = pytest.mark.usefixtures("home")


async def call(*arguments: str) -> asyncio.subprocess.Process:
    """Another process that edits with a client of its own."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", *arguments, stdout=asyncio.subprocess.PIPE
    )


# --- starting ------------------------------------------------------------------------------------

CALLER = """
import asyncio, sys
from editd.daemon import transport
from editd.daemon.client import SocketEngineClient
from editd.messages import EditRequest

transport.build_id = lambda: "now"

async def main():
    client = await SocketEngineClient.connect(command=sys.argv[1:])
    print((await client.status()).pid)
    async for message in client.ask(EditRequest("e", "a", "shout")):
        pass
    assert message.text == "A"
    await client.aclose()

asyncio.run(main())
"""


async def test_ten_callers_at_once_get_one_daemon():
    callers = [await call(CALLER, *daemon_command("now")) for _ in range(10)]
    outputs = await asyncio.gather(*(caller.communicate() for caller in callers))
    assert [caller.returncode for caller in callers] == [0] * 10
    (pid,) = {output for output, _ in outputs}
    assert psutil.pid_exists(int(pid))
    assert log().count("serves at") == 1


async def test_ten_callers_in_one_process_get_one_daemon(connect):
    clients = await asyncio.gather(*(connect() for _ in range(10)))
    assert len({await pid_of(client) for client in clients}) == 1
    assert log().count("serves at") == 1


async def test_the_daemon_is_on_its_own(connect, monkeypatch):
    monkeypatch.setenv("WORKSPACE_SECRET", "x")
    monkeypatch.setenv("LD_PRELOAD", "")
    monkeypatch.setenv("HF_HOME", "/models")
    daemon = psutil.Process(await pid_of(await connect()))
    assert daemon.cwd() == "/"
    assert os.getsid(daemon.pid) == daemon.pid
    environment = daemon.environ()
    assert environment["HF_HOME"] == "/models"
    assert not {"WORKSPACE_SECRET", "LD_PRELOAD", "PYTEST_CURRENT_TEST"} & set(environment)
    for path in [transport.socket_path(), logs.log_path(), logs.stderr_path()]:
        assert path.stat().st_mode & 0o077 == 0, path
    assert transport.runtime_directory().stat().st_mode & 0o777 == 0o700


async def test_a_dead_daemons_socket_is_replaced(connect):
    path = transport.socket_path()
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    with pytest.raises(DaemonUnreachable, match="`editd daemon` starts one"):
        await connect(start=False)
    assert (await result_of(await connect(), edit())).text == "A\nB\n"


async def test_no_daemon_is_started_in_a_directory_that_cannot_be_trusted(connect, home):
    (home / "elsewhere").mkdir()
    (home / "run").symlink_to(home / "elsewhere")
    with pytest.raises(DaemonUnreachable, match="symbolic link"):
        await connect()
    assert list((home / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("raise SystemExit('no torch here')", "could not start: no torch here"),
        ("import nothing_like_it", "No module named 'nothing_like_it'"),
        ("pass", "could not start: see "),
    ],
)
async def test_a_daemon_that_dies_at_once_is_reported_with_its_last_words(program, reason):
    command = [sys.executable, "-c", program]
    with pytest.raises(DaemonUnreachable, match=reason):
        await SocketEngineClient.connect(command=command)


async def test_callers_who_see_the_code_change_meet_at_one_daemon(connect, monkeypatch):
    """Some computed the socket's name before the change, and the daemon after it."""
    with pytest.MonkeyPatch.context() as past:
        past.setattr(transport, "build_id", lambda: "before")
        connecting = [asyncio.create_task(connect()) for _ in range(4)]
        for _ in range(3):
            await asyncio.sleep(0)
    clients = await asyncio.gather(*connecting)
    assert len({await pid_of(client) for client in clients}) == 1


async def test_an_upgrade_to_another_protocol_under_a_running_program_is_named(connect):
    with pytest.MonkeyPatch.context() as past:
        past.setattr(transport, "PROTOCOL_VERSION", 9999)
        with pytest.raises(DaemonUnreachable, match="upgraded while this program ran"):
            await connect()


async def test_a_program_that_is_missing_is_reported():
    with pytest.raises(DaemonUnreachable, match="cannot be run"):
        await SocketEngineClient.connect(command=["/no/such/program"])


async def test_a_second_daemon_says_that_there_is_one(connect):
    pid = await pid_of(await connect())
    second = await asyncio.to_thread(
        subprocess.run, daemon_command("now"), capture_output=True, text=True, timeout=60
    )
    assert second.returncode != 0
    assert f"An editd daemon (process {pid}) is already running" in second.stderr


# --- dying ---------------------------------------------------------------------------------------


async def test_a_killed_daemon_ends_its_edits_with_a_sentence_and_the_next_starts_another(connect):
    client = await connect(**PACE)
    first = await pid_of(client)
    async with aclosing(client.ask(edit("long", LONG))) as messages:
        await start_of(messages)
        waiting = asyncio.create_task(result_of(client, edit("waiting")))
        await client.status()
        os.kill(first, signal.SIGKILL)
        with pytest.raises(DaemonUnreachable, match="ended unexpectedly"):
            await asyncio.wait_for(end_of(messages), 60)
        with pytest.raises(DaemonUnreachable, match="ended unexpectedly"):
            await asyncio.wait_for(waiting, 60)
    assert (await result_of(client, edit())).text == "A\nB\n"
    assert await pid_of(client) != first


async def test_a_daemon_killed_between_two_requests_is_not_noticed(connect):
    client = await connect()
    first = await pid_of(client)
    os.kill(first, signal.SIGKILL)
    await gone(first)
    assert (await result_of(client, edit())).text == "A\nB\n"
    assert await pid_of(client) != first


async def test_a_killed_daemon_is_reported_by_a_client_that_may_not_start_one(connect):
    await connect()
    client = await connect(start=False)
    os.kill(await pid_of(client), signal.SIGKILL)
    with pytest.raises(DaemonUnreachable):
        await result_of(client, edit())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_daemon_in_good_order(connect, number):
    client = await connect(**PACE)
    pid = await pid_of(client)
    running = asyncio.create_task(result_of(client, edit("long", LONG)))
    await until_state(client, "busy")
    os.kill(pid, number)
    result = await running
    assert (result.finish_reason, result.error.code) == ("cancelled", "cancelled")
    await gone(pid)
    assert list(transport.runtime_directory().iterdir()) == []
    assert logs.stderr_path().read_text() == ""
    assert "the daemon has exited" in log()


async def test_a_client_process_that_is_killed_frees_the_engine(connect):
    client = await connect(**PACE)
    script = CALLER.replace('"a"', '"a\\n" * 100_000')
    caller = await call(script, "unused")
    await until_state(client, "busy")
    caller.kill()
    await until_state(client, "idle")
    await caller.communicate()
    assert (await result_of(client, edit())).text == "A\nB\n"


async def test_the_memory_of_the_daemon_is_bounded_when_a_client_never_reads(connect):
    limits = {"max_waiting_bytes": 16 << 20, "stall_seconds": 999}
    client = await connect(limits=limits, copies=200, lines_per_unit=10)
    before = (await client.status()).rss_bytes
    stuck = await connect()
    stuck._conversation._reader._transport.pause_reading()
    answer = stuck.ask(edit("big", ("x" * 500 + "\n") * 3000))  # of 300 MB
    waiting = asyncio.create_task(end_of(answer))
    most = before
    await until(client, lambda report: report.queue == 1)
    async with asyncio.timeout(60):
        while (report := await client.status()).clients > 1:
            most = max(most, report.rss_bytes)
    stuck._conversation._reader._transport.resume_reading()
    with pytest.raises(DaemonUnreachable):
        await waiting
    assert most - before < 100 << 20
    assert "does not read its messages: disconnected" in log()


# --- while a model loads -------------------------------------------------------------------------


async def test_while_a_model_loads_status_is_told_and_cancelling_and_stopping_are_immediate(
    connect,
):
    client = await connect(load_seconds=600, load_steps=10_000)
    running = asyncio.create_task(result_of(client, edit("one")))
    await until_state(client, "loading")
    assert (await client.status()).message.startswith("loading embedded (")
    async with asyncio.timeout(60):
        await client.cancel("one")
        assert (await running).finish_reason == "cancelled"
    assert (await client.status()).state == "loading"
    running = asyncio.create_task(result_of(client, edit("two")))
    pid = await pid_of(client)
    async with asyncio.timeout(60):
        assert await client.stop(force=True)
        assert (await running).finish_reason == "cancelled"
        await gone(pid)


# --- stopping ------------------------------------------------------------------------------------


async def test_an_edit_that_is_asked_while_the_daemon_leaves_gets_a_new_one(connect):
    client = await connect(**PACE)
    first = await pid_of(client)
    running = asyncio.create_task(result_of(client, edit("long", "a\n" * 100)))
    await until_state(client, "busy")
    stopping = asyncio.create_task(stop_daemon())
    await until_state(client, "stopping")
    late = asyncio.create_task(result_of(client, edit("late")))
    assert (await running).finish_reason == "stop"
    assert await stopping == "The editd daemon has stopped."
    assert (await late).finish_reason == "stop"
    assert await pid_of(client) != first


async def test_stopping_says_when_there_is_nothing_to_stop():
    with pytest.raises(DaemonUnreachable, match="No editd daemon"):
        await stop_daemon()


async def test_a_suspended_daemon_is_killed_by_force(connect, monkeypatch):
    pid = await pid_of(await connect())
    monkeypatch.setattr("editd.daemon.conversation.WELCOME_SECONDS", 0.2)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(DaemonUnreachable, match="stop --force"):
        await stop_daemon()
    assert str(pid) in await stop_daemon(force=True)
    await gone(pid)


async def test_idle_models_are_unloaded_and_loaded_again(connect):
    client = await connect(daemon={"unload_after": 0.05})
    await result_of(client, edit())
    await until(client, lambda report: not report.models)
    assert (await result_of(client, edit())).text == "A\nB\n"
    assert log().count("the engine is process") == 2


# --- other versions ------------------------------------------------------------------------------


@pytest.fixture
async def old(connect):
    """A client of a daemon of another version."""
    with pytest.MonkeyPatch.context() as past:
        past.setattr(transport, "build_id", lambda: "old")
        return await connect(build="old", **PACE)


async def test_another_version_has_its_own_socket_and_the_old_daemon_finishes_and_leaves(
    connect, old
):
    stale = transport.socket_path("editd-0-dead.sock")
    transport.bind(stale).close()
    old_pid = await pid_of(old)
    running = asyncio.create_task(result_of(old, edit("long", LONG)))
    await until_state(old, "busy")
    new = await connect()
    assert await pid_of(new) != old_pid
    assert (await result_of(new, edit())).text == "A\nB\n"
    # Its own client is served by the new one meanwhile, and still reaches what the old one does.
    assert (await result_of(old, edit("late"))).text == "A\nB\n"
    assert await pid_of(old) == await pid_of(new)
    assert psutil.pid_exists(old_pid)
    await old.cancel("long")
    assert (await running).finish_reason == "cancelled"
    await gone(old_pid)
    assert (await new.status()).state == "idle"
    names = sorted(path.name for path in transport.runtime_directory().iterdir())
    assert names == sorted(
        [transport.socket_path().name, lifecycle.lock_path(transport.socket_path()).name]
    )


async def test_stopping_reaches_the_daemons_of_other_versions(old):
    pid = await pid_of(old)
    assert "another version" in await stop_daemon()
    await gone(pid)
    with pytest.raises(DaemonUnreachable, match="No editd daemon"):
        await stop_daemon()
