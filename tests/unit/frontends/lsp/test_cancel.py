"""Edits that are stopped: by ``editd/cancel``, by ``$/cancelRequest``, by closing the document."""

from __future__ import annotations

import asyncio

import pytest

from editd.diff.hunk import Hunk
from editd.frontends.lsp.requests.edit import UNCHECKED
from tests.unit.frontends.lsp.client import Editor, begin, connected

TEXT = "one\ntwo\nthree\nfour\n"


@pytest.mark.parametrize(
    ("options", "params", "kept"),
    [
        (None, {"keep": True}, True),
        (None, {}, False),
        ({"lsp": {"keep_on_cancel": True}}, {}, True),
        ({"lsp": {"keep_on_cancel": True}}, {"keep": False}, False),
    ],
)
async def test_a_cancelled_edit_may_keep_the_hunks_that_are_done(options, params, kept):
    async with connected() as client:
        await client.initialize(options=options)
        editor = Editor(client, "one\ntwo\nthree\n")
        asked = {"editToken": 1, "textDocument": editor.identifier, "instruction": "i"}
        answer, _ = client.start("editd/edit", asked)
        fake = await client.engine.next_edit()
        fake.delta((1, 0, 1, ["ONE\n"]), 1, Hunk(2, 2, 1, ("TH",), done=False))
        await fake.drained()
        assert await client.request("editd/cancel", {"editToken": 1, **params}) == {
            "cancelled": True
        }
        result = await answer
        assert (result["status"], result["finish_reason"]) == ("cancelled", "cancelled")
        assert [hunk["id"] for hunk in result["hunks"]] == ([1] if kept else [])
        assert [edit["newText"] for edit in result["edits"]] == (["ONE"] if kept else [])
        assert result["notices"] == ([UNCHECKED] if kept else [])
        if kept:
            accepted = await client.request("editd/accept", {"editToken": 1})
            assert (accepted["hunkIds"], editor.text) == ([1], "ONE\ntwo\nthree\n")
        assert (await client.failure("editd/accept", {"editToken": 1})).code == -32803


async def test_editd_cancel_answers_the_edit_as_cancelled():
    async with connected() as client:
        await client.initialize()
        answer, _, fake = await begin(client, Editor(client, TEXT))
        fake.delta((1, 0, 1, ["ONE\n"]))
        await client.wait_for("editd/editDelta")
        assert await client.request("editd/cancel", {"editToken": "t"}) == {"cancelled": True}
        result = await answer
        assert (result["status"], result["finish_reason"]) == ("cancelled", "cancelled")
        assert result["hunks"] == []
        assert fake.cancelled.is_set()
        assert await client.request("editd/cancel", {"editToken": "t"}) == {"cancelled": False}
        await client.settle()


@pytest.mark.usefixtures("a_deaf_engine_is_soon_left")
async def test_editd_cancel_may_be_a_notification_and_does_not_wait_for_a_deaf_engine():
    async with connected() as client:
        await client.initialize()
        answer, _, fake = await begin(client, Editor(client, TEXT))
        fake.deaf = True
        client.notify("editd/cancel", {"editToken": "t"})
        await asyncio.wait_for(fake.cancelled.wait(), 60)
        fake.delta((1, 0, 1, ["ONE\n"]))
        assert (await answer)["finish_reason"] == "cancelled"
        await asyncio.wait_for(fake.closed.wait(), 60)
        assert client.all("editd/editDelta") == [], "nothing is told of a cancelled edit"


async def test_cancel_request_is_answered_with_its_error_code_and_stops_the_engine():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, msg_id, fake = await begin(client, editor)
        fake.delta((1, 0, 1, ["ONE\n"]))
        await client.wait_for("editd/editDelta")
        client.notify("$/cancelRequest", {"id": msg_id})
        with pytest.raises(Exception, match="Cancelled") as caught:
            await answer
        assert caught.value.code == -32800
        await asyncio.wait_for(fake.closed.wait(), 60)
        client.notify("$/cancelRequest", {"id": msg_id})  # after the end
        client.notify("$/cancelRequest", {"id": "never asked"})
        client.notify("$/cancelRequest", {"id": {"no": "id"}})
        editor.type(0, 0, "x")
        assert (await client.failure("editd/accept", {"editToken": "t"})).code == -32803
        assert client.all("editd/editRebased") == []


@pytest.mark.parametrize("how", ["editd/cancel", "$/cancelRequest"])
async def test_a_cancellation_right_behind_the_request_is_heard(how):
    async with connected() as client:
        await client.initialize()
        Editor(client, TEXT)
        params = {"editToken": "t", "textDocument": {"uri": "file:///w/a.py"}, "instruction": "i"}
        answer, msg_id = client.start("editd/edit", params)
        client.notify(how, {"editToken": "t"} if how == "editd/cancel" else {"id": msg_id})
        if how == "editd/cancel":
            assert (await answer)["finish_reason"] == "cancelled"
        else:
            with pytest.raises(Exception, match="Cancelled"):
                await answer
        assert (await client.failure("editd/accept", {"editToken": "t"})).code == -32803


async def test_closing_the_document_ends_its_edit():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, _, fake = await begin(client, editor)
        fake.delta((1, 0, 1, ["ONE\n"]))
        await client.wait_for("editd/editDelta")
        client.notify("textDocument/didClose", {"textDocument": {"uri": editor.uri}})
        result = await answer
        assert result["finish_reason"] == "cancelled"
        assert fake.cancelled.is_set()
        assert (await client.failure("editd/accept", {"editToken": "t"})).code == -32803
