"""Lifecycle, options, status, progress, warm-up, and clients that do not read."""

from __future__ import annotations

import asyncio
import os

import pytest

from editd.config import Config
from editd.diff.hunk import Hunk, Keep
from editd.errors import DaemonUnreachable
from editd.frontends.lsp.delta_stream import DeltaStream
from editd.frontends.lsp.stdio import BUSY_BYTES, FULL_BYTES, StdioTransport
from editd.messages import Done
from tests.fakes import Gate, Script, scripted
from tests.in_process import InProcessEngineClient
from tests.leap import leap
from tests.unit.frontends.lsp.client import EVERYTHING, Editor, begin, connected
from tests.unit.frontends.lsp.engine import FakeEngine

TEXT = "one\ntwo\nthree\n"


# --- initialize ----------------------------------------------------------------------------------


async def test_capabilities_say_what_the_server_does():
    async with connected() as client:
        result = await client.initialize()
        capabilities = result["capabilities"]
        assert result["serverInfo"]["name"] == "editd"
        assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2}
        assert capabilities["experimental"] == {"editd": {"schemaVersion": 2}}
        assert capabilities["codeActionProvider"]["resolveProvider"] is True
        assert "editd.runPreset" in capabilities["executeCommandProvider"]["commands"]


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"capabilities": None},
        {"capabilities": {"general": {"positionEncodings": "utf-8"}}},
        {"capabilities": {"textDocument": {"documentSymbol": {"symbolKind": {"valueSet": [99]}}}}},
        {"capabilities": {"workspace": 3}, "processId": "x", "workspaceFolders": 4, "rootUri": 5},
        {"capabilities": {}, "initializationOptions": [1]},
    ],
)
async def test_initialize_never_fails_for_a_detail(params):
    async with connected() as client:
        result = await client.request("initialize", params)
        assert result["capabilities"]["positionEncoding"] == "utf-16"


async def test_wrong_options_are_named_and_the_default_is_used():
    async with connected() as client:
        options = {
            "edit": {"workspace": "many", "presets": {"shout": "Write in capitals."}},
            "model": {"threads": 2, "name": "/models/mine"},
            "nonsense": {},
            "lsp": {"progress": "no", "other": 1},
        }
        await client.initialize(options=options)
        await client.settle()
        said = [message["message"] for message in client.all("window/showMessage")]
        assert {message["type"] for message in client.all("window/showMessage")} == {2}
        for words in (
            "edit.workspace",
            "model.threads",
            "model.name",
            "nonsense is not known",
            'lsp.progress is "no", but must be true or false; using true.',
            "lsp.other is not known",
        ):
            assert len([message for message in said if words in message]) == 1, words
        assert len(said) == 6
        names = [preset["name"] for preset in (await client.request("editd/presets"))["presets"]]
        assert names[-1] == "shout"


async def test_settings_may_change_while_the_editor_runs():
    async with connected() as client:
        await client.initialize(options={"edit": {"presets": {"shout": "Write in capitals."}}})
        for settings in (None, {}, {"python": {}}, {"editd": 3}):
            client.notify("workspace/didChangeConfiguration", {"settings": settings})
        names = [preset["name"] for preset in (await client.request("editd/presets"))["presets"]]
        assert "shout" in names
        settings = {
            "editd": {"edit": {"presets": {"whisper": "Write small."}}, "decode": {"seed": "x"}}
        }
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        names = [preset["name"] for preset in (await client.request("editd/presets"))["presets"]]
        assert "whisper" in names
        assert "shout" not in names
        (warning,) = client.all("window/showMessage")
        assert "decode.seed" in warning["message"]


# --- leaving -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "code"),
    [(["shutdown", "exit"], 0), (["exit"], 1), (["shutdown"], 0), ([], 1)],
)
async def test_exit_codes(messages, code):
    async with connected() as client:
        await client.initialize()
        for message in messages:
            if message == "shutdown":
                await client.request("shutdown")
            else:
                client.notify(message)
    assert await client.serving == code  # the input was closed, if exit was not said


async def test_shutdown_ends_edits_and_hangs_up():
    async with connected() as client:
        await client.initialize()
        answer, _, fake = await begin(client, Editor(client, TEXT))
        await client.request("shutdown")
        assert (await answer)["finish_reason"] == "cancelled"
        client.notify("exit")
        assert await client.serving == 0
        assert client.engine.closed == 1
        assert fake.closed.is_set()


# --- status, progress, warm-up -------------------------------------------------------------------


