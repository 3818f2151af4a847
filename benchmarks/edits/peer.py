"""transformers' own ``generate`` on the same weights in the same process, plain and by prompt lookup.

At its defaults: a dynamic cache, ``sdpa`` attention, and for prompt lookup ten draft tokens after
matches of up to two. Forced in the same way as editd, by the wrapped head.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import torch

from benchmarks.edits.cases import Known
from benchmarks.edits.forced import Forcing
from benchmarks.steps.timing import wait
from editd.models.torch.attention import NAME, attention_name

_LOOKUP_TOKENS = 10  # ``prompt_lookup_num_tokens`` as transformers documents it


@dataclass(frozen=True, slots=True)
class Timed:
    """``passes``: forward passes after the prompt's."""

    token_ids: list[int]
    passes: int
    prefill_seconds: float
    decode_seconds: float


@torch.inference_mode()
def generate(
    model: Any, known: Known, *, lookup: bool, most: int, forcing: Forcing | None
) -> Timed:
    """The first ``most`` tokens of the answer to ``known``."""
    from transformers import GenerationConfig

    settings: dict[str, Any] = {"do_sample": False, "pad_token_id": 0}
    if lookup:
        settings["prompt_lookup_num_tokens"] = _LOOKUP_TOKENS
    make: Any = GenerationConfig
    inputs = torch.tensor([known.prompt_ids], device=model.device)
    device = str(model.device)
    began_passes: list[float] = []

    def run(count: int) -> tuple[Any, float]:
        began_passes.clear()
        wait(device)
        started = perf_counter()
        output = model.generate(
            inputs,
            attention_mask=torch.ones_like(inputs),
            generation_config=make(max_new_tokens=count, **settings),
        )
        wait(device)
        return output, perf_counter() - started

    ends = model.generation_config.eos_token_id
    if forcing is not None:
        model.generation_config.eos_token_id = None  # a forced answer has no end of its own
    own = attention_name(model.config) == NAME
    if own:
        model.set_attn_implementation("sdpa")
    counting = model.base_model.register_forward_pre_hook(
        lambda *_: began_passes.append(perf_counter())
    )
    answer = forcing.by_position(len(known.prompt_ids), known.answer_ids) if forcing else None
    try:
        with answer or nullcontext():
            _, prefill = run(1)
            output, both = run(most)
    finally:
        counting.remove()
        model.generation_config.eos_token_id = ends
        if own:
            model.set_attn_implementation(NAME)
    token_ids = output[0, len(known.prompt_ids) :].tolist()
    return Timed(token_ids, len(began_passes) - 1, prefill, max(both - prefill, 1e-9))
