from __future__ import annotations

import dataclasses

import pytest

from editd.diff.hunk import Hunk, Origin, Span
from editd.errors import DaemonUnreachable
from editd.frontends.lsp.live_edit import MAX_FINISHED
from editd.messages.options import WAYS
from editd.wording import BEING_REFINED
from tests.unit.frontends.lsp.client import EVERYTHING, Editor, applied, begin, connected

TEXT = "one\ntwo\nthree\nfour\n"


async def test_an_edit_streams_deltas_and_answers_with_hunks_and_text_edits():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, _, fake = await begin(client, editor)
        assert fake.request.text == TEXT
        assert fake.request.instruction == "do it"
        assert fake.request.language_id == "python"
        assert fake.request.document == editor.uri
        fake.delta(1, Hunk(1, 1, 0, ("TWO\n",), done=False))
        delta = await client.wait_for("editd/editDelta")
        assert delta == {
            "editToken": "t",
            "seq": 1,
            "version": 1,
            "ops": [
                {"keep": 1},
                {
                    "hunk": {
                        "id": 1,
                        "start": 1,
                        "oldCount": 0,
                        "newLines": ["TWO\n"],
                        "done": False,
                    }
                },
            ],
        }
        fake.delta((1, 1, 1, ["TWO\n", "TWO AND A HALF\n"]), 2)
        fake.finish(notices=("Only this file.",))
        result = await answer
        assert client.all("editd/editDelta")[-1]["seq"] == 2
        assert {key: result[key] for key in ("status", "finish_reason", "version", "model")} == {
            "status": "ok",
            "finish_reason": "stop",
            "version": 1,
            "model": "fake",
        }
        assert [hunk["start"] for hunk in result["hunks"]] == [1]
        assert result["notices"] == ["Only this file."]
        assert result["stats"]["output_tokens"] == 7
        assert "text" not in result
        assert applied(TEXT, result["edits"]) == "one\nTWO\nTWO AND A HALF\nthree\nfour\n"


async def test_inline_text_needs_no_document_and_comes_back_whole():
    async with connected() as client:
        await client.initialize({})
        params = {"editToken": 1, "text": "a\r\nb", "languageId": "c", "path": "x.c"}
        answer, _ = client.start("editd/edit", params | {"instruction": "upper"})
        fake = await client.engine.next_edit()
        assert (fake.request.text, fake.request.path, fake.request.document) == (
            "a\r\nb",
            "x.c",
            "",
        )
        fake.finish(hunks=[(1, 0, 2, ["A\r\n", "B"])], summary="Nothing else.", ways=WAYS[-1:])
        result = await answer
        assert result["summary"] == "Nothing else."
        assert result["ways"] == [
            {"name": "whole", "title": "On the whole file", "needsModel": True}
        ]
        assert result["text"] == "A\r\nB" == applied("a\r\nb", result["edits"])
        assert result["version"] is None


async def test_suspect_hunks_are_told_but_not_among_the_edits():
    async with connected() as client:
        await client.initialize()
        answer, _ = client.start(
            "editd/edit", {"editToken": "t", "text": TEXT, "instruction": "upper"}
        )
        fake = await client.engine.next_edit()
        fake.finish(hunks=[(1, 0, 1, ["ONE\n"]), Hunk(2, 2, 1, (), suspect="It drops a line.")])
        result = await answer
        assert result["text"] == "ONE\ntwo\nthree\nfour\n" == applied(TEXT, result["edits"])
        assert result["hunks"][1]["suspect"] == "It drops a line."
        assert result["suspects"] == ["It drops a line."]


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        ((1, 0), (2, 0), (1, 2)),  # up to the next line's start: that line is not meant
        ((1, 1), (2, 1), (1, 3)),
        ((1, 2), (1, 2), None),  # nothing is selected
        ((2, 1), (1, 1), (1, 3)),  # selected backwards
        ((0, 0), (99, 0), (0, 4)),
        ((3, 0), (3, 99), (3, 4)),
    ],
)
async def test_a_selection_means_whole_lines(start, end, lines):
    async with connected() as client:
        await client.initialize()
        selection = {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        }
        _, _, fake = await begin(client, Editor(client, TEXT), range=selection)
        assert (fake.request.start_line, fake.request.end_line) == (lines or (None, None))


