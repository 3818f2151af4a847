"""``python -m training.train``: train the embedded model's adapter, on however much of a CPU is free.

Every worker is a thread that runs one example at a time on one core. (Two threads in one product wait
for each other whenever another process takes a core.) What makes the seconds count: nothing frozen has a
gradient, an example whose answer is certain is not run backwards, families that fail come more
often, and short texts come first. The learning rate follows the clock: a cosine over ``--minutes``.

A checkpoint a minute; started again with the same ``--out`` it goes on from there, with ``--resume`` from
an adapter that was shipped.
"""

from __future__ import annotations

import ctypes
import json
import math
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated

import torch
import typer
from tokenizers import Tokenizer
from torch import Tensor

from editd.embedded import base_model
from training import corpus
from training.examples import Example, ExampleOptions, make_examples
from training.families import GENERATORS
from training.network import Adapter, Network, Shape, losses, weighted
from training.state import State

RANK = 16
FIRST_LAYER = 5  # below it nothing is added, and nothing goes backwards
_CERTAIN = 0.25  # an example whose every token has a smaller loss teaches nothing
_UNCHANGED = 0.2  # share of the edits that change nothing
_FORGETTING = 0.03  # of a family's failures, with every answer
_WARM_UP = 20  # steps
_LAST_RATE = 0.05  # of the highest


@dataclass(slots=True)
class Settings:
    """minutes: of the clock. rate: the highest. batch: edits that went backwards, for one step."""

    minutes: float
    rate: float = 1e-3
    batch: int = 8
    workers: int = 2
    longest: int = 512
    report_seconds: float = 60.0


@dataclass(slots=True)
class Tally:
    """Since the last report."""

    answers: int = 0
    exact: int = 0
    tokens: int = 0
    wrong: int = 0
    loss: float = 0.0


