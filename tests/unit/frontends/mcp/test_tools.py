"""The tools as an agent finds them, through the SDK's own client in this process."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import asynccontextmanager

import pytest
from mcp import Client

from editd.apply import resolve as answering
from editd.apply.resolve import resolve_sketch
from editd.diff.hunk import Hunk
from editd.errors import DaemonUnreachable, ModelNotFound, ModelUnsupported, UsageError
from editd.frontends.mcp.editing import FileEditor, Folders
from editd.frontends.mcp.server import make_server
from editd.frontends.mcp.tools import read_call
from editd.messages.options import WAYS, EditOptions
from tests.unit.frontends.lsp.engine import FakeEngine

CART = "def total(cart):\n    price = 0\n    return price\n\n\ndef empty(cart):\n    cart.clear()\n"
SKETCH = (
    "# ... existing code ...\n    price = 0\n    for item in cart:\n        price += item.price\n"
    "    return price\n# ... existing code ...\n"
)
MERGED = CART.replace(
    "    return", "    for item in cart:\n        price += item.price\n    return", 1
)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "cart.py").write_text(CART)
    return folder


@asynccontextmanager
async def agent(project, engine=None, mode="legacy"):
    """An agent's client; ``engine`` is put on it."""
    engine = engine or FakeEngine()

    editor = FileEditor(Folders([project]), engine.behind_a_door(secrets=False), EditOptions())
    async with Client(make_server(editor), mode=mode) as client:
        client.engine = engine
        yield client


async def call(client, tool="edit_file", **arguments):
    """What is told of a call: the structured result, which the text says too."""
    result = await client.call_tool(tool, arguments)
    told = result.structured_content
    assert set(told) == {
        "status", "path", "added", "removed", "diff", "milliseconds", "written_by", "summary",
        "notes", "ways", "doubts", "message",
    }  # fmt: skip
    assert result.is_error == (told["status"] not in ("ok", "unchanged"))
    (content,) = result.content
    assert content.text.startswith(told["message"])
    return told


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_both_eras_list_the_tools_that_write(project, mode):
    async with agent(project, mode=mode) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["edit_file", "replace", "rewrite"]
        for tool in tools:
            notes = tool.annotations
            assert (notes.read_only_hint, notes.destructive_hint) == (False, True)
            assert (notes.idempotent_hint, notes.open_world_hint) == (False, False)
            assert tool.output_schema["required"][0] == "status"
        assert "existing code" in tools[0].description
        assert tools[0].input_schema["required"] == ["path", "instructions", "code_edit"]
        told = await call(client, path="cart.py", instructions="I sum.", code_edit=SKETCH)
        assert told["status"] == "ok"


async def test_a_sketch_that_means_one_thing_is_merged_without_a_daemon(project):
    file = project / "cart.py"
    file.chmod(0o640)
    async with agent(project, FakeEngine(running=False)) as client:
        told = await call(
            client, path="cart.py", instructions="I sum.", code_edit=SKETCH, dry_run=True
        )
        assert file.read_text() == CART
        assert "would change" in told["message"]
        told = await call(client, path=str(file), instructions="I sum.", code_edit=SKETCH)
        assert not client.engine.running
    assert file.read_text() == MERGED
    assert file.stat().st_mode & 0o777 == 0o640
    assert (told["status"], told["path"], told["written_by"]) == ("ok", "cart.py", "text")
    assert (told["added"], told["removed"]) == (2, 0)
    assert "+    for item in cart:\n" in told["diff"]


async def test_a_best_reading_is_shown_and_written_only_if_the_agent_says_so(project):
    file = project / "cart.py"
    new = "def pay(cart):\n    cart.done()\n"
    sketch = f"# ...\n\n{new}\n# ...\n"  # where does it go?
    async with agent(project, FakeEngine(running=False)) as client:
        told = await call(client, path="cart.py", code_edit=sketch)
        assert (told["status"], told["written_by"]) == ("doubtful", "text")
        assert file.read_text() == CART
        assert "+    cart.done()\n" in told["diff"]
        assert all(doubt in told["message"] for doubt in told["doubts"])
        told = await call(client, path="cart.py", code_edit=sketch, doubt="refuse")
        assert told["status"] == "refused"
        assert file.read_text() == CART
        told = await call(client, path="cart.py", code_edit=sketch, doubt="accept")
        assert told["status"] == "ok"
    assert new in file.read_text()
    assert file.read_text().replace(new, "").replace("\n\n\n\n\n", "\n\n\n").strip() == CART.strip()


