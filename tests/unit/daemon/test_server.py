"""What the daemon says to clients, honest and other, over a real socket."""

import asyncio
import logging
import random
from contextlib import aclosing, suppress
from dataclasses import replace
from time import monotonic

import pytest

from editd import __version__
from editd.config import DaemonConfig
from editd.daemon import framing, logs, transport
from editd.daemon.client import SocketEngineClient
from editd.daemon.outbox import ClientLimits
from editd.errors import (
    DaemonUnreachable,
    EditRefused,
    ProtocolError,
    UsageError,
    error_for_code,
)
from editd.messages import (
    PROTOCOL_VERSION,
    CancelRequest,
    EditRequest,
    EditResult,
    Explained,
    ExplainRequest,
    Failed,
    Hello,
    StatusReport,
    StatusRequest,
    StopRequest,
    Welcome,
)
from editd.outcome import outcome_of
from tests.fakes import ScriptedJob, with_script
from tests.unit.daemon.conftest import collect, connected, edit, until_status


async def test_there_is_nothing_to_explain_before_the_first_edit(serving, raw):
    async with serving():
        client = await raw()
        client.say(ExplainRequest("x"))
        assert await client.hear() == Explained("x")
        client.say(edit())
        while not isinstance(await client.hear(), EditResult):
            pass
        client.say(ExplainRequest("y", "7"))
        assert await client.hear() == Explained("y")


async def test_the_daemon_says_who_and_how_it_is(serving, raw):
    async with serving():
        client = await raw(hello=False)
        client.say(Hello(PROTOCOL_VERSION, "raw", 1))
        welcome = await client.hear()
        assert (welcome.version, welcome.editd_version) == (PROTOCOL_VERSION, __version__)
        client.say(StatusRequest("s"))
        report = await client.hear()
        assert isinstance(report, StatusReport)
        assert (report.request_id, report.state, report.clients) == ("s", "idle", 1)
        assert report.rss_bytes > 1 << 20


# --- clients that talk nonsense ------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        framing.encode(Hello(PROTOCOL_VERSION + 1, "new", 1)),
        framing.encode(StatusRequest("s")),
        framing.encode(Welcome(1, "x", 1)),
        b"GET / HTTP/1.1\r\n\r\n",
        framing.LENGTHS.pack(1, 1) + b"\xc0\xc1",
    ],
    ids=["another version", "no hello", "a welcome", "http", "no msgpack"],
)
async def test_whoever_does_not_say_hello_is_told_so_and_sent_away(serving, raw, first):
    async with serving():
        client = await raw(hello=False)
        client.say_bytes(first)
        (only,) = await client.hear_all()
        assert isinstance(only, Failed)
        assert (only.request_id, only.error.code) == ("", "protocol")
        await raw()


async def test_a_client_of_another_protocol_is_told_which_one_is_spoken(serving, monkeypatch):
    async with serving():
        monkeypatch.setattr("editd.daemon.conversation.PROTOCOL_VERSION", 9999)
        with pytest.raises(ProtocolError, match="not 9999"):
            await SocketEngineClient.connect(start=False)


async def test_whoever_says_nothing_is_sent_away(serving, raw):
    async with serving(limits=ClientLimits(hello_seconds=0.05, farewell_seconds=0.2)):
        client = await raw(hello=False)
        assert await client.reader.read() == b""


async def test_an_unreadable_request_is_answered_and_the_conversation_goes_on(serving, raw):
    async with serving():
        client = await raw()
        frame = framing.encode(StatusRequest("the-id"))
        client.say_bytes(frame.replace(b"StatusRequest", b"NobodyKnows__"))
        failed = await client.hear()
        assert isinstance(failed, Failed)
        assert failed.request_id == "the-id"
        client.say(StatusRequest("s"))
        assert isinstance(await client.hear(), StatusReport)


@pytest.mark.parametrize("seed", range(8))
async def test_nonsense_ends_its_own_conversation_only(serving, raw, seed):
    rng = random.Random(seed)
    async with serving(), connected() as honest:
        for _ in range(10):
            client = await raw(hello=rng.random() < 0.7)
            good = framing.encode(edit(text="x" * 50))
            damaged = bytearray(good)
            damaged[rng.randrange(len(good))] ^= 1 << rng.randrange(8)
            cut = good[: rng.randrange(len(good))]
            client.say_bytes(rng.choice([bytes(damaged), rng.randbytes(40), cut]))
            if rng.random() < 0.5:
                client.writer.write_eof()
            client.hang_up()
        assert (await collect(honest, edit()))[-1].finish_reason == "stop"
        await until_status(honest, lambda report: report.clients == 1 and report.state == "idle")


