"""Presets that the present model refuses are shown as such, in the list and among code actions."""

import copy
import json

import pytest

from editd.config import BUILT_IN
from editd.embedded.families import families_of_model, refuse_anywhere
from tests.unit.frontends.lsp.client import EVERYTHING, Editor, connected

OWN = {"formats": "Use f-strings.", "tidy": "Sort the imports and use double quotes."}
TAKEN = ["formats", "tidy"]


@pytest.fixture
def trained(tmp_path):
    (tmp_path / "editd.json").write_text(json.dumps({"kind": "trained", "families": ["rename"]}))
    return str(tmp_path)


def test_what_a_model_of_few_families_takes(trained, tmp_path):
    assert families_of_model("ollama:qwen") is families_of_model(str(tmp_path / "none")) is None
    assert families_of_model(trained) == ("rename",)
    known = families_of_model("embedded")
    assert [p.name for p in BUILT_IN if refuse_anywhere(known, p.instruction) is None] == []
    for instruction in (*OWN.values(), "add a docstring to load"):
        assert refuse_anywhere(known, instruction) is None
    assert refuse_anywhere(known, "Translate.") is not None


@pytest.mark.parametrize(
    ("name", "button"), [("Neovim", ":EditdModel"), ("VSCodium", "“Choose Model…”")]
)
@pytest.mark.parametrize(
    ("settings", "is_refused"),
    [
        ({}, True),
        ({"model": {"name": "ollama:qwen"}}, False),
        ({"model": {"name": "embedded"}}, True),
    ],
)
async def test_the_list_says_what_is_refused(name, button, settings, is_refused):
    async with connected() as client:
        options = {"edit": {"presets": OWN}, **settings}
        await client.initialize(options=options, clientInfo={"name": name})
        found = (await client.request("editd/presets"))["presets"]
        refused = {preset["name"]: preset["refusal"] for preset in found if "refusal" in preset}
        expected = [p.name for p in BUILT_IN] if is_refused else []
        assert list(refused) == expected
        assert all(button in sentence and "--" not in sentence for sentence in refused.values())


@pytest.mark.parametrize("knows", [True, False])
async def test_code_actions_that_are_refused_are_disabled_where_that_is_shown(knows):
    capabilities = copy.deepcopy(EVERYTHING)
    capabilities["textDocument"]["codeAction"]["disabledSupport"] = knows
    async with connected() as client:
        await client.initialize(capabilities, options={"edit": {"presets": OWN}})
        editor = Editor(client, "a = 1\n")
        where = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
        actions = await client.request(
            "textDocument/codeAction",
            {"textDocument": editor.identifier, "range": where, "context": {"diagnostics": []}},
        )
        usable = [a["kind"].rpartition(".")[2] for a in actions if "disabled" not in a]
        assert usable == (TAKEN if knows else [*(p.name for p in BUILT_IN), *TAKEN])
