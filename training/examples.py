"""Training examples as token ids: a few edits of one text, each worded as the product words it.

The edits of a ``Pack`` are rows of one product, of which none sees another.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor

from editd.prompts.base import PromptParts
from editd.prompts.formats.embedded import END, EmbeddedFormat
from training.corpus import File, pieces
from training.families import GENERATORS, Edit, Generator, Source

_CHANGED_WEIGHT = 3.0  # of a token that is new, or the first one after something new
_CHARACTERS_A_TOKEN = 2.7
_PYTHON_SHARE = 0.75
_FORMAT = EmbeddedFormat()


@dataclass(frozen=True, slots=True)
class Answer:
    """One edit in a pack.

    start, end: its tokens there, the end token included. weights: of each in the loss.
    """

    family: str
    start: int
    end: int
    weights: Tensor


@dataclass(frozen=True, slots=True)
class Pack:
    """ids, positions, branches: ``[tokens]``. branches: which edit a token belongs to, from 0."""

    ids: Tensor
    positions: Tensor
    branches: Tensor
    answers: tuple[Answer, ...]
    language: str

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What kind of pack comes next.

    tokens: of a text with one edit, at most; at least a fifth of that. edits: at most so many.
    generators, weights: the families to choose from.
    """

    tokens: int
    edits: int
    generators: Sequence[Generator]
    weights: Sequence[float]


def encode(tokenizer: Tokenizer, source: Source, edits: Sequence[tuple[str, Edit]]) -> Pack:
    """Edits of one and the same text, by family, as ids."""
    ids: list[int] = []
    positions: list[int] = []
    branches: list[int] = []
    answers = []
    for branch, (family, edit) in enumerate(edits):
        first_id = len(ids)
        ids += _prompt_ids(tokenizer, source, edit)
        answer = tokenizer.encode(edit.after, add_special_tokens=False)
        start = len(ids)
        ids += [*answer.ids, _id(tokenizer, END)]
        positions += range(len(ids) - first_id)
        branches += [branch] * (len(ids) - first_id)
        weights = torch.ones(len(ids) - start)
        ends = [end for _, end in answer.offsets]
        for begin, end in edit.changed:
            first = bisect.bisect_right(ends, begin)
            last = bisect.bisect_left(ends, end) if end > begin else first
            weights[first : last + 2] = _CHANGED_WEIGHT
        answers.append(Answer(family, start, len(ids), weights))
    return Pack(
        torch.tensor(ids),
        torch.tensor(positions),
        torch.tensor(branches),
        tuple(answers),
        source.language,
    )


def with_answer(pack: Pack, ids: Sequence[int]) -> Pack:
    """The prompt of a pack of one edit with another answer, all tokens of one weight."""
    [answer] = pack.answers
    whole = torch.cat([pack.ids[: answer.start], torch.tensor(ids)])
    return Pack(
        whole,
        torch.arange(len(whole)),
        torch.zeros_like(whole),
        (Answer(answer.family, answer.start, len(whole), torch.ones(len(ids))),),
        pack.language,
    )


def make_packs(
    files: Sequence[File],
    tokenizer: Tokenizer,
    rng: Random,
    wanted: Callable[[], Wanted],
    *,
    held_out: bool = False,
    python_share: float = _PYTHON_SHARE,
) -> Iterator[Pack | None]:
    """Endless packs. ``None`` wherever a file had nothing to offer, so that a caller may give up.

    held_out: with the phrasings that are never trained.
    """
    tokenizer.encode_special_tokens = True  # control words in a text are plain text
    by_language: dict[str, list[File]] = {}
    for file in files:
        by_language.setdefault(file.language, []).append(file)
    python = by_language.pop("python", [])
    others = list(by_language.values())
    # The root of the number of files, so that no language drowns in another.
    shares = [len(found) ** 0.5 for found in others]
    while True:
        want = wanted()
        generator = rng.choices(want.generators, want.weights)[0]
        is_python = bool(generator.languages) or rng.random() < python_share
        chosen = python if (is_python and python) or not others else rng.choices(others, shares)[0]
        yield _pack(rng.choice(chosen), tokenizer, rng, want, generator, held_out=held_out)


def _pack(
    file: File,
    tokenizer: Tokenizer,
    rng: Random,
    want: Wanted,
    generator: Generator,
    *,
    held_out: bool,
) -> Pack | None:
    """A pack of some piece of ``file`` whose first edit is one of ``generator``'s."""
    most_characters = int(want.tokens * _CHARACTERS_A_TOKEN / 2 * rng.choice((1.0, 0.7, 0.5)))
    for found, _ in zip(pieces(file, rng, most_characters), range(8), strict=False):
        piece = found
        if not piece.text or not piece.is_valid:
            continue
        edits: list[tuple[str, Edit]] = []
        while len(edits) < want.edits:
            edit = None
            if not generator.languages or piece.language in generator.languages:
                edit = generator.propose(piece, rng, held_out=held_out)
            if edit is None or (edits and edit.before != piece.text):
                break
            edits.append((generator.name, edit))
            # Some families put something into a text, to have it taken out: the next edit leaves it.
            piece = Source(edit.before, piece.path)
            generator = rng.choices(want.generators, want.weights)[0]
        if not edits:
            continue
        pack = encode(tokenizer, piece, edits)
        longest = int(pack.positions.max()) + 1
        if want.tokens // 5 <= longest <= want.tokens:
            return pack
        return None
    return None


def _prompt_ids(tokenizer: Tokenizer, source: Source, edit: Edit) -> list[int]:
    parts = PromptParts(
        path=source.path,
        language=source.language,
        before="",
        region=edit.before,
        after="",
        instruction=edit.instruction,
    )
    return _ids(tokenizer, _FORMAT.prompt(parts).segments)


def _ids(tokenizer: Tokenizer, segments: Sequence[tuple[str, bool]]) -> list[int]:
    """Control tokens cut a text, so that its pieces can be tokenised one by one."""
    ids: list[int] = []
    for text, is_control in segments:
        if is_control:
            ids.append(_id(tokenizer, text))
        else:
            ids += tokenizer.encode(text, add_special_tokens=False).ids
    return ids


def _id(tokenizer: Tokenizer, token: str) -> int:
    token_id = tokenizer.token_to_id(token)
    if token_id is None:
        raise ValueError(f"the tokenizer has no {token}")
    return int(token_id)


def every_family(tokens: int, edits: int = 1) -> Wanted:
    """All families, by their own weights."""
    generators = list(GENERATORS.values())
    return Wanted(tokens, edits, generators, [item.weight for item in generators])
