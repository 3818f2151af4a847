"""How often a mark of the literal check is right, and how often the words alone are; no model is asked.

On recorded answers: lines of ``{"case": …, "text": …}`` (gzipped or not), the case as
``benchmarks.answers`` writes it. On edits of people: each author's text is taken for an answer.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Annotated, Any

import typer

from benchmarks.answers.cases import (
    SETS,
    Case,
    family_cases,
    generated_files,
    library_files,
    recorded_cases,
)
from editd.checks.literal import Compared, compared
from editd.diff.document import Document
from editd.instruction.answering import by_words, hunks_to
from editd.messages import EditRequest
from training.families import GENERATORS

app = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)


@app.command()
def answers(files: Annotated[list[Path], typer.Argument(help="Recorded answers.")]) -> None:
    """Which of the answers that models once gave would be marked."""
    counts: Counter[str] = Counter()
    for file in files:
        for line in _lines(file):
            case, text = Case(**line["case"]), line["text"]
            if text is None:
                continue
            verdict = _verdict(case, text, is_suspect=bool(line.get("suspect")))
            said = _compared(case, text)
            counts[verdict] += 1
            if said is not None:
                counts[f"{verdict}: with a reading"] += 1
                counts[f"{verdict}: suspect"] += bool(said.doubt)
                counts[f"{verdict}: any mark"] += bool(said.doubt or said.more)
                counts[f"{verdict}: told to be what the words say"] += said.agrees
    _print(counts)


@app.command()
def people(file: Annotated[Path, typer.Argument(help="Recorded edits, a JSON line each.")]) -> None:
    """What the check says of edits that people made, as if a model had answered so."""
    counts: Counter[str] = Counter()
    for case in recorded_cases(file, 1 << 30):
        counts["edits"] += 1
        said = _compared(case, case.after)
        if said is not None:
            counts["with a reading"] += 1
            counts["suspect"] += bool(said.doubt)
            counts["noted"] += bool(said.more)
            if said.doubt:
                print(f"{case.name}: {case.instruction[:80]}: {said.doubt}")
    _print(counts)


@app.command()
def computed(
    count: Annotated[int, typer.Option(help="Cases of each kind, set and length.")] = 8,
    seed: Annotated[int, typer.Option(help="Draws the cases.")] = 33,
    languages: Annotated[str, typer.Option(help="Generated texts beside Python's.")] = (
        "typescript,javascript,go,rust,c"
    ),
) -> None:
    """How many fresh edits the words decide alone, and whether they are right."""
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for case in _cases(count, seed, [name for name in languages.split(",") if name]):
        began = process_time()
        result = by_words(EditRequest("1", case.before, case.instruction, path=case.path))
        row = kinds[f"{case.language} {case.kind}"]
        row["edits"] += 1
        row["ms"] += round(1000 * (process_time() - began))
        if result is None or result.text is None:
            continue
        row["computed"] += 1
        row["right"] += _loose(result.text) == _loose(case.after)
        said = _compared(case, case.after)
        row["right, or right with what resembles it"] += said is not None and said.agrees
    total: Counter[str] = Counter()
    for name, row in sorted(kinds.items()):
        total += row
        print(f"{name}: {dict(row)}")
    print(f"all: {dict(total)}")


def _cases(count: int, seed: int, languages: list[str]) -> Iterator[Case]:
    for packages in (SETS["tuning"], SETS["test"]):
        for tokens in ((60, 200), (900, 3000)):
            files = library_files(packages)
            yield from family_cases(files, list(GENERATORS), count, tokens, seed)
    if languages:
        yield from family_cases(
            generated_files(languages, seed),
            list(GENERATORS),
            count * len(languages),
            (60, 400),
            seed,
        )


def _compared(case: Case, text: str) -> Compared | None:
    document = Document.of(case.before)
    hunks = hunks_to(document, Document.of(text).model_text)
    return compared(document, hunks, case.instruction, case.language)


def _verdict(case: Case, text: str, *, is_suspect: bool) -> str:
    if text == case.after:
        return "right"
    if text == case.before:
        return "unchanged"
    return "suspect before" if is_suspect else "wrong, unnoticed before"


def _loose(text: str) -> list[str]:
    """The lines that are not blank; the place of a line is the check's business, too."""
    return sorted(bare for line in text.splitlines() if (bare := line.rstrip()))


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    read = file.read_bytes()
    text = gzip.decompress(read) if file.suffix == ".gz" else read
    yield from map(json.loads, text.decode().splitlines())


def _print(counts: Counter[str]) -> None:
    for name in sorted(counts):
        print(f"{name}: {counts[name]}")


if __name__ == "__main__":
    app()
