"""What healing and the translation cache bring to the drafter ``universal``, measured.

``python -m benchmarks.universal`` solves models that know some edits by heart and lets the solved
model (2k tokens) draft for two others: its larger sibling (8k tokens, 38M weights), whose tokens
mostly begin and end where its own do, and one of its own size with 640 tokens, which writes a word
in several. Every answer is compared with the plainly decoded one. Times are CPU seconds of
one thread; the second target is no dearer than its draft model, so only its rounds mean anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Annotated, Any
from unittest.mock import patch

import typer

from editd.decode.detokenizer import Healing
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import Draft, Drafter, DraftTask
from editd.decode.drafters.draft_session import DraftSession
from editd.decode.drafters.universal import UniversalDrafter
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow
from editd.models.model import ModelSpec
from editd.models.text.codec import ModelCodec
from editd.models.text.tokenizer_file import read_tokenizer
from editd.models.torch.loading import TorchModel, load
from tests.fixtures.solved.edits import Edit, demo_folder, load_edits
from tests.fixtures.solved.script import prompt_of

_FEW_TOKENS = 640

_translate = UniversalDrafter._translate  # noqa: SLF001 - what is measured is a part of it


def _translate_anew(drafter: UniversalDrafter) -> bytes:
    drafter._keep(bisect_right(drafter._ends, drafter._num_prompt_bytes))  # noqa: SLF001
    return _translate(drafter)


def _without(part: str, instead: Callable[[UniversalDrafter], Any]) -> Any:
    return patch.object(UniversalDrafter, part, instead)


# Name in the table, drafter, what it goes without.
_HEALED = _without("_take_back", lambda _drafter: None)
_CACHED = _without("_translate", _translate_anew)
_ROWS: tuple[tuple[str, str, Any], ...] = (
    ("none", "none", nullcontext()),
    ("universal", "universal", nullcontext()),
    ("  without healing", "universal", _HEALED),
    ("  without translation cache", "universal", _CACHED),
    ("buffer", "buffer", nullcontext()),
    ("buffer+universal", "buffer+universal", nullcontext()),
    ("  without healing", "buffer+universal", _HEALED),
    ("  without translation cache", "buffer+universal", _CACHED),
)


@dataclass(slots=True)
class _Sum:
    """One row of the table, added up over the edits."""

    tokens: int = 0
    rounds: int = 0
    translated: int = 0  # characters put into the draft model's tokens, its prompt apart
    drafter_seconds: float = 0.0
    seconds: float = 0.0
    read: int = 0  # tokens that went through the draft model, its prompt apart
    answers: list[list[int]] = field(default_factory=list)


def main(
    limit: Annotated[int, typer.Option(help="How many edits.")] = 6,
    tokens: Annotated[int, typer.Option(help="At most so many tokens of each answer.")] = 300,
    window: Annotated[int, typer.Option(help="Most draft tokens a round.")] = 32,
) -> None:
    """Print the tables."""
    import torch

    from tests.fixtures.solved.cache import solved_model_dir
    from tests.fixtures.solved.checkpoint import build
    from tests.fixtures.solved.shape import DEMO
    from tests.fixtures.solved.sizes import BENCH

    torch.set_num_threads(1)
    edits = load_edits(demo_folder())
    folder = solved_model_dir(edits, DEMO)
    draft = _load(folder)
    draft.codec = _CountingCodec(read_tokenizer(folder), vocab_size=draft.codec.vocab_size)
    large = _load(solved_model_dir(edits, BENCH))
    edits = edits[:limit]
    _compare("8k tokens, 38M weights", large, draft, edits, tokens, window)
    with TemporaryDirectory() as fresh:
        shape = replace(DEMO, vocab_size=_FEW_TOKENS)
        fine = _load(build(Path(fresh), edits, shape, lambda _message, _done: None).folder)
        _compare(f"{_FEW_TOKENS} tokens", fine, draft, edits, tokens, window)


class _CountingCodec(ModelCodec):
    """Counts what it is given to tokenise."""

    characters = 0

    def encode(self, text: str, after: str = "") -> list[int]:
        self.characters += len(text)
        return super().encode(text, after)


class _Timed:
    """A drafter and the processor time that it takes."""

    def __init__(self, drafter: Drafter) -> None:
        self.name = drafter.name
        self.seconds = 0.0
        self._drafter = drafter

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        started = process_time()
        draft = self._drafter.propose(output_ids, max_tokens)
        self.seconds += process_time() - started
        return draft

    def observe(self, accepted_ids: Sequence[int]) -> None:
        self._drafter.observe(accepted_ids)


def _load(folder: Path) -> TorchModel:
    return load(ModelSpec(str(folder), device="cpu", threads=1))


def _compare(
    title: str,
    target: TorchModel,
    draft: TorchModel,
    edits: Sequence[Edit],
    tokens: int,
    window: int,
) -> None:
    print(f"\nTarget: {title}\n")
    print("| drafter | tokens/round | rounds | tokens read | characters translated ", end="")
    print("| drafting s | decoding s |\n|---|--:|--:|--:|--:|--:|--:|")
    plain: _Sum | None = None
    for name, drafter, without in _ROWS:
        total = _Sum()
        for edit in edits:
            with without:
                _decode(target, draft, edit, drafter, total, tokens, window)
        plain = plain or total
        if total.answers != plain.answers:
            raise SystemExit(f"{name} wrote another text than none")
        print(
            f"| {name} | {total.tokens / total.rounds:.1f} | {total.rounds} | {total.read} "
            f"| {total.translated} | {total.drafter_seconds:.2f} | {total.seconds:.1f} |"
        )
    if plain is not None:
        print(_shared(target, draft, plain.answers))


def _decode(
    target: TorchModel,
    draft: TorchModel,
    edit: Edit,
    drafter: str,
    total: _Sum,
    tokens: int,
    window: int,
) -> None:
    target.target.drop_caches()
    draft.target.drop_caches()
    prompt = prompt_of(edit)
    prompt_ids, required = target.codec.heal(prompt.segments)
    session = DraftSession(draft, target, cost=min(draft.weights_bytes / target.weights_bytes, 0.1))
    drafting = _Timed(
        make_drafter(
            drafter,
            DraftTask(
                prompt_ids,
                edit.before,
                prompt.opening,
                target.codec,
                draft=session,
            ),
        )
    )
    decoding = Decoding(
        target.target,
        prompt_ids,
        drafting,
        ends_answer=lambda token_id: token_id in target.stop_ids,
        max_new_tokens=tokens,
        window=FixedWindow(window),
        allowed=Healing(target.codec, required),
    )
    while decoding.prefilled < 1.0:
        decoding.advance()
    while drafter.startswith("universal") and session.prefill_chunk():
        pass
    if isinstance(draft.codec, _CountingCodec):
        draft.codec.characters = 0
    read_before = sum(reading.num_read for reading in session.readings)
    started = process_time()
    while decoding.finish_reason is None:
        decoding.advance()
    total.seconds += process_time() - started
    decoding.close()
    session.close()
    total.tokens += len(decoding.output_ids)
    total.rounds += decoding.stats.rounds
    total.drafter_seconds += drafting.seconds
    if isinstance(draft.codec, _CountingCodec):
        total.translated += draft.codec.characters
    total.read += sum(reading.num_read for reading in session.readings) - read_before
    total.answers.append(decoding.output_ids)


def _shared(target: TorchModel, draft: TorchModel, answers: Sequence[Sequence[int]]) -> str:
    """How far a draft could reach that only knows tokens of both vocabularies."""
    known = {draft.codec.token_bytes(i) for i in range(draft.codec.vocab_size)}
    written = [target.codec.token_bytes(i) in known for ids in answers for i in ids]
    outside = written.count(False)
    return (
        f"\nIntersection of the vocabularies: {written.count(True) / len(written):.0%} of the "
        f"answers' tokens; between two others lie {written.count(True) / max(outside, 1):.1f} on "
        "average."
    )


if __name__ == "__main__":
    typer.run(main)
