from __future__ import annotations

import asyncio
import random

import pytest

from editd.diff.hunk import Hunk
from editd.frontends.lsp.requests import accept
from tests.unit.frontends.lsp.client import EVERYTHING, Client, Editor, connected

TEXT = "one\ntwo\nthree\nfour\nfive\n"
HUNKS = [(1, 0, 1, ["ONE\n"]), (2, 2, 1, ["THREE\n", "and a half\n"]), (3, 4, 1, [])]
ALL = "ONE\ntwo\nTHREE\nand a half\nfour\n"


async def finished(client, hunks=HUNKS, text=TEXT, **editor):
    """An editor with a finished edit ``t`` whose hunks wait."""
    editor = Editor(client, text, **editor)
    answer, fake = await running(client, editor)
    fake.finish(hunks=hunks)
    assert (await answer)["status"] == "ok"
    return editor


async def running(client, editor, token="t"):
    answer, _ = client.start(
        "editd/edit",
        {"editToken": token, "textDocument": editor.identifier, "instruction": "i"},
    )
    return answer, await client.engine.next_edit()


def states(client):
    """Where the client was last told that each hunk stands."""
    told = {}
    for delta in client.all("editd/editDelta"):
        for op in delta["ops"]:
            if "hunk" in op:
                hunk = op["hunk"]
                told[hunk["id"]] = (hunk["start"], "stale" if hunk.get("stale") else "ok")
    for rebased in client.all("editd/editRebased"):
        for hunk in rebased["hunks"]:
            told[hunk["id"]] = (hunk["start"], hunk["state"])
    return told


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    ("text", "hunks", "expected"),
    [
        (TEXT, HUNKS, ALL),
        (
            "a😀b\r\nc👩‍👩‍👧d\r\n漢字",
            [(1, 0, 1, ["a😀B\r\n"]), (2, 2, 1, ["漢語"])],
            "a😀B\r\nc👩‍👩‍👧d\r\n漢語",
        ),
        ("a\u2028b\x0cc\nd", [(1, 1, 1, ["D\n", "e"])], "a\u2028b\x0cc\nD\ne"),
        ("\ufeffa\n", [(1, 0, 0, ["x\n"])], "\ufeffx\na\n"),
        # Files that were joined have the mark inside, where it is a character.
        (
            "a\n\ufeffb\nc\n\ufeff",
            [(1, 1, 1, ["\ufeffB\n"]), (2, 3, 1, ["d"])],
            "a\n\ufeffB\nc\nd",
        ),
        ("", [(1, 0, 0, ["x\n"])], "x\n"),
    ],
)
async def test_accepting_all_changes_the_buffer_in_one_versioned_edit(
    encoding, text, hunks, expected
):
    async with connected() as client:
        capabilities = EVERYTHING | {"general": {"positionEncodings": [encoding, "utf-16"]}}
        result = await client.initialize(capabilities)
        assert result["capabilities"]["positionEncoding"] == encoding
        editor = await finished(client, hunks, text, encoding=encoding)
        answer = await client.request("editd/accept", {"editToken": "t"})
        assert answer == {
            "applied": True,
            "version": 2,
            "hunkIds": [hunk[0] for hunk in hunks],
            "leftOut": [],
        }
        assert editor.text == expected
        (change,) = client.all("workspace/applyEdit")
        assert change["edit"]["documentChanges"][0]["textDocument"]["version"] == 1
        # Everything is decided, so nothing is left of the edit.
        assert (await client.failure("editd/accept", {"editToken": "t"})).code == -32803


async def test_accepting_one_hunk_moves_the_others():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        answer = await client.request("editd/accept", {"editToken": "t", "hunkIds": [2]})
        assert (answer["applied"], answer["hunkIds"]) == (True, [2])
        assert editor.text == "one\ntwo\nTHREE\nand a half\nfour\nfive\n"
        assert states(client) == {2: (2, "accepted"), 3: (5, "ok")}
        await client.request("editd/accept", {"editToken": "t", "hunkIds": [3, 1]})
        assert editor.text == ALL


async def test_rejected_hunks_are_gone():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        answer = await client.request("editd/reject", {"editToken": "t", "hunkIds": [1, 3, 9]})
        assert answer == {"hunkIds": [1, 3]}
        answer = await client.request("editd/accept", {"editToken": "t", "hunkIds": [1, 2, 9]})
        assert answer["hunkIds"] == [2]
        assert answer["leftOut"] == [
            {"id": 1, "reason": "It was rejected already."},
            {"id": 9, "reason": "There is no such hunk."},
        ]
        assert editor.text == "one\ntwo\nTHREE\nand a half\nfour\nfive\n"
        # What is decided can be rejected again: a client may clear up without asking what is left.
        assert await client.request("editd/reject", {"editToken": "t"}) == {"hunkIds": []}


