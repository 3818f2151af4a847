"""Drafts inside vLLM, 1, 8 and 32 requests at once: ``python -m benchmarks.inside_vllm``.

Runs in the environment of ``make test-vllm`` (``make bench-vllm``), on a CPU, with the solved model and its
edits. Engines stand side by side and take turns, so that what else the machine does falls on all of
them alike. Prompts are in the prefix cache before a run begins: what is counted is decoding. Text that
differs from plain vLLM's ends the run.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from tests.vllm.engine import EDITD, Asked, asked_edits, decode, engine

_NGRAM = {
    "method": "ngram",
    "num_speculative_tokens": 10,
    "prompt_lookup_max": 4,
    "prompt_lookup_min": 2,
}
_ENGINES: dict[str, dict[str, Any] | None] = {
    "plain": None,
    "n-gram": _NGRAM,
    # Without its memory of earlier answers: here each edit is asked again and again.
    "suffix": {
        "method": "suffix",
        "num_speculative_tokens": 24,
        "suffix_decoding_max_cached_requests": 0,
    },
    "editd": EDITD,
}
_NO_SUCH_TEXT = "A text that is not the answer and shares nothing with it, line after line.\n" * 40

# What is shown, by which engine, told what of each edit.
_MODES: dict[str, tuple[str, Callable[[Asked], dict[str, str] | None]]] = {
    "no speculation": ("plain", lambda _: None),
    "n-gram (vLLM's)": ("n-gram", lambda _: None),
    "suffix (vLLM's)": ("suffix", lambda _: None),
    "editd, with predictions": ("editd", lambda edit: edit.xargs),
    "editd, without": ("editd", lambda _: None),
    "editd, every second one wrong": (
        "editd",
        lambda edit: {"prediction": _NO_SUCH_TEXT} if len(edit.name) % 2 else edit.xargs,
    ),
}


def main() -> None:
    """Measure, print a table of Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=160, help="of each answer")
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 8, 32])
    given = parser.parse_args()
    engines = {
        name: engine(
            speculation,
            max_num_seqs=max(given.at_once),
            max_num_batched_tokens=2560,
            kv_cache_memory_bytes=256 << 20,
        )
        for name, speculation in _ENGINES.items()
    }
    edits = asked_edits()
    for llm in engines.values():
        _run(llm, edits, lambda _: None, 1)
    print("| at once | | steps | tokens a step | CPU s | CPU by none |")
    print("|--:|---|--:|--:|--:|--:|")
    for at_once in given.at_once:
        _measure(engines, [edits[i % len(edits)] for i in range(max(at_once, 4))], at_once, given)


def _measure(
    engines: dict[str, Any], edits: Sequence[Asked], at_once: int, given: argparse.Namespace
) -> None:
    """Print the rows of one batch size."""
    steps: dict[str, list[int]] = defaultdict(list)
    seconds: dict[str, list[float]] = defaultdict(list)
    expected: list[list[int]] = []
    for _ in range(given.repeats):
        for mode, (name, arguments_of) in _MODES.items():
            began = time.process_time()
            ids, count = [], 0
            for start in range(0, len(edits), at_once):
                batch = edits[start : start + at_once]
                answers, taken = _run(engines[name], batch, arguments_of, given.tokens)
                ids += answers
                count += taken
            seconds[mode].append(time.process_time() - began)
            steps[mode].append(count)
            expected = expected or ids
            if ids != expected:
                raise SystemExit(f"{mode} writes another text than vLLM without speculation.")
    written = sum(map(len, expected))
    none = statistics.median(seconds["no speculation"])
    for mode in _MODES:
        rounds, cpu = statistics.median(steps[mode]), statistics.median(seconds[mode])
        print(
            f"| {at_once} | {mode} | {rounds:.0f} | {written / rounds:.1f} | {cpu:.1f} | "
            f"{cpu / none:.2f} |",
            flush=True,
        )


def _run(
    llm: Any,
    edits: Sequence[Asked],
    arguments_of: Callable[[Asked], dict[str, str] | None],
    tokens: int,
) -> tuple[list[list[int]], int]:
    requests = [
        (edit.prompt_ids, edit.greedily(max_tokens=tokens, extra_args=arguments_of(edit)))
        for edit in edits
    ]
    answers, steps = decode(llm, requests)
    return [ids for (ids,) in answers], steps


if __name__ == "__main__":
    main()
