"""The time of a pass of k tokens, of several models in one table: ``python -m benchmarks.passes MODEL…``.

As ``python -m benchmarks step`` measures it, in one thread, behind a context of 1,000 tokens: CPU time in
milliseconds, the median of three. Each model in a process of its own, so that its memory is its own.

Of GGUF files alone, ``--flash``: flash attention on beside off, behind 500 and behind 4,000 tokens; ``--parts``:
what a row costs that is read, and one that is verified, behind nothing and behind 800 tokens, the least of
seven. ``--library PATH``, more than once: the least of five with each of these builds of llama.cpp, of 512
tokens that are read and of passes behind them. For docs/explanation/backends.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import statistics
from dataclasses import replace
from pathlib import Path
from time import process_time, thread_time
from typing import cast

import psutil

from benchmarks.steps.timing import steps_at
from editd.models import registry
from editd.models.llama_cpp.context import Context
from editd.models.llama_cpp.library import PATH_VARIABLE
from editd.models.llama_cpp.loading import LlamaModel
from editd.models.model import Model, ModelSpec

SIZES = (1, 8, 32, 128)
CONTEXT = 1000
READ = 512
REPEATS = 3


def main() -> None:
    """Measure, print a table of Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--flash", action="store_true")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--library", action="append", default=[], metavar="PATH")
    given = parser.parse_args()
    if given.library:
        compare_libraries(given.models, given.library)
        return
    if given.flash or given.parts:
        table = with_and_without_flash if given.flash else read_and_verified
        for name in given.models:
            print("\n".join(table(name)), flush=True)
        return
    print("| | memory | loaded in | " + " | ".join(f"k = {k}" for k in SIZES) + " |")
    print("|---|" + "--:|" * (len(SIZES) + 2))
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for name in given.models:
            print(pool.apply(row, (name,)), flush=True)


def compare_libraries(models: list[str], paths: list[str]) -> None:
    """A table: the same files with several builds, each in a process of its own."""
    sizes = " | ".join(f"k = {k}" for k in SIZES)
    print(f"| | library | read {READ} | {sizes} |\n|---|---|--:|" + "--:|" * len(SIZES))
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for name in models:
            for path in paths:
                print(pool.apply(row_of_library, (name, path)), flush=True)


def row_of_library(name: str, path: str) -> str:
    """CPU milliseconds, the least of five, with the library at ``path``."""
    os.environ[PATH_VARIABLE] = path
    model = cast(LlamaModel, registry.load(ModelSpec(name, device="cpu", threads=1)))
    dice = random.Random(0)
    ids = [dice.randrange(100, 8_000) for _ in range(READ + max(SIZES))]
    context = Context(model.target.passes, len(ids))
    times: dict[int, list[float]] = {}
    for _ in range(5):
        context.crop(0)
        begun = thread_time()
        for at in range(0, READ, 128):
            context.append_without_logits(ids[at : at + 128])
        times.setdefault(READ, []).append(1000 * (thread_time() - begun))
        for size in SIZES:
            begun = thread_time()
            context.append_chain(ids[READ : READ + size])
            times.setdefault(size, []).append(1000 * (thread_time() - begun))
            context.crop(READ)
    cells = " | ".join(f"{min(of):,.0f}" for of in times.values())
    context.close()
    model.close()
    return f"| {Path(name).name} | {model.target.runs} | {cells} |"


def row(name: str) -> str:
    """A row of the table: its passes, and what loading took."""
    process = psutil.Process()
    started = process_time()
    model = cast(Model, registry.load(_spec(name)))
    loaded = process_time() - started
    steps = steps_at(model.target, "", CONTEXT, SIZES, REPEATS)
    cells = " | ".join(f"{step.cpu_ms:,.0f}" for step in steps)
    memory = process.memory_info().rss
    return f"| {name} | {memory / 1e9:.2f} GB | {loaded:.1f} s | {cells} |"


def with_and_without_flash(name: str) -> list[str]:
    """A table: milliseconds without and with flash attention, and the second by the first."""
    model = cast(LlamaModel, registry.load(_spec(name)))
    dice = random.Random(0)
    lines = ["| context | k | off | on | on / off |", "|--:|--:|--:|--:|--:|"]
    for length in (500, 4000):
        ids = [dice.randrange(100, 8_000) for _ in range(length)]
        contexts = [
            Context(replace(model.target.passes, flash=flash), length + max(SIZES))
            for flash in (False, True)
        ]
        for context in contexts:
            for at in range(0, length, 128):
                context.append_without_logits(ids[at : at + 128])
        times: dict[tuple[int, int], list[float]] = {}
        for _ in range(REPEATS):
            for size in SIZES:
                for which, context in enumerate(contexts):
                    begun = thread_time()
                    context.append_chain(ids[:size])
                    times.setdefault((size, which), []).append(1000 * (thread_time() - begun))
                    context.crop(length)
        for size in SIZES:
            off, on = (statistics.median(times[size, which]) for which in (0, 1))
            lines.append(f"| {length:,} | {size} | {off:.1f} | {on:.1f} | {on / off:.2f} |")
        for context in contexts:
            context.close()
    model.close()
    return lines


def read_and_verified(name: str) -> list[str]:
    """A table: milliseconds a row without logits and with them, by the width of the pass."""
    model = cast(LlamaModel, registry.load(_spec(name)))
    dice = random.Random(0)
    widths = (1, 2, 4, 8, 16, 32, 64, 128)
    lines = [
        "| context | ms a row | " + " | ".join(f"k = {k}" for k in widths) + " |",
        "|--:|---|" + "--:|" * len(widths),
    ]
    for length in (0, 800):
        ids = [dice.randrange(100, 8_000) for _ in range(length + max(widths))]
        context = Context(model.target.passes, len(ids))
        for at in range(0, length, 128):
            context.append_without_logits(ids[at : min(length, at + 128)])
        times: dict[tuple[str, int], list[float]] = {}
        for _ in range(7):
            for width in widths:
                for how, run in (
                    ("read", context.append_without_logits),
                    ("verified", context.append_chain),
                ):
                    begun = thread_time()
                    run(ids[length : length + width])
                    times.setdefault((how, width), []).append(1000 * (thread_time() - begun))
                    context.crop(length)
        for how in ("read", "verified"):
            cells = " | ".join(f"{min(times[how, width]) / width:.2f}" for width in widths)
            lines.append(f"| {length} | {how} | {cells} |")
        context.close()
    model.close()
    return lines


def _spec(name: str) -> ModelSpec:
    """GGUF files are llama.cpp's here; ``openvino:FILE`` and ``benchmarks.engines`` have OpenVINO."""
    return ModelSpec(name, device="cpu", threads=1, engine="llama.cpp")


if __name__ == "__main__":
    main()
