"""Code actions and commands, as editors without a plugin use them."""

from __future__ import annotations

import asyncio
import copy
import json
from types import SimpleNamespace

import pytest

from editd.diff.hunk import Hunk
from editd.frontends.lsp.server import LanguageServer
from editd.messages.options import WAYS
from tests.unit.frontends.lsp.client import EVERYTHING, Editor, connected
from tests.unit.frontends.lsp.engine import FakeEngine

TEXT = "one\ntwo\nthree\n"
SPOT = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}
CURSOR = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}
PLAIN = {key: value for key, value in EVERYTHING.items() if key != "experimental"}
PROBLEM = {"range": SPOT, "message": "two is undefined", "source": "ruff", "severity": 1}


def without(path):
    capabilities = copy.deepcopy(PLAIN)
    *parents, last = path.split(".")
    target = capabilities
    for key in parents:
        target = target[key]
    del target[last]
    return capabilities


async def actions(client, editor, **context):
    range_ = context.pop("range", SPOT)
    return await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": editor.uri},
            "range": range_,
            "context": {"diagnostics": [], **context},
        },
    )


@pytest.mark.parametrize(
    ("context", "names"),
    [
        ({}, ["docstring", "types", "fix", "simplify", "tests", "translate"]),
        ({"only": ["refactor.rewrite.editd.fix"]}, ["fix"]),
        ({"only": ["refactor.rewrite.editd"]}, "all"),
        ({"only": ["refactor"]}, "all"),
        ({"only": [""]}, "all"),
        ({"only": ["quickfix", "refactor.rewrite.editd.types"]}, ["types"]),
        ({"only": ["quickfix"]}, []),
        ({"only": ["refactor.rewrite.ed"]}, []),
        ({"only": []}, []),
        # The editor asks by itself at every move of the cursor: nothing without a selection.
        ({"triggerKind": 2, "range": CURSOR}, []),
        ({"triggerKind": 2, "range": CURSOR, "diagnostics": [PROBLEM]}, ["fix"]),
        ({"triggerKind": 1, "range": CURSOR}, "all"),
    ],
)
async def test_the_kinds_that_the_client_asks_for_are_offered(context, names):
    async with connected() as client:
        await client.initialize(PLAIN)
        found = await actions(client, Editor(client, TEXT), **context)
        kinds = [action["kind"].removeprefix("refactor.rewrite.editd.") for action in found]
        all_names = ["docstring", "types", "fix", "simplify", "tests", "translate"]
        assert kinds == (all_names if names == "all" else names)
        assert all("edit" not in action and "command" not in action for action in found)


async def test_resolving_an_action_runs_the_model_on_the_selected_lines():
    async with connected() as client:
        await client.initialize(PLAIN)
        editor = Editor(client, TEXT)
        (action,) = await actions(
            client, editor, only=["refactor.rewrite.editd.fix"], diagnostics=[PROBLEM]
        )
        assert action["diagnostics"][0]["message"] == "two is undefined"
        answer, _ = client.start("codeAction/resolve", action)
        fake = await client.engine.next_edit()
        assert (fake.request.start_line, fake.request.end_line) == (1, 2)
        (item,) = fake.request.context
        assert (item.kind, item.text) == ("diagnostic", "ruff: two is undefined")
        fake.finish(hunks=[(1, 1, 1, ["TWO\n"]), Hunk(2, 2, 1, (), suspect="It drops a line.")])
        resolved = await answer
        edit = resolved["edit"]
        (change,) = edit["documentChanges"]
        assert change["textDocument"]["version"] == 1
        editor.apply(change["edits"])
        assert editor.text == "one\nTWO\nthree\n"
        # Nothing that only a plugin understands, but a word about what was left out.
        assert not [m["method"] for m in client.seen if m.get("method", "").startswith("editd/")]
        (message,) = client.all("window/showMessage")
        assert message == {"type": 2, "message": "1 hunk was left out: It drops a line."}


async def test_once_it_is_undone_the_other_ways_are_offered():
    async with connected() as client:
        await client.initialize(PLAIN)
        editor = Editor(client, TEXT)
        only = ["refactor.rewrite.editd.fix"]
        (action,) = await actions(client, editor, only=only, diagnostics=[PROBLEM])
        answer, _ = client.start("codeAction/resolve", action)
        noted = Hunk(1, 1, 1, ("TWO\n",), note="It is short.")
        (await client.engine.next_edit()).finish(hunks=[noted], summary="All.", ways=WAYS[-2:])
        (change,) = (await answer)["edit"]["documentChanges"]
        told = [message["message"] for message in client.all("window/showMessage")]
        assert told == ["All.", "Worth a look: line 2: It is short."]
        only = ["refactor.rewrite.editd.another-way"]
        editor.apply(change["edits"])
        assert await actions(client, editor, only=only) == []
        editor.type(4, 7, "two")
        assert editor.text == TEXT
        titles = [found["title"] for found in await actions(client, editor, only=only)]
        assert titles == ["editd, another way: Ask again", "editd, another way: On the whole file"]
        answer, _ = client.start(
            "codeAction/resolve", (await actions(client, editor, only=only))[0]
        )
        fake = await client.engine.next_edit()
        assert (fake.request.options.way, fake.request.start_line) == ("again", 1)
        assert fake.request.context[0].text == "ruff: two is undefined"
        fake.finish()
        await answer