async def test_context_is_given_with_paths_and_lines():
    async with connected() as client:
        await client.initialize(rootUri="file:///w")
        spot = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}
        context = [
            {"kind": "diagnostic", "text": "two is undefined", "range": spot},
            {
                "kind": "definition",
                "text": "def f(): ...",
                "uri": "file:///w/lib/b.py",
                "range": spot,
            },
        ]
        _, _, fake = await begin(client, Editor(client, TEXT), context=context)
        first, second = fake.request.context
        assert (first.path, first.start_line, first.end_line) == ("a.py", 1, 2)
        assert (second.path, second.text) == ("lib/b.py", "def f(): ...")


@pytest.mark.parametrize(
    ("root", "uri", "path"),
    [
        ("file:///w", "file:///w/src/a%20b.py", "src/a b.py"),
        ("file:///other", "file:///w/src/a.py", "a.py"),
        (None, "untitled:Untitled-1", "Untitled-1"),
    ],
)
async def test_a_file_is_called_by_its_path_in_the_workspace(root, uri, path):
    async with connected() as client:
        await client.initialize(workspaceFolders=[{"uri": root, "name": "w"}] if root else None)
        _, _, fake = await begin(client, Editor(client, TEXT, uri))
        assert fake.request.path == path


async def test_presets_come_before_an_instruction():
    async with connected() as client:
        await client.initialize(options={"edit": {"presets": {"german": "Translate to German."}}})
        editor = Editor(client, TEXT)
        _, _, fake = await begin(client, editor, preset="german", instruction="But not names.")
        assert fake.request.instruction == "Translate to German.\nBut not names."
        names = [preset["name"] for preset in (await client.request("editd/presets"))["presets"]]
        assert names == ["docstring", "types", "fix", "simplify", "tests", "translate", "german"]


async def test_a_refinement_is_based_on_the_earlier_answer_and_takes_its_place():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, _, fake = await begin(client, editor, "first")
        fake.finish(hunks=[(1, 0, 1, ["ONE\n"])])
        await answer
        answer, _, second = await begin(client, editor, "second", "shorter", basedOn="first")
        assert second.request.based_on == "ONE\ntwo\nthree\nfour\n"
        second.finish(hunks=[(1, 1, 1, ["TWO\n"])])
        await answer
        assert (await client.failure("editd/accept", {"editToken": "first"})).code == -32803


TWO_FUNCTIONS = "import os\n\n\ndef a():\n    one\n    two\n\n\ndef b():\n    three\n"
NAMED = {"range": {"start": {"line": 4, "character": 0}, "end": {"line": 5, "character": 0}}}


