"""``editd serve`` and ``editd mcp`` as programs of others meet them: processes, and a real model."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import openai
import psutil
import pytest
from mcp import Client, StdioServerParameters

from editd.config import Config, ModelConfig
from editd.engine.complete_job import CompleteJob
from tests.demo_model import ENVIRONMENT, demo_model  # noqa: F401  # a fixture
from tests.in_process import InProcessEngineClient
from tests.tiny import random_model, save
from tests.unit.engine.conftest import SettledCosts
from tests.unit.frontends.http.serving import serving
from tests.unit.frontends.lsp.client import connected

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo"
EDITD = [sys.executable, "-m", "editd"]
TEMPLATE = (
    "{% for message in messages %}<|begin|>{{ message.role }}\n{{ message.content }}<|tool|>"
    "{% endfor %}<|begin|>assistant\n"
)
# One that no process with a model stays below: what is absent is seen in the memory, too.
_MOST_MEMORY = 120 << 20


@pytest.fixture(scope="module")
def environment(tmp_path_factory, demo_model):  # noqa: F811
    """A home, a daemon and settings of these tests' own; the solved model is there."""
    home = tmp_path_factory.mktemp("home")
    (home / "config.toml").touch()
    yield {
        **os.environ,
        **ENVIRONMENT,
        "PYTHONPATH": str(ROOT),
        "EDITD_EDIT_WORDS": "false",  # a model is what these tests are about
        "EDITD_CONFIG": str(home / "config.toml"),
        "EDITD_RUNTIME_DIR": str(home / "run"),
        "EDITD_STATE_DIR": str(home / "state"),
        "OMP_NUM_THREADS": "1",
    }
    for lock in (home / "run").glob("*.lock"):  # a daemon notes its process in its lock
        with contextlib.suppress(ValueError, ProcessLookupError, FileNotFoundError):
            os.kill(int(lock.read_text()), signal.SIGKILL)


@asynccontextmanager
async def serve(environment, *options):
    """The process of ``editd serve`` and what it said of its address."""
    process = await asyncio.create_subprocess_exec(
        *EDITD, "serve", *options, env=environment, cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(60):
            yield process, (await process.stderr.readline()).decode()
    finally:
        process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.communicate(), 60)


def has_torch(pid):
    return any("libtorch" in mapped.path for mapped in psutil.Process(pid).memory_maps())


async def test_agents_of_both_eras_edit_a_file(environment, tmp_path):
    """First of all, while no model is loaded: the first of them is told that one is."""
    project = tmp_path / "project"
    project.mkdir()
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "editd", "mcp", str(project)], env=environment, cwd=ROOT
    )
    heard = []

    async def hear(progress, total, message):
        heard.append(message)

    for mode in ("legacy", "auto"):
        shutil.copy(DEMO / "inventory.py", project)
        async with Client(command, mode=mode) as client:
            (server,) = [
                child
                for child in psutil.Process().children(recursive=True)
                if {"mcp", str(project)} <= set(child.cmdline())
            ]
            done = await client.call_tool(
                "rewrite",
                {"path": "inventory.py", "instruction": "Rename qty to quantity everywhere."},
                progress_callback=hear,
            )
            assert done.structured_content["written_by"] == "model", done
            after = (DEMO / "after" / "inventory-rename.py").read_bytes()
            assert (project / "inventory.py").read_bytes() == after
            assert not has_torch(server.pid)
            assert server.memory_info().rss < _MOST_MEMORY
    assert any("loading" in message for message in heard)


