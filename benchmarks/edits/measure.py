"""Whole edits through the engine, from request to hunks, timed against transformers' ``generate``.

The engine is the one that serves editors; what stands in for a trained model is ``forced``. Runs
that would take long (plain decoding, transformers) are timed over a case's first tokens and scaled
to all of them, prefill apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from benchmarks.edits.cases import Known, NotKnown, codec_for, know
from benchmarks.edits.figures import FIRST_TOKENS, LOOKUP, PLAIN, EditFigures, Run
from benchmarks.edits.forced import ForcedTarget, Forcing
from benchmarks.edits.peer import generate
from benchmarks.steps.models import BenchModel, weights_read
from editd.config import Config
from editd.diff.hunk import Hunk
from editd.engine import Engine
from editd.errors import ModelUnsupported
from editd.messages import Delta, EditResult, WarmupRequest
from editd.messages.options import EditOptions
from editd.models.model import ModelSpec
from editd.models.pool import ModelPool
from editd.models.torch.loading import TorchModel
from tests.recorded_cases import Case, model_text, size_of

if TYPE_CHECKING:
    from editd.models.text.codec import ModelCodec

Report = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Way:
    """editd with one drafter in one mode; ``most``: output tokens, 0 for all."""

    mode: str
    drafter: str
    most: int = 0

    @property
    def name(self) -> str:
        return f"{self.drafter}, {self.mode}"


def measure(
    bench: BenchModel,
    cases: Sequence[Case],
    *,
    tokenizer: Path | None = None,
    forced: bool,
    drafters: Sequence[str],
    modes: tuple[str, ...] = (),
    cold: bool = True,
    peers: bool = True,
    report: Report = lambda _what, _done: None,
) -> EditFigures:
    """Run every case in every way. ``tokenizer``: the folder of a shape's, else one is made."""
    chosen = bench.modes(modes)
    codec = codec_for(bench.name, cases, tokenizer)
    figures = EditFigures(
        bench.name,
        bench.device,
        bench.dtype,
        bench.random,
        forced,
        _tokenizer_title(codec, tokenizer),
    )
    slots = int(getattr(bench.model.config, "max_position_embeddings", 0) or 1 << 17) + 4096
    forcing = Forcing(bench.model, slots) if forced else None
    known: list[Known] = []
    try:
        for number, mode in enumerate(chosen):
            try:
                model = _opened(bench, mode, codec, forcing)
            except ModelUnsupported as error:
                figures.notes.append(str(error))
                continue
            known = known or _known(model, cases, figures)
            if isinstance(model.target, ForcedTarget):
                answers = {answer.prompt_ids: answer.answer_ids for answer in known}
                model.target.answer_of = partial(_answer_of, answers)
            for done, run in _runs(model, mode, known, drafters, cold=cold):
                report(f"{run.way}, {run.case}", (number + done) / (len(chosen) + int(peers)))
                figures.runs.append(run)
            model.target.close()
        if peers:
            for index, answer in enumerate(known):
                report(
                    f"transformers, {answer.case.id}",
                    (len(chosen) + index / len(known)) / (len(chosen) + 1),
                )
                figures.runs += _peer_runs(bench.model, answer, forcing)
    finally:
        if forcing is not None:
            forcing.remove()
    return figures


def _tokenizer_title(codec: ModelCodec | None, folder: Path | None) -> str:
    if codec is None:
        return "the model's own"
    return f"of {folder.name}" if folder else "made of the cases' own texts"


# --- editd ---------------------------------------------------------------------------------------


class _Pool(ModelPool):
    """A pool that hands out a model which is loaded already."""

    def __init__(self, config: Config, model: TorchModel) -> None:
        super().__init__(config)
        self._model = model

    def _load(self, spec: ModelSpec) -> TorchModel:  # noqa: ARG002 - whatever is asked for
        return self._model


def _opened(
    bench: BenchModel, mode: str, codec: ModelCodec | None, forcing: Forcing | None
) -> TorchModel:
    runner = bench.runner(mode)
    target: Any = ForcedTarget(runner, forcing, lambda _ids: ())
    if bench.loaded is not None:
        return replace(bench.loaded, target=target)
    assert codec is not None  # noqa: S101 - a shape is given one
    return TorchModel(
        name=bench.name,
        tokenizer_folder=Path(bench.name),
        target=target,
        codec=codec,
        stop_ids=frozenset({0}),
        render_chat=None,
        device=bench.device,
        dtype=bench.dtype,
        parameters=sum(weight.numel() for weight in bench.model.parameters()),
        weights_bytes=weights_read(bench.model),
        context_length=runner.max_context,
    )


def _known(model: TorchModel, cases: Sequence[Case], figures: EditFigures) -> list[Known]:
    known = []
    for case in cases:
        try:
            answer = know(model, case)
        except NotKnown as error:
            figures.notes.append(f"{case.id} is left out: {error}")
            continue
        known.append(answer)
        figures.cases[case.id] = {
            "size": size_of(case),
            "prompt_tokens": len(answer.prompt_ids),
            "answer_tokens": len(answer.answer_ids),
            "copied": answer.copied,
            "first_change": answer.first_change,
        }
    return known