@pytest.mark.parametrize(
    ("params", "hunks", "typed", "lines"),
    [
        ({}, [(1, 4, 1, ["    ONE\n"])], "", (3, 6)),  # the function around the hunk
        ({}, [(1, 4, 1, ["    ONE\n"])], "import re\n", (4, 7)),
        ({}, [(1, 4, 1, ["    ONE\n", "    MORE\n"])], "", (3, 7)),
        ({}, [(1, 4, 1, ["    ONE\n"]), (2, 9, 1, ["    THREE\n"])], "", (3, 10)),
        ({}, [(1, 0, 1, ["import re\n"])], "", (0, 1)),
        ({}, [(1, 6, 0, ["    more\n"])], "", (3, 7)),
        (NAMED, [(1, 4, 1, ["    ONE\n", "    MORE\n"])], "import re\n", (5, 7)),  # what was selected
        (NAMED, [(1, 4, 1, [])], "", (4, 4)),  # and may be gone
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_accepted", [False, True])
async def test_a_refinement_keeps_to_the_lines_of_what_it_refines(
    params, hunks, typed, lines, is_accepted
):
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TWO_FUNCTIONS)
        answer, _, fake = await begin(client, editor, "first", **params)
        fake.finish(hunks=hunks)
        await answer
        if is_accepted:
            await client.request("editd/accept", {"editToken": "first"})
        if typed:
            editor.type(0, 0, typed)
        _, _, second = await begin(client, editor, "second", "shorter", basedOn="first")
        start, end = second.request.start_line, second.request.end_line
        grown = sum(len(new) - old for _, _, old, new in hunks) * (not is_accepted)
        assert (start, end) == (lines[0], max(lines[1] - grown, start + 1))


@pytest.mark.parametrize(
    "outcome", [{"finish_reason": "error"}, {"finish_reason": "refused"}, {"hunks": []}]
)
async def test_a_refinement_without_hunks_leaves_what_it_refines(outcome):
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, _, fake = await begin(client, editor, "first")
        fake.finish(hunks=[(1, 0, 1, ["ONE\n"])])
        await answer
        answer, _, second = await begin(client, editor, "second", "shorter", basedOn="first")
        second.finish(**outcome)
        await answer
        assert (await client.request("editd/accept", {"editToken": "first"}))["applied"]
        assert editor.text == TEXT.replace("one", "ONE")


async def test_single_hunks_that_are_being_refined_stay_as_they_are():
    named = {"editToken": "first", "hunkIds": [1]}
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, _, fake = await begin(client, editor, "first")
        fake.finish(hunks=[(1, 0, 1, ["ONE\n"])])
        await answer
        answer, _, second = await begin(client, editor, "second", "shorter", basedOn="first")
        for params in (named, {"editToken": "first"}):
            accepted = await client.request("editd/accept", params)
            assert (accepted["applied"], accepted["message"]) == (False, BEING_REFINED)
        rejected = await client.request("editd/reject", named)
        assert rejected == {"hunkIds": [], "message": BEING_REFINED}
        second.finish(hunks=[])
        await answer
        assert (await client.request("editd/reject", named))["hunkIds"] == [1]
        assert editor.text == TEXT


async def test_options_reach_the_engine_and_obey_the_rules():
    async with connected() as client:
        await client.initialize(options={"decode": {"top_k": 5, "drafter": "none"}})
        editor = Editor(client, TEXT)
        options = {"temperature": 1, "topP": 0.5, "seed": 3}
        _, _, fake = await begin(client, editor, options=options)
        chosen = fake.request.options
        assert (chosen.temperature, chosen.top_p, chosen.top_k) == (1.0, 0.5, 5)
        assert (chosen.drafter, chosen.seed) == ("none", 3)
        for options, word in (
            ({"temperature": -1}, "decode.temperature"),
            ({"seed": 1 << 63}, "but must be less than 2**63"),
            ({"acceptance": "always"}, "rejection or coupled"),
            ({"model": "/home/somebody/model"}, "folder"),
        ):
            params = {"editToken": "x", "text": "a", "instruction": "i", "options": options}
            error = await client.failure("editd/edit", params)
            assert error.code == -32602
            assert word in error.message
            assert "; using" not in error.message, "nothing is used instead"


@pytest.mark.parametrize(
    ("params", "code", "words"),
    [
        ({"instruction": "i"}, -32602, "textDocument"),
        ({"instruction": "i", "textDocument": {"uri": "file:///no.py"}}, -32602, "not open"),
        ({"textDocument": {"uri": "file:///w/a.py"}}, -32602, "instruction is empty"),
        ({"text": "a", "preset": "nope"}, -32602, "docstring, types"),
        ({"text": "a", "instruction": "i", "basedOn": "nope"}, -32602, "basedOn"),
        (
            {"instruction": "i", "textDocument": {"uri": "file:///w/a.py", "version": 0}},
            -32801,
            "at version 1, not at 0",
        ),
    ],
)
async def test_a_wrong_request_is_an_error_that_says_what_is_wrong(params, code, words):
    async with connected() as client:
        await client.initialize()
        Editor(client, TEXT)
        error = await client.failure("editd/edit", {"editToken": "t", **params})
        assert error.code == code
        assert words in error.message


async def test_a_running_edit_keeps_its_token():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        answer, _, fake = await begin(client, editor, "t")
        params = {"editToken": "t", "text": "a", "instruction": "i"}
        assert "running" in (await client.failure("editd/edit", params)).message
        fake.finish(hunks=[])
        assert (await answer)["status"] == "ok"
        again, _, fake = await begin(client, editor, "t")
        fake.finish(hunks=[])
        assert (await again)["status"] == "ok"


@pytest.mark.parametrize(
    ("finish_reason", "error", "status"),
    [
        ("refused", ("scope-too-large", "The file is too large."), "failed"),
        ("length", ("cut-off", "The answer was cut off."), "failed"),
        ("error", ("out-of-memory", "The model does not fit."), "failed"),
        ("cancelled", ("cancelled", "A newer edit took its place."), "cancelled"),
    ],
)
async def test_an_edit_that_came_to_nothing_is_a_result(finish_reason, error, status):
    async with connected() as client:
        await client.initialize()
        answer, _, fake = await begin(client, Editor(client, TEXT))
        fake.delta((1, 0, 1, ["ONE\n"]))
        fake.finish(finish_reason, error=error)
        result = await answer
        assert (result["status"], result["finish_reason"]) == (status, finish_reason)
        assert (result["code"], result["message"]) == error
        assert result["hunks"] == result["edits"] == []


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (DaemonUnreachable("The daemon has gone."), "daemon-unreachable", "The daemon has gone."),
        (ValueError("secret text of the buffer"), "failed", "internal error"),
    ],
)
async def test_what_breaks_on_the_way_is_a_result_too(raised, code, words, caplog):
    async with connected() as client:
        await client.initialize()
        answer, _, fake = await begin(client, Editor(client, TEXT))
        fake.say(raised)
        result = await answer
        assert (result["finish_reason"], result["code"]) == ("error", code)
        assert words in result["message"]
        assert "secret" not in caplog.text
        # And the next edit is tried again.
        _, _, fake = await begin(client, Editor(client, TEXT), "again")


