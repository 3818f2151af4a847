"""The language server as a process of its own, as editors run it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.unit.frontends.lsp.client import EVERYTHING, Client, Editor

ROOT = Path(__file__).parents[2]
SERVER = [sys.executable, "-m", "editd", "lsp"]
PYGLS = [
    sys.executable,
    "-c",
    "import pygls.lsp.server, time; print(time.process_time())",
]
SCRIPTED = [sys.executable, "-m", "tests.unit.frontends.lsp.scripted_server"]


@contextlib.asynccontextmanager
async def process(*command, stderr=subprocess.DEVNULL):
    """A client of ``command``; ``client.process`` is the process."""
    server = await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        cwd=ROOT,
        limit=1 << 26,
    )
    client = Client(server.stdout, server.stdin.write)
    client.process = server
    try:
        yield client
    finally:
        server.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(server.wait(), 5)
        if server.returncode is None:
            server.kill()
            await server.wait()
        await client.finish()
        await close_pipes(server)


async def close_pipes(process):
    """asyncio closes a process' pipes when it gets round to it, which may be never."""
    process._transport.close()
    await asyncio.sleep(0)
    await asyncio.sleep(0)


async def leave(client):
    await client.request("shutdown")
    client.notify("exit")
    return await asyncio.wait_for(client.process.wait(), 60)


async def test_a_cold_process_answers_initialize_for_little_more_than_pygls_takes_to_load():
    """In CPU seconds beside those of the library alone, in turns: a slow machine slows both."""
    library, server = [], []
    for _ in range(3):
        library.append(float(await asyncio.to_thread(subprocess.check_output, PYGLS)))
        async with process(*SERVER) as client:
            await client.request(
                "initialize", {"processId": os.getpid(), "capabilities": EVERYTHING}
            )
            times = psutil.Process(client.process.pid).cpu_times()
            server.append(times.user + times.system)
            assert await leave(client) == 0
    assert min(server) < 2.5 * min(library), (server, library)


