"""llama.cpp and OpenVINO on the same GGUF file: ``python -m benchmarks.engines FILE.gguf…``.

CPU milliseconds in one thread, the least of ``--repeats``, the engines in turn: reading 512 tokens, and
passes of k rows behind them. Memory after the first pass, less what Python took before, in a process of its own.
``--quick``: 128 tokens are read, and memory is left out.

``--against FLOAT.gguf``: agreement instead. The text of TEXT (by default this file and others of editd's own) is read
with both engines and with the float weights on llama.cpp: how often the best token is the same, and the mean
KL divergence. For docs/explanation/backends.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
from pathlib import Path
from time import process_time
from typing import Any, cast

import numpy as np
import psutil
from numpy.typing import NDArray

from editd.decode.target import GREEDY
from editd.models import registry
from editd.models.model import Model, ModelSpec

ENGINES = {"llama.cpp": "llama_cpp", "OpenVINO": "openvino"}
WIDTHS = (1, 2, 8, 32, 128)
BEHIND = 512
_OWN = ("editd/models/pool.py", "editd/decode/speculative.py", "editd/frontends/cli/setup.py")


def main() -> None:
    """Measure, print a table of Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.gguf")
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--against", type=Path, metavar="FLOAT.gguf")
    parser.add_argument("--text", type=Path)
    given = parser.parse_args()
    if given.against:
        text = given.text.read_text(encoding="utf-8") if given.text else _own_text()
        print("\n".join(agreement(given.files, given.against, text)))
        return
    behind = 128 if given.quick else BEHIND
    print(f"| | memory | read {behind} | " + " | ".join(map(str, WIDTHS)) + " |")
    print("|---|" + "--:|" * (len(WIDTHS) + 2))
    for file in given.files:
        for line in times(file, given.repeats, behind, memory=not given.quick):
            print(line, flush=True)


def times(file: Path, repeats: int, behind: int, *, memory: bool) -> list[str]:
    """A row for each engine."""
    models = {engine: _loaded(file, scheme) for engine, scheme in ENGINES.items()}
    dice = random.Random(0)
    ids = [dice.randrange(100, 8_000) for _ in range(behind + max(WIDTHS))]
    least: dict[tuple[str, str], float] = {}

    def note(engine: str, what: str, begun: float) -> None:
        spent = 1000 * (process_time() - begun)
        least[engine, what] = min(spent, least.get((engine, what), spent))

    for _ in range(repeats):
        for engine, model in models.items():
            model.drop_caches()
            sequence = model.target.open(ids)
            begun = process_time()
            sequence.prefill(ids[:behind])
            note(engine, "read", begun)
            for width in WIDTHS:
                begun = process_time()
                sequence.verify(ids[behind : behind + width], GREEDY)
                note(engine, str(width), begun)
                sequence.crop(behind)
            sequence.close()
    lines = []
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for engine, model in models.items():
            model.close()
            cells = " | ".join(
                f"{least[engine, what]:,.0f}" for what in ("read", *map(str, WIDTHS))
            )
            taken = "–"
            if memory:
                taken = f"{pool.apply(_memory, (file, ENGINES[engine])) / 1e6:,.0f} MB"
            lines.append(f"| {file.stem}, {engine} | {taken} | {cells} |")
    return lines


def agreement(files: list[Path], exact: Path, text: str) -> list[str]:
    """A table: each file on both engines, against ``exact`` on llama.cpp."""
    expected = _log_probs(exact, "llama_cpp", text)
    lines = ["| | best token | KL |", "|---|--:|--:|"]
    for file in files:
        for engine, scheme in ENGINES.items():
            found = _log_probs(file, scheme, text)
            same = (found.argmax(-1) == expected.argmax(-1)).mean()
            apart = (np.exp(expected) * (expected - found)).sum(-1).mean()
            lines.append(f"| {file.stem}, {engine} | {same:.3f} | {apart:.4f} |")
    return lines


def _log_probs(file: Path, scheme: str, text: str) -> NDArray[np.float64]:
    """Of each token of the first 512, behind those before it."""
    model = cast(Any, _loaded(file, scheme))
    ids = model.codec.prompt_ids(text)[:BEHIND]
    sequence = model.target.open(ids)
    logits = sequence._logits_or_rows(ids, None, greedy=False).astype(np.float64)  # noqa: SLF001  no choice
    sequence.close()
    model.close()
    logits -= logits.max(-1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
    return cast("NDArray[np.float64]", logits)


def _loaded(file: Path, scheme: str) -> Model:
    spec = ModelSpec(f"{scheme}:{file}", device="cpu", threads=1)
    return cast(Model, registry.load(spec))


def _memory(file: Path, scheme: str) -> int:
    import transformers  # noqa: F401  what every model needs for its chat template

    process = psutil.Process()
    before = process.memory_info().rss
    model = _loaded(file, scheme)
    sequence = model.target.open([1, 2, 3])
    sequence.verify([1, 2, 3], GREEDY)
    return int(process.memory_info().rss) - before


def _own_text() -> str:
    root = Path(__file__).parent.parent
    return "\n".join((root / name).read_text(encoding="utf-8")[:1200] for name in _OWN)


if __name__ == "__main__":
    main()
