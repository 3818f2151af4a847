"""Every request gets exactly one answer, whatever it says. ``connected`` checks the "one"."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from editd.frontends.lsp import methods
from editd.frontends.lsp.stdio import BadFrame, FrameReader, frame
from tests.unit.frontends.lsp.client import connected

REQUESTS = [
    methods.EDIT,
    methods.ACCEPT,
    methods.REJECT,
    methods.CANCEL,
    methods.WARMUP,
    "workspace/executeCommand",
    "textDocument/codeAction",
    "codeAction/resolve",
]
WRONG = [
    None,
    [],
    ["x"],
    "x",
    3,
    {"editToken": {"jsonrpc": "2.0", "id": 1, "method": "x"}},
    {
        "editToken": [1],
        "hunkIds": "some",
        "apply": "yes",
        "textDocument": 3,
        "text": 4,
        "range": [],
    },
    {"command": "editd.nothing"},
    {"command": "editd.run", "arguments": []},
    {"command": "editd.run", "arguments": [[]]},
    {"textDocument": {"uri": "file:///x"}, "range": {"start": 1}},
    {"title": "x", "data": {"jsonrpc": 1}},
]


@pytest.mark.parametrize("method", REQUESTS)
async def test_missing_and_wrong_params_are_answered_with_an_error(method):
    async with connected() as client:
        await client.initialize()
        for params in WRONG:
            error = await client.failure(method, params)
            assert error.code in (-32602, -32803), (params, error.message)
            assert error.message
        await client.settle()


@pytest.mark.parametrize("method", [methods.PRESETS, methods.STATUS, "shutdown"])
async def test_requests_without_params_take_any(method):
    for params in (None, {}, {"jsonrpc": "2.0", "extra": [1]}):
        async with connected() as client:
            await client.initialize()
            await client.request(method, params)


async def test_the_error_names_the_field_as_the_client_spells_it():
    async with connected() as client:
        await client.initialize()
        for params, words in (
            ({}, "a required field is missing @ params.editToken"),
            ({"editToken": "t", "text": 5}, "expected a string @ params.text"),
            ({"editToken": "t", "basedOn": []}, "@ params.basedOn"),
            (
                {"editToken": "t", "options": {"topP": "x"}},
                "expected a number @ params.options.topP",
            ),
            ({"editToken": "t", "context": [{"kind": "x", "text": ""}]}, "params.context"),
        ):
            assert words in (await client.failure(methods.EDIT, params)).message


ONE_ZERO = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        (methods.EDIT, {"editToken": "t", "context": [{"kind": "x", "text": ""}]},
         'expected "diagnostic" or "definition" or "recent-edit" or "note" @ params.context[0].kind'),
        ("workspace/executeCommand", {"command": "editd.run", "arguments": 3}, "expected another type @ params.arguments"),
        ("textDocument/codeAction", {"textDocument": {"uri": "u"}, "range": ONE_ZERO, "context": {"diagnostics": 3}},
         "expected another type @ params.context.diagnostics"),
    ],
)  # fmt: skip
async def test_the_error_speaks_of_json_and_not_of_python(method, params, words):
    async with connected() as client:
        await client.initialize()
        message = (await client.failure(method, params)).message
        assert words in message
        assert not re.search(r"typing|Literal|object of|iterable|tuple|'int'|NoneType", message)


async def test_a_nested_jsonrpc_key_is_an_ordinary_value():
    async with connected() as client:
        await client.initialize()
        more = {"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"result": 1}}
        params = {"editToken": 1, "text": "a", "instruction": '"jsonrpc"', "options": {"x": more}}
        answer, _ = client.start("editd/edit", params)
        fake = await client.engine.next_edit()
        assert fake.request.instruction == '"jsonrpc"'
        fake.finish(hunks=[])
        assert (await answer)["status"] == "ok"


async def test_unknown_methods():
    async with connected() as client:
        await client.initialize()
        for method in ("editd/none", "$/unknown", "textDocument/hover", ""):
            assert (await client.failure(method, {})).code == -32601
            client.notify(method, {"x": 1})
        await client.settle()


async def test_before_initialize_and_after_shutdown():
    async with connected() as client:
        error = await client.failure(methods.STATUS)
        assert error.code == -32002
        client.notify("textDocument/didOpen", {})  # dropped
        await client.initialize()
        assert (await client.failure("initialize", {"capabilities": {}})).code == -32600
        assert await client.request("shutdown") is None
        for method in (methods.STATUS, "shutdown", "initialize"):
            assert (await client.failure(method, {})).code == -32600
        client.notify("exit")
        assert await asyncio.wait_for(client.serving, 60) == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{nope", -32700),
        (b"", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"[1, 2]", -32600),
        (b"3", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"2.0","method":"editd/status","id":null}', -32600),
        (b'{"jsonrpc":"2.0","method":"editd/status","id":[1]}', -32600),
        (b'{"jsonrpc":"2.0","method":5,"id":1}', -32600),
    ],
)
async def test_what_is_no_message_is_said_so_and_harms_nothing(body, code):
    async with connected() as client:
        await client.initialize()
        client.send_body(body)
        await client.settle()
        (answer,) = [message for message in client.seen if message.get("id", 0) is None]
        assert answer["error"]["code"] == code


async def test_answers_to_nothing_are_ignored():
    async with connected() as client:
        await client.initialize()
        answer, msg_id = client.start(
            "editd/edit", {"editToken": 1, "text": "a", "instruction": "i"}
        )
        fake = await client.engine.next_edit()
        client.send({"jsonrpc": "2.0", "id": 77, "result": 1})
        client.send({"jsonrpc": "2.0", "id": msg_id, "result": 1})  # the client's own request
        client.send({"jsonrpc": "2.0", "error": {"code": 1, "message": "?"}})
        client.send({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "?"}})
        await client.settle()
        fake.finish(hunks=[])
        assert (await answer)["status"] == "ok"


async def test_an_id_in_use_is_refused_and_the_first_request_still_answered():
    async with connected() as client:
        await client.initialize()
        params = {"editToken": 1, "text": "a", "instruction": "i"}
        first, _ = client.start("editd/edit", params, msg_id="same")
        fake = await client.engine.next_edit()
        second, _ = client.start("editd/status", msg_id="same")
        with pytest.raises(Exception, match="being worked on"):
            await second
        fake.finish(hunks=[])
        await client.wait_until(lambda: client.answers["same"] == 2)
        del client.answers["same"]  # two requests of that id, two answers
        assert not first.done()  # the driver took the first answer for the second request's


@pytest.mark.parametrize("msg_id", ["a", 0, -3, 2.0])
async def test_any_id_comes_back_as_it_was(msg_id):
    async with connected() as client:
        await client.initialize()
        await client.request("editd/presets", msg_id=msg_id)


async def test_bodies_are_never_logged(caplog):
    caplog.set_level("DEBUG")
    async with connected() as client:
        await client.initialize()
        await client.open("secret = 1\n")
        params = {
            "editToken": 1,
            "textDocument": {"uri": "file:///w/a.py"},
            "instruction": "secret",
        }
        answer, _ = client.start("editd/edit", params)
        fake = await client.engine.next_edit()
        fake.delta((1, 0, 1, ["secret = 2\n"]))
        fake.finish()
        await answer
        await client.failure("editd/edit", {"editToken": 1, "text": ["secret"]})
        client.send_body(b'{"secret')
        await client.settle()
    assert "secret" not in caplog.text


# --- frames --------------------------------------------------------------------------------------


def read(data, size):
    """The bodies in ``data``, fed in pieces of ``size``; bad frames as ``None``."""
    reader = FrameReader()
    found = []
    for at in range(0, len(data), size):
        found += reader.feed(data[at : at + size])
    return [None if isinstance(item, BadFrame) else item for item in found]


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("data", "bodies"),
    [
        (frame(b"one") + frame(b"") + frame("zwö".encode()), [b"one", b"", "zwö".encode()]),
        (b"content-length: 1\r\nContent-Type: x; charset=utf-8\r\n\r\na", [b"a"]),
        (b"Content-Type: x\r\nContent-Length: 1\r\n\r\na", [b"a"]),
        (b"Content-Length: 1\n\na", [b"a"]),  # some clients write plain LF
        (b"Content-Length: abc\r\n\r\n{}" + frame(b"ok"), [None, b"ok"]),
        (b"Content-Length: -1\r\n\r\n{}" + frame(b"ok"), [None, b"ok"]),
        (b"Content-Length: 99999999999999999999\r\n\r\n{}" + frame(b"ok"), [None, b"ok"]),
        (b"Content-Type: x\r\n\r\n{}" + frame(b"ok"), [None, b"ok"]),
        (b"garbage\r\n\r\n" + frame(b"ok"), [None, b"ok"]),
        (b"x" * 9_000 + frame(b"ok"), [None, b"ok"]),
        # Too short a length: the rest is skipped. Too long: the next frame is lost, not more.
        (b"Content-Length: 2\r\n\r\nabcd" + frame(b"ok"), [b"ab", None, b"ok"]),
    ],
)
def test_frames(data, bodies, size):
    assert read(data, size) == bodies


async def test_a_bad_frame_costs_one_message():
    async with connected() as client:
        await client.initialize()
        client.write(b"nonsense\r\n\r\n")
        body = json.dumps({"jsonrpc": "2.0", "id": 50, "method": "editd/presets"}).encode()
        client.write(b"Content-Length: 5\r\n\r\n")
        client.write(body)  # its length was a lie
        await client.settle()
        assert len([m for m in client.seen if m.get("id", 0) is None]) >= 2