@pytest.mark.parametrize(
    "path", ["path", "target_file", "target_filepath", "file_path", "filepath"]
)
@pytest.mark.parametrize("sketch", ["code_edit", "edit_snippet", "update"])
def test_the_words_that_agents_were_trained_on_are_taken(path, sketch):
    read = read_call("edit_file", {path: "a.py", sketch: "x", "instruction": "i", "dryRun": True})
    assert (read.path, read.sketch, read.instruction, read.dry_run) == ("a.py", "x", "i", True)
    assert read_call("rewrite", {path: "a", "instruction": "i", "range": "2:3"}).lines == (2, 3)
    for given in ([2, 3], "2-3", "2–3", "2, 3", " 2 - 3 "):
        assert read_call("rewrite", {path: "a", "instruction": "i", "range": given}).lines == (2, 3)


BYTES = {
    "crlf": CART.replace("\n", "\r\n").encode(),
    "bom": b"\xef\xbb\xbf" + CART.encode(),
    "utf-16": CART.encode("utf-16"),
    "cookie": b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + CART.encode(),
    "no last newline": CART.removesuffix("\n").encode(),
}


@pytest.mark.parametrize("kind", BYTES)
async def test_bytes_that_were_not_asked_for_stay(project, kind):
    file = project / "cart.py"
    file.write_bytes(BYTES[kind])
    async with agent(project) as client:
        told = await call(client, path="cart.py", instructions="I sum.", code_edit=SKETCH)
        assert told["status"] == "ok", told
    old, new = BYTES[kind], file.read_bytes()
    codec = "utf-16" if kind == "utf-16" else "latin-1"
    assert new.decode(codec).replace("\r\n", "\n") == old.decode(codec).replace(
        "\r\n", "\n"
    ).replace(CART.removesuffix("\n"), MERGED.removesuffix("\n"))
    assert new.count(b"\r\n") == (new.count(b"\n") if kind == "crlf" else 0)


async def test_a_link_inside_is_followed_and_stays_a_link(project):
    (project / "link.py").symlink_to("cart.py")
    async with agent(project) as client:
        told = await call(client, path="link.py", instructions="I sum.", code_edit=SKETCH)
    assert told["path"] == "cart.py"
    assert (project / "link.py").is_symlink()
    assert (project / "cart.py").read_text() == MERGED