async def test_accept_all_leaves_suspect_and_stale_hunks_out_but_a_suspect_one_may_be_named():
    async with connected() as client:
        await client.initialize()
        hunks = [(1, 0, 1, ["ONE\n"]), Hunk(2, 2, 1, (), suspect="It drops a line."), HUNKS[2]]
        editor = await finished(client, hunks)
        editor.type(0, 0, "x")  # into the first hunk
        answer = await client.request("editd/accept", {"editToken": "t"})
        assert answer["hunkIds"] == [3]
        assert answer["leftOut"] == [
            {"id": 1, "reason": "The document has changed under it."},
            {"id": 2, "reason": "It drops a line."},
        ]
        assert editor.text == "xone\ntwo\nthree\nfour\n"
        answer = await client.request("editd/accept", {"editToken": "t", "hunkIds": [2]})
        assert answer["applied"]
        assert editor.text == "xone\ntwo\nfour\n"


async def test_the_client_may_apply_the_edit_itself():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        answer = await client.request(
            "editd/accept", {"editToken": "t", "hunkIds": [1], "apply": False}
        )
        assert (answer["applied"], answer["hunkIds"]) == (False, [1])
        assert client.all("workspace/applyEdit") == []
        editor.apply_edit(answer)
        rebased = await client.wait_for("editd/editRebased")
        assert rebased["hunks"] == [{"id": 1, "start": 0, "state": "accepted"}]
        assert rebased["version"] == 2


async def test_an_accept_counts_only_when_the_document_has_not_changed_otherwise(monkeypatch):
    monkeypatch.setattr(accept, "CONFIRM_SECONDS", 0.05)
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)

        def too_late(_):
            # As Neovim does with an edit of another version: refused, and reported as applied.
            editor.type(6, 6, "!")
            return {"applied": True}

        client.handlers["workspace/applyEdit"] = too_late
        answer = await client.request("editd/accept", {"editToken": "t"})
        assert answer["applied"] is False
        assert "changed otherwise" in answer["message"]
        # The hunks still wait.
        client.handlers["workspace/applyEdit"] = editor.apply_edit
        assert (await client.request("editd/accept", {"editToken": "t"}))["applied"] is True


async def test_an_editor_that_tells_of_its_changes_late_is_believed(monkeypatch):
    monkeypatch.setattr(accept, "CONFIRM_SECONDS", 0.05)
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        # As Emacs does in a batch script, which tells of changes only while it idles.
        client.handlers["workspace/applyEdit"] = lambda _: {"applied": True}
        answer = await client.request("editd/accept", {"editToken": "t"})
        assert (answer["applied"], answer.get("message")) == (True, None)
        editor.apply_edit(client.all("workspace/applyEdit")[0])
        await client.wait_until(lambda: states(client).get(3, " ")[-1] == "accepted")
        assert (await client.failure("editd/accept", {"editToken": "t"})).code == -32803


async def test_the_document_change_may_come_after_the_answer_and_in_pieces():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        asked = []
        client.handlers["workspace/applyEdit"] = lambda params: (
            asked.append(params) or {"applied": True}
        )
        answer, _ = client.start("editd/accept", {"editToken": "t"})
        params = await client.wait_for("workspace/applyEdit")
        for edit in reversed(params["edit"]["documentChanges"][0]["edits"]):
            assert not answer.done()
            editor.apply([edit])
            await client.settle()
        result = await asyncio.wait_for(answer, 60)
        assert result["applied"] is True
        assert editor.text == ALL


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ({"applied": False, "failureReason": "read only"}, "read only"),
        ({"applied": False}, "did not apply"),
        ("nonsense", "could not be read"),
        (None, "could not be read"),
    ],
)
async def test_an_editor_that_refuses_is_quoted(reply, message):
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        client.handlers["workspace/applyEdit"] = lambda _: reply
        answer = await client.request("editd/accept", {"editToken": "t"})
        assert answer["applied"] is False
        assert message in answer["message"]
        client.handlers["workspace/applyEdit"] = editor.apply_edit
        assert (await client.request("editd/accept", {"editToken": "t"}))["applied"] is True


async def test_two_accepts_at_once_take_turns():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        first, _ = client.start("editd/accept", {"editToken": "t", "hunkIds": [2]})
        second, _ = client.start("editd/accept", {"editToken": "t", "hunkIds": [3]})
        assert (await first)["applied"]
        assert (await second)["applied"]
        assert editor.text == "one\ntwo\nTHREE\nand a half\nfour\n"


