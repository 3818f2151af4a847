"""What a pass costs while other programs want the cores: ``python -m benchmarks.busy_cores FILE.gguf``.

Reads 256 tokens and verifies 1 to 64 with one thread, and with two whose waiting is GNU OpenMP's own or editd's
(``editd.models``). Each in a process of its own, all in turn, beside ``--busy`` loops that only count. For
docs/explanation/backends.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import cast

ROWS = (1, 1, 2, 3, 5, 8, 17, 64)
READ = 256
# GNU OpenMP's own count, unless it is told another: then this is no other than saying nothing.
WAYS = {"1 thread": (1, ""), "2 threads, GNU's wait": (2, "300000"), "2 threads": (2, "")}


def main() -> None:
    """Measure, print a table of Markdown; or, in a process of its own, one measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--busy", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.threads:
        print(json.dumps(measure(given.file, given.threads)))
        return
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(given.busy)
    ]
    found: dict[str, list[list[float]]] = {way: [] for way in WAYS}
    try:
        for _ in range(given.repeats):
            for way, (threads, spin) in WAYS.items():
                found[way].append(_apart(given.file, threads, spin))
    finally:
        for loop in loops:
            loop.kill()
    print(f"| beside {given.busy} busy loops | s | CPU s |\n|---|--:|--:|")
    for way, times in found.items():
        wall, cpu = (statistics.median(one) for one in zip(*times, strict=True))
        print(f"| {way} | {wall:.2f} | {cpu:.2f} |")


def measure(file: Path, threads: int) -> tuple[float, float]:
    """Seconds, and those of CPU time."""
    from editd.models import registry
    from editd.models.llama_cpp.context import Context
    from editd.models.llama_cpp.loading import LlamaModel
    from editd.models.loaded_model import dummy_ids
    from editd.models.model import ModelSpec

    spec = ModelSpec(f"llama_cpp:{file}", device="cpu", threads=threads)
    model = cast(LlamaModel, registry.load(spec))
    ids = dummy_ids(READ + sum(ROWS), model.target.vocab_size)
    context = Context(model.target.passes, len(ids))
    context.read(ids[:1])
    began = perf_counter(), process_time()
    context.read(ids[1:READ])
    for rows in ROWS:
        context.chain(ids[context.length : context.length + rows])
    return perf_counter() - began[0], process_time() - began[1]


def _apart(file: Path, threads: int, spin: str) -> list[float]:
    command = [sys.executable, "-m", __spec__.name, str(file), "--threads", str(threads)]
    environment = {**os.environ, **({"GOMP_SPINCOUNT": spin} if spin else {})}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return cast("list[float]", json.loads(done.stdout))


if __name__ == "__main__":
    main()
