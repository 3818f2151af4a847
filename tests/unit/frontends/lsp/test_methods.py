"""The protocol's fixtures, its page and its types say the same.

``python -m tests.unit.frontends.lsp.test_methods`` puts the fixtures and the hash into the page.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from editd.config import BUILT_IN, presets_with
from editd.frontends.lsp import methods as m
from editd.frontends.lsp.protocol import make_converter

ROOT = Path(__file__).parents[4]
FIXTURES = ROOT / "clients" / "fixtures" / "protocol"
PAGE = ROOT / "docs" / "reference" / "lsp-methods.md"
SOURCES = [
    ROOT / "editd" / "frontends" / name
    for name in ("lsp/methods.py", "lsp/requests/complete.py", "http/completions.py")
]

# The first word of a fixture's name → its method, the types of its params and of its result.
TYPES = {
    "edit": (m.EDIT, m.EditParams, m.EditAnswer),
    "editDelta": (m.EDIT_DELTA, m.EditDelta, None),
    "editProgress": (m.EDIT_PROGRESS, m.EditProgress, None),
    "editRebased": (m.EDIT_REBASED, m.EditRebased, None),
    "accept": (m.ACCEPT, m.AcceptParams, m.AcceptAnswer),
    "reject": (m.REJECT, m.RejectParams, m.RejectAnswer),
    "cancel": (m.CANCEL, m.CancelParams, m.CancelAnswer),
    "complete": (m.COMPLETE, dict[str, Any], dict[str, Any]),  # read and written in test_complete
    "workspace": (m.WORKSPACE, m.WorkspaceParams, None),
    "warmup": (m.WARMUP, m.WarmupParams, m.WarmupAnswer),
    "mentions": (m.MENTIONS, m.MentionsParams, m.MentionList),
    "presets": (m.PRESETS, m.NoParams, m.PresetList),
    "status": (m.STATUS, m.NoParams, m.ServerStatus),
    "didChangeStatus": (m.DID_CHANGE_STATUS, m.ServerStatus, None),
    "executeCommand": ("workspace/executeCommand", None, m.RunAnswer),
}
NAMES = sorted(path.name for path in FIXTURES.glob("*.json"))


def test_every_message_has_an_example():
    for word, (_, _, result) in TYPES.items():
        kinds = {name.split(".")[-2] for name in NAMES if name.split(".")[0] == word}
        wanted = {"request", "response"} if result else {"notification"}
        assert wanted <= kinds, word
    assert {name.split(".")[0] for name in NAMES} == set(TYPES)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_is_what_the_types_say(name):
    message = json.loads((FIXTURES / name).read_text("utf-8"))
    word, kind = name.split(".")[0], name.split(".")[-2]
    method, params, result = TYPES[word]
    assert message.pop("jsonrpc") == "2.0"
    if kind in ("request", "notification"):
        assert message.pop("method") == method
        assert ("id" in message) == (kind == "request")
        if word == "executeCommand":
            assert message["params"]["command"] == m.RUN_PRESET
            params, message = m.RunParams, {"params": message["params"]["arguments"][0]}
        again = round_trip(message.get("params", {}), params)
        assert only_keys_of(message.get("params", {}), again) == message.get("params", {})
    elif kind == "response":
        assert set(message) == {"id", "result"}
        assert round_trip(message["result"], result) == message["result"]
    else:
        assert kind == "error"
        assert set(message) == {"id", "error"}


def test_the_page_shows_every_example_and_speaks_of_these_types():
    assert PAGE.read_text("utf-8") == updated(PAGE.read_text("utf-8")), (
        "methods.py, what editd/complete takes, or a fixture has changed. Read docs/reference/lsp-methods.md, make its words "
        "true again (and raise SCHEMA_VERSION if clients break), then run "
        "`python -m tests.unit.frontends.lsp.test_methods`."
    )
    text = PAGE.read_text("utf-8")
    shown = re.findall(r"<!-- ([\w.]+\.json) -->", text)
    linked = re.findall(r"clients/fixtures/protocol/([\w.]+\.json)", text)
    assert sorted(shown + linked) == NAMES
    for method, _, _ in TYPES.values():
        assert method in text
    assert f"Schema version **{m.SCHEMA_VERSION}**" in text


def test_presets_can_be_added_changed_and_removed():
    presets = presets_with({"fix": "Mend it.", "tests": " ", "to-german": "Translate to German."})
    assert list(presets) == [p.name for p in BUILT_IN if p.name != "tests"] + ["to-german"]
    assert (presets["fix"].title, presets["fix"].instruction) == ("Fix problems", "Mend it.")
    assert presets["to-german"].title == "To german"


def round_trip(value, cls):
    converter = make_converter()
    return converter.unstructure(converter.structure(value, cls))


def only_keys_of(shape, value):
    """``value`` without the defaults that ``shape`` leaves out."""
    if isinstance(shape, dict):
        return {key: only_keys_of(item, value[key]) for key, item in shape.items()}
    if isinstance(shape, list):
        return [only_keys_of(a, b) for a, b in zip(shape, value, strict=True)]
    return value


def updated(text):
    """The page with the present fixtures and the hash of the present types."""
    text = re.sub(
        r"(<!-- [\w.]+\.json -->\n)(?:```json\n.*?\n```\n)?", r"\1", text, flags=re.DOTALL
    )
    text = re.sub(
        r"<!-- ([\w.]+\.json) -->\n",
        lambda found: found[0] + f"```json\n{(FIXTURES / found[1]).read_text('utf-8')}```\n",
        text,
    )
    text = re.sub(r"\n*<!-- methods\.py \w+ -->\n", "", text.rstrip("\n") + "\n")
    digest = hashlib.sha256(b"".join(map(Path.read_bytes, SOURCES))).hexdigest()[:16]
    return text.rstrip("\n") + f"\n\n<!-- methods.py {digest} -->\n"


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text("utf-8")), "utf-8")
