"""A draft model beside its target: ``python -m benchmarks.draft_model TARGET DRAFT``.

CPU time a token of edits that write new text: without it, with it, and with it asked whether or not it
pays (which a window that is set brings about). Both models are loaded before, and the prompt is in the
target's cache. All texts of an edit must be equal, but for near-ties where the target's passes of other
widths have other bits (``Stats.near_ties``).
"""

from __future__ import annotations

from statistics import median
from time import process_time
from typing import Annotated

import typer

from editd.config import Config, ModelConfig
from editd.engine import Engine
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions

EDITS = {
    "tests": (
        "def clamp(value, low, high):\n    return max(low, min(value, high))\n",
        "add three pytest tests below the function",
    ),
    "methods": (
        "class Point:\n    def __init__(self, x, y):\n        self.x = x\n        self.y = y\n",
        "add the methods to_dict, from_dict and __eq__",
    ),
    "docstring": (
        (
            "def moving_average(values, width):\n    total = sum(values[:width])\n"
            "    result = [total / width]\n    for i in range(width, len(values)):\n"
            "        total += values[i] - values[i - width]\n        result.append(total / width)\n"
            "    return result\n"
        ),
        "add a docstring with Args, Returns and Raises, and validate the arguments",
    ),
    "stack": (
        (
            "class Stack:\n    def __init__(self):\n        self._items = []\n\n"
            "    def push(self, item):\n        self._items.append(item)\n"
        ),
        "add pop, peek, is_empty and size, with docstrings",
    ),
}
_ALONE = "buffer+suffix"
_BESIDE = f"{_ALONE}+draft-model"
WAYS = {"without": (_ALONE, None), "with": (_BESIDE, None), "asked anyway": (_BESIDE, 64)}


def main(
    target: str,
    draft: str,
    tokens: Annotated[int, typer.Option(help="Of an answer.")] = 80,
    temperature: Annotated[float, typer.Option(help="0: greedy; else coupled, seed 1.")] = 0.0,
    only: Annotated[str, typer.Option(help="One edit.")] = "",
) -> None:
    """A row for each edit and way, and the median of the ratios to the edit without."""
    engine = Engine(Config(ModelConfig(target, draft=draft, threads=1)))
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    print(
        "| edit | way | CPU ms a token | rounds | drafted | accepted |\n|---|---|---|---|---|---|"
    )
    try:
        for name in [only] if only else EDITS:
            _answer(engine, name, EditOptions(drafter=_BESIDE, max_new_tokens=1))
            texts, near_ties = set(), 0
            for way, (drafter, window) in WAYS.items():
                options = EditOptions(
                    drafter=drafter,
                    window=window,
                    max_new_tokens=tokens,
                    temperature=temperature,
                    seed=1,
                    acceptance="coupled",
                )
                started = process_time()
                result, text = _answer(engine, name, options)
                stats = result.stats
                took = 1000 * (process_time() - started) / max(stats.output_tokens or 0, 1)
                texts.add(text)
                near_ties += stats.near_ties or 0
                times[way].append(took)
                print(
                    f"| {name} | {way} | {took:.0f} | {stats.rounds} | {stats.drafted} | {stats.accepted} |",
                    flush=True,
                )
            differ = f"{len(texts)} texts, {near_ties} near-ties"
            print(f"{name}: {'the same text' if len(texts) == 1 else differ}", flush=True)
    finally:
        engine.close()
    for way, milliseconds in times.items():
        ratios = [took / alone for took, alone in zip(milliseconds, times["without"], strict=True)]
        print(
            f"{way}: {median(milliseconds):.0f} ms a token, {median(ratios):.2f} times that without"
        )


def _answer(engine: Engine, name: str, options: EditOptions) -> tuple[EditResult, str]:
    """An edit, and all that was written, also of an answer that was cut off."""
    text, instruction = EDITS[name]
    request = EditRequest(name, text, instruction, path=f"{name}.py", options=options)
    result = next(m for m in engine.edit(request) if isinstance(m, EditResult))
    trace = engine.take_traces()[-1]
    return result, "".join(piece.text for done in trace.rounds for piece in done.pieces)


if __name__ == "__main__":
    typer.run(main)