def _runs(
    model: TorchModel, mode: str, known: Sequence[Known], drafters: Sequence[str], *, cold: bool
) -> Iterator[tuple[float, Run]]:
    """The cases by ``none`` (its first tokens) and by each drafter, warm and cold."""
    config = Config()
    engine = Engine(config)
    engine.pool = _Pool(config, model)
    ways = [Way(mode, "none", FIRST_TOKENS), *(Way(mode, drafter) for drafter in drafters)]
    turns = [(way, warm) for way in ways for warm in ((True, False) if cold else (True,))]
    if known:
        _run(engine, model, known[0], Way(mode, drafters[0], FIRST_TOKENS), warm=False)  # warm-up
    for number, answer in enumerate(known):
        reading = _read_seconds(model.target, answer)
        for index, (way, warm) in enumerate(turns):
            done = (number + index / len(turns)) / len(known)
            run = _run(engine, model, answer, way, warm=warm)
            yield done, replace(run, read_seconds=reading)


def _read_seconds(target: Any, known: Known) -> float:
    """How long the model takes to read the answer as if it were the end of the prompt."""
    target.drop_caches()
    sequence, size = target.runner.open(known.prompt_ids), target.prefill_chunk
    token_ids, prompt_length = [*known.prompt_ids, *known.answer_ids], len(known.prompt_ids)

    def read(end: int) -> None:
        while (start := sequence.length) < end:
            sequence.prefill(token_ids[start : min(end, (start // size + 1) * size)])
        if target.runner.device.type == "cuda":
            import torch

            torch.cuda.synchronize()

    try:
        read(prompt_length)
        began = perf_counter()
        read(len(token_ids))
        return perf_counter() - began
    finally:
        sequence.close()


def _run(engine: Engine, model: TorchModel, known: Known, way: Way, *, warm: bool) -> Run:
    target: Any = model.target
    target.drop_caches()
    request = known.request
    if warm:
        job = engine.start(WarmupRequest("warm-up", request.text, request.path))
        while not job.finished:
            job.advance()
    target.passes_done.clear()
    most = way.most or len(known.answer_ids) + 16
    began = perf_counter()
    job = engine.start(
        replace(request, options=EditOptions(drafter=way.drafter, max_new_tokens=most))
    )
    result: EditResult | None = None
    first_hunk: tuple[int, float] | None = None
    while not job.finished:
        for message in job.advance():
            if isinstance(message, EditResult):
                result = message
            elif first_hunk is None and _holds_hunk(message):
                first_hunk = len(target.passes_done), perf_counter() - began
    ended = perf_counter()
    assert result is not None  # noqa: S101 - every job ends with one
    if result.stats is None or not target.passes_done:
        raise AssertionError(f"{known.case.id}: {result.error}")
    written = result.stats.output_tokens or 0
    whole = result.finish_reason == "stop"
    output_tokens = written if whole else len(known.answer_ids)
    first_pass = target.passes_done[0].began
    in_passes = sum(done.ended - done.began for done in target.passes_done)
    scale = 1.0 if whole else output_tokens / written
    return Run(
        known.case.id,
        way.name,
        way.mode,
        way.drafter,
        warm,
        output_tokens=output_tokens,
        measured=written,
        rounds=round(len(target.passes_done) * scale),
        prefill_seconds=first_pass - began,
        decode_seconds=(ended - first_pass) * scale,
        first_hunk_rounds=first_hunk[0] if first_hunk and whole else None,
        first_hunk_seconds=first_hunk[1] if first_hunk and whole else None,
        same=None
        if target.forcing is None
        else not whole or _same_text(result.text, known.case.after),
        pass_seconds=in_passes * scale,
    )


def _answer_of(
    answers: dict[tuple[int, ...], tuple[int, ...]], prompt_ids: Sequence[int]
) -> tuple[int, ...]:
    return answers.get(tuple(prompt_ids), ())


def _holds_hunk(message: Any) -> bool:
    return isinstance(message, Delta) and any(isinstance(op, Hunk) for op in message.ops)


def _same_text(text: str | None, after: str) -> bool:
    """Line ends and a last newline are the engine's to restore, not the model's to write."""
    return text is not None and model_text(text).rstrip("\n") == model_text(after).rstrip("\n")


# --- transformers --------------------------------------------------------------------------------


def _peer_runs(model: Any, known: Known, forcing: Forcing | None) -> list[Run]:
    """Time plain decoding and prompt lookup of transformers, over the first tokens of the answer."""
    runs = []
    for way, lookup in ((PLAIN, False), (LOOKUP, True)):
        most = min(FIRST_TOKENS, len(known.answer_ids))
        timed = generate(model, known, lookup=lookup, most=most, forcing=forcing)
        scale = len(known.answer_ids) / max(len(timed.token_ids), 1)
        same = timed.token_ids == list(known.answer_ids[: len(timed.token_ids)])
        run = Run(
            known.case.id,
            way,
            "eager",
            "prompt lookup" if lookup else "none",
            warm=False,
            output_tokens=len(known.answer_ids),
            measured=len(timed.token_ids),
            rounds=round(timed.passes * scale),
            prefill_seconds=timed.prefill_seconds,
            decode_seconds=timed.decode_seconds * scale,
            first_hunk_rounds=None,
            first_hunk_seconds=None,
            same=None if forcing is None else same,
        )
        # It keeps no prefix; warm figures are given it for nothing.
        runs += [run, replace(run, warm=True, prefill_seconds=0.0)]
    return runs