class Trainer:
    """Workers that share a state. ``run`` returns when the time is over."""

    def __init__(
        self,
        network: Network,
        state: State,
        examples: Iterator[Example | None],
        settings: Settings,
    ) -> None:
        self._network = network
        self._state = state
        self._examples = examples
        self._settings = settings
        self._lock = threading.Lock()
        self._adapter: Adapter = state.adapter(gradients=True)
        self._gathered: dict[str, Tensor] = {}
        self._edits = 0
        self._first_step = state.progress.step
        self._started = time.monotonic()
        self._tally = Tally()
        self._failure: BaseException | None = None

    def run(self, out: Path) -> None:
        """Train, and keep ``state.pt``, ``adapter.safetensors`` and ``log.jsonl`` in ``out``."""
        workers = [
            threading.Thread(target=self._work, daemon=True) for _ in range(self._settings.workers)
        ]
        for worker in workers:
            worker.start()
        cpu = time.process_time()
        while any(worker.is_alive() for worker in workers):
            deadline = time.monotonic() + self._settings.report_seconds
            for worker in workers:
                worker.join(max(0.0, deadline - time.monotonic()))
            with self._lock:
                now = time.process_time()
                self._state.progress.cpu_seconds += now - cpu
                cpu = now
                self._keep(out)
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        torch.set_num_threads(1)
        try:
            while self._share_gone() < 1 and self._failure is None:
                with self._lock:
                    example, adapter = next(self._examples), self._adapter
                if example is not None:
                    self._learn(example, adapter)
        except BaseException as error:  # noqa: BLE001  # raised by ``run``
            self._failure = self._failure or error

    def _learn(self, example: Example, adapter: Adapter) -> None:
        each, right = losses(self._network.logits(example, adapter), example)
        loss = weighted(each, example)
        gradients: tuple[Tensor, ...] = ()
        if float(each.detach().max()) > _CERTAIN:
            gradients = torch.autograd.grad(loss, list(adapter.values()))
        with self._lock:
            self._count(example, float(loss.detach()), right)
            if gradients:
                for name, gradient in zip(adapter, gradients, strict=True):
                    if name in self._gathered:
                        self._gathered[name].add_(gradient)
                    else:
                        self._gathered[name] = gradient.float()
                self._edits += 1
                self._state.progress.trained += len(example)
                if self._edits >= self._settings.batch:
                    self._step()

    def _step(self) -> None:
        mean = {name: total / self._edits for name, total in self._gathered.items()}
        self._state.step(mean, self.rate())
        self._gathered, self._edits = {}, 0
        self._adapter = self._state.adapter(gradients=True)

    def rate(self) -> float:
        """The learning rate now."""
        warm = min(1.0, (self._state.progress.step - self._first_step + 1) / _WARM_UP)
        cosine = 0.5 * (1 + math.cos(math.pi * self._share_gone()))
        return self._settings.rate * warm * (_LAST_RATE + (1 - _LAST_RATE) * cosine)

    def _share_gone(self) -> float:
        return min(1.0, (time.monotonic() - self._started) / (60 * self._settings.minutes))

    def _count(self, example: Example, loss: float, hits: Tensor) -> None:
        progress, tally = self._state.progress, self._tally
        progress.seen += len(example)
        progress.examples += 1
        failed, exact = progress.failing[example.family], bool(hits.all())
        progress.failing[example.family] = failed + _FORGETTING * ((not exact) - failed)
        tally.answers += 1
        tally.exact += exact
        tally.tokens += len(hits)
        tally.wrong += int((~hits).sum())
        tally.loss += loss

    def _keep(self, out: Path) -> None:
        self._state.save(out / "state.pt")
        self._state.save_adapter(out / "adapter.safetensors")
        tally, progress = self._tally, self._state.progress
        self._tally = Tally()
        answers = max(1, tally.answers)
        entry = {
            "minutes": round(self._share_gone() * self._settings.minutes, 1),
            "step": progress.step,
            "seen": progress.seen,
            "trained": progress.trained,
            "examples": progress.examples,
            "cpu_seconds": round(progress.cpu_seconds),
            "rate": round(self.rate(), 6),
            "loss": round(tally.loss / answers, 4),
            "exact": round(tally.exact / answers, 3),
            "wrong": round(tally.wrong / max(1, tally.tokens), 5),
            "failing": {name: round(share, 2) for name, share in progress.failing.items()},
        }
        with (out / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")


@dataclass(slots=True)
class Curriculum:
    """Chooses the examples that come next, by how much was seen and which families fail."""

    state: State
    longest: int
    rng: Random = field(default_factory=lambda: Random(0))

    def __call__(self) -> ExampleOptions:
        """Short texts at first; two edits of a text, so that its words alone decide none."""
        seen, rng = self.state.progress.seen, self.rng
        if seen < 40_000:
            tokens = 160
        elif seen < 300_000:
            tokens = rng.choice((192, 256))
        else:
            tokens = rng.choice((192, 256, 256, 320, 384, 512, 512))
        generators = list(GENERATORS.values())
        return ExampleOptions(
            min(tokens, self.longest), 2, generators, _weights(self.state.progress.failing)
        )


def _weights(failing: Mapping[str, float]) -> list[float]:
    """Families that fail come more often; unchanged texts keep their share."""
    weights = {
        name: generator.weight * (0.15 + failing[name]) for name, generator in GENERATORS.items()
    }
    del weights["no-change"]
    total = sum(weights.values())
    weights["no-change"] = total * _UNCHANGED / (1 - _UNCHANGED)
    return [weights[name] for name in GENERATORS]


def keep_freed_memory() -> None:
    """Let glibc reuse what tensors leave instead of asking the system anew: a tenth of the time."""
    try:
        libc = ctypes.CDLL("libc.so.6")
    except OSError:
        return
    trim_threshold, mmap_threshold = -1, -3
    libc.mallopt(mmap_threshold, 32 << 20)
    libc.mallopt(trim_threshold, 512 << 20)


def main(
    corpus_file: Annotated[Path, typer.Option("--corpus", help="File written by training.corpus.")],
    out: Annotated[Path, typer.Option(help="Folder for checkpoints; continued if it has one.")],
    minutes: Annotated[float, typer.Option(help="How long, by the clock.")] = 60.0,
    rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 1e-3,
    workers: Annotated[int, typer.Option(help="Cores to use.")] = 2,
    longest: Annotated[int, typer.Option(help="Tokens of prompt and answer, at most.")] = 512,
    base: Annotated[
        Path | None, typer.Option(help="The base model's GGUF file, if it was not pulled.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="An adapter to go on from, where OUT has no checkpoint.")
    ] = None,
) -> None:
    """Train the adapter."""
    keep_freed_memory()
    torch.set_num_threads(1)
    out.mkdir(parents=True, exist_ok=True)
    file = base or base_model.base_file()
    weights = {
        name: torch.from_numpy(weight)
        for name, weight in base_model.read_weights(base_model.open_base(file)).items()
    }
    network = Network(weights, Shape())
    tokenizer = Tokenizer.from_str(json.dumps(base_model.tokenizer(file)))
    if (out / "state.pt").is_file():
        state = State.load(out / "state.pt")
    elif resume is not None:
        state = State.of_adapter(resume)
    else:
        layers = range(FIRST_LAYER, network.shape.num_hidden_layers)
        state = State.new(network.shape, RANK, layers)
    files = [item for item in corpus.load(corpus_file) if not item.held_out]
    examples = make_examples(files, tokenizer, Random(time.time_ns()), Curriculum(state, longest))
    Trainer(network, state, examples, Settings(minutes, rate, workers=workers)).run(out)


if __name__ == "__main__":
    typer.run(main)