async def test_an_action_that_comes_to_nothing_is_an_error_that_says_why():
    async with connected() as client:
        await client.initialize(PLAIN)
        editor = Editor(client, TEXT)
        action = (await actions(client, editor))[0]
        answer, _ = client.start("codeAction/resolve", action)
        (await client.engine.next_edit()).finish("refused", error=("refused", "Not this file."))
        with pytest.raises(Exception, match="Not this file") as caught:
            await answer
        assert caught.value.code == -32803
        assert client.all("window/showMessage") == [{"type": 1, "message": "Not this file."}]
        editor.type(0, 0, "x")
        assert (await client.failure("codeAction/resolve", action)).code == -32801


async def test_a_client_that_cannot_resolve_gets_a_command():
    async with connected() as client:
        await client.initialize(without("textDocument.codeAction.resolveSupport"))
        editor = Editor(client, TEXT)
        action = (await actions(client, editor))[0]
        assert "data" not in action
        command = action["command"]
        params = {"command": command["command"], "arguments": command["arguments"]}
        answer, _ = client.start("workspace/executeCommand", params)
        (await client.engine.next_edit()).finish(hunks=[(1, 1, 1, ["TWO\n"])])
        assert await answer == {"status": "ok", "applied": True}
        assert editor.text == "one\nTWO\nthree\n"
        assert client.all("workspace/applyEdit")[0]["label"].startswith("editd: Add a short")


async def test_a_client_without_literals_gets_commands_and_one_without_versions_plain_changes():
    async with connected() as client:
        await client.initialize({"workspace": {"applyEdit": True}})
        editor = Editor(client, TEXT)
        found = await actions(client, editor)
        assert {action["command"] for action in found} == {"editd.runPreset"}
        params = {"command": "editd.runPreset", "arguments": found[1]["arguments"]}
        answer, _ = client.start("workspace/executeCommand", params)
        (await client.engine.next_edit()).finish(hunks=[(1, 1, 1, ["TWO\n"])])
        assert (await answer)["applied"] is True
        assert list(client.all("workspace/applyEdit")[0]["edit"]) == ["changes"]


async def test_a_free_instruction_as_a_command_with_the_client_s_progress_token():
    async with connected() as client:
        await client.initialize(PLAIN)
        editor = Editor(client, TEXT)
        argument = {"textDocument": {"uri": editor.uri}, "instruction": "shout"}
        params = {"command": "editd.run", "arguments": [argument], "workDoneToken": "mine"}
        answer, _ = client.start("workspace/executeCommand", params)
        fake = await client.engine.next_edit()
        assert fake.request.instruction == "shout"
        fake.progress("decoding", "writing")
        fake.finish(hunks=[])
        assert (await answer) == {
            "status": "ok",
            "applied": False,
            "message": "The model left the text as it is.",
        }
        told = [
            item["value"]["kind"] for item in client.all("$/progress") if item["token"] == "mine"
        ]
        assert told == ["begin", "report", "end"]
        assert client.all("window/workDoneProgress/create") == []


@pytest.mark.parametrize(
    ("finish", "shown"),
    [
        (
            {"finish_reason": "error", "error": ("model", "The model is broken.")},
            "The model is broken.",
        ),
        ({"finish_reason": "cancelled", "error": ("cancelled", "It was cancelled.")}, None),
    ],
)
async def test_what_a_command_could_not_do_is_shown(finish, shown):
    async with connected() as client:
        await client.initialize(PLAIN)
        editor = Editor(client, TEXT)
        argument = {"textDocument": {"uri": editor.uri}, "preset": "fix"}
        params = {"command": "editd.runPreset", "arguments": [argument]}
        answer, _ = client.start("workspace/executeCommand", params)
        (await client.engine.next_edit()).finish(**finish)
        assert (await answer)["applied"] is False
        assert [m["message"] for m in client.all("window/showMessage")] == [shown][: bool(shown)]


