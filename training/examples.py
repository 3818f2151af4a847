"""Training examples as token ids: made by many processes, kept in shards, read in batches.

An example is exactly what the product feeds (``EmbeddedFormat``) and the answer with its end token.
A shard holds examples up to one length and depends on nothing but its number, the corpus and the
tokenizer: a shard that is there is not made again, and a killed run goes on where it was.
``python -m training.examples`` makes shards ahead of a training; ``train`` makes them beside it.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from tokenizers import Tokenizer

from editd.prompts.base import PromptParts
from editd.prompts.formats.embedded import CONTROL_TOKENS, END, EmbeddedFormat
from training.corpus import File, load, pieces
from training.families import GENERATORS, Edit, Source
from training.tokenizer import template_words

LENGTHS = (256, 512, 1024, 2048, 4096)
"""Most tokens of an example, prompt and answer together, by kind of shard."""

_SHARD_LENGTHS = (256, 512, 256, 512, 1024, 512, 256, 1024, 512, 2048, 1024, 256, 512, 4096)
_SHARD_TOKENS = 400_000
_CHARACTERS_A_TOKEN = 2.9
_FORMAT = EmbeddedFormat()
_END_ID = CONTROL_TOKENS.index(END)

Ids = NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Example:
    """ids: prompt and answer. start: index of the answer's first id. changed: for each id of the
    answer whether it is new, or the first one after something new.
    """

    ids: Ids
    start: int
    changed: NDArray[np.bool_]
    family: str
    language: str


def prompt_segments(path: str, language: str, edit: Edit) -> tuple[tuple[str, bool], ...]:
    """The prompt of ``edit`` as the product writes it, in pieces of text and control tokens."""
    parts = PromptParts(
        path=path,
        language=language,
        before="",
        region=edit.before,
        after="",
        instruction=edit.instruction,
    )
    return _FORMAT.prompt(parts).segments


def encode(tokenizer: Tokenizer, source: Source, edit: Edit, family: str) -> Example:
    """``edit`` as ids. Control tokens cut a text, so that its pieces can be tokenised one by one."""
    ids: list[int] = []
    for text, is_control in prompt_segments(source.path, source.language, edit):
        if is_control:
            ids.append(CONTROL_TOKENS.index(text))
        else:
            ids += tokenizer.encode(text, add_special_tokens=False).ids
    answer = tokenizer.encode(edit.after, add_special_tokens=False)
    changed = np.zeros(len(answer.ids) + 1, dtype=np.bool_)
    ends = np.array([end for _, end in answer.offsets], dtype=np.int64)
    for start, end in edit.changed:
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, end, side="left")) if end > start else first
        changed[first : last + 2] = True
    whole = np.array([*ids, *answer.ids, _END_ID], dtype=np.uint16)
    return Example(whole, len(ids), changed, family, source.language)


def make_examples(
    files: Sequence[File],
    tokenizer: Tokenizer,
    rng: Random,
    most_tokens: int,
    *,
    held_out: bool = False,
    only: Sequence[str] = (),
    tries: int = 0,
) -> Iterator[Example]:
    """Endless examples of at most ``most_tokens`` and at least a quarter of that.

    held_out: with the phrasings that are never trained. only: of these families. tries: give
    up after so many files.
    """
    tokenizer.encode_special_tokens = True  # control words in a text are plain text
    families = [GENERATORS[name] for name in only or GENERATORS]
    weights = [family.weight for family in families]
    by_language: dict[str, list[File]] = {}
    for file in files:
        by_language.setdefault(file.language, []).append(file)
    # The root of the number of files, so that no language drowns in JavaScript.
    shares = [len(found) ** 0.5 for found in by_language.values()]
    most_characters = int(most_tokens * _CHARACTERS_A_TOKEN / 2)
    for _ in range(tries) if tries else itertools.count():
        family = rng.choices(families, weights)[0]
        if "python" in by_language and (family.languages or rng.random() < 0.5):
            file = rng.choice(by_language["python"])
        else:
            file = rng.choice(rng.choices(list(by_language.values()), shares)[0])
        stream = pieces(file, rng, int(most_characters * rng.choice((1.0, 1.0, 0.7))))
        for piece, _ in zip(stream, range(8), strict=False):
            if not piece.text or not piece.is_valid:
                continue
            edit = family.propose(piece, rng, held_out=held_out)
            if edit is None:
                continue
            example = encode(tokenizer, piece, edit, family.name)
            if most_tokens // 4 <= len(example.ids) <= most_tokens:
                yield example
            family = rng.choices(families, weights)[0]
            if family.languages and piece.language not in family.languages:
                break


# --- shards --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shard:
    """Many examples. ids, changed: of all, one after the other (the prompt's flags are false).

    index: per example its first token, the answer's first token (within it), its length.
    """

    ids: Ids
    changed: NDArray[np.bool_]
    index: NDArray[np.int64]  # [num_examples, 3]

    def __len__(self) -> int:
        return len(self.index)


def shard_path(folder: Path, number: int) -> Path:
    """The file of shard ``number``; its name says the length."""
    return folder / f"{_SHARD_LENGTHS[number % len(_SHARD_LENGTHS)]}-{number:05d}.npy"


def write_shard(examples: Sequence[Example], path: Path) -> None:
    """Three arrays in a row; appears whole or not at all."""
    index = np.zeros((len(examples), 3), dtype=np.int64)
    position = 0
    for row, example in enumerate(examples):
        index[row] = (position, example.start, len(example.ids))
        position += len(example.ids)
    changed = np.concatenate(
        [np.r_[np.zeros(example.start, np.bool_), example.changed] for example in examples]
    )
    unfinished = path.with_suffix(f".{os.getpid()}.unfinished")
    with unfinished.open("wb") as out:
        for array in (index, changed, np.concatenate([example.ids for example in examples])):
            np.save(out, array)
    unfinished.rename(path)


def read_shard(path: Path) -> Shard:
    """What ``write_shard`` wrote."""
    with path.open("rb") as file:
        index, changed, ids = (np.load(file) for _ in range(3))
    return Shard(ids, changed, index)


def make_shard(folder: Path, number: int, files: Sequence[File], tokenizer: Tokenizer) -> Path:
    """Shard ``number``, made unless it is there."""
    path = shard_path(folder, number)
    if path.exists():
        return path
    most_tokens = _SHARD_LENGTHS[number % len(_SHARD_LENGTHS)]
    examples, tokens = [], 0
    for example in make_examples(files, tokenizer, Random(number), most_tokens):
        examples.append(example)
        tokens += len(example.ids)
        if tokens >= _SHARD_TOKENS:
            break
    write_shard(examples, path)
    return path


def make_shards(
    folder: Path, corpus: Path, tokenizer: Path, numbers: Sequence[int], processes: int
) -> list[multiprocessing.process.BaseProcess]:
    """Start ``processes`` that make the shards ``numbers`` between them, lowest first."""
    folder.mkdir(parents=True, exist_ok=True)
    context = multiprocessing.get_context("spawn")
    workers: list[multiprocessing.process.BaseProcess] = []
    for first in range(processes):
        worker = context.Process(
            target=_work,
            args=(folder, corpus, tokenizer, list(numbers[first::processes])),
            daemon=True,
        )
        worker.start()
        workers.append(worker)
    return workers


def _work(folder: Path, corpus: Path, tokenizer: Path, numbers: list[int]) -> None:
    with contextlib.suppress(KeyboardInterrupt):
        files = [file for file in load(corpus) if not file.held_out]
        loaded = Tokenizer.from_file(str(tokenizer))
        for number in numbers:
            make_shard(folder, number, files, loaded)


# --- batches -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Batch:
    """ids: ``[rows, length]``, padded with the end token. where: flat positions whose next token
    the model must say; targets, changed: of these.
    """

    ids: NDArray[np.int64]
    where: NDArray[np.int64]
    targets: NDArray[np.int64]
    changed: NDArray[np.bool_]
    tokens: int


def collate(examples: Sequence[tuple[Ids, int, NDArray[np.bool_]]], multiple: int = 64) -> Batch:
    """Examples ``(ids, start, changed)`` in rows of one length, a multiple of ``multiple``."""
    longest = max(len(ids) for ids, _, _ in examples) - 1
    length = -(-longest // multiple) * multiple
    ids = np.full((len(examples), length), _END_ID, dtype=np.int64)
    where, targets, changed = [], [], []
    for row, (example, start, flags) in enumerate(examples):
        ids[row, : len(example) - 1] = example[:-1]
        where.append(np.arange(start - 1, len(example) - 1) + row * length)
        targets.append(example[start:].astype(np.int64))
        changed.append(flags)
    return Batch(
        ids,
        np.concatenate(where),
        np.concatenate(targets),
        np.concatenate(changed),
        sum(len(example) for example, _, _ in examples),
    )


class Batches:
    """Batches of about ``tokens`` each: rows of similar length from the shards there are.

    permuted: the share of examples whose words are exchanged for other words, each throughout, so
    that copying cannot lean on what words usually follow each other.
    """

    def __init__(
        self, folder: Path, tokenizer: Tokenizer, tokens: int, permuted: float, seed: int
    ) -> None:
        self._folder = folder
        self._tokens = tokens
        self._permuted = permuted
        self._rng = np.random.default_rng(seed)
        self._vocabulary = tokenizer.get_vocab_size()
        self._words = permutable_words(tokenizer)
        told = (("example.py", False), ("do nothing", False))
        self._told = [tokenizer.encode(text, add_special_tokens=False).ids for text, _ in told]
        self._waiting: dict[int, list[Batch]] = {}
        self._used: dict[Path, int] = {}
        self._there: dict[int, list[Path]] = {}
        self._looked = -1.0

    def next(self, weights: Mapping[int, float]) -> Batch | None:
        """A batch of a length drawn by ``weights`` (0 for random copying), ``None`` if no shard of
        any of these lengths is there yet.
        """
        there = {length: share for length, share in weights.items() if share and self._has(length)}
        if not there:
            return None
        lengths, shares = np.array(list(there)), np.array(list(there.values()))
        length = int(self._rng.choice(lengths, p=shares / shares.sum()))
        if length == 0:
            return self._random_copying()
        if not self._waiting.get(length):
            self._waiting[length] = self._read(length)
        return self._waiting[length].pop()

    def _has(self, length: int) -> bool:
        return length == 0 or bool(self._waiting.get(length)) or bool(self._shards(length))

    def _shards(self, length: int) -> list[Path]:
        """Those that are there, looked up once a second."""
        if time.monotonic() - self._looked > 1:
            self._looked = time.monotonic()
            self._there = {}
            for path in sorted(self._folder.glob("*.npy")):
                self._there.setdefault(int(path.name.split("-")[0]), []).append(path)
        return self._there.get(length, [])

    def _read(self, length: int) -> list[Batch]:
        """The batches of the shard that was used least, in no order."""
        path = min(self._shards(length), key=lambda path: self._used.get(path, 0))
        self._used[path] = self._used.get(path, 0) + 1
        shard = read_shard(path)
        order = np.argsort(shard.index[:, 2] + self._rng.integers(0, 24, len(shard)))
        groups: list[list[int]] = []
        group: list[int] = []
        longest = 0
        for row in order:
            longest = max(longest, int(shard.index[row, 2]))
            if group and (len(group) + 1) * longest > self._tokens:
                groups.append(group)
                group, longest = [], int(shard.index[row, 2])
            group.append(int(row))
        groups.append(group)
        self._rng.shuffle(groups)
        return [self._collate(shard, group) for group in groups]

    def _collate(self, shard: Shard, rows: Sequence[int]) -> Batch:
        examples = []
        for row in rows:
            offset, start, length = (int(value) for value in shard.index[row])
            ids = shard.ids[offset : offset + length]
            if self._rng.random() < self._permuted:
                ids = self._permutation()[ids]
            examples.append((ids, start, shard.changed[offset + start : offset + length]))
        return collate(examples)

    def _permutation(self) -> Ids:
        mapping = np.arange(self._vocabulary, dtype=np.uint16)
        mapping[self._words] = self._rng.permutation(self._words)
        return mapping

    def _random_copying(self) -> Batch:
        """Random tokens to be copied; half of the rows of few different ones, so that only a long
        context tells where one is.
        """
        length = int(self._rng.choice((64, 128, 256, 480)))
        examples = []
        for _ in range(max(1, self._tokens // (2 * length + 16))):
            size = int(self._rng.integers(length // 2, length))
            alphabet = np.arange(len(CONTROL_TOKENS), self._vocabulary)
            if self._rng.random() < 0.5:
                alphabet = self._rng.choice(alphabet, int(self._rng.integers(8, 48)))
            text = self._rng.choice(alphabet, size)
            ids = np.concatenate(
                [[0], self._told[0], [3], text, [4], self._told[1], [5], text, [_END_ID]]
            ).astype(np.uint16)
            examples.append((ids, len(ids) - size - 1, np.zeros(size + 1, np.bool_)))
        return collate(examples)


def permutable_words(tokenizer: Tokenizer) -> NDArray[np.uint16]:
    """Tokens that are words of names and nothing that an instruction or an answer is made of."""
    own = set(tokenizer.encode(template_words(), add_special_tokens=False).ids)
    words = []
    for word, token_id in tokenizer.get_vocab().items():
        if token_id not in own and word.isascii() and word.replace("_", "").isalpha():
            words.append(token_id)
    return np.array(sorted(words), dtype=np.uint16)


def main(
    corpus: Annotated[Path, typer.Option(help="File written by training.corpus.")],
    tokenizer: Annotated[Path, typer.Option(help="tokenizer.json.")],
    out: Annotated[Path, typer.Option(help="Folder for the shards.")],
    shards: Annotated[int, typer.Option(help="How many.")] = 14,
    processes: Annotated[int, typer.Option(help="0: one for each core.")] = 0,
) -> None:
    """Make shards of training examples."""
    started = time.perf_counter()
    count: Any = processes or os.cpu_count() or 1
    for worker in make_shards(out, corpus, tokenizer, range(shards), count):
        worker.join()
    examples = tokens = 0
    for path in sorted(out.glob("*.npy")):
        shard = read_shard(path)
        examples, tokens = examples + len(shard), tokens + len(shard.ids)
    elapsed = time.perf_counter() - started
    print(f"{examples:,} examples, {tokens / 1e6:.1f} M tokens; {elapsed:.0f} s, {count} processes")


if __name__ == "__main__":
    typer.run(main)
