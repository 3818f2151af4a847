"""Time and memory of loading a GGUF file on each engine: ``python -m benchmarks.loading FILE.gguf…``.

Each load in a process of its own, in one thread, OpenVINO's twice: the first converts the weights and proves its
widths, the second finds both in the cache of this run, empty at first (``--cache FOLDER`` keeps it). Seconds until the first pass is done; memory after it and
at most, times the size of the file, less what Python and its libraries took before; anonymous memory (what the
system cannot take back), too. ``--parts``: of OpenVINO alone, anonymous and mapped megabytes after each step of a load,
for a file that was converted before. For docs/explanation/backends.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import cast

from editd.decode.target import GREEDY
from editd.models import registry
from editd.models.model import Model, ModelSpec

LOADS = (
    ("llama.cpp", "llama_cpp"),
    ("OpenVINO, first", "openvino"),
    ("OpenVINO, later", "openvino"),
)


def main() -> None:
    """Measure, print a table of Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.gguf")
    parser.add_argument("--cache", type=Path, metavar="FOLDER")
    parser.add_argument("--parts", action="store_true")
    given = parser.parse_args()
    if given.parts:
        for file in given.files:
            _parts(file)
        return
    print("| | seconds | CPU s | memory | anonymous | at most | in the cache |")
    print("|---|" + "--:|" * 6)
    for file in given.files:
        with tempfile.TemporaryDirectory() as scratch:
            cache = given.cache or scratch
            os.environ["EDITD_CACHE_DIR"] = str(cache)
            for name, scheme in LOADS:
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    figures = pool.apply(_load, (file, scheme))
                stored = sum(
                    each.stat().st_size for each in Path(cache, "openvino").rglob("*.safe*")
                )
                size = file.stat().st_size
                print(
                    f"| {file.stem}, {name} | {figures[0]:.0f} | {figures[1]:.0f} | "
                    + " | ".join(f"{each / size:.2f}" for each in (*figures[2:], stored))
                    + " |",
                    flush=True,
                )


def _load(file: Path, scheme: str) -> tuple[float, float, int, int, int]:
    """Load ``file``; returns seconds, CPU seconds, then bytes after the first pass, anonymous ones among them, and the peak."""
    import transformers  # noqa: F401  what every model needs for its chat template

    before, began, spent = _memory(), perf_counter(), process_time()
    model = cast(Model, registry.load(ModelSpec(f"{scheme}:{file}", device="cpu", threads=1)))
    model.target.open([1, 2, 3]).verify([1, 2, 3], GREEDY)
    taken, cpu, after = perf_counter() - began, process_time() - spent, _memory()
    return (
        taken,
        cpu,
        after["VmRSS"] - before["VmRSS"],
        after["RssAnon"] - before["RssAnon"],
        after["VmHWM"] - before["VmRSS"],
    )


def _parts(file: Path) -> None:
    from editd.models.llama_cpp.own_tokenizer import codec_in
    from editd.models.openvino import loading
    from editd.models.openvino.paged import BlockTable, PagedNetwork

    def tell(step: str) -> None:
        now = _memory()
        print(f"{step:28}{now['RssAnon'] >> 20:>8,}{now['RssFile'] >> 20:>8,}", flush=True)

    tell("Python and its libraries")
    found = loading.locate(ModelSpec(str(file)))
    graph = found.network.open_graph(lambda _done: None)
    codec = codec_in(found.tokenizer, vocab_size=graph.vocab_size)
    tell("the tokenizer")
    paged = PagedNetwork(
        graph.model,
        threads=1,
        tokens=2 * graph.sizes.context,
        cache_bytes=0,
        constants=graph.constants,
    )
    tell("the graph, compiled")
    paged.least = 8
    paged.warm_up()
    tell("the first pass")
    if graph.constants is not None:
        graph.constants.forget_pages()
    tell("pages of the file forgotten")
    table = BlockTable(paged)
    table.append_chain(codec.encode("x " * 64)[:64])
    tell("a pass of 64 rows")


def _memory() -> dict[str, int]:
    """The sizes in ``/proc/self/status`` by their names, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    found = (line.split() for line in lines if line.endswith("kB"))
    return {name.rstrip(":"): int(count) << 10 for name, count, _ in found}


if __name__ == "__main__":
    main()