async def test_two_requests_with_one_id_end_the_conversation(serving, raw):
    async with serving(gated=True):
        client = await raw()
        client.say(edit("same"))
        client.say(edit("same"))
        assert (await client.hear_all())[-1].error.code == "protocol"


async def test_another_users_process_is_sent_away(serving, raw, monkeypatch):
    async with serving():
        monkeypatch.setattr(transport, "peer_uid", lambda writer: 12345)
        client = await raw(hello=False)
        client.say(Hello(PROTOCOL_VERSION, "raw", 1))
        with suppress(ConnectionResetError):  # hung up on while still speaking
            assert await client.reader.read() == b""


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("libtorch_cpu.so: failed to map segment from shared object"),
        OSError(12, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
    ],
)
async def test_an_engine_whose_memory_ran_out_says_so_and_makes_room_for_a_whole_one(
    serving, monkeypatch, error
):
    def load(job):
        raise RuntimeError("loading failed") from error

    async with serving() as server, connected() as client:
        with monkeypatch.context() as patched:
            patched.setattr(ScriptedJob, "_load", load)
            (result,) = [m for m in await collect(client, edit()) if isinstance(m, EditResult)]
        assert (result.text, result.error.code) == (None, "memory-ran-out")
        assert outcome_of(error_for_code("memory-ran-out", "")).exit_code == 4
        assert result.error.message.startswith("There is not enough memory")
        assert (await collect(client, edit()))[-1].finish_reason == "stop"
        assert [engine.closed for engine in server.engines] == [True, False]


# --- clients that ask for too much, or do not listen ---------------------------------------------


async def test_every_client_that_is_one_too_many_hears_why(serving, raw):
    async with serving(limits=ClientLimits(clients=1)):
        await raw()
        for _ in range(20):
            with pytest.raises(DaemonUnreachable, match="1 programs use") as refused:
                await SocketEngineClient.connect(start=False)
            assert outcome_of(refused.value).exit_code == 3


async def test_too_many_clients_are_turned_away(serving, raw):
    async with serving(limits=ClientLimits(clients=2, farewell_seconds=0.2)):
        await raw()
        await raw()
        third = await raw(hello=False)
        assert "end some" in (await third.hear()).error.message
        with pytest.raises(DaemonUnreachable, match="end some"):
            await SocketEngineClient.connect(start=False)


async def test_a_client_that_dies_frees_the_engine(serving, raw):
    async with serving(gated=True) as server, connected() as honest:
        client = await raw()
        client.say(edit(text="a\n" * 1000))
        await asyncio.to_thread(server.gate.wait_for_unit)
        server.gate.step(3)
        await asyncio.to_thread(server.gate.wait_for_unit)
        client.hang_up()
        await until_status(honest, lambda report: report.clients == 1)
        server.gate.open()
        assert (await collect(honest, edit()))[-1].finish_reason == "stop"
        assert server.engines[0].jobs[0].cancelled == "The client has gone."


BIG = ("x" * 100 + "\n") * 5000


async def test_a_client_that_never_reads_is_dropped_when_much_waits_for_long(serving, raw):
    limits = ClientLimits(stall_seconds=0.1, stall_bytes=1 << 20, farewell_seconds=0.1)
    async with serving(limits, lines_per_unit=100, copies=30) as server, connected() as honest:
        client = await raw()
        client.writer.transport.pause_reading()
        client.say(edit("big", BIG))
        await until_status(honest, lambda report: report.clients == 1)
        assert len(server._connections) == 1


async def test_a_client_that_never_reads_is_kept_while_little_waits(serving, raw):
    limits = ClientLimits(stall_seconds=0.02, stall_bytes=1 << 30, farewell_seconds=0.1)
    async with serving(limits, lines_per_unit=100, copies=3), connected() as honest:
        client = await raw()
        client.writer.transport.pause_reading()
        client.say(edit("big", BIG))
        await until_status(honest, lambda report: report.state == "busy")
        await until_status(honest, lambda report: report.state == "idle")
        assert (await honest.status()).clients == 2
        client.writer.transport.resume_reading()
        while not isinstance(message := await client.hear(), EditResult):
            pass
        assert message.text == "".join(line * 3 for line in BIG.upper().splitlines(keepends=True))


