"""``python -m training.evaluate FOLDER``: how often the whole answer is right, and the card's table.

By family and length in Python, by language and length elsewhere, on held-out files and phrasings.
Families that are not learned are taken off the model's list in ``editd.json``.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

import torch
import typer
from tokenizers import Tokenizer
from torch import Tensor

from editd.backends.torch.quiet_transformers import quiet_loading
from training import corpus
from training.card import Figures, learned, write_figures
from training.exact_match import exact_matches
from training.examples import LENGTHS, Example, make_examples
from training.export import write_manifest
from training.families import GENERATORS

_TRIES = 4000  # examples looked at for one cell of the table, so that a rare one ends


def evaluate(
    folder: Path,
    files: Sequence[corpus.File],
    lengths: Sequence[int] = LENGTHS[:4],
    count: int = 40,
    device: str = "cpu",
) -> tuple[Figures, Figures]:
    """Figures by family (Python) and by language (the others), each of at most ``count`` examples."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    model = _model(folder, device)

    def logits(ids: Tensor, where: Tensor) -> Tensor:
        hidden = model.model(input_ids=ids).last_hidden_state
        said: Tensor = model.lm_head(hidden.reshape(-1, hidden.shape[-1])[where])
        return said

    def cell(kept: Sequence[corpus.File], length: int, only: Sequence[str]) -> tuple[int, int]:
        examples = held_out_examples(kept, tokenizer, length, count, only)
        return sum(exact_matches(logits, examples, device)), len(examples)

    held_out = [file for file in files if file.held_out]
    python = [file for file in held_out if file.language == "python"]
    neutral = [name for name, family in GENERATORS.items() if not family.languages]
    families = {
        name: {str(length): cell(python, length, [name]) for length in lengths}
        for name in GENERATORS
    }
    languages = {
        language: {
            str(length): cell(
                [item for item in held_out if item.language == language], length, neutral
            )
            for length in lengths
        }
        for language in sorted({item.language for item in held_out} - {"python"})
    }
    return families, languages


def held_out_examples(
    files: Sequence[corpus.File],
    tokenizer: Tokenizer,
    length: int,
    count: int,
    only: Sequence[str] = (),
) -> list[Example]:
    """At most ``count`` examples, each longer than half of ``length`` and at most that long."""
    if not files:
        return []
    rng = Random(length)
    stream = make_examples(files, tokenizer, rng, length, held_out=True, only=only, tries=_TRIES)
    return list(itertools.islice((item for item in stream if len(item.ids) > length // 2), count))


def _model(folder: Path, device: str) -> Any:
    from transformers import AutoModelForCausalLM

    with quiet_loading():
        model: Any = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
    return model.to(device).eval()


def main(
    folder: Annotated[Path, typer.Argument(help="A folder written by training.export.")],
    corpus_file: Annotated[Path, typer.Option("--corpus", help="File written by training.corpus.")],
    count: Annotated[int, typer.Option(help="Examples for each cell of the tables.")] = 100,
    lengths: Annotated[str, typer.Option(help="Comma-separated.")] = "256,512,1024,2048",
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the figures there.")
    ] = None,
    *,
    card: Annotated[bool, typer.Option("--card", help="Rewrite the card and editd.json.")] = False,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    threads: Annotated[int, typer.Option(help="CPU threads; 0: all.")] = 0,
) -> None:
    """Exact match on files and phrasings that were never trained on."""
    if threads:
        torch.set_num_threads(threads)
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    started = time.perf_counter()
    wanted = [int(length) for length in lengths.split(",")]
    families, languages = evaluate(folder, corpus.load(corpus_file), wanted, count, device)
    for figures in (families, languages):
        for name, row in figures.items():
            told = "  ".join(f"{key}: {right}/{whole}" for key, (right, whole) in row.items())
            print(f"{name:16} {told}")
    print(f"{time.perf_counter() - started:.0f} s on {device}")
    if json_file is not None:
        told = json.dumps({"families": families, "languages": languages}, indent=1)
        json_file.write_text(told + "\n", encoding="utf-8")
    if card:
        packages = "files of held-out packages, held-out phrasings"
        write_figures(folder, families, languages, f"{count} examples a cell at most; {packages}.")
        write_manifest(folder, learned(families))


if __name__ == "__main__":
    typer.run(main)
