"""editd with a server as its model, and the server is ``editd serve``: real processes, a real model.

Two daemons: the server's holds the solved model, the client's holds none and loads no torch.
"""

import json
import re
import subprocess
import sys

import openai
import psutil
import pytest
from mcp import Client, StdioServerParameters

from editd.config import Config, ModelConfig
from editd.engine import Engine
from editd.messages import EditRequest
from editd.prompts.base import PromptParts
from editd.prompts.formats import EmbeddedFormat
from tests.e2e.test_cli import DEMO, ROOT, Shell
from tests.e2e.test_doors import serve
from tests.e2e.test_lsp import leave, process
from tests.fixtures.solved.edits import load_edits
from tests.unit.frontends.lsp.client import EVERYTHING, Editor
from tests.unit.models.remote.server import DONE, STREAM, said, serving

INSTRUCTION = "Rename qty to quantity everywhere."
KEY = "not-so-secret"


@pytest.fixture(scope="module")
def server(tmp_path_factory, demo_model):
    """The address of a server that knows the demo edits and asks for a key."""
    shell = Shell(tmp_path_factory.mktemp("server"))
    shell.environment["EDITD_API_KEY"] = KEY
    running = subprocess.Popen(
        [sys.executable, "-m", "editd", "serve", "--port", "0"],
        env=shell.environment,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = running.stderr.readline()
    yield re.search(r"http://127\.0\.0\.1:\d+/v1", said)[0]
    running.terminate()
    running.communicate(timeout=60)
    shell.run("stop", "--force")


@pytest.fixture
def shell(tmp_path, server):
    shell = Shell(tmp_path)
    del shell.environment["EDITD_MODEL"]
    key = tmp_path / "key"
    key.write_text(f"{KEY}\n")
    key.chmod(0o600)
    configure(shell, url=server, name="editd", key_file=str(key))
    yield shell
    shell.run("stop", "--force")


def configure(shell, **model):
    settings = {"engine": "remote", **model}
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    (shell.folder / "config.toml").write_text("\n".join(["[model]", *lines, ""]))


def has_torch(pid):
    return any("libtorch" in mapped.path for mapped in psutil.Process(pid).memory_maps())


async def test_the_command_line_and_an_editor(shell, monkeypatch):
    after = (DEMO / "after" / "inventory-rename.py").read_text()
    file = shell.folder / "inventory.py"
    file.write_bytes((DEMO / "inventory.py").read_bytes())
    code, out, err = shell.run("edit", str(file), "-i", INSTRUCTION, "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["text"] == after
    stats = answer["stats"]
    assert stats["exactness"] == "remote"
    assert stats["accepted"] > 0.8 * stats["output_tokens"]
    assert stats["rounds"] is None
    # Where text goes is shown wherever somebody looks.
    status = shell.status()
    (held,) = status["models"]
    assert held["name"] == "editd at 127.0.0.1"
    assert "goes to http://127.0.0.1:" in shell.run("status")[1]
    assert re.search(r"editd on http://127\.0\.0\.1:\d+, where the text", shell.run("doctor")[1])
    assert "editd at 127.0.0.1" in shell.run("explain")[1]
    assert not has_torch(status["pid"])
    code, _, err = shell.run("edit", str(file), "-i", INSTRUCTION, "--in-place")
    assert code == 0, err
    assert file.read_text() == after

    for name, value in shell.environment.items():
        monkeypatch.setenv(name, value)
    async with process(sys.executable, "-m", "editd", "lsp") as client:
        await client.initialize(EVERYTHING)
        editor = Editor(client, (DEMO / "inventory.py").read_text(), "file:///inventory.py")
        params = {"editToken": 1, "textDocument": editor.identifier, "instruction": INSTRUCTION}
        answer = await client.request("editd/edit", params)
        assert answer["status"] == "ok", answer
        shown = await client.request("editd/status", {})
        assert shown["model"] == "editd at 127.0.0.1"
        assert (await client.request("editd/accept", {"editToken": 1}))["applied"]
        assert editor.text == after
        assert await leave(client) == 0


async def test_serve_and_mcp(shell):
    """The doors of a daemon that has no model of its own, and an edit at each."""
    edit = next(edit for edit in load_edits(DEMO) if edit.name == "ring-rename")
    file = shell.folder / edit.path
    file.write_text(edit.before)
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "editd", "mcp", str(shell.folder)],
        env=shell.environment,
        cwd=ROOT,
    )
    async with Client(command) as agent:
        asked = {"path": edit.path, "instruction": edit.instruction}
        done = await agent.call_tool("rewrite", asked)
    assert done.structured_content["written_by"] == "model", done
    assert file.read_text() == edit.after
    async with serve(shell.environment, "--port", "0") as (_, said):
        url = re.search(r"http://127\.0\.0\.1:\d+/v1", said)[0]
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            assert "editd" in [model.id async for model in client.models.list()]
            parts = PromptParts(edit.path, "", "", edit.before, "", edit.instruction)
            told = await client.completions.create(
                model="editd",
                prompt=EmbeddedFormat().prompt(parts).text,
                max_tokens=2000,
                temperature=0,
                extra_body={"prediction": {"type": "content", "content": edit.before}},
            )
            assert told.choices[0].text == edit.after
            assert told.usage.completion_tokens_details.accepted_prediction_tokens > 100


def test_apply_asks_the_server(shell):
    """The solved model knows no sketches, so a server that was told the answer stands in for one."""
    before, sketch = "a = 1\nb = 2\nc = 3\n", "# ...\nb = 2\nb += 1\nc = 3\n"
    after = "a = 1\nb = 2\nb += 1\nc = 3\n"
    file, pasted = shell.folder / "a.py", shell.folder / "answer.txt"
    pasted.write_text(sketch)
    answer = [STREAM, said(f"```python\n{after}```", "stop"), DONE]
    with serving([STREAM, said("```python\na")], answer) as stand_in:
        configure(shell, url=f"http://127.0.0.1:{stand_in.port}/v1", name="m")
        for text, ends in ((before, 4), (after, 0)):
            file.write_text(before)
            options = ("--sketch", str(pasted), "--merge", "model", "--in-place")
            code, _, err = shell.run("apply", str(file), *options)
            assert code == ends, err
            assert ("ended before its answer" in err) is (ends > 0)
            assert file.read_text() == text
    assert all("b += 1" in body["messages"][-1]["content"] for body in stand_in.bodies)


SHORT = ("ring-rename", "limiter-mutex", "settings-constant")  # the others take a minute


@pytest.mark.parametrize(
    "chosen",
    [pytest.param(SHORT, id="short"), pytest.param((), id="all", marks=pytest.mark.slow)],
)
def test_the_demo_edits_are_what_the_local_engine_writes(server, monkeypatch, chosen):
    """Their known answers, which the lossless tests of the solved model hold the local engine to."""
    monkeypatch.setenv("EDITD_MODEL_KEY", KEY)
    engine = Engine(Config(model=ModelConfig(engine="remote", url=server, name="editd")))
    edits = [edit for edit in load_edits(DEMO) if not chosen or edit.name in chosen]
    assert len(edits) == len(chosen) or not chosen
    try:
        for edit in edits:
            request = EditRequest(edit.name, edit.before, edit.instruction, path=edit.path)
            *_, result = engine.edit(request)
            assert result.text == edit.after, (edit.name, result.error)
    finally:
        engine.close()
