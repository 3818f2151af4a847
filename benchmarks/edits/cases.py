"""Recorded edits for the engine: which of them, and what a model that knows the answer would write."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from editd.diff.document import Document
from editd.engine.edit_prompts import write_prompts
from editd.engine.local_text_source import LocalBudget, open_prompt
from editd.errors import EditdError, UsageError
from editd.messages import EditRequest
from editd.models.text.codec import ModelCodec, load_codec
from editd.models.torch.loading import TorchModel
from tests.fixtures.solved.tokenizer import train_tokenizer
from tests.recorded_cases import Case, model_text, size_of

SAMPLE = Path(__file__).with_name("sample.json")
"""Sixteen ids of the recorded edits, drawn by ``stratified`` with seed 0."""

_MOST_COMPARED = 20_000_000  # pairs of words
_WORD = re.compile(r"\w+|\W")
_MOST_TOKENS = 32_768  # of a vocabulary made for a shape


@dataclass(frozen=True, slots=True)
class Known:
    """An edit: what is asked, the prompt that comes of it, and the answer's token ids."""

    case: Case
    request: EditRequest
    prompt_ids: tuple[int, ...]
    answer_ids: tuple[int, ...]
    copied: float  # share of the answer's characters that are in the buffer, in order
    first_change: int  # tokens of the answer before its first difference from the buffer


class NotKnown(Exception):
    """An edit has no single known answer; the sentence says why."""


def choose(cases: Sequence[Case], sample: str, limit: int) -> list[Case]:
    """The cases of a sample file, or so many drawn by size; ``""``: the committed sample.

    Raises ``UsageError`` where a sample names cases that the file does not hold.
    """
    if sample.isdigit():
        chosen = stratified(cases, int(sample))
    else:
        path = Path(sample) if sample else SAMPLE
        try:
            ids = json.loads(path.read_text(encoding="utf-8"))["ids"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{path} cannot be read as a sample: {error}.") from error
        by_id = {case.id: case for case in cases}
        missing = [name for name in ids if name not in by_id]
        if missing and not sample:
            chosen = stratified(cases, min(16, len(cases)))
        elif missing:
            raise UsageError(f"The cases lack {missing[0]}, which {path} names.")
        else:
            chosen = [by_id[name] for name in ids]
    return chosen[:limit] if limit else chosen


def stratified(cases: Sequence[Case], count: int, seed: int = 0) -> list[Case]:
    """``count`` cases, of each size its share (at least one), drawn with ``seed``, in file order."""
    groups: dict[str, list[Case]] = {}
    for case in sorted(cases, key=lambda case: case.id):
        groups.setdefault(size_of(case), []).append(case)
    exact = {size: count * len(group) / len(cases) for size, group in groups.items()}
    shares = {size: max(1, int(share)) for size, share in exact.items()}
    by_rest = sorted(groups, key=lambda size: (int(exact[size]) - exact[size], size))
    while sum(shares.values()) < min(count, len(cases)):
        size = by_rest.pop(0)
        shares[size] += 1
    chance = random.Random(seed)
    drawn = [case for size in sorted(groups) for case in chance.sample(groups[size], shares[size])]
    places = {case.id: place for place, case in enumerate(cases)}
    return sorted(drawn[:count], key=lambda case: places[case.id])


def know(model: TorchModel, case: Case) -> Known:
    """The prompt that ``model`` would be given for an edit, and the known answer in its tokens. Raises ``NotKnown``."""
    request = EditRequest(case.id, case.before, case.instruction, path=f"file.{case.language}")
    try:
        prompts = write_prompts(model, LocalBudget(model), request, Document.of(case.before))
    except EditdError as error:
        raise NotKnown(str(error)) from error
    if len(prompts.scope.regions) != 1:
        raise NotKnown(
            "only parts of the buffer are rewritten, so the answer is not the whole file"
        )
    parts = prompts.parts(0)
    prompt = prompts.edit_format.prompt(parts)
    opened = open_prompt(model, prompt)
    after = model_text(case.after)
    body = after if after.endswith("\n") or not after else after + "\n"
    text = f"{opened.required}{body}{prompt.fence}\n"
    answer_ids = model.codec.encode(text, prompt.opening.removesuffix(opened.required))
    if model.codec.decode(answer_ids) != text:
        raise NotKnown("its text does not come back from the tokenizer")
    buffer_ids = model.codec.encode(
        opened.required + parts.region, prompt.opening.removesuffix(opened.required)
    )
    return Known(
        case,
        request,
        tuple(opened.ids),
        tuple(answer_ids),
        copied=_copied(model_text(case.before), body),
        first_change=_common(buffer_ids, answer_ids),
    )


def codec_for(model: str, cases: Sequence[Case], tokenizer: Path | None) -> ModelCodec | None:
    """A shape's codec: the folder's, else one made of the cases; ``None`` for a model of its own."""
    from benchmarks.steps.shapes import is_shape, vocabulary_of

    if not is_shape(model):
        return None
    if tokenizer is None:
        return made_codec(cases, vocabulary_of(model))
    codec = load_codec(tokenizer, vocab_size=vocabulary_of(model))
    if len(codec.vocabulary) > vocabulary_of(model):
        raise UsageError(f"{tokenizer} has more tokens than {model}: choose a smaller one.")
    return codec


def made_codec(cases: Sequence[Case], vocab_size: int) -> ModelCodec:
    """A byte-level BPE made of the cases' own texts, for shapes, which have no tokenizer.

    It knows these texts better than a real vocabulary would: fewer tokens, each the same work.
    """
    texts = (model_text(text) for case in cases for text in (case.before, case.instruction))
    tokenizer = train_tokenizer(texts, min(vocab_size, _MOST_TOKENS), ["<|end|>"])
    return ModelCodec(tokenizer, vocab_size=vocab_size)


def _copied(before: str, after: str) -> float:
    """By whole lines, and within changed ones by runs of words and signs."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    copied = 0
    for kind, i, j, m, n in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            copied += sum(map(len, new[m:n]))
        elif kind == "replace":
            words, others = _WORD.findall("".join(old[i:j])), _WORD.findall("".join(new[m:n]))
            if len(words) * len(others) < _MOST_COMPARED:
                blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
                copied += sum(len(word) for _, k, size in blocks for word in others[k : k + size])
    return copied / max(len(after), 1)


def _common(before: Sequence[int], after: Sequence[int]) -> int:
    pairs = zip(before, after, strict=False)
    return next(
        (i for i, (old, new) in enumerate(pairs) if old != new), min(len(before), len(after))
    )
