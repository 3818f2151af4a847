"""How often the words alone are right; no model is asked: ``python -m benchmarks.literal``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from time import process_time
from typing import Annotated

import typer

from benchmarks.answers.cases import SETS, generated_files
from editd.checks.literal import Compared, compared
from editd.diff.document import Document
from editd.intent import parse
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit, hunks_to
from tests.fixtures.proposed_edits import Case, family_cases, library_files
from training.families import GENERATORS


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
        result = compute_edit(EditRequest("1", case.before, case.instruction, path=case.path))
        row = kinds[f"{case.language} {case.kind}"]
        row["edits"] += 1
        row["ms"] += round(1000 * (process_time() - began))
        if result is None or result.text is None:
            continue
        row["computed"] += 1
        row["right"] += _loose(result.text) == _loose(case.after)
        literal = _compared(case, case.after)
        row["right, or right with what resembles it"] += literal is not None and literal.agrees
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
    return compared(document, hunks, parse(case.instruction), case.language)


def _loose(text: str) -> list[str]:
    """The lines that are not blank, sorted: the place of an import is nobody's."""
    return sorted(bare for line in text.splitlines() if (bare := line.rstrip()))


if __name__ == "__main__":
    typer.run(computed)
