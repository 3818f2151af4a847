"""An editor whose model is a vLLM server: real processes from the language server to vLLM's worker.

The text is the local engine's: the demo edits have one known answer each, to which the lossless tests
hold the local engine.
"""

import asyncio
import os
import re
import subprocess
import sys
import urllib.request
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="`make test-vllm` sets up an environment with it")

from tests.e2e.test_lsp import leave, process
from tests.fixtures.solved.edits import demo_folder, load_edits
from tests.unit.frontends.lsp import client as lsp_client
from tests.unit.frontends.lsp.client import EVERYTHING, Editor
from tests.vllm.api_server import DRAFTING, api_server

EDITS = sorted(load_edits(demo_folder()), key=lambda edit: len(edit.after))
SHORT = [edit for edit in EDITS if edit.before.endswith("\n")][
    :3
]  # others take long without drafts


@pytest.fixture(scope="module")
def with_editd(tmp_path_factory):
    with api_server(tmp_path_factory.mktemp("with"), *DRAFTING) as address:
        yield address


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    with api_server(tmp_path_factory.mktemp("stock")) as address:
        yield address


@pytest.fixture
def configure(monkeypatch):
    """Says where the model of the daemon is that these tests start."""
    monkeypatch.setattr(lsp_client, "SECONDS", 120.0)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(os.path.abspath, (".", "packages/vllm"))))

    def model_at(address):
        settings = {"engine": "remote", "url": f"{address}/v1", "name": "demo"}
        lines = [f'{name} = "{value}"' for name, value in settings.items()]
        Path(os.environ["EDITD_CONFIG"]).write_text(
            "\n".join(["[model]", *lines, "[edit]", "words = false"])
        )

    yield model_at
    subprocess.run([sys.executable, "-m", "editd", "stop", "--force"], check=False)


@asynccontextmanager
async def editing():
    async with process(sys.executable, "-m", "editd", "lsp") as client:
        await client.initialize(EVERYTHING)
        yield client
        assert await leave(client) == 0


async def edit_it(client, edit):
    """Ask as a person does, accept it; returns what is told of it."""
    editor = Editor(client, edit.before, f"file:///w/{edit.name}/{edit.path}")
    params = {"textDocument": editor.identifier, "instruction": edit.instruction}
    answer = await client.request("editd/edit", {"editToken": edit.name, **params})
    assert answer["status"] == "ok", (edit.name, answer)
    if edit.after != edit.before:
        assert (await client.request("editd/accept", {"editToken": edit.name}))["applied"]
    assert editor.text == edit.after, edit.name
    return answer["stats"]


async def test_all_demo_edits_with_editd_vllm(with_editd, configure):
    configure(with_editd)
    async with editing() as client:
        for edit in EDITS:
            stats = await edit_it(client, edit)
            assert stats["exactness"] == "remote"
            assert stats["accepted"] > stats["output_tokens"] / 2, edit.name
        status = await client.request("editd/status", {})
        assert status["model"] == "demo at 127.0.0.1"


async def test_a_vllm_as_it_comes(stock, configure):
    """Edits are told in a conversation, and the template is the server's."""
    configure(stock)
    async with editing() as client:
        for edit in SHORT:
            stats = await edit_it(client, edit)
            assert stats["output_tokens"] > 0
            assert stats["accepted"] is None


async def test_a_cancel_frees_the_server_s_slot(stock, configure):
    """Without drafts the longest answer takes long; after the cancel vLLM computes nothing more."""
    edit = EDITS[-1]
    configure(stock)
    async with editing() as client:
        editor = Editor(client, edit.before, f"file:///w/{edit.path}")
        params = {"textDocument": editor.identifier, "instruction": edit.instruction}
        begun = counted(stock, "generation_tokens_total")
        future, _ = client.start("editd/edit", {"editToken": "t", **params})
        while counted(stock, "generation_tokens_total") < begun + 20:
            assert not future.done(), future.result()
            await asyncio.sleep(0.05)
        assert (await client.request("editd/cancel", {"editToken": "t"}))["cancelled"]
        assert (await future)["status"] == "cancelled"
        assert editor.text == edit.before
        while counted(stock, "num_requests_running"):  # noqa: ASYNC110 - nothing else says it
            await asyncio.sleep(0.05)
    written = counted(stock, "generation_tokens_total") - begun
    assert 20 <= written < len(edit.after) / 8


def counted(address, name):
    """A figure of vLLM's own."""
    with urllib.request.urlopen(f"{address}/metrics", timeout=60) as answer:
        told = re.findall(rf"^vllm:{name}{{.*}} (\S+)$", answer.read().decode(), re.MULTILINE)
    return sum(map(float, told))