async def test_an_editor_that_is_not_asked_by_the_protocol_gets_the_edit_instead():
    async with connected() as client:
        await client.initialize({})  # neither applyEdit nor documentChanges
        await finished(client)
        answer = await client.request("editd/accept", {"editToken": "t", "hunkIds": [3]})
        assert answer["applied"] is False
        assert "takes no edits" in answer["message"]
        assert list(answer["edit"]["changes"]) == ["file:///w/a.py"]


async def test_inline_text_cannot_be_accepted():
    async with connected() as client:
        await client.initialize()
        answer, _ = client.start("editd/edit", {"editToken": 1, "text": TEXT, "instruction": "i"})
        (await client.engine.next_edit()).finish(hunks=HUNKS)
        await answer
        error = await client.failure("editd/accept", {"editToken": 1})
        assert (error.code, error.data["code"]) == (-32803, "no-document")


# --- the document changes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("offset", "typed", "expected"),
    [
        (0, "zero\n", {1: (2, "ok"), 2: (3, "ok")}),  # before
        (5, "x", {1: (1, "stale"), 2: (2, "ok")}),  # inside the first
        (8, "and\n", {1: (1, "ok"), 2: (2, "stale")}),  # where the second inserts
        (24, "six\n", {1: (1, "ok"), 2: (2, "ok")}),  # after
    ],
)
@pytest.mark.parametrize("first", ["typing", "hunk"])
@pytest.mark.usefixtures("every_delta")
async def test_typing_while_an_edit_streams(offset, typed, expected, first):
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, fake = await running(client, editor)
        fake.delta(1, (1, 1, 1, ["TWO\n"]))
        await client.wait_for("editd/editDelta")
        if first == "hunk":
            fake.delta((2, 2, 0, ["new\n"]))
            await client.wait_for("editd/editDelta", 2)
        editor.type(offset, offset, typed)
        # A notification for each change while hunks wait, so that a client knows how things stand.
        assert (await client.wait_for("editd/editRebased"))["version"] == 2
        if first == "typing":
            fake.delta((2, 2, 0, ["new\n"]))
        delta = await client.wait_for("editd/editDelta", 2)
        assert delta["version"] == (1 if first == "hunk" else 2)
        assert states(client) == expected
        fake.finish()
        result = await answer
        assert result["version"] == 2
        assert {
            hunk["id"]: (hunk["start"], "stale" if hunk.get("stale") else "ok")
            for hunk in result["hunks"]
        } == expected
        answer = await client.request("editd/accept", {"editToken": "t"})
        assert answer["applied"]
        original = TEXT[:offset] + typed + TEXT[offset:]
        for number, old, new in ((1, "two\n", "TWO\n"), (2, "three\n", "new\nthree\n")):
            if expected[number][1] == "ok":
                original = original.replace(old, new)
        assert editor.text == original


@pytest.mark.usefixtures("every_delta")
async def test_a_hunk_can_be_accepted_while_others_are_still_written():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, fake = await running(client, editor)
        fake.delta((1, 0, 1, ["ONE\n", "1\n"]), 1, Hunk(2, 2, 0, ("x\n",), done=False))
        await client.wait_for("editd/editDelta")
        accepted = await client.request("editd/accept", {"editToken": "t"})
        assert accepted["hunkIds"] == [1]
        assert accepted["leftOut"] == [{"id": 2, "reason": "It is still being written."}]
        fake.delta((2, 2, 1, ["x\n"]))
        fake.finish()
        result = await answer
        assert [(hunk["id"], hunk["start"]) for hunk in result["hunks"]] == [(2, 3)]
        await client.request("editd/accept", {"editToken": "t"})
        assert editor.text == "ONE\n1\ntwo\nx\nfour\nfive\n"


async def test_two_edits_of_one_document_move_each_other():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client, [(1, 0, 1, ["ONE\n", "1\n"])])
        answer, fake = await running(client, editor, "u")
        fake.finish(hunks=[(1, 3, 1, ["FOUR\n"])])
        await answer
        assert (await client.request("editd/accept", {"editToken": "t"}))["applied"]
        rebased = [item for item in client.all("editd/editRebased") if item["editToken"] == "u"]
        assert rebased[-1]["hunks"] == [{"id": 1, "start": 4, "state": "ok"}]
        assert (await client.request("editd/accept", {"editToken": "u"}))["applied"]
        assert editor.text == "ONE\n1\ntwo\nthree\nFOUR\nfive\n"