async def test_no_daemon_is_a_result():
    async with connected() as client:
        client.engine.broken = DaemonUnreachable("No daemon could be started.")
        await client.initialize()
        result = await client.request(
            "editd/edit", {"editToken": 1, "text": "a", "instruction": "i"}
        )
        assert (result["finish_reason"], result["code"]) == ("error", "daemon-unreachable")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("text", {"text": "a\ud83d\n"}),
        ("instruction", {"instruction": "\udc00", "workDoneToken": 1}),  # its title quotes it
        ("prediction", {"prediction": "\ud83d"}),
        ("path", {"path": "\ud83d"}),
        ("context", {"context": [{"kind": "note", "text": "\ud83d"}]}),
    ],
)
async def test_half_a_surrogate_pair_is_refused_not_lost_and_blamed_on_what_holds_it(name, wrong):
    async with connected() as client:
        await client.initialize()
        params = {"editToken": 1, "text": "a\n", "instruction": "i", **wrong}
        result = await client.request("editd/edit", params)
        assert result["finish_reason"] == "refused"
        assert result["message"].startswith(f"Line 1 of the {name} contains half of a surrogate")


async def test_the_line_of_half_a_surrogate_pair_is_named():
    async with connected() as client:
        await client.initialize()
        text = "a\r\nb\u2028c\nd\ud83d\ne\n"
        result = await client.request(
            "editd/edit", {"editToken": 1, "text": text, "instruction": "i"}
        )
        assert result["message"].startswith("Line 3 of the text contains half")
        answer = await client.request("editd/warmup", {"text": text})
        assert (answer["status"], answer["message"]) == ("failed", result["message"])


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", 6), ("utf-16", 4), ("utf-32", 3)])
async def test_origins_are_told_in_the_client_s_characters(encoding, end):
    async with connected() as client:
        await client.initialize(EVERYTHING | {"general": {"positionEncodings": [encoding]}})
        params = {"editToken": 1, "text": "a\nb\n", "instruction": "i"}
        answer, _ = client.start("editd/edit", params)
        fake = await client.engine.next_edit()
        origins = (
            Origin(0, 0, 3, "project", "src/a.py:7"),
            Origin(0, 3, 5, "buffer"),
            Origin(1, 0, 2, "new"),
        )
        spans = (Span(0, 2, 3, "hesitated here: `b` or `c`"),)
        hunk = Hunk(1, 1, 1, ("a😀bb\n", "c\n"), origins=origins, note="Look.", note_spans=spans)
        fake.delta(dataclasses.replace(hunk, origins=()))
        fake.finish(hunks=[hunk, Hunk(2, 2, 0, ("z\n",))])
        first, second = (await answer)["hunks"]
        assert first["origins"] == [
            {"line": 0, "start": 0, "end": end, "source": "project", "detail": "src/a.py:7"},
            {"line": 0, "start": end, "end": end + 2, "source": "buffer"},
            {"line": 1, "start": 0, "end": 2, "source": "new"},
        ]
        span = {"line": 0, "start": end - 1, "end": end, "text": spans[0].text}
        assert (first["note"], first["noteSpans"]) == ("Look.", [span])
        assert not {"origins", "note", "noteSpans"} & set(second)
        (delta,) = client.all("editd/editDelta")
        assert "origins" not in delta["ops"][0]["hunk"]


