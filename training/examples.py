"""Training examples as token ids, worded as the product words them."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

import torch
from tokenizers import Tokenizer
from torch import Tensor

from editd.prompts.base import PromptParts
from editd.prompts.formats import END, EmbeddedFormat
from training.corpus import File, pieces
from training.families import GENERATORS, Edit, Generator, Source, cropped

_CHANGED_WEIGHT = 3.0  # of a token that is new, or the first one after something new
_CHARACTERS_A_TOKEN = 2.7
_PYTHON_SHARE = 0.75
_SHORTEST = 40  # tokens of a training example
_CROPS = 0.3  # of the edits of these families:
_CROPPED = frozenset(
    {"rename", "replace-string", "replace-number", "delete-lines", "delete-function"}
    | {"delete-comments", "delete-prints", "f-strings"}
)
_FORMAT = EmbeddedFormat()


@dataclass(frozen=True, slots=True)
class Example:
    """An edit as token ids.

    ids: prompt, answer and end token. start: where the answer begins. weights: of each answer token
    in the loss.
    """

    family: str
    language: str
    ids: Tensor
    start: int
    weights: Tensor

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def answer(self) -> Tensor:
        """The ids of the answer, the end token included."""
        return self.ids[self.start :]

    def answered(self, ids: Sequence[int]) -> Example:
        """The same prompt with another answer, all tokens of one weight."""
        whole = torch.cat([self.ids[: self.start], torch.tensor(ids)])
        return replace(self, ids=whole, weights=torch.ones(len(ids)))


@dataclass(frozen=True, slots=True)
class ExampleOptions:
    """The kind of examples that come next.

    tokens: of each, at most; of a held-out one at least a fifth of that. edits: of one text, at most so
    many. generators, weights: the families to choose from.
    """

    tokens: int
    edits: int
    generators: Sequence[Generator]
    weights: Sequence[float]


def encode(tokenizer: Tokenizer, source: Source, family: str, edit: Edit) -> Example:
    """An edit as ids."""
    ids = _prompt_ids(tokenizer, source, edit)
    answer = tokenizer.encode(edit.after, add_special_tokens=False)
    start = len(ids)
    ids += [*answer.ids, _id(tokenizer, END)]
    weights = torch.ones(len(ids) - start)
    ends = [end for _, end in answer.offsets]
    for begin, end in edit.changed:
        first = bisect.bisect_right(ends, begin)
        last = bisect.bisect_left(ends, end) if end > begin else first
        weights[first : last + 2] = _CHANGED_WEIGHT
    return Example(family, source.language, torch.tensor(ids), start, weights)


def make_examples(
    files: Sequence[File],
    tokenizer: Tokenizer,
    rng: Random,
    options: Callable[[], ExampleOptions],
    *,
    held_out: bool = False,
    python_share: float = _PYTHON_SHARE,
) -> Iterator[Example | None]:
    """Endless examples. ``None`` wherever a file had nothing to offer, so that a caller may give up.

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
        want = options()
        generator = rng.choices(want.generators, want.weights)[0]
        is_python = bool(generator.languages) or rng.random() < python_share
        chosen = python if (is_python and python) or not others else rng.choices(others, shares)[0]
        file = rng.choice(chosen)
        found = _of_one_text(file, tokenizer, rng, want, generator, held_out=held_out)
        yield from found or (None,)


def _of_one_text(
    file: File,
    tokenizer: Tokenizer,
    rng: Random,
    want: ExampleOptions,
    generator: Generator,
    *,
    held_out: bool,
) -> list[Example]:
    """Edits of some piece of ``file``, the first one of ``generator``'s."""
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
        if edits:
            if not held_out:
                edits = [
                    (family, cropped(edit, rng))
                    if family in _CROPPED and rng.random() < _CROPS
                    else (family, edit)
                    for family, edit in edits
                ]
            examples = [encode(tokenizer, piece, family, edit) for family, edit in edits]
            least = _SHORTEST if not held_out else want.tokens // 5
            return [example for example in examples if least <= len(example) <= want.tokens]
    return []


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


def every_family(tokens: int, edits: int = 1) -> ExampleOptions:
    """The families, by their own weights."""
    generators = list(GENERATORS.values())
    return ExampleOptions(tokens, edits, generators, [item.weight for item in generators])
