"""editd with a server as its model, and the server is ``editd serve``: real processes, a real model.

Two daemons: the server's holds the demo model, the client's holds none and loads no torch.
"""

import json
import re
import subprocess
import sys

import psutil
import pytest

from editd.config import Config, ModelConfig
from editd.demo.edits import load_edits
from editd.engine import Engine
from editd.messages import EditRequest
from tests.e2e.test_cli import DEMO, ROOT, Shell
from tests.e2e.test_lsp import leave, process
from tests.unit.lsp.client import EVERYTHING, Editor

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
    running.communicate(timeout=30)
    shell.run("stop", "--force")


@pytest.fixture
def shell(tmp_path, server):
    shell = Shell(tmp_path)
    key = tmp_path / "key"
    key.write_text(f"{KEY}\n")
    key.chmod(0o600)
    settings = {"engine": "remote", "url": server, "key_file": str(key), "name": "demo"}
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    (tmp_path / "config.toml").write_text("\n".join(["[model]", *lines, ""]))
    yield shell
    shell.run("stop", "--force")


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
    assert held["name"] == "demo at 127.0.0.1"
    assert "goes to http://127.0.0.1:" in shell.run("status")[1]
    assert re.search(r"demo on http://127\.0\.0\.1:\d+, where the text", shell.run("doctor")[1])
    assert "demo at 127.0.0.1" in shell.run("explain")[1]
    assert not has_torch(status["pid"])
    code, _, err = shell.run("edit", str(file), "-i", "Write a poem.")
    assert code == 1
    assert "knows only" in err
    assert file.read_bytes() == (DEMO / "inventory.py").read_bytes()
    code, _, err = shell.run("edit", str(file), "-i", INSTRUCTION, "--in-place")
    assert code == 0, err
    assert file.read_text() == after

    for name, value in shell.environment.items():
        monkeypatch.setenv(name, value)
    async with process(sys.executable, "-m", "editd.lsp") as client:
        await client.initialize(EVERYTHING)
        editor = Editor(client, (DEMO / "inventory.py").read_text(), "file:///inventory.py")
        params = {"editToken": 1, "textDocument": editor.identifier, "instruction": INSTRUCTION}
        answer = await client.request("editd/edit", params)
        assert answer["status"] == "ok", answer
        shown = await client.request("editd/status", {})
        assert shown["model"] == "demo at 127.0.0.1"
        assert (await client.request("editd/accept", {"editToken": 1}))["applied"]
        assert editor.text == after
        assert await leave(client) == 0


SHORT = ("ring-rename", "limiter-mutex", "settings-constant")  # the others take a minute


@pytest.mark.parametrize(
    "chosen",
    [pytest.param(SHORT, id="short"), pytest.param((), id="all", marks=pytest.mark.slow)],
)
def test_the_demo_edits_are_what_the_local_engine_writes(server, monkeypatch, chosen):
    """Their known answers, which the lossless tests of the demo model hold the local engine to."""
    monkeypatch.setenv("EDITD_MODEL_KEY", KEY)
    engine = Engine(Config(model=ModelConfig(engine="remote", url=server, name="demo")))
    edits = [edit for edit in load_edits(DEMO) if not chosen or edit.name in chosen]
    assert len(edits) == len(chosen) or not chosen
    try:
        for edit in edits:
            request = EditRequest(edit.name, edit.before, edit.instruction, path=edit.path)
            *_, result = engine.edit(request)
            assert result.text == edit.after, (edit.name, result.error)
    finally:
        engine.close()