def test_neither_torch_nor_transformers_is_loaded():
    script = """
import sys
import editd.daemon.client
from editd.frontends.lsp.server import main
try:
    main()
finally:
    loaded = {name.partition(".")[0] for name in sys.modules}
    assert "editd" in loaded
    print(sorted(loaded & {"torch", "transformers", "numpy", "tokenizers"}), file=sys.stderr)
"""
    messages = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"id": 2, "method": "editd/presets"},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    data = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    done = subprocess.run(
        [sys.executable, "-c", script], input=data, capture_output=True, timeout=60, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.count(b'"result"') == 3
    assert done.stderr.decode().split() == ["[]"]


TEXTS = [
    "alpha\nbeta\n",
    "alpha é\r\nbeta 😀 x\r\n\r\ndelta",
    "a\u2028b\x0cc\n漢字 👩‍👩‍👧 z\n",
    "",
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_a_buffer_is_edited_and_accepted_as_an_editor_does_it(encoding):
    async with process(*SCRIPTED, json.dumps({"open_hunks": True})) as client:
        capabilities = EVERYTHING | {"general": {"positionEncodings": [encoding]}}
        result = await client.initialize(capabilities, process_id=os.getpid())
        assert result["capabilities"]["positionEncoding"] == encoding
        for number, text in enumerate(TEXTS):
            editor = Editor(client, text, f"file:///{number}", encoding)
            if text:
                editor.type(len(text) // 2, len(text) // 2, "x\ny")
            expected = editor.text.upper()
            params = {"editToken": number, "textDocument": editor.identifier, "instruction": "i"}
            answer = await client.request("editd/edit", params)
            assert answer["status"] == "ok", answer
            if text:
                accepted = await client.request("editd/accept", {"editToken": number})
                assert accepted["applied"], accepted
            assert editor.text == expected
        assert client.all("editd/editDelta")
        assert await leave(client) == 0


async def test_what_a_library_prints_does_not_disturb_the_protocol():
    async with process(*SCRIPTED, stderr=subprocess.PIPE) as client:
        await client.initialize()
        params = {"editToken": 1, "text": "a\n", "instruction": "i"}
        assert (await client.request("editd/edit", params))["text"] == "A\n"
        assert await leave(client) == 0
        assert "this is not a message" in (await client.process.stderr.read()).decode()


async def test_an_edit_is_cancelled_while_it_streams():
    script = {"unit_seconds": 0.02, "lines_per_unit": 1}
    async with process(*SCRIPTED, json.dumps(script)) as client:
        await client.initialize()
        editor = Editor(client, "line\n" * 10_000)
        params = {"editToken": 1, "textDocument": editor.identifier, "instruction": "i"}
        answer, _ = client.start("editd/edit", params)
        await client.wait_for("editd/editDelta")
        client.notify("editd/cancel", {"editToken": 1})
        # Uncancelled it would go on for 200 seconds.
        assert (await asyncio.wait_for(answer, 60))["finish_reason"] == "cancelled"
        assert await leave(client) == 0


async def test_a_newer_edit_of_a_document_takes_the_place_of_the_older():
    async with process(*SCRIPTED, json.dumps({"unit_seconds": 0.01})) as client:
        await client.initialize()
        long, short = Editor(client, "line\n" * 10_000), Editor(client, "a\n", "file:///other")
        params = {"textDocument": long.identifier, "instruction": "i"}
        older, _ = client.start("editd/edit", params | {"editToken": 1})
        await client.wait_for("editd/editDelta")
        newer, _ = client.start("editd/edit", params | {"editToken": 2})
        result = await asyncio.wait_for(older, 60)
        assert (result["finish_reason"], result["hunks"]) == ("cancelled", [])
        await client.request("editd/cancel", {"editToken": 2})
        assert (await newer)["finish_reason"] == "cancelled"
        params = {"editToken": 3, "textDocument": short.identifier, "instruction": "i"}
        assert (await client.request("editd/edit", params))["status"] == "ok"
        assert await leave(client) == 0


async def test_an_editor_that_hangs_up_while_an_edit_streams_leaves_no_process():
    async with process(*SCRIPTED, json.dumps({"unit_seconds": 0.01})) as client:
        await client.initialize()
        params = {"editToken": 1, "text": "line\n" * 10_000, "instruction": "i"}
        client.start("editd/edit", params)
        await client.wait_for("editd/editDelta")
        client.process.stdin.close()
        assert await asyncio.wait_for(client.process.wait(), 60) == 1


async def test_the_server_leaves_when_its_editor_dies():
    """The pipe stays open in another process, as editors' children often keep it."""
    script = """
import subprocess, sys, time
server = subprocess.Popen([sys.executable, "-m", "editd", "lsp"])
print(server.pid, file=sys.stderr, flush=True)
time.sleep(600)
"""
    editor = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    pid = int(await editor.stderr.readline())
    client = Client(editor.stdout, editor.stdin.write)
    try:
        await client.initialize(process_id=editor.pid)
        keep = os.dup(editor.stdin.get_extra_info("pipe").fileno())  # nobody closes the pipe
        editor.kill()
        async with asyncio.timeout(60):
            await client._pump  # the output ends when the server has left
        os.close(keep)
        await editor.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        await client.finish()
        await close_pipes(editor)


def test_the_example_prints_the_new_text(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes("x = 'é'\r\ny = 2".encode())
    example = [sys.executable, str(ROOT / "examples" / "stdio_edit.py"), str(path), "Shout!"]
    done = subprocess.run([*example, *SCRIPTED], capture_output=True, timeout=60, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == "X = 'É'\r\nY = 2"
    assert path.read_bytes() == "x = 'é'\r\ny = 2".encode()


def test_a_completion_runs_through_a_real_daemon_and_a_real_model(tmp_path, monkeypatch):
    """The weights are random, so that the text is nonsense."""
    from tests.tiny import checkpoint

    monkeypatch.setenv("EDITD_MODEL", str(checkpoint("llama")))
    monkeypatch.setenv("EDITD_DECODE_MAX_NEW_TOKENS", "24")
    path = tmp_path / "a.py"
    path.write_text("value = 1\n")
    example = [sys.executable, str(ROOT / "examples" / "complete_stdio.py"), str(path), "Go on."]
    try:
        done = subprocess.run([*example, *SERVER], capture_output=True, timeout=120, cwd=ROOT)
    finally:
        subprocess.run([sys.executable, "-m", "editd", "stop", "--force"], cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout
    assert re.fullmatch(r"\d+ of 24 tokens were predicted\n", done.stderr.decode())


def test_the_example_says_what_went_wrong(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("x = 1\n")
    example = [sys.executable, str(ROOT / "examples" / "stdio_edit.py"), str(path)]
    for instruction, script, words in (
        ("i", {"finish_reason": "refused", "error": "refused"}, "The script says so."),
        ("", {}, "instruction is empty"),
    ):
        done = subprocess.run(
            [*example, instruction, *SCRIPTED, json.dumps(script)],
            capture_output=True,
            timeout=60,
            cwd=ROOT,
        )
        assert done.returncode == 1
        assert words in done.stderr.decode()
        assert done.stdout == b""
