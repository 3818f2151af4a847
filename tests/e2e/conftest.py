"""Daemons that are real processes, with a scripted engine, in directories of their own."""

import tempfile
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from editd.daemon import logs, transport
from editd.daemon.client import SocketEngineClient
from tests.fakes import daemon_command


@pytest.fixture
def home(monkeypatch):
    with tempfile.TemporaryDirectory(prefix="editd-") as directory:
        monkeypatch.setenv(transport.ENV_RUNTIME_DIR, f"{directory}/run")
        monkeypatch.setenv(logs.ENV_STATE_DIR, f"{directory}/state")
        # Fixed, so that somebody who edits editd while these tests run does not stop them.
        monkeypatch.setattr(transport, "build_id", lambda: "now")
        yield Path(directory)
        # Of several that started at once those that lost may still be on their way.
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get(transport.ENV_RUNTIME_DIR) == f"{directory}/run":
                    process.kill()


@pytest.fixture
async def connect(home):
    """``await connect(...)``: a client of the daemon that ``daemon_command(...)`` starts."""
    clients = []

    async def make(start=True, **command):
        command = daemon_command(**{"build": "now", **command})
        client = await SocketEngineClient.connect(start=start, command=command)
        clients.append(client)
        return client

    yield make
    for client in clients:
        await client.aclose()