async def test_nothing_outside_hidden_or_secret_is_touched(project, tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text(CART)
    (project / "way_out.py").symlink_to(outside)
    (project / "folder").symlink_to(tmp_path)
    (tmp_path / "project-2").mkdir()
    (tmp_path / "project-2" / "a.py").write_text(CART)
    for name in (".env", ".git/config", ".hidden.py", "api.key", "credentials.json", "sub/.x/a.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(CART)
    (project / "looks_fine.py").symlink_to(".env")
    os.mkfifo(project / "pipe")
    refused = {
        "../outside.py": "outside", str(outside): "outside", "way_out.py": "outside",
        "folder/outside.py": "outside", "../project-2/a.py": "outside", "/etc/passwd": "outside",
        "../nothing": "outside", "/no/such/file": "outside",
        ".env": "hidden", ".git/config": "hidden", ".hidden.py": "hidden", "sub/.x/a.py": "hidden",
        "looks_fine.py": "hidden", "api.key": "secret", "credentials.json": "secret",
        "nothing.py": "no such file", ".": "not a regular file", "sub": "not a regular file",
        "pipe": "not a regular file", "": "empty", "a\0b": "NUL", "x" * 5000: "cannot be read",
    }  # fmt: skip
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    async with agent(project) as client:
        for path, words in refused.items():
            told = await call(client, path=path, instructions="I sum.", code_edit=SKETCH)
            assert told["status"] == "refused", path
            assert words in told["message"], (path, told)
            assert "Nothing was written" in told["message"]
    assert before == {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("edit_file", {"path": "cart.py"}, "code_edit is missing"),
        ("edit_file", {"path": 3, "code_edit": "x"}, "path is missing or not a string"),
        ("edit_file", {"path": "cart.py", "code_edit": " \n"}, "code_edit is empty"),
        ("edit_file", {"path": "cart.py", "code_edit": "x", "dry_run": "yes"}, "dry_run"),
        ("rewrite", {"path": "cart.py"}, "instruction is missing"),
        ("rewrite", {"path": "cart.py", "instruction": "x", "way": "best"}, "way must be one of"),
        ("edit_file", {"path": "cart.py", "code_edit": "x", "way": "reading"}, "no other way"),
        ("rewrite", {"path": "cart.py", "instruction": "x", "range": "3"}, "START:END"),
        ("rewrite", {"path": "cart.py", "instruction": "x", "range": "0:2"}, "START:END"),
        ("rewrite", {"path": "cart.py", "instruction": "x", "range": "2:99"}, "has 7 lines"),
        (
            "rewrite",
            {"path": "cart.py", "instruction": "x", "range": f"1:{'9' * 5000}"},
            "START:END",
        ),
        ("rewrite", {"path": "cart.py", "instruction": "x", "range": [1, 2, 3]}, "START:END"),
        ("rewrite", {"path": "cart.py", "instruction": "x", "range": {"start": 1}}, "START:END"),
        ("fly", {}, "no tool fly"),
    ],
)
async def test_a_wrong_call_is_answered_by_one_sentence(project, tool, arguments, words):
    async with agent(project) as client:
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        assert words in result.content[0].text
    assert (project / "cart.py").read_text() == CART


async def test_the_model_rewrites_the_lines_that_were_named(project):
    async with agent(project) as client:
        asking = asyncio.create_task(
            call(client, "rewrite", path="cart.py", instruction="Return 1.", range="3:3")
        )
        fake = await client.engine.next_edit()
        request = fake.request
        assert (request.text, request.path, request.instruction) == (CART, "cart.py", "Return 1.")
        assert (request.start_line, request.end_line) == (2, 3)
        fake.finish(hunks=[(1, 2, 1, ["    return 1\n"])])
        told = await asking
    assert (told["status"], told["written_by"], told["added"], told["removed"]) == (
        "ok",
        "model",
        1,
        1,
    )
    assert (project / "cart.py").read_text() == CART.replace("return price", "return 1")


@pytest.fixture
def named(project):
    """Files that an instruction may or may not name."""
    (project.parent / "outside.py").write_text("x = 1\n")
    (project / "link.py").symlink_to(project.parent / "outside.py")
    (project / "data.py").write_bytes(b"\0\1")
    (project / "long.py").write_text("x = 1\n" * 100_000)
    (project / ".env").write_text("KEY=1\n")
    (project / "sub").mkdir()
    (project / "sub" / "util.py").write_text("def helper(): ...\n")


@pytest.mark.parametrize("name", ["util.py", "sub/util.py", "sub/util.py:1", "helper"])
async def test_the_model_sees_what_the_instruction_names(project, named, name):
    async with agent(project) as client:
        asking = asyncio.create_task(
            call(client, "rewrite", path="cart.py", instruction=f"Use @{name}.")
        )
        fake = await client.engine.next_edit()
        (item,) = fake.request.context
        assert (item.path, item.text) == ("sub/util.py", "def helper(): ...\n")
        fake.finish(hunks=[(1, 2, 1, ["    return 1\n"])])
        assert (await asking)["status"] == "ok"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../outside.py", "lies outside of the project"),
        ("link.py", "lies outside of the project"),
        ("/etc/passwd", "lies outside of the project"),
        ("data.py", "is no text"),
        ("long.py", "longer than 512 kB"),
        (".env", "hidden or looks like a secret"),
    ],
)
async def test_what_the_instruction_may_not_name_is_refused(project, named, name, words):
    async with agent(project) as client:
        told = await call(client, "rewrite", path="cart.py", instruction=f"Use @{name}.")
    assert (told["status"], (project / "cart.py").read_text()) == ("refused", CART)
    assert words in told["message"]