async def test_a_whole_new_text_keeps_the_hunks_that_it_leaves_alone():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        editor.text = "zero\n" + TEXT.replace("two", "2")
        editor.tell([{"text": editor.text}])
        await client.request("editd/accept", {"editToken": "t", "hunkIds": [2, 3]})
        assert editor.text == "zero\none\n2\nTHREE\nand a half\nfour\n"


async def test_an_accept_that_the_client_never_answers_can_be_cancelled():
    async with connected() as client:
        await client.initialize()
        await finished(client)
        client.handlers["workspace/applyEdit"] = lambda _: Client.SILENT
        answer, msg_id = client.start("editd/accept", {"editToken": "t"})
        await client.wait_for("workspace/applyEdit")
        client.notify("$/cancelRequest", {"id": msg_id})
        with pytest.raises(Exception, match="Cancelled"):
            await answer
        # The document is free for the next.
        client.handlers["workspace/applyEdit"] = lambda _: {"applied": False}
        assert (await client.request("editd/accept", {"editToken": "t"}))["applied"] is False


async def test_closing_and_opening_anew_forgets_the_hunks():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        client.notify("textDocument/didClose", {"textDocument": {"uri": editor.uri}})
        await client.open(TEXT, editor.uri)
        assert (await client.failure("editd/accept", {"editToken": "t"})).code == -32803


@pytest.mark.usefixtures("every_delta")
@pytest.mark.parametrize("seed", range(15))
async def test_fuzz_typing_while_hunks_stream_and_are_accepted(seed):
    """Every line is unique, so the right result can be had by replacing text in text."""
    random_ = random.Random(seed)
    end = random_.choice(["\n", "\r\n"])
    base = [f"old{number:02} 😀{end}" for number in range(30)]
    hunks = []
    at = 0
    while (start := at + random_.randrange(1, 4)) < len(base) - 2:
        count = random_.randrange(1, 3)
        new = [f"hunk{len(hunks)}.{line}{end}" for line in range(random_.randrange(3))]
        hunks.append(Hunk(len(hunks) + 1, start, count, tuple(new)))
        at = start + count
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, "".join(base))
        answer, fake = await running(client, editor)
        for number, hunk in enumerate(hunks):
            fake.delta(hunk)
            if random_.random() < 0.5:
                await client.wait_until(lambda wanted=hunk.id: wanted in states(client))
            spot = random_.randrange(len(editor.text))
            stop = spot + random_.choice([0, 0, 0, 1, 9])
            spot -= editor.text[spot - 1 : spot + 1] == "\r\n"
            stop += editor.text[stop - 1 : stop + 1] == "\r\n"
            editor.type(spot, stop, random_.choice(["", f"typed{number}", f"typed{number}{end}"]))
        fake.finish()
        await answer
        typed = editor.text
        await client.settle()
        wanted = [key for key, (_, state) in states(client).items() if state == "ok"]
        random_.shuffle(wanted)
        for group in (wanted[:2], wanted[2:5], wanted[5:]):
            if group:
                params = {"editToken": "t", "hunkIds": group}
                result = await client.request("editd/accept", params)
                assert result["applied"], result
                assert sorted(result["hunkIds"]) == sorted(group)
        expected = typed
        for hunk in hunks:
            old = "".join(base[hunk.start : hunk.start + hunk.old_count])
            if hunk.id in wanted:
                assert expected.count(old) == 1
                expected = expected.replace(old, "".join(hunk.new_lines))
        assert editor.text == expected
        assert wanted, "a history in which nothing is accepted proves nothing"


async def test_an_undo_opens_accepted_hunks_again_and_a_redo_accepts_them():
    async with connected() as client:
        await client.initialize()
        editor = await finished(client)
        for ids in ([1], [2, 3]):
            await client.request("editd/accept", {"editToken": "t", "hunkIds": ids})
        assert editor.text == ALL
        texts = [TEXT.replace("one", "ONE"), TEXT]
        for text, opened in zip(texts, ({2, 3}, {1, 2, 3}), strict=True):
            editor.type(0, len(editor.text), text)
            await client.wait_until(
                lambda wanted=opened: (
                    {key for key, (_, state) in states(client).items() if state == "ok"} == wanted
                )
            )
        assert {key: start for key, (start, _) in states(client).items()} == {1: 0, 2: 2, 3: 4}
        editor.type(0, len(TEXT), texts[0])
        await client.wait_until(lambda: states(client)[1] == (0, "accepted"))
        editor.type(0, 0, "typed\n")
        answer = await client.request("editd/accept", {"editToken": "t"})
        assert sorted(answer["hunkIds"]) == [2, 3]
        assert editor.text == "typed\n" + ALL
