"""``python -m benchmarks.solve``: solve a checkpoint and say what came out."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from editd.errors import EditdError, UsageError


class Size(StrEnum):
    """The shapes on offer."""

    demo = "demo"
    bench = "bench"


def main(
    out: Annotated[
        Path | None, typer.Option(help="Folder to write; the user's cache when not given.")
    ] = None,
    size: Annotated[Size, typer.Option(help="demo: small; bench: 38M parameters.")] = Size.demo,
    edits: Annotated[Path | None, typer.Option(help="Folder with cases.toml.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads.")] = 1,
) -> None:
    """Solve the weights of a causal LM that knows some edits by heart, and nothing else."""
    console = Console(stderr=True)
    started = time.perf_counter()

    def report(message: str, done: float) -> None:
        elapsed = time.perf_counter() - started
        console.print(
            f"[dim]{elapsed:5.1f} s {done:4.0%}[/dim]  {message}", highlight=False, soft_wrap=True
        )

    import torch

    from benchmarks.demo_shapes import SHAPES
    from benchmarks.solved.cache import solved_model_dir
    from benchmarks.solved.checkpoint import build
    from benchmarks.solved.edits import demo_folder, load_edits
    from benchmarks.solved.manifest import TITLE

    torch.set_num_threads(threads)
    try:
        known = load_edits(edits or demo_folder())
        if out is None:
            print(solved_model_dir(known, SHAPES[size], report))
            return
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise UsageError(f"{out} is there already and not an empty folder: choose another.")
        built = build(out, known, SHAPES[size], report)
    except EditdError as error:
        console.print(f"[red]error:[/red] {error}", highlight=False, soft_wrap=True)
        raise typer.Exit(error.exit_code) from error
    console.print(
        f"{TITLE}: {len(known)} edits, {built.output_tokens:,} output tokens, smallest margin "
        f"{built.smallest_margin:.1f} logits, {built.size_bytes / 1e6:.1f} MB, "
        f"{time.perf_counter() - started:.1f} s",
        highlight=False,
        soft_wrap=True,
    )
    print(built.folder)


if __name__ == "__main__":
    typer.run(main)
