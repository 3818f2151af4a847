"""``python -m training.evaluate ADAPTER``: how often the whole answer is right, and the card's tables.

By family and length in Python, by language and length elsewhere, on files of held-out packages and in
phrasings that were never trained. What is judged is what a user gets: the adapter merged with the
base model, as ``editd.embedded`` keeps it, through transformers in float32. An answer counts if every token is the most likely one
when the right answer is given so far, which is the same event as greedy decoding writing it.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

import torch
import typer
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from editd.backends.torch.quiet_transformers import quiet_loading
from editd.embedded import base_model
from editd.embedded.merged_model import write_model
from training import corpus
from training.card import Figures, write_card
from training.examples import Pack, Wanted, make_packs
from training.families import GENERATORS, Generator

LENGTHS = (256, 512)
_TRIES = 3000  # packs looked for in one cell of a table, so that a rare one ends

Logits = Callable[[Tensor], Tensor]
"""``[tokens]`` in, ``[tokens, vocabulary]`` out."""


def is_exact(logits: Logits, pack: Pack) -> bool:
    """Whether greedy decoding writes the answer of a pack of one edit."""
    [answer] = pack.answers
    with torch.inference_mode():
        said = logits(pack.ids)[answer.start - 1 : answer.end - 1].argmax(-1)
    return bool((said == pack.ids[answer.start : answer.end]).all())


def held_out_packs(
    files: Sequence[corpus.File],
    tokenizer: Tokenizer,
    length: int,
    count: int,
    generators: Sequence[Generator],
) -> list[Pack]:
    """At most ``count`` edits, each longer than half of ``length`` tokens and at most that long."""
    if not files:
        return []
    wanted = Wanted(length, 1, generators, [item.weight for item in generators])
    stream = make_packs(files, tokenizer, Random(length), lambda: wanted, held_out=True)
    tried = itertools.islice(stream, _TRIES)
    return list(itertools.islice((p for p in tried if p and len(p) > length // 2), count))


def evaluate(
    logits: Logits,
    files: Sequence[corpus.File],
    tokenizer: Tokenizer,
    lengths: Sequence[int] = LENGTHS,
    count: int = 40,
) -> tuple[Figures, Figures]:
    """Figures by family (Python) and by language (the others), at most ``count`` edits a cell."""
    held_out = [file for file in files if file.held_out]
    python = [file for file in held_out if file.language == "python"]
    neutral = [item for item in GENERATORS.values() if not item.languages]

    def cell(
        kept: Sequence[corpus.File], length: int, generators: Sequence[Generator]
    ) -> tuple[int, int]:
        packs = held_out_packs(kept, tokenizer, length, count, generators)
        return sum(is_exact(logits, pack) for pack in packs), len(packs)

    families = {
        name: {str(length): cell(python, length, [generator]) for length in lengths}
        for name, generator in GENERATORS.items()
    }
    languages = {
        language: {
            str(length): cell([f for f in held_out if f.language == language], length, neutral)
            for length in lengths
        }
        for language in sorted({file.language for file in held_out} - {"python"})
    }
    return families, languages


def _logits_of(folder: Path) -> Logits:
    from transformers import AutoModelForCausalLM

    with quiet_loading():
        model: Any = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
    model.eval()

    def logits(ids: Tensor) -> Tensor:
        said: Tensor = model(ids[None], use_cache=False).logits[0]
        return said

    return logits


def main(
    adapter: Annotated[
        Path, typer.Argument(help="adapter.safetensors, as training.train writes it.")
    ],
    corpus_file: Annotated[Path, typer.Option("--corpus", help="File written by training.corpus.")],
    out: Annotated[Path, typer.Option(help="Folder for the merged model.")],
    count: Annotated[int, typer.Option(help="Edits for each cell of the tables.")] = 40,
    lengths: Annotated[str, typer.Option(help="Comma-separated.")] = "256,512",
    base: Annotated[
        Path | None, typer.Option(help="The base model's GGUF file, if it was not pulled.")
    ] = None,
    card: Annotated[
        Path | None, typer.Option(help="Write card and list of families into this folder.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="The training's log.jsonl, for the card.")
    ] = None,
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 1,
) -> None:
    """Exact match on files and phrasings that were never trained on."""
    torch.set_num_threads(threads)
    file = base or base_model.base_file()
    out.mkdir(parents=True, exist_ok=True)
    write_model(out, file, load_file(adapter), list(GENERATORS))
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    started = time.perf_counter()
    wanted = [int(length) for length in lengths.split(",")]
    files = corpus.load(corpus_file)
    families, languages = evaluate(_logits_of(out), files, tokenizer, wanted, count)
    for figures in (families, languages):
        for name, row in figures.items():
            told = "  ".join(f"{key}: {right}/{whole}" for key, (right, whole) in row.items())
            print(f"{name:16} {told}")
    print(f"{time.perf_counter() - started:.0f} s")
    if card is not None:
        progress = _last_entry(log)
        packages = json.loads(corpus.manifest_path(corpus_file).read_text(encoding="utf-8"))
        write_card(card, families, languages, progress, packages["packages"], count)


def _last_entry(log: Path | None) -> dict[str, Any]:
    if log is None:
        return {}
    last: dict[str, Any] = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    return last


if __name__ == "__main__":
    typer.run(main)
