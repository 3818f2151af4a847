"""The door in the test's own event loop, behind a real socket, with a scripted engine."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import httpx2

from editd.frontends.http.guard import Access
from editd.frontends.http.routes import Models, Service, make_app
from editd.frontends.http.serving import ListenAddress, bind, make_server
from editd.frontends.planning_client import PlanningClient
from editd.messages import CompleteResult, TextDelta
from editd.messages.options import EditOptions
from editd.messages.reports import Stats
from tests.unit.frontends.lsp.engine import FakeEngine

HELLO = [{"role": "user", "content": "Hello!"}]
COUNTS = {
    "prompt_tokens": 30,
    "output_tokens": 7,
    "cached_tokens": 20,
    "accepted_prediction_tokens": 4,
    "rejected_prediction_tokens": 5,
}


def _connected(engine):
    async def connect():
        return engine

    return connect


@asynccontextmanager
async def serving(engine=None, *, access=None, seconds=60.0, configured="acme/coder"):
    """A client of the door; ``engine`` and ``port`` are put on it."""
    engine = engine or FakeEngine()

    listener = bind(ListenAddress())
    port = listener.getsockname()[1]
    service = Service(
        PlanningClient(_connected(engine), words_first=False),
        Models(configured),
        EditOptions(),
        seconds,
    )
    server = make_server(make_app(service, access or Access()))
    server.install_signal_handlers = lambda: None
    task = asyncio.create_task(server._serve([listener]))
    client = httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False)
    client.engine, client.port = engine, port
    try:
        async with client:
            yield client
    finally:
        server.should_exit = server.force_exit = True
        await task
        listener.close()


def say_result(fake, text="Hi.", finish_reason="stop", pieces=(), **counts):
    """Let the engine answer: pieces of a stream, then all of it."""
    name = fake.request.request_id
    for piece in pieces:
        fake.say(TextDelta(name, piece))
    fake.say(CompleteResult(name, finish_reason, text, stats=Stats(**counts), model="m"))


async def chat(client, **body):
    """The answer to a chat; the engine's part is the caller's."""
    return await client.post("/v1/chat/completions", json={"messages": HELLO, **body})


def events(response):
    """The events of a stream; the last is ``[DONE]``."""
    *told, end = response.text.split("\n\n")
    assert end == ""
    assert all(line.startswith("data: ") for line in told)
    return [
        line if line == "[DONE]" else json.loads(line)
        for line in (line.removeprefix("data: ") for line in told)
    ]
