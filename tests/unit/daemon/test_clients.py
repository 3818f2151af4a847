"""Both kinds of client keep the same promises."""

import asyncio
from contextlib import aclosing, asynccontextmanager

import pytest

from editd.config import Config
from editd.daemon import conversation, transport
from editd.daemon.client import SocketEngineClient, stop_daemon
from editd.diff.hunk import merge_ops
from editd.errors import (
    DaemonUnreachable,
    EditCancelled,
    ModelDamaged,
    ProtocolError,
    UsageError,
)
from editd.messages import Delta, Progress, WarmupRequest
from tests.fakes import Gate, Script, scripted
from tests.in_process import InProcessEngineClient
from tests.unit.daemon.conftest import collect, connected, edit, until_status


@pytest.fixture(params=["socket", "in-process"])
def connecting(request, serving):
    """Both kinds of client, with the same engine behind them."""

    @asynccontextmanager
    async def connect(gated=False, **script):
        if request.param == "socket":
            async with serving(gated=gated, **script) as server, connected() as client:
                yield client, server.gate, server.engines
        else:
            gate, engines = Gate(), []
            if not gated:
                gate.open()
            client = InProcessEngineClient(Config(), scripted(Script(**script), gate, engines))
            async with aclosing(client):
                yield client, gate, engines
                gate.open()

    return connect


async def test_an_edit_streams_its_deltas_and_ends_with_its_result(connecting):
    async with connecting() as (client, *_):
        text = "one\n\u2028 two \U0001f600\r\n\n" * 20
        *before, result = await collect(client, edit(text=text))
        deltas = [message for message in before if isinstance(message, Delta)]
        assert [delta.seq for delta in deltas] == list(range(len(deltas)))
        ops = ()
        for delta in deltas:
            ops = merge_ops(ops, delta.ops)
        assert tuple(op for op in ops if hasattr(op, "new_lines")) == result.hunks
        assert result.text == text.upper()


async def test_several_edits_at_once_get_their_own_answers(connecting):
    async with connecting() as (client, *_):
        texts = {str(number): f"text {number}\n" * number for number in range(12)}
        results = await asyncio.gather(
            *(collect(client, edit(key, text)) for key, text in texts.items())
        )
        assert [messages[-1].text for messages in results] == [t.upper() for t in texts.values()]
        assert {m.request_id for messages in results[3:4] for m in messages} == {"3"}


async def test_an_edit_can_be_cancelled_and_says_so(connecting):
    async with connecting(gated=True) as (client, gate, _):
        task = asyncio.create_task(collect(client, edit(text="a\n" * 100)))
        await asyncio.to_thread(gate.wait_for_unit)
        await client.cancel("e")
        result = (await asyncio.wait_for(task, 60))[-1]
        assert (result.finish_reason, result.error.code) == ("cancelled", "cancelled")


async def test_leaving_the_loop_cancels_the_edit(connecting):
    async with connecting(gated=True) as (client, gate, engines):
        gate.step(5)
        async with aclosing(client.ask(edit(text="a\n" * 100))) as messages:
            async for message in messages:
                if isinstance(message, Delta):
                    break
        await client.status()  # whatever was said before has arrived
        gate.open()
        await until_status(client, lambda report: report.state == "idle")
        assert engines[0].jobs[0].cancelled == "The edit was cancelled."


async def test_a_warm_up_returns_when_it_is_warm_and_tells_its_progress(connecting):
    async with connecting(unit_seconds=0.02) as (client, *_):
        stages: list[Progress] = []
        await client.warmup(WarmupRequest("w", "x"), stages.append)
        assert {progress.stage for progress in stages} >= {"prefill"}
        assert (await client.status()).models[0].state == "ready"


async def test_a_warm_up_that_fails_raises_what_went_wrong(connecting):
    async with connecting(load_error="model-damaged") as (client, *_):
        with pytest.raises(ModelDamaged, match="broken"):
            await client.warmup(WarmupRequest("w", "x"))


async def test_a_warm_up_can_be_cancelled(connecting):
    async with connecting(gated=True) as (client, gate, _):
        task = asyncio.create_task(client.warmup(WarmupRequest("w", "x")))
        await asyncio.to_thread(gate.wait_for_unit)
        await client.cancel("w")
        with pytest.raises(EditCancelled):
            await asyncio.wait_for(task, 60)


async def test_a_request_id_is_used_once_at_a_time(connecting):
    async with connecting(gated=True) as (client, gate, _):
        task = asyncio.create_task(collect(client, edit()))
        await asyncio.to_thread(gate.wait_for_unit)
        with pytest.raises(UsageError, match="request_id"):
            await collect(client, edit())
        gate.open()
        assert (await task)[-1].finish_reason == "stop"
        assert (await collect(client, edit()))[-1].finish_reason == "stop"


async def test_stopping_lets_running_edits_end_and_takes_no_new_ones(serving):
    async with serving(gated=True) as server, connected() as client:
        gate = server.gate
        running = asyncio.create_task(collect(client, edit(text="a\n" * 5)))
        await asyncio.to_thread(gate.wait_for_unit)
        stopping = asyncio.create_task(client.stop())
        await until_status(client, lambda report: report.state == "stopping")
        late = asyncio.create_task(collect(client, edit("late")))
        gate.open()
        assert (await running)[-1].finish_reason == "stop"
        assert await stopping
        with pytest.raises(DaemonUnreachable):
            await late


async def test_stopping_by_force_cancels(serving):
    async with serving(gated=True) as server, connected() as client:
        gate = server.gate
        running = asyncio.create_task(collect(client, edit(text="a\n" * 5)))
        await asyncio.to_thread(gate.wait_for_unit)
        stopping = asyncio.create_task(client.stop(force=True))
        assert (await running)[-1].finish_reason == "cancelled"
        gate.open()
        assert await stopping


@pytest.mark.parametrize("says", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\5hello", b""])
async def test_another_program_at_the_socket_is_named_as_such(home, monkeypatch, says):
    monkeypatch.setattr(conversation, "WELCOME_SECONDS", 0.2)

    async def answer(reader, writer):
        writer.write(says)
        await reader.read()
        writer.close()
        await writer.wait_closed()
        hung_up.release()

    hung_up = asyncio.Semaphore(0)
    path = transport.socket_path()
    server = await asyncio.start_unix_server(answer, path)
    try:
        for ask in (SocketEngineClient.connect(), stop_daemon(), stop_daemon(force=True)):
            with pytest.raises(ProtocolError, match=f"at {path} is no editd daemon: end that"):
                await ask
            async with asyncio.timeout(60):
                await hung_up.acquire()
    finally:
        server.close()


async def test_asking_for_the_status_starts_no_daemon():
    async with aclosing(SocketEngineClient(command=["false"])) as client:
        with pytest.raises(DaemonUnreachable, match="No editd daemon is running"):
            await client.status()