async def test_a_client_for_which_far_too_much_waits_is_dropped_at_once(serving, raw):
    limits = ClientLimits(max_waiting_bytes=1 << 20, stall_seconds=999, farewell_seconds=0.1)
    async with serving(limits, lines_per_unit=100, copies=30) as server, connected() as honest:
        client = await raw()
        client.writer.transport.pause_reading()
        client.say(edit("big", BIG))
        await until_status(honest, lambda report: report.clients == 1)
        assert len(server._connections) == 1


async def test_thousands_of_questions_of_a_client_that_does_not_read_stay_in_its_socket(
    serving, raw
):
    limits = ClientLimits(answers=10, farewell_seconds=0.1)
    async with serving(limits) as server, connected() as honest:
        client = await raw()
        client.writer.transport.pause_reading()
        client.say_bytes(framing.encode(StatusRequest("s" * 100)) * 3_000)
        for _ in range(50):
            await honest.status()
        assert max(c._outbox.waiting for c in server._connections.values()) == 10
        client.writer.transport.resume_reading()
        for _ in range(3_000):
            assert isinstance(await client.hear(), StatusReport)


async def test_thousands_of_edits_at_once_are_refused_but_answered(serving, raw):
    limits = ClientLimits(requests=20, farewell_seconds=0.2)
    async with serving(limits, gated=True) as server:
        client = await raw()
        client.say_bytes(b"".join(framing.encode(edit(str(number))) for number in range(3_000)))
        answered: dict[str, str] = {}
        while len(answered) < 3_000:
            message = await client.hear()
            if isinstance(message, EditResult):
                assert message.request_id not in answered
                answered[message.request_id] = message.finish_reason
                if len(answered) == 2_980:
                    server.gate.open()
        reasons = list(answered.values())
        assert (reasons.count("refused"), reasons.count("stop")) == (2_980, 20)


async def test_what_is_too_large_to_send_is_refused_on_either_side(serving, monkeypatch):
    async with serving(copies=100), connected() as client:
        monkeypatch.setattr(framing, "MAX_FRAME_BYTES", 5000)
        result = (await collect(client, edit(text="some words\n" * 100)))[-1]
        assert (result.finish_reason, result.error.code) == ("error", "failed")
        with pytest.raises(EditRefused, match="smaller"):
            await collect(client, edit(text="x" * 6000))
        assert (await client.status()).state == "idle"


async def test_an_answer_that_cannot_be_written_down_becomes_an_error(serving, monkeypatch):
    async with serving(suspect="\ud800"), connected() as client:
        result = (await collect(client, edit()))[-1]
        assert (result.finish_reason, result.error.code) == ("error", "failed")
        assert (await collect(client, edit(suspect=None)))[-1].finish_reason == "stop"


async def test_text_that_is_no_unicode_is_refused_by_the_client(serving):
    async with serving(), connected() as client:
        with pytest.raises(UsageError, match="half of a surrogate pair"):
            await collect(client, edit(text="\ud800"))
        assert (await collect(client, edit()))[-1].finish_reason == "stop"


async def test_the_id_of_an_edit_that_was_left_is_free_when_the_daemon_has_ended_it(serving):
    async with serving(gated=True) as server, connected() as client:
        server.gate.step(3)
        async with aclosing(client.ask(edit(text="a\n" * 100))) as messages:
            await anext(messages)
        with pytest.raises(UsageError, match="request_id"):
            await collect(client, edit())
        server.gate.open()
        await until_status(client, lambda report: report.state == "idle")
        assert (await collect(client, edit()))[-1].finish_reason == "stop"


# --- leaving -------------------------------------------------------------------------------------


async def test_an_empty_frame_makes_a_daemon_of_any_version_finish_and_leave(serving, raw):
    async with serving(gated=True) as server, connected() as client:
        running = asyncio.create_task(collect(client, edit()))
        await asyncio.to_thread(server.gate.wait_for_unit)
        other = await raw(hello=False)
        other.say_bytes(framing.LEAVE)
        await until_status(client, lambda report: report.state == "stopping")
        server.gate.open()
        assert (await running)[-1].finish_reason == "stop"
        async with asyncio.timeout(60):
            await server._may_exit.wait()


