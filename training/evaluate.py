"""``python -m training.evaluate ADAPTER``: how often the whole answer is right, and the card's tables.

By family and length, on files of held-out packages and in phrasings that were never trained; Python,
and one row for all other languages. What is judged is what a user gets, base model and adapter as
``editd.embedded`` merges them; in bfloat16 unless told otherwise, which is three times as fast on a CPU.
An answer counts if greedy decoding writes the right text, in whatever tokens.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

import torch
import typer
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from editd.embedded import base_model
from editd.embedded.base_model import read_adapter
from editd.embedded.merged_model import write_model
from training import corpus
from training.card import write_card
from training.examples import Example, ExampleOptions, make_examples
from training.families import GENERATORS, Generator
from training.network import Network, Shape

OTHERS = "other languages"
_TRIES = 3000  # examples looked for in one cell of a table, so that a rare one ends

Logits = Callable[[Example], Tensor]
"""``[answer tokens, vocabulary]`` of an example, as ``Network.logits``."""


def is_exact(logits: Logits, example: Example, tokenizer: Tokenizer) -> bool:
    """Whether greedy decoding writes the answer.

    Where the likeliest token is not the wanted one but the text goes on the same (``...`` and ``"``
    for ``..`` and ``."``), the rest of the wanted text is tokenised from there.
    """
    ids: list[int] = example.answer.tolist()
    end = ids[-1]
    text = tokenizer.decode(ids[:-1], skip_special_tokens=False)
    right = 0
    while True:
        with torch.inference_mode():
            likeliest: list[int] = logits(example).argmax(-1).tolist()
        wrong = next((n for n in range(right, len(ids)) if likeliest[n] != ids[n]), None)
        if wrong is None:
            return True
        so_far = tokenizer.decode([*ids[:wrong], likeliest[wrong]], skip_special_tokens=False)
        if likeliest[wrong] == end or not text.startswith(so_far):
            return False
        rest = tokenizer.encode(text[len(so_far) :], add_special_tokens=False).ids
        ids = [*ids[:wrong], likeliest[wrong], *rest, end]
        right = wrong + 1
        example = example.answered(ids)


def held_out_examples(
    files: Sequence[corpus.File],
    tokenizer: Tokenizer,
    length: int,
    count: int,
    generators: Sequence[Generator],
) -> list[Example]:
    """At most ``count`` edits, each longer than half of ``length`` tokens and at most that long."""
    if not files:
        return []
    options = ExampleOptions(length, 1, generators, [item.weight for item in generators])
    stream = make_examples(files, tokenizer, Random(length), lambda: options, held_out=True)
    tried = itertools.islice(stream, _TRIES)
    return list(
        itertools.islice(
            (example for example in tried if example and len(example) > length // 2), count
        )
    )


def evaluate(
    logits: Logits,
    files: Sequence[corpus.File],
    tokenizer: Tokenizer,
    counts: Mapping[int, int],
    report: Callable[[str], None] = print,
) -> dict[str, dict[str, tuple[int, int]]]:
    """Right answers and all, by family (Python) or ``OTHERS``, and length.

    counts: by length how many edits a family is tried on, at most.
    """
    held_out = [file for file in files if file.held_out]
    python = [file for file in held_out if file.language == "python"]
    others = [file for file in held_out if file.language != "python"]
    neutral = [item for item in GENERATORS.values() if not item.languages]
    rows = [(name, python, [generator]) for name, generator in GENERATORS.items()]
    figures: dict[str, dict[str, tuple[int, int]]] = {}
    for name, texts, generators in [*rows, (OTHERS, others, neutral)]:
        figures[name] = {}
        for length, count in counts.items():
            examples = held_out_examples(texts, tokenizer, length, count, generators)
            right = sum(is_exact(logits, example, tokenizer) for example in examples)
            figures[name][str(length)] = right, len(examples)
        cells = "  ".join(
            f"{key}: {right}/{whole}" for key, (right, whole) in figures[name].items()
        )
        report(f"{name:16} {cells}")
    return figures


def main(
    adapter: Annotated[
        Path, typer.Argument(help="adapter.safetensors, as training.train writes it.")
    ],
    corpus_file: Annotated[Path, typer.Option("--corpus", help="File written by training.corpus.")],
    out: Annotated[Path, typer.Option(help="Folder for the merged model.")],
    lengths: Annotated[str, typer.Option(help="Tokens of prompt and answer.")] = "256,512",
    counts: Annotated[str, typer.Option(help="Edits a family at each length.")] = "40,40",
    base: Annotated[
        Path | None, typer.Option(help="The base model's GGUF file, if it was not pulled.")
    ] = None,
    card: Annotated[
        Path | None, typer.Option(help="Write card and list of families into this folder.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="The training's log.jsonl, for the card.")
    ] = None,
    dtype: Annotated[str, typer.Option(help="bfloat16 or float32.")] = "bfloat16",
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 1,
) -> None:
    """Exact match on files and phrasings that were never trained on."""
    torch.set_num_threads(threads)
    file = base or base_model.base_file()
    out.mkdir(parents=True, exist_ok=True)
    write_model(out, file, read_adapter(adapter.read_bytes()), list(GENERATORS))
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    started = time.perf_counter()
    count_by_length = dict(
        zip(map(int, lengths.split(",")), map(int, counts.split(",")), strict=True)
    )
    weights = load_file(out / "model.safetensors")
    network = Network(weights, Shape(), torch.float32 if dtype == "float32" else torch.bfloat16)
    figures = evaluate(
        lambda example: network.logits(example, {}),
        corpus.load(corpus_file),
        tokenizer,
        count_by_length,
    )
    print(f"{time.perf_counter() - started:.0f} s")
    if card is not None:
        packages = json.loads(corpus.manifest_path(corpus_file).read_text(encoding="utf-8"))
        write_card(card, figures, _last_entry(log), packages["packages"], dtype)


def _last_entry(log: Path | None) -> dict[str, Any]:
    if log is None:
        return {}
    last: dict[str, Any] = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    return last


if __name__ == "__main__":
    typer.run(main)
