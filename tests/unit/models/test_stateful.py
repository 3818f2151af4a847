"""A cache that cannot be trusted is found out, and models without a way back are refused."""

from __future__ import annotations

import pytest
import torch

from editd.errors import ModelUnsupported
from editd.models.torch.runner import ModelRunner, check_cache
from tests import tiny


def checked(family):
    runner = ModelRunner(tiny.random_model(family, dtype="float32"), prefill_chunk=16)
    check_cache(runner, family)
    return runner


def test_a_recurrent_model_is_refused():
    with pytest.raises(ModelUnsupported, match=r"mamba keeps a state .*llama\.cpp without drafts"):
        checked("mamba")


@pytest.mark.parametrize("family", tiny.ATTENTION_FAMILIES)
def test_models_whose_cache_can_be_cropped_pass_the_check(family):
    checked(family)


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


def test_a_model_that_fails_only_when_cropped_is_found_out(monkeypatch):
    from editd.models.torch.growing_cache import GrowingCache

    monkeypatch.setattr(GrowingCache, "crop_to", lambda *_: None)
    with pytest.raises(ModelUnsupported, match="cannot take back"):
        checked("llama")


def test_a_model_that_does_not_run_in_this_dtype_is_refused(monkeypatch):
    runner = ModelRunner(tiny.random_model("llama", dtype="float32"))

    def fails(**_):
        raise RuntimeError("expected BFloat16, got Float\nmore words")

    monkeypatch.setattr(runner.model, "forward", fails)
    with pytest.raises(ModelUnsupported, match=r"on cpu as float32 \(expected BFloat16.*dtype or"):
        check_cache(runner, "picky")
