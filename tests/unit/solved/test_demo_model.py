"""The whole solved model, loaded through transformers alone."""

import json

import pytest
import torch
from transformers import AutoModelForCausalLM

from editd.models.text.codec import load_codec
from tests.fixtures.solved.edits import demo_folder, load_edits
from tests.fixtures.solved.script import prompt_of


@pytest.fixture(scope="module")
def manifest(demo_model):
    return json.loads((demo_model / "editd.json").read_text(encoding="utf-8"))


def test_it_knows_every_demo_edit_with_a_margin(demo_model, manifest):
    known = {edit["name"]: edit for edit in manifest["edits"]}
    assert list(known) == [edit.name for edit in load_edits(demo_folder())]
    assert min(edit["smallest_margin"] for edit in known.values()) > 5
    assert sum(file.stat().st_size for file in demo_model.iterdir()) < 20e6


@pytest.mark.parametrize(
    "name",
    ["report-range", "settings-constant"],
)
def test_plain_greedy_decoding_writes_the_new_text(demo_model, name):
    edit = next(edit for edit in load_edits(demo_folder()) if edit.name == name)
    codec = load_codec(demo_model)
    model = AutoModelForCausalLM.from_pretrained(demo_model, local_files_only=True)
    prompt_ids, required = codec.heal(prompt_of(edit).segments)
    output = model.generate(torch.tensor([prompt_ids]), do_sample=False, max_new_tokens=1500)[0]
    written = codec.decode(output[len(prompt_ids) :].tolist())
    assert written == required.decode() + edit.after
    assert int(output[-1]) == model.config.eos_token_id
