"""``python -m benchmarks.replay.windows``: does the window by cost keep up with the best fixed one?

Decodes the demo edits with a real model on this machine's CPU, each with every fixed window and with
the window that ``decode.window.WindowPolicy`` chooses, in turns, so that a busy machine disturbs all
alike. Time is CPU time of the decode loop; every text is compared with the first one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Annotated

import typer

from benchmarks.plots import pyplot
from editd.decode.detokenizer import Healing
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.speculative import Decoding, Window
from editd.decode.window import FixedWindow, WindowPolicy
from editd.models.model import ModelSpec
from editd.models.round_costs import MOST_ROWS, measure_sizes, round_costs
from editd.models.torch.loading import TorchModel, load
from tests.fixtures.solved.cache import solved_model_dir
from tests.fixtures.solved.edits import Edit, demo_folder, load_edits
from tests.fixtures.solved.script import prompt_of
from tests.fixtures.solved.sizes import SHAPES

BY_COST = "by cost"


def main(
    size: Annotated[str, typer.Option(help="demo (3M weights) or bench (38M).")] = "bench",
    drafter: Annotated[str, typer.Option(help="Who drafts.")] = "buffer:tree+suffix",
    windows: Annotated[str, typer.Option(help="Fixed windows.")] = "4,8,16,32,64,128,255",
    repeats: Annotated[int, typer.Option(min=1, help="The fastest of so many counts.")] = 3,
    plot: Annotated[
        Path | None, typer.Option(help="Draw times and chosen windows (needs the extra plot).")
    ] = None,
) -> None:
    """Print a table: window, rounds, CPU seconds, and which windows were chosen by cost."""
    edits = load_edits(demo_folder())
    model = load(ModelSpec(str(solved_model_dir(edits, SHAPES[size])), device="cpu", threads=1))
    for _ in measure_sizes(model):
        pass
    names = [*windows.split(","), BY_COST]
    seconds: dict[str, list[float]] = {name: [] for name in names}
    rounds: dict[str, int] = {}
    chosen: list[int] = []
    texts: list[list[int]] = []
    for _ in range(repeats):
        for name in names:
            spent, passes, outputs = 0.0, 0, []
            for edit in edits:
                decoding, took = _decode(model, edit, drafter, _window(name, model))
                spent += took
                passes += decoding.stats.rounds
                outputs.append(decoding.output_ids)
                if name == BY_COST:
                    chosen += decoding.stats.windows
            seconds[name].append(spent)
            rounds[name] = passes
            texts = texts or outputs
            if outputs != texts:
                raise SystemExit(f"window {name} wrote another text")
    best = {name: min(times) for name, times in seconds.items()}
    _print(model, best, rounds, chosen)
    if plot is not None:
        _draw(plot, model, best, chosen)


def _window(name: str, model: TorchModel) -> Window:
    if name == BY_COST:
        return WindowPolicy(round_costs(model), MOST_ROWS - 1, model.timing.clock)
    return FixedWindow(int(name))


def _decode(model: TorchModel, edit: Edit, drafter: str, window: Window) -> tuple[Decoding, float]:
    prompt = prompt_of(edit)
    prompt_ids, required = model.codec.heal(prompt.segments)
    task = DraftTask(prompt_ids, edit.before, prompt.opening, model.codec)
    decoding = Decoding(
        model.target,
        prompt_ids,
        make_drafter(drafter, task),
        ends_answer=lambda token_id: token_id in model.stop_ids,
        max_new_tokens=4096,
        window=window,
        allowed=Healing(model.codec, required),
    )
    while decoding.prefilled < 1.0:
        decoding.advance()
    started = process_time()
    while decoding.finish_reason is None:
        decoding.advance()
    took = process_time() - started
    decoding.close()
    return decoding, took


def _print(
    model: TorchModel, best: dict[str, float], rounds: dict[str, int], chosen: Sequence[int]
) -> None:
    costs = round_costs(model)
    times = ", ".join(f"{k}: {1000 * costs.seconds(k, 256):.1f}" for k in (1, 8, 16, 32, 64, 128))
    print(f"{model.parameters / 1e6:.0f}M weights; milliseconds of a round of k rows: {times}\n")
    print("| window | rounds | CPU seconds |\n|---|--:|--:|")
    for name, took in best.items():
        print(f"| {name} | {rounds[name]} | {took:.2f} |")
    print(f"\nChosen by cost: median {median(chosen):.0f}, from {min(chosen)} to {max(chosen)}.")


def _draw(path: Path, model: TorchModel, best: dict[str, float], chosen: Sequence[int]) -> None:
    plt = pyplot()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    fixed = [name for name in best if name != BY_COST]
    left.plot([int(name) for name in fixed], [best[name] for name in fixed], "o-", label="fixed")
    left.axhline(best[BY_COST], color="C1", label=BY_COST)
    left.set(xscale="log", xlabel="window", ylabel="CPU seconds", ylim=(0, None))
    left.set_title(f"demo edits, {model.parameters / 1e6:.0f}M weights, one thread")
    left.legend()
    values = sorted(set(chosen))
    right.bar([str(value) for value in values], [chosen.count(value) for value in values])
    right.set(xlabel="window chosen", ylabel="rounds", title="what was chosen")
    figure.savefig(path, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    typer.run(main)
