"""A text that grows across LongRoPE's border is turned by one set of frequencies throughout."""

from __future__ import annotations

import pytest
import torch
import transformers

from editd.decode.target import GREEDY
from editd.models.torch import running_model as runner_module
from editd.models.torch.runner import ModelRunner
from tests import tiny

BORDER = 32


def long_rope_model():
    config = transformers.Phi3Config(
        **{
            **tiny._BASE,
            "original_max_position_embeddings": BORDER,
            "rope_parameters": {
                "rope_type": "longrope",
                "rope_theta": 10000.0,
                "short_factor": [1.0] * 6,
                "long_factor": [4.0] * 6,
                "original_max_position_embeddings": BORDER,
                "factor": 32.0,
            },
        }
    )
    torch.manual_seed(0)
    return transformers.Phi3ForCausalLM(config).double().eval()


def across_the_border(target):
    """Choices of one wide pass, and of one token a pass, from before the border to behind it."""
    text = list(range(40, 90))
    sequence = target.open([*text, 3])
    sequence.prefill(text[:20])
    wide = sequence.verify(text[20:], GREEDY).choice_ids
    sequence.crop(20)
    return wide, [sequence.verify([token_id], GREEDY).choice_ids[0] for token_id in text[20:]]


def test_width_makes_no_difference():
    wide, narrow = across_the_border(ModelRunner(long_rope_model()))
    assert wide == narrow


def test_without_pinning_it_would(monkeypatch):
    monkeypatch.setattr(runner_module, "pin_long_rope", lambda *_: None)
    wide, narrow = across_the_border(ModelRunner(long_rope_model()))
    assert wide != narrow


@pytest.mark.parametrize(("max_context", "reference_length"), [(BORDER, 1), (0, BORDER + 1)])
def test_the_set_is_that_of_the_longest_text_that_may_come(max_context, reference_length):
    reference = long_rope_model().model.rotary_emb
    reference(torch.zeros(1), torch.arange(reference_length)[None])  # picks its set
    pinned = ModelRunner(long_rope_model(), max_context=max_context).model.model.rotary_emb
    assert torch.equal(pinned.inv_freq, reference.inv_freq)
    pinned(torch.zeros(1), torch.arange(2 * BORDER)[None])
    assert torch.equal(pinned.inv_freq, reference.inv_freq)
