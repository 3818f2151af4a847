"""``editd bench``: t(k), how long one pass over k tokens takes behind a context.

Speaks to a model as the decode loop does, whichever backend runs it. What is timed is ``verify`` and
what comes back to the host with it; the drafter is not part of it. Sizes are taken in turns, so that
a machine that slows down slows all. No step is faster than reading the weights once: the bandwidth is
measured in the same run by copying, so that the ratio to the limit does not depend on a data sheet.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from editd import settings
from editd.config import Config
from editd.doors.cli.safe_console import SafeConsole
from editd.errors import UsageError

if TYPE_CHECKING:
    from editd.models.model import Model

CONTEXTS = (2048,)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_WIDTH = 130  # of a table where there is no terminal
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


def bench(
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
    with model_here(model) as loaded, progress_bar() as told:
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
    from editd.models.loaded_model import dummy_ids

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


ModelName = Annotated[str, typer.Option("--model", help="Model to measure; default: model.name.")]


def config_here(name: str) -> Config:
    """The settings of this machine, for the model ``name``; empty: the one that is set."""
    return settings.resolve({"model": {"name": name}} if name else None).config


@contextmanager
def model_here(name: str) -> Iterator[Model]:
    """The model, loaded in this process and freed afterwards; a server's cannot be measured so."""
    from editd.models.pool import ModelPool

    config = config_here(name)
    if config.model.engine == "remote":
        raise UsageError("The model runs on a server: name one of this machine with --model.")
    pool = ModelPool(config)
    spec = pool.spec(config.model)
    model, _ = pool.acquire(spec)
    try:
        yield cast("Model", model)
    finally:
        pool.release(spec)
        pool.unload()


_GPU_BYTES, _CPU_BYTES = 1 << 30, 128 << 20
_COPIES = 7


def copy_bandwidth(device: str) -> float:
    """Bytes a second, read plus written; the median of a few copies. ``device``: as torch says it."""
    import numpy as np

    copy: Callable[[], Any]
    if device.startswith("cpu"):
        size = _CPU_BYTES
        source = np.ones(size, np.uint8)
        target = np.empty_like(source)

        def copy() -> None:
            np.copyto(target, source)

    else:
        import torch

        size = _GPU_BYTES if device.startswith("cuda") else _CPU_BYTES
        there = torch.ones(size, dtype=torch.uint8, device=device)
        copied = torch.empty_like(there)

        def copy() -> None:
            copied.copy_(there)

    times = []
    for _ in range(_COPIES + 2):
        wait(device)
        started = perf_counter()
        copy()
        wait(device)
        times.append(perf_counter() - started)
    return 2 * size / median(times[2:])


def wait(device: str) -> None:
    """Until the device has done all that it was given; a CPU has when it comes back."""
    if device.startswith(("cuda", "mps")):
        import torch

        module: Any = torch.cuda if device.startswith("cuda") else torch.mps
        module.synchronize()


@contextmanager
def progress_bar() -> Iterator[Callable[[str, float], None]]:
    """A bar on standard error, gone at the end; it takes a label and a fraction (0 to 1)."""
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        console=SafeConsole(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("loading", total=1.0)
        yield lambda what, done: bar.update(task, description=what, completed=done)


def wide_console() -> Console:
    """Standard output; in a file or a pipe a table may be as wide as it is."""
    console = SafeConsole()
    return console if console.is_terminal else SafeConsole(width=_WIDTH)
