"""Where hesitation is worth a note: ``python -m benchmarks.answers.hesitation FILE …`` counts it by threshold.

Reads answers that ``python -m benchmarks.answers --json FILE`` kept. A note stands at a token of the model's
own in a line that the answer changed; where the instruction asks for prose there is none
(``engine.hesitation``).
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

import typer

from benchmarks.answers.judge import Outcome, Said
from benchmarks.answers.report import saved
from editd.diff.document import split_lines
from editd.engine.provenance import LESS_THAN, Hesitated, Hesitation, may_be_told, spans

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def main(files: list[Path]) -> None:
    """For each file and threshold: right answers with a note, wrong and otherwise unnoticed ones."""
    print(
        "| answers | a token less likely than | right ones with a note | wrong ones |\n|---|---|---|---|"
    )
    for file in files:
        outcomes = [one for one in saved(file) if one.text is not None and not one.unchanged]
        right = [one for one in outcomes if one.exact]
        wrong = [one for one in outcomes if not one.exact and not one.suspect]
        for threshold in THRESHOLDS:
            noted = [sum(has_note(one, threshold) for one in part) for part in (right, wrong)]
            used = " (used)" if threshold == LESS_THAN else ""
            print(
                f"| {file.stem} | {threshold}{used} | {noted[0]} of {len(right)} "
                f"| {noted[1]} of {len(wrong)} |"
            )


def has_note(outcome: Outcome, less_than: float) -> bool:
    """Whether a hunk of this answer has a note with that threshold."""
    case = outcome.case
    if not may_be_told(case.instruction, case.language):
        return False
    return bool(spans([*_unsure(outcome)], less_than))


def _unsure(outcome: Outcome) -> Iterator[Hesitated]:
    """The model's own tokens in lines that the answer changed."""
    shown = split_lines(outcome.text or "")
    told = list(_lines(outcome.said))
    written = [text for text, _ in told]
    said_at: dict[int, int] = {}
    for block in SequenceMatcher(None, shown, written, autojunk=False).get_matching_blocks():
        said_at |= {block.a + n: block.b + n for n in range(block.size)}
    before = split_lines(outcome.case.before)
    for tag, _, _, start, end in SequenceMatcher(None, before, shown, autojunk=False).get_opcodes():
        if tag != "equal":
            for line in range(start, end):
                if line in said_at:
                    yield from told[said_at[line]][1]


def _lines(said: tuple[Said, ...]) -> Iterator[tuple[str, list[Hesitated]]]:
    """The answer line by line, with the model's own tokens in each."""
    line, own = "", []
    for piece, chance, rival in said:
        for part in split_lines(piece):
            if chance is not None:
                own.append(Hesitated(0, 0, 0, part.strip(), Hesitation(chance, rival)))
            line += part
            if part.endswith("\n"):
                yield line, own
                line, own = "", []
    yield line, own


if __name__ == "__main__":
    typer.run(main)