@pytest.mark.parametrize(
    ("command", "arguments", "request_of"),
    [
        ("editd.run", ["URI", "shout"], ("shout", None, None)),
        ("editd.run", [{"uri": "URI"}, "shout", SPOT], ("shout", 1, 2)),
        ("editd.run", [{"uri": "URI", "version": 1}, "shout", None], ("shout", None, None)),
        ("editd.runPreset", ["URI", "german", SPOT], ("Translate.", 1, 2)),
    ],
)
async def test_arguments_one_after_the_other(command, arguments, request_of):
    async with connected() as client:
        await client.initialize(PLAIN, options={"edit": {"presets": {"german": "Translate."}}})
        editor = Editor(client, TEXT)
        document = arguments[0]
        document = editor.uri if document == "URI" else {**document, "uri": editor.uri}
        params = {"command": command, "arguments": [document, *arguments[1:]]}
        answer, _ = client.start("workspace/executeCommand", params)
        fake = await client.engine.next_edit()
        asked = fake.request
        assert (asked.instruction, asked.start_line, asked.end_line) == request_of
        fake.finish(hunks=[(1, 1, 1, ["TWO\n"])])
        assert (await answer)["applied"] is True


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("editd.run", [], "two or three: textDocument, instruction, range"),
        ("editd.run", [1, 2, 3, 4], "two or three"),
        ("editd.run", [1, "i"], "arguments[0].textDocument"),
        ("editd.nothing", [1], "no command"),
    ],
)
async def test_wrong_arguments_are_named(command, arguments, words):
    async with connected() as client:
        await client.initialize(PLAIN)
        params = {"command": command, "arguments": arguments}
        error = await client.failure("workspace/executeCommand", params)
        assert error.code == -32602
        assert words in error.message


async def test_an_action_that_changes_nothing_says_so():
    async with connected() as client:
        await client.initialize(PLAIN)
        action = (await actions(client, Editor(client, TEXT)))[0]
        answer, _ = client.start("codeAction/resolve", action)
        (await client.engine.next_edit()).finish(hunks=[])
        assert (await answer)["edit"]["documentChanges"][0]["edits"] == []
        (message,) = client.all("window/showMessage")
        assert message["message"] == "The model left the text as it is."


async def test_cancelling_a_command_stops_the_engine_and_leaves_nothing():
    async with connected() as client:
        await client.initialize(PLAIN)
        editor = Editor(client, TEXT)
        argument = {"textDocument": {"uri": editor.uri}, "instruction": "i"}
        params = {"command": "editd.run", "arguments": [argument]}
        answer, msg_id = client.start("workspace/executeCommand", params)
        fake = await client.engine.next_edit()
        fake.delta((1, 0, 1, ["ONE\n"]))
        client.notify("$/cancelRequest", {"id": msg_id})
        with pytest.raises(Exception, match="Cancelled"):
            await answer
        await asyncio.wait_for(fake.closed.wait(), 60)
        editor.type(0, 0, "x")
        await client.settle()
        assert client.all("workspace/applyEdit") == client.all("editd/editRebased") == []


ARGUMENT = {"textDocument": {"uri": "file:///w/a.py", "version": 1}, "instruction": "shout"}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("workspace/executeCommand", {"command": "editd.run", "arguments": [ARGUMENT]}),
        ("codeAction/resolve", {"title": "t", "data": ARGUMENT}),
    ],
)
@pytest.mark.parametrize("cancelled", [False, True])
async def test_the_text_is_read_when_the_request_comes_not_later(method, params, cancelled):
    """Also when the next message has arrived with it."""
    engine = FakeEngine()
    pipe = SimpleNamespace(send=lambda _: None, busy=False)
    server = LanguageServer(pipe, engine)

    def say(method, params, **msg_id):
        message = {"jsonrpc": "2.0", "method": method, "params": params, **msg_id}
        server.protocol.receive(json.dumps(message).encode())

    document = {"uri": "file:///w/a.py", "version": 1, "languageId": "python", "text": TEXT}
    say("initialize", {"capabilities": PLAIN}, id=1)
    say("textDocument/didOpen", {"textDocument": document})
    say(method, params, id=2)
    if cancelled:
        say("$/cancelRequest", {"id": 2})
        for _ in range(9):
            await asyncio.sleep(0)
        assert all(fake.closed.is_set() for fake in engine.by_id.values())
    else:
        changed = {"uri": "file:///w/a.py", "version": 2}
        change = {"textDocument": changed, "contentChanges": [{"text": ""}]}
        say("textDocument/didChange", change)
        fake = await asyncio.wait_for(engine.next_edit(), 60)
        assert fake.request.text == TEXT
        say("$/cancelRequest", {"id": 2})
        await asyncio.wait_for(fake.closed.wait(), 60)
    await server.close()


async def test_code_actions_can_be_switched_off():
    async with connected() as client:
        result = await client.initialize(PLAIN, options={"lsp": {"code_actions": False}})
        assert "codeActionProvider" not in result["capabilities"]
        assert await actions(client, Editor(client, TEXT)) == []