async def test_two_edits_at_once_do_not_mix():
    async with connected() as client:
        await client.initialize()
        one, two = Editor(client, TEXT, "file:///1"), Editor(client, TEXT, "file:///2")
        first, _, fake_one = await begin(client, one, 1)
        second, _, fake_two = await begin(client, two, 2)
        fake_two.delta((1, 0, 1, ["EINS\n"]))
        fake_one.delta((1, 1, 1, ["TWO\n"]))
        fake_one.finish()
        fake_two.finish()
        assert [hunk["newLines"] for hunk in (await first)["hunks"]] == [["TWO\n"]]
        assert [hunk["newLines"] for hunk in (await second)["hunks"]] == [["EINS\n"]]
        tokens = {delta["editToken"] for delta in client.all("editd/editDelta")}
        assert tokens == {1, 2}


async def test_what_is_remembered_of_finished_edits_is_bounded():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        for token in range(MAX_FINISHED + 3):
            answer, _, fake = await begin(client, editor, token)
            fake.finish(hunks=[(1, 0, 1, [f"{token}\n"])])
            await answer
        assert (await client.failure("editd/accept", {"editToken": 0})).code == -32803
        error = await client.failure(
            "editd/edit", {"editToken": "x", "text": "a", "instruction": "i", "basedOn": 5}
        )
        assert "stored answer" in error.message
        assert (await client.request("editd/accept", {"editToken": token}))["applied"]


async def test_the_text_is_read_when_the_request_comes_not_later():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, TEXT)
        params = {"editToken": "t", "textDocument": editor.identifier, "instruction": "i"}
        client.start("editd/edit", params)
        editor.type(0, 0, "zero\n")  # in the same breath
        fake = await client.engine.next_edit()
        assert fake.request.text == TEXT


async def test_an_empty_range_is_the_cursor():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, "one\ntwo\n")
        spot = {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 2}}
        _, _, fake = await begin(client, editor, range=spot)
        asked = fake.request
        assert (asked.cursor, asked.start_line, asked.end_line) == (1, None, None)


async def test_the_lines_that_a_model_rewrites_are_sent_with_what_it_has_read():
    async with connected() as client:
        await client.initialize()
        editor = Editor(client, "one\ntwo\n")
        answer, _, fake = await begin(client, editor)
        fake.progress("loading", "loading m", fraction=0.5)
        fake.progress("prefill", "reading", fraction=0.0, regions=((0, 2),))
        fake.finish(hunks=())
        await answer
        (progress,) = client.all("editd/editProgress")
        assert progress == {
            "editToken": progress["editToken"],
            "version": 1,
            "regions": [{"start": 0, "end": 2}],
            "message": "reading",
            "fraction": 0.0,
        }