@asynccontextmanager
async def agent_of(environment, project):
    """The process of ``editd mcp`` after the greeting, and what asks it."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *EDITD, "mcp", str(project), env=environment, stdin=pipe, stdout=pipe, stderr=pipe
    )

    async def ask(line):
        process.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        return json.loads(await asyncio.wait_for(process.stdout.readline(), 60))

    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    try:
        await ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        yield process, ask
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


def _as_from_a_terminal():
    """No signal is ignored or held back, whatever the tests' own process was started with."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_first_signal_ends_an_agent_s_tools(environment, tmp_path, number):
    """Though it waits for a line; and though the agent does not read what it is told."""
    for line in (PING, PING | {"id": "x" * 1_000_000}):
        with subprocess.Popen(
            [*EDITD, "mcp", str(tmp_path)],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            preexec_fn=_as_from_a_terminal,  # noqa: PLW1509  no thread of the tests holds a lock
        ) as process:
            process.stdin.write(json.dumps(line).encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.read(1) == b"{"
            process.send_signal(number)
            try:
                assert process.wait(60) == 128 + number
            finally:
                process.kill()


async def test_a_message_that_is_too_long_is_refused_by_its_id(environment, tmp_path):
    text = b'"' + b"x" * (17 << 20) + b'"'
    async with agent_of(environment, tmp_path) as (_, ask):
        for line, msg_id in (
            (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":%b}\n' % text, 7),
            (b'{"method":"tools/call","params":{"id":3,"x":%b},"jsonrpc":"2.0","id":"a"}\n' % text, "a"),
            (b'{"method":"x","params":{"x":%b,"id":3}}\n' % text, None),
            (b"[" + text + b"]\n", None),
        ):  # fmt: skip
            told = await ask(line)
            assert told["id"] == msg_id, line[:100]
            assert "larger than 16 MiB" in told["error"]["message"]
        assert (await ask(PING))["result"] == {}


async def test_a_door_that_holds_no_model(demo_model, environment):  # noqa: F811
    async with serve(environment, "--port", "0") as (process, said):
        url = re.search(r"http://127\.0\.0\.1:\d+/v1", said)[0]
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            names = [model.id async for model in client.models.list()]
            assert names == ["editd", "editd-Fast-Apply", demo_model.name]
            code, update = "a = 1\nb = 2\nc = 3\n", "# ...\nb = 2\nb += 1\nc = 3\n"
            form = (
                f"<instruction>I add.</instruction>\n<code>{code}</code>\n<update>{update}</update>"
            )
            told = await client.chat.completions.create(
                model="editd", messages=[{"role": "user", "content": form}]
            )
            assert told.choices[0].message.content == "a = 1\nb = 2\nb += 1\nc = 3\n"
            with pytest.raises(openai.UnprocessableEntityError, match="cannot hold a conversation"):
                await client.chat.completions.create(
                    model=demo_model.name, messages=[{"role": "user", "content": "Hello!"}]
                )
        assert not has_torch(process.pid)
        assert psutil.Process(process.pid).memory_info().rss < _MOST_MEMORY


async def test_a_door_behind_a_socket(environment, tmp_path):
    path = tmp_path / "s"
    async with serve(environment, "--socket", str(path)) as (_, said):
        assert str(path) in said
        assert path.stat().st_mode & 0o777 == 0o600
        transport = httpx2.AsyncHTTPTransport(uds=str(path))
        async with httpx2.AsyncClient(transport=transport, base_url="http://any") as client:
            assert (await client.get("/health")).json()["status"] == "ok"
    assert not path.exists()


@pytest.fixture(scope="module")
def chatting(tmp_path_factory):
    """A tiny model with a chat template."""
    folder = tmp_path_factory.mktemp("chatting")
    return save(folder, random_model("qwen2"), tokenizer_config={"chat_template": TEMPLATE})


async def test_the_language_server_and_http_give_the_same_text(chatting, monkeypatch):
    """Greedy and sampled, with a prediction and without, in one piece and as a stream."""
    for module in (
        "answer_settings",
        "local_text_source",
    ):  # the counts are compared, too: no clock decides
        monkeypatch.setattr(f"editd.engine.{module}.round_costs", lambda _model: SettledCosts())
    engine = InProcessEngineClient(Config(ModelConfig(str(chatting), threads=1)))

    async with serving(engine) as http, connected(engine) as editor:
        url = f"http://127.0.0.1:{http.port}/v1"
        await editor.initialize()
        async with openai.AsyncOpenAI(base_url=url, api_key="none") as client:
            texts = set()
            for sampling in ({}, {"temperature": 0.8, "seed": 3}):
                body = {
                    "messages": [{"role": "user", "content": "def value(index):\n    return"}],
                    "max_tokens": 24,
                    **sampling,
                }
                plain = await editor.request("editd/complete", {**body, "drafter": "none"})
                text = plain["choices"][0]["message"]["content"]
                texts.add(text)
                for content in (None, text, text[:20] + "no"):
                    prediction = content and {"type": "content", "content": content}
                    asked = {**body, "prediction": prediction}
                    over_lsp = await editor.request("editd/complete", asked)
                    over_http = await client.chat.completions.create(model="editd", **asked)
                    stream = await client.chat.completions.create(
                        model="editd", stream=True, **asked
                    )
                    pieces = [c.choices[0].delta.content or "" async for c in stream]
                    assert over_lsp["choices"][0]["message"]["content"] == text
                    assert over_http.choices[0].message.content == text
                    assert "".join(pieces) == text
                    details = over_http.usage.completion_tokens_details
                    counted = over_lsp["usage"]["completion_tokens_details"]
                    assert (
                        details.accepted_prediction_tokens == counted["accepted_prediction_tokens"]
                    )
                    assert (
                        over_http.usage.completion_tokens == over_lsp["usage"]["completion_tokens"]
                    )
                    if content == text:
                        assert details.accepted_prediction_tokens > 5
            assert len(texts) == 2
    await engine.aclose()


async def test_who_leaves_costs_no_further_round(chatting, monkeypatch, caplog):
    """A unit of work is a round; the client leaves while one is held, which is the last."""
    engine = InProcessEngineClient(Config(ModelConfig(str(chatting), threads=1)))
    begun, go, held = 0, threading.Event(), threading.Event()
    advance = CompleteJob.advance

    def counted(job):
        nonlocal begun
        begun += 1
        if not go.is_set():
            held.set()
            go.wait(60)
        return advance(job)

    go.set()
    monkeypatch.setattr(CompleteJob, "advance", counted)
    caplog.set_level(logging.INFO, "editd.frontends.http.guard")
    async with serving(engine) as http, asyncio.timeout(60):
        body = {"prompt": "def value(index):", "stream": True, "max_tokens": 800}
        body |= {"temperature": 2.0, "seed": 7}  # it goes on and on
        async with http.stream("POST", "/v1/completions", json=body) as response:
            lines = response.aiter_lines()
            await anext(lines)
            go.clear()
            assert await asyncio.to_thread(held.wait, 60)
        at_leave = begun
        while not caplog.records:  # noqa: ASYNC110 - until the door has done with the request
            await asyncio.sleep(0.01)
        go.set()
        while (await engine.status()).state != "idle":  # noqa: ASYNC110 - nothing else says it
            await asyncio.sleep(0.01)
        assert begun == at_leave
    await engine.aclose()
