"""What happens at once: an accept, a change of the document, and the end of an edit."""

import asyncio
import json

import pytest

from editd.frontends.lsp.requests import edit as edit_module
from tests.unit.frontends.lsp.client import Client, Editor, begin, connected

TEXT = "one\ntwo\nthree\nfour\n"
FIRST, SECOND = (1, 0, 1, ["ONE\n"]), (2, 2, 1, ["THREE\n", "3\n"])


class SlowEditor(Editor):
    """Applies nothing by itself; ``late`` are the edits that it was asked to apply."""

    def __init__(self, client, text):
        super().__init__(client, text)
        self.late = []
        client.handlers["workspace/applyEdit"] = self.keep

    def keep(self, params):
        self.late.append(params)
        return Client.SILENT

    def do_it(self, answer_first):
        """Apply what was asked first, and say so before or after telling of the change."""
        asked = next(m for m in self.client.seen if m.get("method") == "workspace/applyEdit")
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"applied": True}}
        if answer_first:
            self.client.send(answer)
        self.apply_edit(self.late.pop(0))
        if not answer_first:
            self.client.send(answer)


@pytest.mark.usefixtures("every_delta")
@pytest.mark.parametrize("answer_first", [True, False])
@pytest.mark.parametrize("end", ["cancelled", "error", "without it"])
async def test_an_accept_arrives_after_its_edit_came_to_nothing(end, answer_first):
    """The hunk is in the document, and the server knows it and the document."""
    async with connected() as client:
        await client.initialize()
        editor = SlowEditor(client, TEXT)
        answer, _, fake = await begin(client, editor)
        fake.delta(FIRST, 1, SECOND)
        await client.wait_for("editd/editDelta")
        accepted, _ = client.start("editd/accept", {"editToken": "t", "hunkIds": [1]})
        await client.wait_until(lambda: editor.late)
        if end == "without it":
            fake.finish(hunks=[SECOND])
        else:
            fake.finish(end, hunks=(), error=("failed", "no"))
        await answer
        editor.do_it(answer_first)
        result = await asyncio.wait_for(accepted, 60)
        assert (result["applied"], editor.text) == (True, TEXT.replace("one", "ONE"))
        answer, _, fake = await begin(client, editor, "next")
        assert fake.request.text == editor.text
        fake.finish()
        await answer


@pytest.mark.parametrize("how", ["refined", "opened anew"])
async def test_an_accept_whose_turn_comes_when_its_edit_is_forgotten_puts_nothing_in(how):
    """Nobody has moved its hunks since: they would land anywhere."""
    async with connected() as client:
        await client.initialize()
        editor = SlowEditor(client, TEXT)
        answer, _, fake = await begin(client, editor)
        fake.finish(hunks=[FIRST, SECOND])
        await answer
        _, first_id = client.start("editd/accept", {"editToken": "t", "hunkIds": [1]})
        second, _ = client.start("editd/accept", {"editToken": "t", "hunkIds": [2]})
        await client.wait_until(lambda: editor.late)
        if how == "refined":
            answer, _, fake = await begin(client, editor, "u", basedOn="t")
            fake.finish(hunks=[FIRST])
            await answer
        else:
            client.notify("textDocument/didClose", {"textDocument": {"uri": editor.uri}})
            await client.open("three\n" * 4, editor.uri)
        client.notify("$/cancelRequest", {"id": first_id})
        with pytest.raises(Exception, match="no edit 't'") as caught:
            await asyncio.wait_for(second, 60)
        assert caught.value.code == -32803
        assert len(editor.late) == 1


async def test_a_refinement_stops_an_edit_that_runs_under_the_name_of_the_one_it_refines():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, _, fake = await begin(client, editor)
        fake.finish(hunks=[FIRST])
        await answer
        again, _, _ = await begin(client, editor)
        refined, _, fake = await begin(client, editor, "u", basedOn="t")
        assert (await asyncio.wait_for(again, 60))["finish_reason"] == "cancelled"
        fake.finish(hunks=[FIRST])
        assert (await refined)["status"] == "ok"


@pytest.mark.usefixtures("every_delta")
async def test_an_answer_is_not_overtaken_by_where_its_hunks_stand_after_it(monkeypatch):
    """A change is handled between the writing of an answer and its sending."""
    answer_of = edit_module._answer

    def answer_and_change(session, live, result):
        answer = answer_of(session, live, result)
        asyncio.get_running_loop().call_soon(session.protocol.receive, json.dumps(change).encode())
        return answer

    monkeypatch.setattr(edit_module, "_answer", answer_and_change)
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        where = {"line": 0, "character": 0}
        change = {
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": editor.uri, "version": 2},
                "contentChanges": [{"range": {"start": where, "end": where}, "text": "zero\n"}],
            },
        }
        answer, msg_id, fake = await begin(client, editor)
        fake.delta(1, SECOND)
        await client.wait_for("editd/editDelta")
        fake.finish()
        assert [hunk["start"] for hunk in (await answer)["hunks"]] == [2]
        rebased = await client.wait_for("editd/editRebased")
        assert (rebased["version"], rebased["hunks"][0]["start"]) == (2, 3)
        order = [m.get("id") or m.get("method") for m in client.seen]
        assert order.index(msg_id) < order.index("editd/editRebased")


@pytest.mark.usefixtures("every_delta", "a_deaf_engine_is_soon_left")
async def test_what_was_to_be_kept_of_a_cancelled_edit_goes_with_its_document():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, _, fake = await begin(client, editor)
        fake.deaf = True
        fake.delta(FIRST, 1, SECOND)
        await client.wait_for("editd/editDelta")
        client.notify("editd/cancel", {"editToken": "t", "keep": True})
        client.notify("textDocument/didClose", {"textDocument": {"uri": editor.uri}})
        await client.open("", editor.uri)
        result = await asyncio.wait_for(answer, 60)
        assert (result["finish_reason"], result["hunks"], result["edits"]) == ("cancelled", [], [])
