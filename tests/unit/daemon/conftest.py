"""A daemon in the test's own event loop, behind a real socket, and clients that misbehave."""

import asyncio
import tempfile
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from editd.config import Config, DaemonConfig
from editd.daemon import framing, lifecycle, logs, transport
from editd.daemon.client import SocketEngineClient
from editd.daemon.outbox import ClientLimits
from editd.daemon.server import Server
from editd.messages import PROTOCOL_VERSION, EditRequest, Hello, Welcome
from tests.fakes import Gate, Script, scripted, with_script
from tests.in_process import in_process


@pytest.fixture
def home(monkeypatch):
    # Not tmp_path: its names are long, and a socket's may not be.
    with tempfile.TemporaryDirectory(prefix="editd-") as directory:
        monkeypatch.setenv(transport.ENV_RUNTIME_DIR, f"{directory}/run")
        monkeypatch.setenv(logs.ENV_STATE_DIR, f"{directory}/state")
        # Fixed, so that somebody who edits editd while these tests run does not stop them.
        monkeypatch.setattr(transport, "build_id", lambda *_: "now")
        yield Path(directory)


@pytest.fixture
def serving(home):
    """``async with serving(...) as server``; ``gate`` and ``engines`` are put on the server."""

    @asynccontextmanager
    async def serve(limits=None, daemon=None, gated=False, **script):
        gate, engines = Gate(), []
        path = transport.socket_path()
        lock = await lifecycle.take_over(path)
        factory = in_process(scripted(Script(**script), gate, engines))
        config = Config(daemon=daemon or DaemonConfig())
        server = Server(path, lock, config, factory, limits or ClientLimits(farewell_seconds=0.2))
        server.gate, server.engines = gate, engines
        if not gated:
            gate.open()
        task = asyncio.create_task(server.serve())
        try:
            await asyncio.sleep(0)  # the first step of serve() makes the socket
            yield server
            gate.open()
            server.stop(force=True)
            await task
        finally:
            task.cancel()
            lock.release()

    return serve


@pytest.fixture
async def raw(home):
    """``await raw()``: a client that says what it likes."""
    clients = []

    async def connect(*, hello=True):
        client = RawClient(*await asyncio.open_unix_connection(transport.socket_path()))
        clients.append(client)
        if hello:
            client.say(Hello(PROTOCOL_VERSION, "raw", 1))
            assert isinstance(await client.hear(), Welcome)
        return client

    yield connect
    for client in clients:
        client.hang_up()
    await asyncio.sleep(0)


class RawClient:
    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    def say(self, message) -> None:
        self.say_bytes(framing.encode(message))

    def say_bytes(self, data: bytes) -> None:
        self.writer.write(data)

    async def hear(self):
        async with asyncio.timeout(60):
            return await framing.read_message(self.reader)

    async def hear_all(self) -> list:
        """Everything until the daemon hangs up."""
        messages = []
        while (message := await self.hear()) is not None:
            messages.append(message)
        return messages

    def hang_up(self) -> None:
        self.writer.transport.abort()


@asynccontextmanager
async def connected():
    async with aclosing(await SocketEngineClient.connect(start=False)) as client:
        yield client


async def until_status(client, condition) -> None:
    """Wait for something that only a status shows."""
    async with asyncio.timeout(60):
        while not condition(await client.status()):  # noqa: ASYNC110 - a round trip each
            await asyncio.sleep(0)


async def collect(client, request) -> list:
    return [message async for message in client.ask(request)]


def edit(request_id="e", text="a\nb\n", document="", **script):
    options = with_script(**script)
    return EditRequest(request_id, text, "shout", document=document, options=options)
