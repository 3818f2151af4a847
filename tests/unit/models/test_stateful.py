"""Models without a way back decode plainly; a cache that cannot be trusted is found out."""

from __future__ import annotations

import pytest
import torch

from editd.decode.target import GREEDY
from editd.errors import ModelUnsupported
from editd.models.torch.runner import ModelRunner, check_cache
from tests import tiny


def checked(family):
    runner = ModelRunner(tiny.random_model(family, dtype="float32"), prefill_chunk=16)
    check_cache(runner, family)
    return runner


def test_a_recurrent_model_continues_its_prompt():
    runner = checked("mamba")
    text = list(range(20, 60))
    with torch.inference_mode():
        expected = runner.model(input_ids=torch.tensor([text])).logits[0, 29:].argmax(-1).tolist()
    # Mamba loses its state when a later piece has more than one token, so all is one chunk.
    assert (runner.rewindable, runner.supports_trees) == (False, False)
    assert runner.prefill_chunk == runner.max_context
    whole, pieces = runner.open(text), runner.open(text)
    whole.prefill(text[:29])
    pieces.prefill(text[:10])
    pieces.prefill(text[10:29])
    for sequence in (whole, pieces):
        assert [sequence.verify([i], GREEDY).choice_ids[0] for i in text[29:]] == expected
        assert (sequence.length, sequence.cached_tokens) == (40, 0)
        sequence.close()


def test_there_is_no_way_back():
    sequence = checked("mamba").open([5, 6])
    sequence.prefill([5])
    with pytest.raises(ValueError, match="one token at a time"):
        sequence.verify([6, 7], GREEDY)
    sequence.verify([6], GREEDY)
    sequence.crop(2)
    with pytest.raises(ValueError, match="cannot be cropped"):
        sequence.crop(1)


@pytest.mark.parametrize("family", tiny.ATTENTION_FAMILIES)
def test_models_whose_cache_can_be_cropped_pass_the_check(family):
    assert checked(family).rewindable


def test_a_model_that_forgets_positions_is_found_out(monkeypatch):
    runner = ModelRunner(tiny.random_model("llama", dtype="float32"))
    forward = runner.model.forward

    def forgets(**arguments):
        arguments.pop("position_ids", None)
        past = arguments.get("past_key_values")
        if past is not None and past.get_seq_length():
            arguments["position_ids"] = torch.arange(arguments["input_ids"].shape[1])[None]
        return forward(**arguments)

    monkeypatch.setattr(runner.model, "forward", forgets)
    with pytest.raises(ModelUnsupported, match="another architecture"):
        check_cache(runner, "forgetful")


def test_a_model_that_fails_only_when_cropped_decodes_plainly(monkeypatch):
    from editd.models.torch.growing_cache import GrowingCache

    monkeypatch.setattr(GrowingCache, "crop_to", lambda *_: None)
    assert not checked("llama").rewindable


def test_a_model_that_does_not_run_in_this_dtype_is_refused(monkeypatch):
    runner = ModelRunner(tiny.random_model("llama", dtype="float32"))

    def fails(**_):
        raise RuntimeError("expected BFloat16, got Float\nmore words")

    monkeypatch.setattr(runner.model, "forward", fails)
    with pytest.raises(ModelUnsupported, match=r"on cpu as float32 \(expected BFloat16.*dtype or"):
        check_cache(runner, "picky")
