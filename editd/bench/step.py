"""``editd bench step``: t(k), how long one pass over k tokens takes behind a context.

Speaks to a model as the decode loop does, whichever backend runs it. What is timed is ``verify`` and
what comes back to the host with it; the drafter is not part of it. Sizes are taken in turns, so that
a machine that slows down slows all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Annotated, Any

import typer

from editd.bench.loaded_model import ModelName, model_here
from editd.bench.memory_bandwidth import copy_bandwidth
from editd.bench.terminal import progress_bar, refusing, wide_console
from editd.models.model import Model

CONTEXTS = (2048,)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_WARM_UPS = 6  # more than a pass is run before it is worth recording


@dataclass(frozen=True, slots=True)
class Step:
    """One cell of the table, in milliseconds. ``low``, ``high``: quartiles. ``cpu``: processor time.

    mode: how passes ran, for a person.
    """

    mode: str
    context: int
    k: int
    median_ms: float
    low_ms: float
    high_ms: float
    cpu_ms: float


def step(
    model: ModelName = "",
    context: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Context length before the pass, in tokens; repeatable."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Number of passes of each size.")] = 9,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this JSON file.")
    ] = None,
) -> None:
    """Measure t(k), the time of one pass over k tokens, against t(1) and one read of the weights."""
    with refusing(), model_here(model) as loaded, progress_bar() as told:
        status = loaded.status()
        device = status.device
        limit_ms = None
        if device.startswith(("cpu", "cuda", "mps")) and "+" not in device:
            limit_ms = 1000 * loaded.weights_bytes / copy_bandwidth(device)
        steps: list[Step] = []
        contexts = context or CONTEXTS
        for number, length in enumerate(contexts):
            told(f"context {length}", number / len(contexts))
            steps += steps_at(
                loaded.target,
                status.runs or "plain",
                length,
                SIZES,
                repeats,
                idle_work=loaded.idle_work,
            )
    _print(loaded, device, limit_ms, steps)
    if json_file is not None:
        figures = {
            "model": loaded.name,
            "device": device,
            "limit_ms": limit_ms,
            "steps": [asdict(cell) for cell in steps],
        }
        json_file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _print(model: Model, device: str, limit_ms: float | None, steps: Sequence[Step]) -> None:
    from rich.table import Table

    console = wide_console()
    console.print(
        f"{model.name} on {device}: {model.weights_bytes / 1e6:,.1f} MB of weights"
        + (f", read once in {limit_ms:.2f} ms at the speed of a copy" if limit_ms else ""),
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    first = {cell.context: cell.median_ms for cell in steps if cell.k == 1}
    table = Table()
    for name in ("context", "k", "ms", "quartiles", "CPU ms", "/ t(1)", "/ limit"):
        table.add_column(name, justify="right")
    for cell in steps:
        table.add_row(
            str(cell.context),
            str(cell.k),
            f"{cell.median_ms:.2f}",
            f"{cell.low_ms:.2f}-{cell.high_ms:.2f}",
            f"{cell.cpu_ms:.2f}",
            f"{cell.median_ms / first[cell.context]:.2f}",
            f"{cell.median_ms / limit_ms:.2f}" if limit_ms else "-",
        )
    console.print(table)


def steps_at(
    target: Any,
    mode: str,
    context: int,
    sizes: Sequence[int],
    repeats: int,
    *,
    idle_work: Callable[[], bool] = lambda: False,
) -> list[Step]:
    """Every size behind one context; ``target`` as in ``decode.target``.

    idle_work: what the model does while idle (recording passes), done before it counts.
    Raises ``UsageError`` where the context is too long.
    """
    from editd.decode.target import GREEDY
    from editd.errors import UsageError
    from editd.models.dummy_ids import dummy_ids

    sizes = sorted(set(sizes))
    if context + sizes[-1] >= target.max_context:
        raise UsageError(
            f"The model reads {target.max_context} tokens, which a context of {context} and "
            f"{sizes[-1]} tokens more would exceed: choose a smaller --context."
        )
    ids = dummy_ids(context + sizes[-1], target.vocab_size)
    sequence = target.open(ids[: context + 1])
    times: dict[int, list[tuple[float, float]]] = {k: [] for k in sizes}
    try:
        sequence.prefill(ids[sequence.length : context])
        for turn in range(_WARM_UPS + repeats):
            while turn == _WARM_UPS - 1 and idle_work():
                pass
            for k in sizes:
                started, worked = perf_counter(), process_time()
                sequence.verify(ids[context : context + k], GREEDY)
                if turn >= _WARM_UPS:
                    times[k].append((perf_counter() - started, process_time() - worked))
                sequence.crop(context)
    finally:
        sequence.close()
    return [_step(mode, context, k, taken) for k, taken in times.items()]


def _step(mode: str, context: int, k: int, taken: list[tuple[float, float]]) -> Step:
    walls = sorted(1000 * wall for wall, _ in taken)
    return Step(
        mode,
        context,
        k,
        median_ms=median(walls),
        low_ms=walls[len(walls) // 4],
        high_ms=walls[(3 * len(walls)) // 4],
        cpu_ms=median(1000 * worked for _, worked in taken),
    )
