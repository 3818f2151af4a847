"""``python -m training.train``: from a corpus to a checkpoint in the minutes given, resumable.

The clock rules: learning rate and curriculum follow the share of the time that is gone, so that a
run ends when it was told to, with a small learning rate, on any machine. First random tokens and
unchanged texts are copied, then the families are learned on short examples, then longer ones come in;
the last steps run on weights rounded to fp16, as they are stored. Examples are made beside the
training by other processes (``examples``).
"""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType
from typing import Annotated, Any, Self

import torch
import typer
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from training import checkpoint, corpus
from training.curves import plot
from training.evaluate import held_out_examples
from training.exact_match import exact_matches
from training.examples import LENGTHS, Batch, Batches, Example, make_shards
from training.network import Network
from training.shape import SHAPES
from training.tokenizer import train_tokenizer
from training.wired import wire

GATE_EXIT_CODE = 3


@dataclass(frozen=True, slots=True)
class Stage:
    """share: of the time. weights: of batches by length; 0 is random copying."""

    name: str
    share: float
    weights: dict[int, float]


STAGES = (
    Stage("copy", 0.1, {0: 0.7, 256: 0.2, 512: 0.1}),
    Stage("families", 0.4, {0: 0.05, 256: 0.4, 512: 0.4, 1024: 0.15}),
    Stage("length", 0.5, {0: 0.02, 256: 0.2, 512: 0.3, 1024: 0.25, 2048: 0.16, 4096: 0.07}),
)


@dataclass(slots=True)
class Settings:
    """What a run is told; the command line's words.

    tokens: of a batch. rate: the highest learning rate. wired_rate: the share of it that the wired
    layers and the embedding get, which copying depends on. changed: how much more a token counts that
    the instruction put there. rounded: the share of the time, at the end, on fp16 weights.
    """

    out: Path
    minutes: float = 9.0
    tokens: int = 65_536
    rate: float = 1e-3
    wired_rate: float = 0.2
    changed: float = 3.0
    permuted: float = 0.25
    rounded: float = 0.04
    warm_up_steps: int = 200
    gate: float = 0.9
    gate_minutes: float = 3.0
    checkpoint_seconds: float = 60.0
    evaluate_seconds: float = 45.0
    compile: bool = False
    seed: int = 0
    stage: str = "copy"
    device: str = "cpu"


class GateClosed(Exception):
    """Copying is not learned fast enough for the rest to be worth its time."""


