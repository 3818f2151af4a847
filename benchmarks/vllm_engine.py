"""vLLM in this process, with the demo model: small caches, one thread, edits that it knows by heart."""

import os

os.environ.update(
    VLLM_ENABLE_V1_MULTIPROCESSING="0",
    VLLM_CPU_OMP_THREADS_BIND="nobind",
    VLLM_NO_USAGE_STATS="1",
    DO_NOT_TRACK="1",
    OMP_NUM_THREADS="1",
    VLLM_LOGGING_LEVEL="ERROR",
    HF_HUB_OFFLINE="1",
)

import gc
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vllm import LLM, SamplingParams

from editd.backends.text.codec import load_codec
from editd.demo.edits import demo_folder, load_edits
from editd.prompts.base import PromptParts
from editd.prompts.formats.demo import DemoFormat

CHECKPOINT = Path(os.environ["EDITD_DEMO_MODEL"])
CODEC = load_codec(CHECKPOINT)
EDITD = {"method": "custom_class", "model": "editd_vllm.Proposer", "num_speculative_tokens": 64}
CACHE_BYTES = 192 << 20


@dataclass(frozen=True)
class Asked:
    """One edit of ``examples/demo``: the prompt that editd sends, and what is expected back."""

    name: str
    prompt_ids: list
    prediction: str
    instruction: str
    after: str

    @property
    def xargs(self):
        return {"prediction": self.prediction, "instruction": self.instruction}


def asked_edits():
    asked = []
    for edit in load_edits(demo_folder()):
        parts = PromptParts(edit.path, "", "", edit.before, "", edit.instruction)
        ids = CODEC.prompt_ids(DemoFormat().prompt(parts).segments)
        asked.append(Asked(edit.name, ids, edit.before, edit.instruction, edit.after))
    return sorted(asked, key=lambda one: len(one.prompt_ids))


@cache
def look_once():
    """Spare vLLM an error of its own: see ``benchmarks.compare.peers.vllm``."""
    from vllm.platforms import current_platform

    current_platform.register_triton_kernel_overrides()
    type(current_platform).register_triton_kernel_overrides = lambda *_: None


def engine(speculation=EDITD, **options):
    """An ``LLM``; chunks of 256 tokens, so that most prompts are read in several."""
    given = {
        "dtype": "float32",
        "enforce_eager": True,
        "max_model_len": 2048,
        "max_num_batched_tokens": 256,
        "max_num_seqs": 8,
        "kv_cache_memory_bytes": CACHE_BYTES,
        "disable_log_stats": True,
        **options,
    }
    look_once()
    return LLM(
        model=str(CHECKPOINT),
        speculative_config=dict(speculation) if speculation else None,
        **given,
    )


def close(llm):
    llm.llm_engine.engine_core.shutdown()
    del llm
    gc.collect()


def greedy(asked, **more):
    """Sampling with the edit's own prediction; ``extra_args`` for another."""
    given = {"temperature": 0, "max_tokens": 96, "extra_args": asked.xargs, **more}
    return SamplingParams(**given)


def decode(llm, requests):
    """Token ids of each answer, by request, and the number of steps. requests: prompt ids, sampling."""
    found, steps = {}, 0
    for number, (prompt_ids, sampling) in enumerate(requests):
        prompt = {"prompt_token_ids": list(prompt_ids)}
        llm.llm_engine.add_request(str(number), prompt, sampling)
    while llm.llm_engine.has_unfinished_requests():
        for result in llm.llm_engine.step():
            found[int(result.request_id)] = [list(one.token_ids) for one in result.outputs]
        steps += 1
    return [found[number] for number in range(len(requests))], steps


def runner(llm):
    """vLLM's own, of an engine in this process."""
    return llm.llm_engine.model_executor.driver_worker.worker.model_runner