async def test_a_name_that_the_folder_has_not_is_said(project):
    async with agent(project) as client:
        asking = asyncio.create_task(
            call(client, "rewrite", path="cart.py", instruction="Use @no.py.")
        )
        fake = await client.engine.next_edit()
        fake.finish(hunks=[(1, 2, 1, ["    return 1\n"])])
        assert "There is no no.py in the project" in (await asking)["message"]


async def test_what_is_worth_a_look_and_other_ways_are_told(project):
    async with agent(project) as client:
        arguments = {
            "path": "cart.py",
            "instructions": "I sum.",
            "code_edit": SKETCH,
            "way": "model",
        }
        asking = asyncio.create_task(client.call_tool("edit_file", arguments))
        fake = await client.engine.next_edit()
        assert (fake.request.options.way, fake.request.sketch) == ("model", SKETCH)
        noted = Hunk(1, 2, 1, ("    return 1\n",), note="It is short.")
        fake.finish(hunks=[noted], summary="That is all.", ways=WAYS[-2:])
        result = await asking
    told = result.structured_content
    assert (told["summary"], told["notes"]) == ("That is all.", ["line 3: It is short."])
    assert told["ways"] == ["again", "whole"]
    text = result.content[0].text
    assert "cart.py was changed. That is all.\n" in text
    assert "\nWorth a look: line 3: It is short.\n" in text
    assert "\nOther values of way for this edit: again, whole.\n" in text


async def test_what_a_guard_doubts_is_not_written(project):
    async with agent(project) as client:
        for finish, status, words in (
            ({"hunks": [Hunk(1, 0, 7, (), suspect="half the file is gone")]}, "refused", "half the file"),
            ({"finish_reason": "refused", "error": ("refused", "It wrote prose.")}, "refused", "prose"),
            ({"finish_reason": "error", "error": ("out-of-memory", "Too large.")}, "failed", "Too large"),
            ({"finish_reason": "cancelled", "error": ("cancelled", "Gone.")}, "cancelled", "Gone"),
        ):  # fmt: skip
            asking = asyncio.create_task(call(client, "rewrite", path="cart.py", instruction="x"))
            (await client.engine.next_edit()).finish(**finish)
            told = await asking
            assert (told["status"], told["diff"]) == (status, "")
            assert words in told["message"]
            assert "Nothing was written." in told["message"]
        for broken in (DaemonUnreachable("No daemon."), ModelNotFound("No model.")):
            asking = asyncio.create_task(call(client, "rewrite", path="cart.py", instruction="x"))
            (await client.engine.next_edit()).say(broken)
            assert (await asking)["status"] == "failed"
    assert (project / "cart.py").read_text() == CART


async def test_without_a_model_a_doubt_says_what_is_ambiguous_and_no_package(project):
    sketch = "# ...\n    y = 1\n    price = 0\n    z = 2\n# ...\n"
    async with agent(project) as client:
        asking = asyncio.create_task(
            call(client, path="cart.py", instructions="I add y.", code_edit=sketch)
        )
        missing = ModelUnsupported("This model needs PyTorch: pip install 'editd[torch]'.")
        (await client.engine.next_edit()).say(missing)
        told = await asking
    assert told["status"] == "refused"
    assert "“y = 1” (line 2 of the sketch) is not in the file" in told["message"]
    assert "No model is set up that could decide it." in told["message"]
    assert "pip" not in told["message"]
    assert (project / "cart.py").read_text() == CART


async def test_a_file_that_changed_meanwhile_is_left_alone(project):
    file = project / "cart.py"
    async with agent(project) as client:
        for change in (lambda: file.write_text(CART + "#\n"), lambda: os.utime(file, (1, 1))):
            asking = asyncio.create_task(call(client, "rewrite", path="cart.py", instruction="x"))
            fake = await client.engine.next_edit()
            change()
            now = file.read_bytes()
            fake.finish(hunks=[(1, 0, 1, ["x\n"])])
            told = await asking
            assert told["status"] == "refused"
            assert "changed on disk" in told["message"]
            assert file.read_bytes() == now


