"""A miniature checkpoint, solved here and loaded as anybody would load it."""

import dataclasses
import json

import pytest
import torch
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer

from editd.models.model_folder import open_checkpoint
from editd.models.text.codec import load_codec
from tests.fixtures.solved.checkpoint import NotSolved, build
from tests.fixtures.solved.script import prompt_of, write_scripts
from tests.unit.solved.tiny_edits import EDITS, TINY


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("solved")
    build(folder, EDITS, TINY, lambda _message, _done: None)
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)


@pytest.fixture(scope="module")
def scripts(folder):
    stop_id = AutoTokenizer.from_pretrained(folder).eos_token_id
    return write_scripts(EDITS, load_codec(folder), stop_id, TINY.reach)


def test_it_is_a_stock_checkpoint(folder, model):
    assert type(model).__module__.startswith("transformers.models.")
    assert model.dtype == torch.float32
    assert not list(folder.glob("*.py")) + list(folder.glob("*.bin"))
    assert open_checkpoint(str(folder)).manifest["format"] == "embedded"
    assert all(file.stat().st_mode & 0o044 == 0o044 for file in folder.iterdir())


def test_ids_are_equal_after_reload(folder):
    reloaded = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    file = Tokenizer.from_file(str(folder / "tokenizer.json"))
    texts = [text for edit in EDITS for text in (edit.before, edit.after, prompt_of(edit).text)]
    for text in [*texts, "  unseen\n\n\t  текст 123 <|end|> 👩‍👧"]:
        assert reloaded(text).input_ids == file.encode(text).ids
        assert reloaded.decode(reloaded(text).input_ids) == text


def test_greedy_generation_writes_the_answer_and_stops(model, scripts):
    for script in scripts:
        prompt = torch.tensor([script.ids[: script.start]])
        output = model.generate(prompt, do_sample=False, max_new_tokens=300)[0, script.start :]
        assert output.tolist() == script.answer_ids


def test_the_answer_does_not_depend_on_how_the_prompt_is_fed(model, scripts):
    script = scripts[0]
    cache, logits = None, []
    for chunk in torch.split(torch.tensor([script.ids[:-1]]), 7, dim=1):
        with torch.inference_mode():
            step = model(chunk, past_key_values=cache, use_cache=True)
        cache = step.past_key_values
        logits.append(step.logits[0])
    assert torch.cat(logits).argmax(-1)[script.start - 1 :].tolist() == script.answer_ids


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_smaller_dtypes_say_the_same(folder, scripts, dtype):
    model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, dtype=dtype)
    for script in scripts:
        with torch.inference_mode():
            top = model(torch.tensor([script.ids[:-1]])).logits[0].argmax(-1)
        assert top[script.start - 1 :].tolist() == script.answer_ids


def test_it_says_what_it_is(folder):
    manifest = json.loads((folder / "editd.json").read_text(encoding="utf-8"))
    assert manifest["title"] == "solved model: knows these edits by heart"
    assert [edit["name"] for edit in manifest["edits"]] == ["greet", "total"]
    assert min(edit["smallest_margin"] for edit in manifest["edits"]) > 3


def test_progress_is_told_to_the_end(tmp_path):
    told = []
    build(tmp_path, EDITS[:1], TINY, lambda message, done: told.append((message, done)))
    fractions = [done for _, done in told]
    assert fractions == sorted(fractions)
    assert any("0 of" in message for message, _ in told)


def test_too_small_a_model_is_not_written_off_as_solved(tmp_path):
    hopeless = dataclasses.replace(TINY, intermediate=8, rounds=(0, 0, 0))
    with pytest.raises(NotSolved, match="of the edit greet came out wrong"):
        build(tmp_path, EDITS, hopeless, lambda _message, _done: None)
    assert not (tmp_path / "editd.json").exists()