async def test_a_stop_is_answered_when_the_daemon_leaves(serving, raw):
    async with serving() as server:
        client = await raw()
        client.say(StopRequest("stop"))
        done, farewell = await client.hear_all()
        assert done.request_id == "stop"
        assert (farewell.request_id, farewell.error.code) == ("", "daemon-unreachable")
        assert transport.identity(server._path) is None


async def test_the_daemon_leaves_after_idle_time_but_never_while_there_is_work(
    serving, monkeypatch
):
    monkeypatch.setattr("editd.daemon.lifecycle.WATCH_SECONDS", 0.001)
    daemon = DaemonConfig(exit_after=1000)
    async with serving(daemon=daemon, gated=True) as server, connected() as client:
        running = asyncio.create_task(collect(client, edit()))
        await asyncio.to_thread(server.gate.wait_for_unit)
        monkeypatch.setattr("editd.daemon.server.monotonic", lambda: monotonic() + 1001)
        await asyncio.sleep(0.02)
        assert (await client.status()).state == "loading"
        server.gate.open()
        assert (await running)[-1].finish_reason == "stop"
        async with asyncio.timeout(60):
            await server._may_exit.wait()


async def test_a_daemon_that_nobody_can_find_any_more_leaves(serving, monkeypatch):
    monkeypatch.setattr("editd.daemon.lifecycle.WATCH_SECONDS", 0.01)
    async with serving() as server:
        server._path.unlink()
        async with asyncio.timeout(60):
            await server._may_exit.wait()


# --- the log -------------------------------------------------------------------------------------


@pytest.fixture
def log_file(home):
    """The log at debug level, as the daemon writes it."""
    logs.log_to_file("debug")
    yield logs.log_path()
    logger = logging.getLogger("editd")
    for handler in logger.handlers[:]:
        logger.removeHandler(handler)
        handler.close()
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize("crash_in", ["", "start", "load", "round", "cancel"])
async def test_the_log_has_no_word_of_what_is_edited(serving, raw, log_file, crash_in):
    canary = "canary-in-a-coal-mine"
    async with serving(gated=True) as server, connected() as client:
        for number in range(3):
            request = EditRequest(
                f"request-{number}",
                f"{canary}\n" * 5,
                canary,
                path=canary,
                document=canary,
                prediction=canary,
                based_on=canary,
                options=replace(with_script(crash_in=crash_in), model=canary),
            )
            task = asyncio.create_task(collect(client, request))
            if number == 0 and crash_in != "start":
                await asyncio.to_thread(server.gate.wait_for_unit)
                await client.cancel("request-0")
                await task
            server.gate.step(100)
            await task
        rude = await raw()
        rude.say_bytes(framing.encode(edit(text=canary)).replace(b"instruction", b"canary-none"))
        assert isinstance(await rude.hear(), Failed)
        rude.say(CancelRequest("nobody"))
        rude.say(Welcome(1, canary, 1))
        assert (await rude.hear_all())[-1].error.code == "protocol"
    text = log_file.read_text()
    assert "request-2" in text
    assert "ProtocolError" in text
    assert ("RuntimeError" in text) == bool(crash_in)
    assert "canary" not in text


def test_an_exception_is_logged_by_kind_and_place(log_file):
    try:
        try:
            int("canary")
        except ValueError as error:
            raise RuntimeError("canary") from error
    except RuntimeError:
        logging.getLogger("editd.somewhere").exception("this failed")
    text = log_file.read_text()
    assert "this failed\nValueError\n" in text
    assert "which led to RuntimeError\n" in text
    assert "test_an_exception_is_logged_by_kind_and_place" in text
    assert "canary" not in text


def test_the_log_is_rotated(log_file):
    for _ in range(5000):
        logging.getLogger("editd").info("%s", "x" * 1000)
    names = sorted(path.name for path in log_file.parent.iterdir())
    assert names == ["daemon.log", "daemon.log.1", "daemon.log.2"]
    assert all(path.stat().st_size <= 1 << 20 for path in log_file.parent.iterdir())