async def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(project, tmp_path):
    """Neither what is read nor what is written is another file's, however much alike they are."""
    inside, outside = project / "sub", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "cart.py").write_text(CART)
        os.utime(folder / "cart.py", (1, 1))
    async with agent(project) as client:
        asking = [
            asyncio.create_task(call(client, "rewrite", path="sub/cart.py", instruction="x"))
            for _ in range(2)
        ]
        fake = await client.engine.next_edit()
        await asyncio.sleep(0)
        inside.rename(project / "was")
        inside.symlink_to(outside)
        fake.finish(hunks=[(1, 0, 1, ["x\n"])])
        for told in await asyncio.gather(*asking):
            assert (told["status"], told["diff"]) == ("refused", "")
        assert client.engine.edits.empty()
    assert {file.read_text() for file in tmp_path.rglob("cart.py")} == {CART}
    assert len([*tmp_path.rglob("*cart.py*")]) == 3


async def test_an_answer_that_changes_nothing_writes_nothing(project):
    file = project / "cart.py"
    os.utime(file, (1, 1))
    async with agent(project) as client:
        asking = asyncio.create_task(call(client, "rewrite", path="cart.py", instruction="x"))
        (await client.engine.next_edit()).finish(hunks=[])
        assert (await asking)["status"] == "unchanged"
    assert file.stat().st_mtime == 1


async def test_calls_for_one_file_wait_for_each_other_and_others_do_not(project):
    (project / "other.py").write_text(CART)
    async with agent(project) as client:
        asking = [
            asyncio.create_task(call(client, "rewrite", path=path, instruction=str(number)))
            for number, path in enumerate(["cart.py", "./cart.py", "other.py"])
        ]
        begun = [await client.engine.next_edit(), await client.engine.next_edit()]
        assert sorted(fake.request.path for fake in begun) == ["cart.py", "other.py"]
        await asyncio.sleep(0.05)
        assert client.engine.edits.empty()
        for fake in begun:
            fake.finish(hunks=[(1, 0, 1, ["first\n"])])
        second = await client.engine.next_edit()
        assert second.request.text.startswith("first\n")
        second.finish(hunks=[(1, 1, 0, ["second\n"])])
        assert {told["status"] for told in await asyncio.gather(*asking)} == {"ok"}
    assert (project / "cart.py").read_text().startswith("first\nsecond\n")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_progress_is_told_while_the_model_loads(project, mode):
    heard = []

    async def hear(progress, total, message):
        heard.append((progress, message))

    async with agent(project, mode=mode) as client:
        asking = asyncio.create_task(
            client.call_tool(
                "rewrite", {"path": "cart.py", "instruction": "x"}, progress_callback=hear
            )
        )
        fake = await client.engine.next_edit()
        fake.progress("loading", "loading m (40%)", fraction=0.4)
        async with asyncio.timeout(60):
            while not heard:  # noqa: ASYNC110 - nobody else tells
                await asyncio.sleep(0.01)
        fake.finish(hunks=[])
        await asking
    assert heard == [(1, "loading m (40%)")]


async def test_who_cancels_is_obeyed_and_nothing_is_written(project):
    async with agent(project) as client:
        asking = asyncio.create_task(
            client.call_tool("rewrite", {"path": "cart.py", "instruction": "x"})
        )
        fake = await client.engine.next_edit()
        asking.cancel()
        await asyncio.wait_for(fake.closed.wait(), 60)
        told = await call(client, path="cart.py", instructions="", code_edit=SKETCH)
        assert told["status"] == "ok"  # the file's lock was given back
    assert (project / "cart.py").read_text() == MERGED


async def test_nobody_waits_while_a_large_sketch_is_merged(project, monkeypatch):
    done = threading.Event()

    def slow(request):
        assert done.wait(60), "the event loop waits for the merge"
        return resolve_sketch(request)

    monkeypatch.setattr(answering, "resolve_sketch", slow)
    (project / "cart.py").write_text(CART + "#\n" * 20_000)
    async with agent(project) as client:
        asking = asyncio.create_task(
            call(client, path="cart.py", instructions="", code_edit=SKETCH)
        )
        assert len((await client.list_tools()).tools) == 3
        done.set()
        assert (await asking)["status"] == "ok"