def train(
    settings: Settings,
    network: Network,
    batches: Batches,
    held_out: Sequence[Example],
    state: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Train for ``settings.minutes`` and leave a checkpoint in ``out/checkpoint``.

    state: of the run to go on from. Returns the new one. Raises ``GateClosed``.
    """
    # 1. Everything that is decided once.
    torch.manual_seed(settings.seed)
    told = {"steps": 0, "tokens": 0, "seconds": 0.0, **(state or {})}
    network.to(settings.device).train()
    optimizer = _optimizer(network, settings)
    if state:
        checkpoint.load_moments(settings.out / "checkpoint", network, optimizer, int(told["steps"]))
    stages = _stages_from(settings.stage)
    if settings.compile:
        for block in network.blocks:
            block.compile(dynamic=True)
    log = _Log(settings.out / "log.jsonl", before=float(told["seconds"]))
    clock = _Clock(settings)
    waiting = _Prefetched(batches, lambda: _weights(stages, clock.progress))
    step = 0
    losses: list[Tensor] = []
    # 2. Steps until the time is up.
    with waiting, _on_signal(clock.stop):
        while not clock.is_over:
            batch = waiting.get()
            rate = settings.rate * _rate(step, clock.progress, settings)
            for group in optimizer.param_groups:
                group["lr"] = rate * group["share"]
            with _rounded(network, when=clock.progress > 1 - settings.rounded):
                loss = _loss(network, batch, settings)
                loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            told["steps"] += 1
            told["tokens"] += batch.tokens
            losses.append(loss.detach())
            # 3. Now and then: say how it goes, look at held-out examples, keep what there is.
            if clock.due("log", 2.0):
                mean = float(torch.stack(losses).mean())
                losses.clear()
                log.write(
                    clock.seconds, told, stage=_stage(stages, clock.progress), loss=mean, rate=rate
                )
            if clock.due("evaluate", settings.evaluate_seconds):
                found = _evaluate(network, held_out, settings)
                log.write(clock.seconds, told, exact=found)
                late = clock.seconds >= 60 * settings.gate_minutes
                if (
                    late
                    and not clock.passed
                    and (copied := found.get("no-change 256", 1.0)) < settings.gate
                ):
                    raise GateClosed(
                        f"After {clock.seconds:.0f} s only {copied:.0%} of the unchanged texts come "
                        f"back whole ({settings.gate:.0%} are wanted): change the recipe."
                    )
                clock.passed = clock.passed or late
            if clock.due("checkpoint", settings.checkpoint_seconds):
                checkpoint.save(settings.out / "checkpoint", network, optimizer, told)
    # 4. The weights that will be stored, and what they can do.
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(parameter.half().float())
    told["seconds"] = float(told["seconds"]) + clock.seconds
    told["exact"] = _evaluate(network, held_out, settings)
    log.write(clock.seconds, told, exact=told["exact"])
    checkpoint.save(settings.out / "checkpoint", network, optimizer, told)
    plot(settings.out / "log.jsonl", settings.out / "curves.png")
    return told


def _loss(network: Network, batch: Batch, settings: Settings) -> Tensor:
    device = settings.device
    ids, where, targets = (
        torch.from_numpy(array).to(device, non_blocking=True)
        for array in (batch.ids, batch.where, batch.targets)
    )
    weights = torch.from_numpy(batch.changed).to(device).float() * (settings.changed - 1) + 1
    with torch.autocast(device.split(":")[0], torch.bfloat16, enabled=device.startswith("cuda")):
        logits = network(ids, where)
    losses = functional.cross_entropy(logits.float(), targets, reduction="none")
    return (losses * weights).sum() / weights.sum()


def _optimizer(network: Network, settings: Settings) -> torch.optim.Optimizer:
    slow: list[nn.Parameter] = []
    quick: list[nn.Parameter] = []
    for name, parameter in network.named_parameters():
        wired = name == "embedding" or (name.startswith(("blocks.0.", "blocks.1.", "blocks.2.")) and
                                        name.endswith((".qkv", ".qkv_bias", ".output")))  # fmt: skip
        (slow if wired else quick).append(parameter)
    return torch.optim.AdamW(
        [{"params": slow, "share": settings.wired_rate}, {"params": quick, "share": 1.0}],
        lr=settings.rate,
        betas=(0.9, 0.98),
        weight_decay=0.01,
        fused=settings.device.startswith("cuda"),
    )


def _rate(step: int, progress: float, settings: Settings) -> float:
    """Warm-up by steps, then half a cosine over the time; never quite nothing."""
    return min(1.0, (step + 1) / settings.warm_up_steps) * max(
        0.01, 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
    )


def _stages_from(name: str) -> list[Stage]:
    names = [stage.name for stage in STAGES]
    kept = STAGES[names.index(name) :]
    whole = sum(stage.share for stage in kept)
    return [Stage(stage.name, stage.share / whole, stage.weights) for stage in kept]


def _current(stages: Sequence[Stage], progress: float) -> Stage:
    gone = 0.0
    for stage in stages:
        gone += stage.share
        if progress < gone:
            return stage
    return stages[-1]


def _stage(stages: Sequence[Stage], progress: float) -> str:
    return _current(stages, progress).name


def _weights(stages: Sequence[Stage], progress: float) -> dict[int, float]:
    return _current(stages, progress).weights


@contextmanager
def _rounded(network: Network, *, when: bool) -> Iterator[None]:
    """Forward and backward on weights as fp16 stores them; the update goes to the exact ones."""
    if not when:
        yield
        return
    exact = [parameter.data for parameter in network.parameters()]
    for parameter in network.parameters():
        parameter.data = parameter.data.half().float()
    try:
        yield
    finally:
        for parameter, data in zip(network.parameters(), exact, strict=True):
            parameter.data = data


def _evaluate(
    network: Network, examples: Sequence[Example], settings: Settings
) -> dict[str, float]:
    """Exact match by family and length, and of all."""
    network.eval()
    with _rounded(network, when=True):
        right = exact_matches(network, examples, settings.device)
    network.train()
    found: dict[str, list[bool]] = {}
    for example, hit in zip(examples, right, strict=True):
        length = next(most for most in LENGTHS if len(example.ids) <= most)
        for key in (f"{example.family} {length}", f"all {length}"):
            found.setdefault(key, []).append(hit)
    return {key: round(sum(hits) / len(hits), 4) for key, hits in sorted(found.items())}


# --- time, data, log -----------------------------------------------------------------------------


class _Clock:
    """Seconds since the training began, and what is due."""

    def __init__(self, settings: Settings) -> None:
        self._all = 60 * settings.minutes
        self._started = time.monotonic()
        self._last = dict.fromkeys(("log", "evaluate", "checkpoint"), 0.0)
        self._stopped = False
        self.passed = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    @property
    def progress(self) -> float:
        return min(1.0, self.seconds / self._all)

    @property
    def is_over(self) -> bool:
        return self._stopped or self.progress >= 1.0

    def due(self, what: str, every: float) -> bool:
        if self.seconds - self._last[what] < every:
            return False
        self._last[what] = self.seconds
        return True

    def stop(self) -> None:
        self._stopped = True


class _Prefetched:
    """Batches made in a thread, a few ahead."""

    def __init__(self, batches: Batches, weights: Any) -> None:
        self._batches, self._weights = batches, weights
        self._ready: queue.Queue[Batch] = queue.Queue(maxsize=4)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._fill, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        while self._thread.is_alive():
            while not self._ready.empty():
                self._ready.get_nowait()
            self._thread.join(0.05)

    def get(self) -> Batch:
        return self._ready.get(timeout=300)

    def _fill(self) -> None:
        while not self._over.is_set():
            batch = self._batches.next(self._weights()) or self._batches.next({0: 1.0})
            if batch is not None:
                self._ready.put(batch)


@dataclass(slots=True)
class _Log:
    path: Path
    before: float  # seconds of earlier runs
    _last: tuple[float, int] = field(default=(0.0, 0))

    def write(self, seconds: float, told: dict[str, Any], **more: Any) -> None:
        elapsed, tokens = self._last
        speed = (told["tokens"] - tokens) / (seconds - elapsed) if tokens else 0.0
        self._last = (seconds, told["tokens"])
        entry = {
            "seconds": round(self.before + seconds, 1),
            "steps": told["steps"],
            "tokens": told["tokens"],
            "tokens_per_second": round(speed),
            **more,
        }
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(entry) + "\n")
        print(json.dumps(entry), flush=True)


@contextmanager
def _on_signal(stop: Any) -> Iterator[None]:
    """An asked-for end is an ordinary one: the checkpoint is written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ask(_signal: int, _frame: FrameType | None) -> None:
        stop()

    before = {name: signal.signal(name, ask) for name in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


# --- the command ---------------------------------------------------------------------------------


def prepare(out: Path, corpus_file: Path, vocabulary: int) -> Tokenizer:
    """The tokenizer of a run; it and the corpus are made if they are not there."""
    path = out / "tokenizer.json"
    if not corpus_file.exists():
        corpus.save(*corpus.collect(), corpus_file)
    if not path.exists():
        out.mkdir(parents=True, exist_ok=True)
        files = [file for file in corpus.load(corpus_file) if not file.held_out]
        Random(0).shuffle(files)
        python = [file.text for file in files if file.language == "python"][:1500]
        other = [file.text for file in files if file.language != "python"][:900]
        train_tokenizer([*python, *other], vocabulary).save(str(path))
    return Tokenizer.from_file(str(path))


def main(
    out: Annotated[Path, typer.Option(help="Folder of the run.")],
    corpus_file: Annotated[
        Path | None,
        typer.Option("--corpus", help="Written by training.corpus; in --out, made if missing."),
    ] = None,
    minutes: Annotated[float, typer.Option(help="Time to train.")] = 8.5,
    *,
    resume: Annotated[bool, typer.Option(help="Go on from the run's checkpoint.")] = False,
    stage: Annotated[str, typer.Option(help="copy, families or length: where to begin.")] = "copy",
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    shape: Annotated[str, typer.Option(help=f"One of {', '.join(SHAPES)}.")] = "small",
    start: Annotated[str, typer.Option(help="wired or plain.")] = "wired",
    shards: Annotated[
        Path | None, typer.Option(help="Folder of shards; in --out by default.")
    ] = None,
    processes: Annotated[int, typer.Option(help="That make examples; -1: all cores but one.")] = -1,
    tokens: Annotated[int, typer.Option(help="Tokens of a batch.")] = 65_536,
    rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 1e-3,
    wired_rate: Annotated[float, typer.Option(help="Share of it for the wired layers.")] = 0.2,
    perm: Annotated[float, typer.Option(help="Share of examples with exchanged words.")] = 0.25,
    compile_blocks: Annotated[bool, typer.Option("--compile", help="Use torch.compile.")] = False,
    warm_up: Annotated[int, typer.Option(help="Steps until the full rate.")] = 200,
    gate: Annotated[float, typer.Option(help="No-change exact match that is demanded.")] = 0.9,
    gate_minutes: Annotated[float, typer.Option(help="After so many minutes.")] = 3.0,
    evaluate_seconds: Annotated[float, typer.Option(help="Between looks at held-out files.")] = 45,
    checkpoint_seconds: Annotated[float, typer.Option(help="Between checkpoints.")] = 60,
    eval_examples: Annotated[int, typer.Option(help="Held-out examples of each length.")] = 150,
    threads: Annotated[int, typer.Option(help="CPU threads of the network; 0: all.")] = 0,
    seed: int = 0,
) -> None:
    """Train the embedded model."""
    if threads:
        torch.set_num_threads(threads)
    torch.set_float32_matmul_precision("high")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    settings = Settings(
        out=out, minutes=minutes, tokens=tokens, rate=rate, wired_rate=wired_rate, permuted=perm,
        gate=gate, gate_minutes=gate_minutes, checkpoint_seconds=checkpoint_seconds, stage=stage,
        evaluate_seconds=evaluate_seconds, warm_up_steps=warm_up, compile=compile_blocks, device=device, seed=seed,
    )  # fmt: skip
    corpus_file = corpus_file or out / "corpus.jsonl.gz"
    tokenizer = prepare(out, corpus_file, SHAPES[shape].vocabulary)
    if tokenizer.get_vocab_size() > SHAPES[shape].vocabulary:
        raise typer.BadParameter(
            f"{out}/tokenizer.json has more tokens than the shape {shape}: choose another --out."
        )
    folder = shards or out / "shards"
    count = (os.cpu_count() or 2) - 1 if processes < 0 else processes
    workers = make_shards(folder, corpus_file, out / "tokenizer.json", range(100_000), count)
    state = None
    if resume and (out / "checkpoint").exists():
        network, state = checkpoint.load(out / "checkpoint")
        settings.seed += int(state["steps"])
    else:
        torch.manual_seed(seed)
        network = Network(SHAPES[shape])
        if start == "wired":
            wire(network, seed)
    lengths = LENGTHS[:4] if device.startswith("cuda") else LENGTHS[:2]
    kept = [file for file in corpus.load(corpus_file) if file.held_out]
    held_out = [
        example
        for length in lengths
        for only, number in (((), eval_examples), (("no-change",), eval_examples // 3))
        for example in held_out_examples(kept, tokenizer, length, number, only)
    ]
    batches = Batches(folder, tokenizer, tokens, perm, settings.seed)
    try:
        told = train(settings, network, batches, held_out, state)
    except GateClosed as closed:
        print(closed, file=sys.stderr)
        raise typer.Exit(GATE_EXIT_CODE) from closed
    finally:
        for worker in workers:
            worker.terminate()
    print(f"{told['steps']:,} steps, {told['tokens'] / 1e6:.1f} M tokens: {out / 'checkpoint'}")


if __name__ == "__main__":
    typer.run(main)