async def test_the_status_follows_an_edit():
    async with connected() as client:
        await client.initialize()
        answer, _, fake = await begin(client, Editor(client, TEXT))
        fake.progress("queued", "Waiting", queue_position=2)
        fake.progress("loading", "loading fake", fraction=0.5)
        fake.progress("decoding", "writing")
        fake.delta(1)
        fake.finish(hunks=[])
        await answer
        told = client.all("editd/didChangeStatus")
        assert [(s["state"], s["queue"], s.get("fraction")) for s in told] == [
            ("starting", 0, None),
            ("busy", 2, None),
            ("loading", 0, 0.5),
            ("busy", 0, None),
            ("busy", 0, None),
            ("idle", 0, None),
        ]
        assert told[-1]["model"] == "fake"
        status = await client.request("editd/status")
        assert (status["state"], status["schemaVersion"]) == ("idle", 2)
        assert status["daemon"]["models"][0]["name"] == "fake"


async def test_a_failure_of_editd_stays_in_the_status():
    async with connected() as client:
        await client.initialize()
        answer, _, fake = await begin(client, Editor(client, TEXT))
        fake.finish("error", error=("out-of-memory", "It does not fit."))
        await answer
        told = client.all("editd/didChangeStatus")[-1]
        assert (told["state"], told["message"]) == ("error", "It does not fit.")


async def test_asking_for_the_status_starts_no_daemon():
    async with connected(FakeEngine(running=False)) as client:
        await client.initialize()
        assert (await client.request("editd/status"))["state"] == "stopped"
        assert not client.engine.running


async def test_a_client_that_never_spoke_editd_hears_none_of_it():
    async with connected() as client:
        await client.initialize({})
        editor = Editor(client, TEXT)
        argument = {"textDocument": {"uri": editor.uri}, "instruction": "i"}
        params = {"command": "editd.run", "arguments": [argument]}
        answer, _ = client.start("workspace/executeCommand", params)
        fake = await client.engine.next_edit()
        fake.delta((1, 0, 1, ["ONE\n"]))
        fake.finish()
        await answer
        methods = {message.get("method", "") for message in client.seen}
        assert not [method for method in methods if method.startswith("editd/")]


@pytest.mark.parametrize("create", ["agrees", "refuses"])
async def test_progress_begins_and_ends_once(create):
    async with connected() as client:
        await client.initialize()
        if create == "refuses":
            del client.handlers["window/workDoneProgress/create"]
        answer, _, fake = await begin(client, Editor(client, TEXT), instruction="i")
        await client.wait_for("window/workDoneProgress/create")
        await client.settle()
        fake.progress("loading", "loading fake", fraction=0.25)
        fake.progress("loading", "loading fake", fraction=0.25)
        fake.progress("decoding", "writing")
        fake.finish("error", error=("model", "The model is broken."))
        await answer
        await client.settle()
        told = [item["value"] for item in client.all("$/progress")]
        if create == "refuses":
            assert told == []
            return
        assert [value["kind"] for value in told] == ["begin", "report", "report", "end"]
        assert told[0] == {"kind": "begin", "title": "editd: i", "cancellable": True}
        assert told[1]["percentage"] == 25
        assert told[3]["message"] == "The model is broken."


async def test_cancelling_where_the_editor_shows_progress():
    async with connected() as client:
        await client.initialize()
        answer, *_ = await begin(client, Editor(client, TEXT), workDoneToken=7)
        client.notify("window/workDoneProgress/cancel", {"token": 7})
        assert (await answer)["finish_reason"] == "cancelled"
        client.notify("window/workDoneProgress/cancel", {"token": 7})
        await client.settle()
        told = [item["value"]["kind"] for item in client.all("$/progress")]
        assert told == ["begin", "end"]


@pytest.mark.parametrize(
    ("capabilities", "options"),
    [({}, None), (EVERYTHING, {"lsp": {"progress": False}})],
)
async def test_no_progress_for_those_who_have_or_want_none(capabilities, options):
    async with connected() as client:
        await client.initialize(capabilities, options)
        answer, _, fake = await begin(client, Editor(client, TEXT))
        fake.finish(hunks=[])
        await answer
        assert client.all("$/progress") == client.all("window/workDoneProgress/create") == []


async def test_a_warm_up_is_answered_when_it_is_warm():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        spot = {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}}
        params = {"textDocument": editor.identifier, "range": spot}
        answer, _ = client.start("editd/warmup", params)
        fake = await client.engine.next_warmup()
        assert fake.request.text == TEXT
        assert (fake.request.start_line, fake.request.end_line) == (1, 2)
        fake.progress("loading", "loading", fraction=0.1)
        fake.say(Done(fake.request.request_id))
        assert await answer == {"status": "warm"}
        assert [s["state"] for s in client.all("editd/didChangeStatus")] == [
            "starting",
            "loading",
            "idle",
        ]