CODE = """\
def area(box):
    # the sides as they
    # are now
    width, height = box
    if not width:
        return 0
    return width * height


def pay(cart):
    if not cart:
        return 0
    return cart.total
"""


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("width * height", "height * width", CODE.replace("width * height", "height * width")),
        # lost indentation, other white space
        ("if not width:\n    return 0", "if not width:\n    return 1", CODE.replace("return 0", "return 1", 1)),
        ("    width,  height = box\n    if not width: ", "    width, height = box.sides\n    if not width:", CODE.replace("= box", "= box.sides")),
        # a stale line and a comment in one line, beside the line that changes
        ("    wide, height = box\n    if not width:\n        return 0", "    wide, height = box\n    if not width:\n        return 1", CODE.replace("return 0", "return 1", 1)),
        ("    # the sides as they are now\n    width, height = box", "    # the sides as they are now\n    width, height = box.sides", CODE.replace("= box", "= box.sides")),
        # twice, but for the line above
        ("    if not cart:\n        return 0", "    if not cart:\n        return 2", CODE.replace("cart:\n        return 0", "cart:\n        return 2")),
    ],
)  # fmt: skip
async def test_replace_lands_where_the_old_text_stands(project, old, new, text):
    file = project / "cart.py"
    file.write_text(CODE)
    async with agent(project, FakeEngine(running=False)) as client:
        told = await call(client, "replace", path="cart.py", edits=[{"old": old, "new": new}])
        assert not client.engine.running
    assert file.read_text() == text
    assert (told["status"], told["written_by"]) == ("ok", "text")


@pytest.mark.parametrize(
    ("old", "parts"),
    [
        ("return 0", ["2 times", "lines 6 and 12", "stands only once"]),
        ("    width, height = bax", ["is not in the file", "nearest is line 4"]),
        ("def area(box):\n    print(1)\n    print(2)", ["   1 | def area(box):"]),
        ("nothing of the kind", ["is not in the file"]),
    ],
)
async def test_replace_says_where_the_text_is_and_writes_nothing(project, old, parts):
    file = project / "cart.py"
    file.write_text(CODE)
    async with agent(project, FakeEngine(running=False)) as client:
        told = await call(client, "replace", path="cart.py", edits=[{"old": old, "new": "x"}])
    assert file.read_text() == CODE
    assert told["status"] == "refused"
    assert [part for part in parts if part not in told["message"]] == []


async def test_replace_changes_all_files_or_none(project):
    first, second = project / "cart.py", project / "box.py"
    second.write_text(CODE)
    good = {"old": "price = 0", "new": "price = 1"}
    async with agent(project, FakeEngine(running=False)) as client:
        told = await call(client, "replace", path="cart.py", edits=[good, {"path": "box.py", "old": "no such", "new": "x"}])  # fmt: skip
        assert (told["status"], first.read_text(), second.read_text()) == ("refused", CART, CODE)
        edits = [
            good,
            {"path": "box.py", "old": "return 0", "new": "return 1", "replace_all": True},
        ]
        told = await call(client, "replace", path="cart.py", edits=edits, dry_run=True)
        assert (told["added"], first.read_text(), second.read_text()) == (3, CART, CODE)
        told = await call(client, "replace", path="cart.py", edits=edits)
    assert told["path"] == "cart.py, box.py"
    assert first.read_text() == CART.replace("price = 0", "price = 1")
    assert second.read_text() == CODE.replace("return 0", "return 1")


@pytest.mark.parametrize(
    "edits",
    [
        None,
        [],
        "x",
        "[x",
        "[" * 100_000,
        [1],
        [{"old": "", "new": "x"}],
        [{"old": "x"}],
        [{"new": "x"}],
    ],
)
async def test_replace_without_edits_is_one_sentence(project, edits):
    with pytest.raises(UsageError, match="edits"):
        read_call("replace", {"path": "cart.py", "edits": edits})


@pytest.mark.parametrize("path", [1, [], {}])
async def test_replace_takes_no_path_that_is_no_text(project, path):
    edits = [{"path": path, "old": "x", "new": "y"}]
    with pytest.raises(UsageError, match="path"):
        read_call("replace", {"path": "cart.py", "edits": edits})


async def test_replace_takes_a_list_that_is_written_as_a_text(project):
    call = read_call("replace", {"path": "a.py", "edits": '[{"old": "x", "new": "y"}]'})
    assert [(edit.path, edit.old, edit.new) for edit in call.edits] == [("a.py", "x", "y")]
