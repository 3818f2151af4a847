"""A backend that is not editd's own, end to end: found by name, no torch on the machine, same answers.

Every process finds the entry point of ``tests.numpy_llama`` and cannot import torch or transformers.
"""

import json
import sys
import time

import pytest

from editd.decode.target import GREEDY, Sampling
from editd.errors import ModelNotFound
from editd.models import registry
from editd.models.model import ModelSpec
from tests import numpy_llama
from tests.e2e.test_cli import DEMO, Shell
from tests.e2e.test_lsp import leave, process
from tests.unit.frontends.lsp.client import EVERYTHING, Editor

NO_TORCH = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocked())
"""
INSTRUCTION = "Rename qty to quantity everywhere."


@pytest.fixture
def shell(tmp_path, demo_model):
    shell = Shell(tmp_path)
    installed = numpy_llama.installed(tmp_path / "installed")
    (installed / "sitecustomize.py").write_text(NO_TORCH)
    shell.environment["PYTHONPATH"] = f"{installed}:{shell.environment['PYTHONPATH']}"
    shell.environment["OPENBLAS_NUM_THREADS"] = "1"
    del shell.environment["EDITD_MODEL"]
    model = f"{numpy_llama.SCHEME}:{demo_model}"
    (tmp_path / "config.toml").write_text(f"[model]\nname = {json.dumps(model)}\n")
    # Whoever starts a daemon does not choose its modules (``daemon.spawning``), so it is started here.
    daemon = shell.start("daemon", "--foreground")
    while shell.run("status")[0]:
        assert daemon.poll() is None, daemon.communicate()
        time.sleep(0.1)
    yield shell
    shell.run("stop", "--force")
    daemon.communicate(timeout=60)


def test_the_command_line_and_its_daemon(shell, demo_model):
    file = shell.folder / "inventory.py"
    file.write_bytes((DEMO / "inventory.py").read_bytes())
    code, out, err = shell.run("edit", str(file), "-i", INSTRUCTION, "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["text"] == (DEMO / "after" / "inventory-rename.py").read_text()
    assert answer["stats"]["accepted"] > 0.8 * answer["stats"]["output_tokens"]
    (held,) = shell.status()["models"]
    assert held["name"].startswith("numpy-llama:")
    code, _, err = shell.run("edit", str(file), "-i", INSTRUCTION, "--model", str(demo_model))
    assert code == 4, err
    assert "torch" in err


async def test_a_language_server_and_its_editor(shell, monkeypatch):
    for name, value in shell.environment.items():
        monkeypatch.setenv(name, value)
    async with process(sys.executable, "-m", "editd", "lsp") as client:
        await client.initialize(EVERYTHING)
        editor = Editor(client, (DEMO / "inventory.py").read_text(), "file:///inventory.py")
        params = {
            "editToken": 1,
            "textDocument": editor.identifier,
            "instruction": INSTRUCTION,
        }
        answer = await client.request("editd/edit", params)
        assert answer["status"] == "ok", answer
        assert (await client.request("editd/accept", {"editToken": 1}))["applied"]
        assert editor.text == (DEMO / "after" / "inventory-rename.py").read_text()
        assert await leave(client) == 0


@pytest.fixture
def here(tmp_path, monkeypatch, demo_model):
    """The model in this process, and torch's of the same weights."""
    monkeypatch.syspath_prepend(str(numpy_llama.installed(tmp_path / "installed")))
    ours = registry.load(ModelSpec(f"{numpy_llama.SCHEME}:{demo_model}"))
    theirs = registry.load(ModelSpec(str(demo_model), device="cpu", threads=1))
    yield ours, theirs
    ours.close()
    theirs.close()


def test_both_backends_say_the_same_of_chains_and_trees(here):
    ids = here[0].codec.prompt_ids("def f(x):\n    return x + 1\n" * 12)[:200]
    draft, parents = [5, 6, 7, 8, 9], [-1, 0, 0, 1, -1]
    found = []
    for model in here:
        sequence = model.target.open(ids)
        for start in range(0, len(ids) - 1, 128):
            sequence.prefill(ids[start : min(len(ids) - 1, start + 128)])
        chain = sequence.verify([ids[-1], *draft], GREEDY)
        sequence.crop(len(ids) - 1)
        tree = sequence.verify([ids[-1], *draft], GREEDY, parents=parents)
        sequence.keep_branch(len(ids) - 1, [0, 1, 3])
        hot = sequence.verify([11, 12], Sampling(temperature=9.0, top_k=30, seed=4))
        found.append([rows.choice_ids for rows in (chain, tree, hot)])
        sequence.close()
        assert model.target.open([*ids, 1]).cached_tokens == 128
    assert found[0] == found[1]


def test_a_scheme_that_nobody_has_is_named():
    with pytest.raises(ModelNotFound, match="numpy-lama:"):
        registry.load(ModelSpec("numpy-lama:/some/where"))
    assert registry.backend_name("/some/where") == "torch"
