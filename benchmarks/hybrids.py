"""The gain of drafts on GGUF files whose weights may be random: ``python -m benchmarks.hybrids MODEL…``.

A model is a file, or a file on an engine, such as ``openvino:FILE``; several are run in turn and compared. One edit of a file of ten functions with five hunks, by editd's engine. Choices are forced to the known answer: every
pass is a real one, and of its logits those of rows on the answer's path get the wanted token above all others. Plain decoding,
of the first tokens, and drafts alternate in one process; seconds are the computing thread's own, the median of each.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import thread_time
from typing import Any, cast

from benchmarks.edits.forced import wanted_by
from editd.config import Config, EditConfig, ModelConfig
from editd.diff.document import Document
from editd.engine import Engine
from editd.engine.edit_prompts import write_prompts
from editd.engine.local_text_source import LocalBudget, open_prompt
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from editd.models import registry
from editd.models.llama_cpp.loading import LlamaModel
from editd.models.loaded_model import CachedSequence
from editd.models.model import ModelSpec, PooledModel
from editd.models.openvino.loading import OpenVinoModel
from editd.models.pool import ModelPool
from editd.models.round_costs import measure_sizes, measure_when_idle, round_costs

_NAMES = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
_FUNCTION = '''def load_{0}(path, limit={1}):
    """Read {0} rows from a file, at most `limit` of them."""
    rows = []
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source):
            if number >= limit:
                break
            name, _, value = line.partition("{2}")
            rows.append((name.strip(), int(value), "{0}"))
    return sorted(rows, key=lambda row: row[{3}])


'''
_BEFORE = "import os\n\n\n" + "".join(
    _FUNCTION.format(name, 100 + 7 * number, ",;:|"[number % 4], number % 3)
    for number, name in enumerate(_NAMES)
)
_CHANGES = (
    ("import os\n", "import os\nimport logging\n\nlog = logging.getLogger(__name__)\n"),
    ("def load_gamma(path, limit=114):", "def load_gamma(path, limit=2000, *, strict=False):"),
    (
        '"epsilon"))\n',
        '"epsilon"))\n            log.debug("row %d of %s", number, path)\n',
    ),
    (
        "    return sorted(rows, key=lambda row: row[0])\n\n\ndef load_theta",
        "    rows.reverse()\n    return [row for row in rows if row[1] >= 0]\n\n\ndef load_theta",
    ),
    (
        '"""Read kappa rows from a file, at most `limit` of them."""',
        '"""Read what is left over: names, values and the word kappa."""',
    ),
)
LoadedGguf = LlamaModel | OpenVinoModel

_PLAIN = 300  # tokens that are decoded plainly; all of them would take the same time each
_ABOVE_ALL = 1e4  # the logit of a wanted token


@dataclass(frozen=True, slots=True)
class Figures:
    """seconds: of verifying and taking back, for all tokens of the answer."""

    seconds: float
    rounds: int
    right: bool


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--drafter", default="buffer+suffix")
    parser.add_argument("--window", type=int, default=0, help="0: chosen by itself")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    edits = [ForcedEdit(name) for name in given.models]
    for edit in edits:
        print(edit.described, flush=True)
    plain: list[list[float]] = [[] for _ in edits]
    drafted: list[list[float]] = [[] for _ in edits]
    for _ in range(given.repeats):
        for index, edit in enumerate(edits):
            plain[index].append(edit.run("none", 0, _PLAIN).seconds)
            last = edit.run(given.drafter, given.window, edit.num_tokens + 16)
            drafted[index].append(last.seconds)
            print(
                f"  {edit.name}: plain {plain[index][-1]:.1f} s, drafted {last.seconds:.1f} s in {last.rounds} "
                f"rounds, {'the text is right' if last.right else 'THE TEXT IS WRONG'}",
                flush=True,
            )
    first = statistics.median(drafted[0])
    for edit, slow, quick in zip(
        edits, map(statistics.median, plain), map(statistics.median, drafted), strict=True
    ):
        print(
            f"{edit.name}: medians {slow:.1f} s, {quick:.1f} s: {slow / quick:.2f} times; the first's "
            f"drafted by its own {first / quick:.2f}"
        )


class ForcedEdit:
    """The edit, with a loaded model. name: of the model, as ``model.name`` takes it."""

    def __init__(self, name: str) -> None:
        self.name = name
        spec = ModelSpec(name, device="cpu", threads=1)
        model = self._model = cast(LoadedGguf, registry.load(spec))
        # The instruction says nothing that words alone decide.
        self._request = EditRequest(
            "edit", _BEFORE, "Make this more robust where you can.", path="loaders.py"
        )
        prompts = write_prompts(model, LocalBudget(model), self._request, Document.of(_BEFORE))
        prompt = prompts.edit_format.prompt(prompts.parts(0))
        opened = open_prompt(model, prompt)
        text = f"{opened.required}{_after()}{prompt.fence}\n"
        self._prompt_ids = list(opened.ids)
        self._answer = model.codec.encode(text, prompt.opening.removesuffix(opened.required))
        self._seconds = 0.0
        config = Config(ModelConfig(name, device="cpu", threads=1), edit=EditConfig(words=False))
        self._engine = Engine(config)
        self._engine.pool = _Pool(config, model)
        self._open = model.target.open
        model.target.open = self._opened  # type: ignore[method-assign]
        for _ in measure_sizes(model):
            pass
        while measure_when_idle(model):
            pass

    @property
    def num_tokens(self) -> int:
        """How many tokens the answer has."""
        return len(self._answer)

    @property
    def described(self) -> str:
        """The file, the library and what passes take."""
        costs = round_costs(self._model)
        times = ", ".join(f"{size}: {1000 * costs.seconds(size, 0):.0f}" for size in costs.sizes)
        return (
            f"{self.name}, {self._model.target.runs}: prompt {len(self._prompt_ids)} tokens, "
            f"answer {self.num_tokens}; ms by rows {times}; to read one again {1000 * costs.again_row:.0f}"
        )

    def run(self, drafter: str, window: int, most: int) -> Figures:
        """Run the edit with ``drafter``, up to ``most`` tokens, and time it."""
        self._seconds = 0.0
        options = EditOptions(drafter=drafter, window=window, max_new_tokens=most, temperature=0.0)
        messages = self._engine.edit(replace(self._request, options=options))
        result = next(message for message in messages if isinstance(message, EditResult))
        seconds = self._seconds * self.num_tokens / max(result.stats.output_tokens or 0, 1)
        right = result.text is not None and result.text.rstrip() == _after().rstrip()
        return Figures(seconds, result.stats.rounds or 0, right)

    def _opened(self, prompt_ids: Sequence[int]) -> CachedSequence:
        """A sequence that says the answer, if the prompt is the edit's."""
        sequence: CachedSequence = self._open(prompt_ids)
        if list(prompt_ids) != self._prompt_ids:
            return sequence
        append = sequence._append  # noqa: SLF001  logits on their way to a choice

        def forced(token_ids: Sequence[int], parents: Sequence[int] | None) -> Any:
            base = sequence.length + 1 - len(self._prompt_ids)
            logits = append(token_ids, parents)
            for row, token_id in enumerate(wanted_by(self._answer, base, token_ids, parents)):
                if token_id >= 0:
                    logits[row, token_id] = _ABOVE_ALL
            return logits

        changed: Any = sequence
        changed._append = forced  # noqa: SLF001
        changed.verify, changed.crop = self._timed(sequence.verify), self._timed(sequence.crop)
        return sequence

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            began = thread_time()
            try:
                return function(*given, **more)
            finally:
                self._seconds += thread_time() - began

        return call


class _Pool(ModelPool):
    """A pool that hands out a model which is loaded already."""

    def __init__(self, config: Config, model: PooledModel) -> None:
        super().__init__(config)
        self._loaded = model

    def _load(self, spec: ModelSpec) -> PooledModel:  # noqa: ARG002
        return self._loaded


def _after() -> str:
    text = _BEFORE
    for old, new in _CHANGES:
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    main()
