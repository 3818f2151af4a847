"""``make bench-gpu``: every figure that editd aims at on a GPU, in one command.

Stages write into one JSON file as they end, so a run that is cut off goes on where it was; a change
of model, device, cases or versions starts over. The same entry point runs on a CPU with a small
shape, to test it: ``python -m benchmarks.gpu --model 8m-shaped --device cpu --quick``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from benchmarks.gpu_aims import aims, print_aims
from benchmarks.steps.models import MODES
from benchmarks.terminal import refusing, wide_console

CONTEXT = 4096
_BUDGET = 450.0  # seconds after which no further stage is begun: the whole takes under 8 minutes


@dataclass(frozen=True, slots=True)
class Plan:
    """Options of a run: the model, the ways, and the folder of its figures."""

    model: str
    draft_model: str
    device: str
    cases: Path | None
    out: Path
    quick: bool

    @property
    def context(self) -> int:
        return 256 if self.quick else CONTEXT

    def identity(self) -> dict[str, Any]:
        """The circumstances in which figures of an earlier run must agree to be taken over."""
        import torch
        import transformers

        import editd

        cuda = self.device.startswith("cuda")
        return {
            "model": self.model,
            "draft_model": self.draft_model,
            "device": torch.cuda.get_device_name(self.device) if cuda else self.device,
            "cases": sha256(self.cases.read_bytes()).hexdigest()[:16] if self.cases else "",
            "quick": self.quick,
            "versions": f"editd {editd.__version__}, torch {torch.__version__}, "
            f"transformers {transformers.__version__}",
        }


def main(
    model: Annotated[str, typer.Option(help="A shape, a folder or a pulled hub id.")] = (
        "qwen2.5-coder-7b-shaped"
    ),
    draft_model: Annotated[str, typer.Option(help="Measured as a draft model beside it.")] = (
        "qwen2.5-coder-0.5b-shaped"
    ),
    device: Annotated[str, typer.Option(help="Where to run.")] = "cuda",
    cases: Annotated[Path | None, typer.Option(help="Recorded edits; without: steps only.")] = None,
    out: Annotated[Path, typer.Option(help="Where figures are kept.")] = Path(
        "build/bench-gpu.json"
    ),
    quick: Annotated[  # noqa: FBT002  typer's way to write a flag
        bool, typer.Option("--quick", help="Small and short: tests the benchmark, not the machine.")
    ] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Measure all anew.")] = False,  # noqa: FBT002  as above
) -> None:
    """Measure what editd aims at on a GPU, and say which aims are met."""
    import torch

    console = wide_console()
    if device.startswith("cuda") and not torch.cuda.is_available():
        console.print("There is no CUDA device here, so nothing was measured.")
        return
    plan = Plan(model, "8m-shaped" if quick else draft_model, device, cases, out, quick)
    with refusing():
        figures = run(plan, restart=restart, say=lambda words: console.print(words, style="dim"))
    print_aims(console, figures, aims(figures))


def run(plan: Plan, *, restart: bool = False, say: Callable[[str], None]) -> dict[str, Any]:
    """Run all stages that are not done yet, writing the file after each. Returns the file's content."""
    figures = {"identity": plan.identity(), "stages": {}, "seconds": {}}
    if not restart and plan.out.is_file():
        known = json.loads(plan.out.read_text(encoding="utf-8"))
        if known.get("identity") == figures["identity"]:
            figures = known
    began = monotonic()
    for name, stage in _STAGES.items():
        if name in figures["stages"]:
            say(f"{name}: kept from an earlier run")
            continue
        if monotonic() - began > _BUDGET:
            say(f"{name}: no time left; run the same command again")
            continue
        say(f"{name} …")
        started = monotonic()
        figures["stages"][name] = stage(plan)
        figures["seconds"][name] = monotonic() - started
        plan.out.parent.mkdir(parents=True, exist_ok=True)
        part = plan.out.with_suffix(".part")
        part.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        part.replace(plan.out)
    return figures


# --- stages --------------------------------------------------------------------------------------


def _steps(plan: Plan) -> dict[str, Any]:
    sizes = (1, 64, 256) if plan.quick else (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
    return _measured_steps(plan, plan.model, MODES, sizes)


def _edits(plan: Plan) -> dict[str, Any]:
    if plan.cases is None:
        return {"skipped": "no --cases"}
    from benchmarks.edits.cases import choose
    from benchmarks.edits.measure import measure
    from benchmarks.steps.models import BenchModel, ModelOptions
    from tests.recorded_cases import read_cases

    chosen = choose(read_cases(plan.cases), "", limit=2 if plan.quick else 0)
    bench = BenchModel(ModelOptions(plan.model, plan.device))
    try:
        figures = measure(
            bench,
            chosen,
            forced=bench.random,
            drafters=("buffer+suffix", "buffer+suffix:chain", "buffer+suffix:tree"),
            modes=MODES,
            cold=False,
        )
    finally:
        bench.close()
    return figures.as_json()


def _draft_steps(plan: Plan) -> dict[str, Any]:
    return _measured_steps(plan, plan.draft_model, ("eager",), (1, 2, 4, 8, 16))


_STAGES: dict[str, Callable[[Plan], dict[str, Any]]] = {
    "steps": _steps,
    "edits": _edits,
    "draft model": _draft_steps,
}


def _measured_steps(
    plan: Plan, model: str, modes: tuple[str, ...], sizes: tuple[int, ...]
) -> dict[str, Any]:
    from benchmarks.steps.measure import measure
    from benchmarks.steps.models import BenchModel, ModelOptions

    bench = BenchModel(ModelOptions(model, plan.device))
    try:
        figures = measure(
            bench,
            contexts=(plan.context,),
            sizes=sizes,
            modes=modes,
            repeats=2 if plan.quick else 0,
        )
    finally:
        bench.close()
    return figures.as_json()


if __name__ == "__main__":
    typer.run(main)