async def test_a_newer_warm_up_takes_the_place_of_the_older():
    gate = Gate()
    engine = InProcessEngineClient(Config(), scripted(Script(load_error="out-of-memory"), gate))
    async with connected(engine) as client:
        await client.initialize()
        first, _ = client.start("editd/warmup", {"text": "a"})
        await asyncio.to_thread(gate.wait_for_unit)
        second, _ = client.start("editd/warmup", {"text": "ab"})
        assert (await first)["status"] == "cancelled"
        gate.open()
        assert (await second)["status"] == "failed"


async def test_a_warm_up_as_a_notification_and_without_a_daemon():
    async with connected() as client:
        await client.initialize()
        client.notify("editd/warmup", {"text": "a"})
        (await client.engine.next_warmup()).say(Done("x"))
        client.engine.broken = DaemonUnreachable("No daemon.")
        client.notify("editd/warmup", {"nothing": 1})  # wrong, and nobody to tell
        await client.settle()


# --- rates and slow clients ----------------------------------------------------------------------


def hunk(number, *lines, done=True):
    return Hunk(number, number, 1, lines, done)


async def test_the_first_hunk_goes_out_at_once_and_the_rest_is_merged():
    sent = []
    stream = DeltaStream(sent.append, 1000, lambda: False)
    stream.add((Keep(3),))
    stream.add((hunk(1, "a\n", done=False),))
    assert sent == [(Keep(3),), (hunk(1, "a\n", done=False),)]
    stream.add((hunk(1, "a\n", "b\n"),))
    stream.add((Keep(2),))
    stream.add((Keep(1), hunk(2, "c\n")))
    assert len(sent) == 2
    stream.flush()
    assert sent[2:] == [(hunk(1, "a\n", "b\n"), Keep(3), hunk(2, "c\n"))]
    stream.add((Keep(1),))
    assert len(sent) == 3
    await leap(1000)
    assert sent[3:] == [(Keep(1),)]
    stream.flush()
    assert len(sent) == 4, "nothing is sent twice"


async def test_while_the_client_is_behind_nothing_is_sent():
    sent, busy = [], True
    stream = DeltaStream(sent.append, 0.0, lambda: busy)
    for number in range(1000):
        stream.add((Keep(number % 2),))
    await leap(1)
    assert sent == []
    busy = False
    await leap(1)
    assert sent == [(Keep(500),)]
    stream.close()


async def test_a_client_that_never_reads_costs_bounded_memory():
    """Its edit is merged into little; its requests are read no further."""
    engine = FakeEngine()
    to_server_out, to_server_in = os.pipe()
    to_client_out, to_client_in = os.pipe()
    os.set_blocking(to_server_in, False)
    from editd.frontends.lsp.server import LanguageServer

    transport = StdioTransport(to_server_out, to_client_in)
    server = LanguageServer(transport, engine)
    transport.start(server.protocol.receive, server.exit)

    def send(body):
        return os.write(to_server_in, b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    send(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}')
    send(
        b'{"jsonrpc":"2.0","id":2,"method":"editd/edit","params":'
        b'{"editToken":1,"text":"%s","instruction":"i"}}' % (b"x\\n" * 2000)
    )
    fake = await engine.next_edit()
    lines = []
    for number in range(400):  # one hunk that grows: 40 MB if each delta were sent
        lines.append("y" * 500 + "\n")
        fake.delta(Hunk(1, 0, number, tuple(lines), done=False))
        await asyncio.sleep(0.001)
    await fake.drained()
    assert transport.unsent_bytes < BUSY_BYTES + 500 * 400
    # Requests whose answers nobody reads: once so much is unsent, the server stops taking them.
    body = b'{"jsonrpc":"2.0","id":"%s","method":"x"}' % (b"a" * 50_000)
    unwritten = b""
    refused = 0
    async with asyncio.timeout(60):
        while transport.unsent_bytes <= FULL_BYTES or refused < 20:
            unwritten = unwritten or b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            try:
                unwritten = unwritten[os.write(to_server_in, unwritten) :]
                refused = 0
            except BlockingIOError:
                refused += 1
            await asyncio.sleep(0.001)
    assert transport.unsent_bytes < FULL_BYTES * 1.5
    # When the client reads again, all goes on.
    os.set_blocking(to_client_out, False)
    fake.finish(hunks=[(1, 0, 400, lines)])
    received = 0
    last = b""
    async with asyncio.timeout(60):
        while b'"id":2,' not in last:
            try:
                last = last[-1000:] + os.read(to_client_out, 1 << 20)
                received += len(last)
            except BlockingIOError:
                await asyncio.sleep(0.005)
    assert received > FULL_BYTES
    os.close(to_server_in)
    await server.left
    await server.close()
    while transport.unsent_bytes:
        try:
            os.read(to_client_out, 1 << 20)
        except BlockingIOError:
            await asyncio.sleep(0.005)
    await transport.close()
    for fd in (to_server_out, to_client_out, to_client_in):
        os.close(fd)
