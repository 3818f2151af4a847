"""What it costs to say how sure a model was: ``python -m benchmarks.certainty MODEL``.

CPU time of looking at one row of logits, beside that of the pass of one row that it comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import thread_time
from typing import cast

import numpy as np
import typer

from editd.decode.target import GREEDY, Rows
from editd.models import registry
from editd.models.loaded_model import dummy_ids
from editd.models.model import Model, ModelSpec
from editd.models.sampling import with_certainty

_REPEATS = 25


def main(model: str) -> None:
    """Medians, in milliseconds."""
    loaded = cast(Model, registry.load(ModelSpec(model, device="cpu", threads=1)))
    target = loaded.target
    logits = np.random.default_rng(0).normal(0, 3, (1, target.vocab_size)).astype(np.float32)
    rows = Rows([int(logits.argmax())], [0.0])
    ids = dummy_ids(_REPEATS + 1, target.vocab_size)
    sequence = target.open(ids)
    passes = _median(lambda: sequence.verify(ids[:1], GREEDY))
    sequence.close()
    looking = _median(lambda: with_certainty(rows, logits, ids[:1]))
    loaded.close()
    print(
        f"{1000 * looking:.2f} ms of {1000 * passes:.1f} ms, {100 * looking / passes:.2f} % "
        f"({target.vocab_size:,} tokens)"
    )


def _median(work: Callable[[], object]) -> float:
    times = []
    for _ in range(_REPEATS):
        started = thread_time()
        work()
        times.append(thread_time() - started)
    return median(times)


if __name__ == "__main__":
    typer.run(main)
