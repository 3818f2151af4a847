"""vLLM in this process, for the tests of editd-vllm and its figures.

The solved model in small caches on one thread, and the edits that it knows by heart. Needs the environment
of ``make test-vllm``; ``EDITD_DEMO_MODEL`` names the model's folder.
"""

from __future__ import annotations

import os

os.environ.update(
    VLLM_ENABLE_V1_MULTIPROCESSING="0",
    VLLM_CPU_OMP_THREADS_BIND="nobind",
    VLLM_NO_USAGE_STATS="1",
    DO_NOT_TRACK="1",
    OMP_NUM_THREADS="1",
    OMP_WAIT_POLICY="passive",
    HF_HUB_OFFLINE="1",
)
os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

import gc
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from vllm import LLM, SamplingParams

from editd.models.text.codec import load_codec
from editd.prompts.base import PromptParts
from editd.prompts.formats import EmbeddedFormat
from tests.fixtures.solved.edits import demo_folder, load_edits

CHECKPOINT = Path(os.environ["EDITD_DEMO_MODEL"])
CODEC = load_codec(CHECKPOINT)
EDITD = {"method": "custom_class", "model": "editd_vllm.Proposer", "num_speculative_tokens": 64}

Requests = Sequence[tuple[Sequence[int], Any]]
"""Prompt ids and ``SamplingParams``."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One edit of ``examples/demo``: the prompt that editd sends, and what is expected back."""

    name: str
    prompt_ids: Sequence[int]
    prediction: str
    after: str

    @property
    def xargs(self) -> dict[str, str]:
        """What a client says that knows the buffer."""
        return {"prediction": self.prediction}

    def greedily(self, **more: Any) -> Any:
        """``SamplingParams`` with the edit's own prediction; ``extra_args`` for another."""
        given = {"temperature": 0, "max_tokens": 64, "extra_args": self.xargs, **more}
        return SamplingParams(**given)


def asked_edits() -> list[Asked]:
    """All edits, short ones first."""
    asked = []
    for edit in load_edits(demo_folder()):
        parts = PromptParts(edit.path, "", "", edit.before, "", edit.instruction)
        ids = CODEC.prompt_ids(EmbeddedFormat().prompt(parts).segments)
        asked.append(Asked(edit.name, ids, edit.before, edit.after))
    return sorted(asked, key=lambda one: len(one.prompt_ids))


def engine(speculation: Mapping[str, Any] | None, **options: Any) -> Any:
    """An ``LLM``; chunks of 256 tokens, so that most prompts are read in several."""
    _look_once()
    torch.set_num_threads(
        1
    )  # vLLM takes all that it sees; two that share a core wait for each other
    given = {
        "dtype": "float32",
        "enforce_eager": True,
        "max_model_len": 2048,
        "max_num_batched_tokens": 256,
        "max_num_seqs": 8,
        "kv_cache_memory_bytes": 128 << 20,
        "disable_log_stats": True,
        **options,
    }
    return LLM(
        model=str(CHECKPOINT),
        speculative_config=dict(speculation) if speculation else None,
        **given,
    )


def close(llm: Any) -> None:
    """End an engine and its workers."""
    llm.llm_engine.engine_core.shutdown()
    gc.collect()


def decode(llm: Any, requests: Requests) -> tuple[list[list[list[int]]], int]:
    """Token ids of each answer (``n`` of them) to each request, and the number of steps."""
    found: dict[int, dict[int, list[int]]] = defaultdict(dict)
    steps = 0
    for number, (prompt_ids, sampling) in enumerate(requests):
        prompt = {"prompt_token_ids": list(prompt_ids)}
        llm.llm_engine.add_request(str(number), prompt, sampling)
    while llm.llm_engine.has_unfinished_requests():
        for result in llm.llm_engine.step():
            for one in result.outputs:
                found[int(result.request_id)][one.index] = list(one.token_ids)
        steps += 1
    answers = [[ids for _, ids in sorted(found[number].items())] for number in range(len(requests))]
    return answers, steps


@cache
def _look_once() -> None:
    """Spare vLLM two faults of its CPU build, before its first engine is made.

    vLLM looks through all modules for kernels to replace, for each engine again: once is enough. And one of the
    replacements is wrong (vllm#55005): at a temperature all speculation, n-gram too, writes another text.
    """
    import vllm.utils.cpu_triton_utils as kernels
    from vllm.platforms import current_platform

    kernels._expand_kernel_impl = _expand
    current_platform.register_triton_kernel_overrides()
    type(current_platform).register_triton_kernel_overrides = lambda *_: None


def _expand(
    output: torch.Tensor,
    values: torch.Tensor,
    ends: torch.Tensor,
    replaced: int,
    by: int,
    MAX_NUM_TOKENS: int | None = None,  # noqa: N803 - vLLM's name
) -> None:
    """Each request's value once for each of its draft tokens, as vLLM's GPU kernel has it."""
    counts = torch.diff(ends, prepend=ends.new_zeros(1))
    values = torch.where(values == replaced, torch.as_tensor(by, dtype=values.dtype), values)
    output.copy_(values.repeat_interleave(counts))
