"""``python -m benchmarks.by_kind``: what the readers by kind (``editd.refactor.by_kind``) carry out alone, without rows, guesses and evidence.

Each set of instructions is read with weights that were learned from the other sets, so that no sentence is told by itself. ``left`` is
what no reader does; of these ``unsure`` is what the weights do not tell well enough.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Collection

from editd.diff.document import Document
from editd.intent import parse
from editd.refactor.by_kind import candidates_by_kind, likely_kinds
from editd.syntax.language import language_of
from tests.fixtures.instructions import SETS, Instruction, instructions
from training.kinds import Learned, all_examples, example_of, learn, name_of

OUTCOMES = ("right", "wrong", "left", "unsure")


def main() -> None:
    """Print a table of Markdown: by kind of edit, what became of the instructions of the sets."""
    parser = argparse.ArgumentParser(description="What the readers by kind carry out alone.")
    parser.add_argument("--set", choices=SETS, nargs="*", default=list(SETS), dest="names")
    chosen = parser.parse_args()
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    examples = all_examples()
    for name in chosen.names:
        learned = learn([x for other, each in examples.items() if other != name for x in each])
        for instruction in instructions(SETS[name]):
            counts[name_of(instruction.kind)][_outcome(instruction, learned)] += 1
    print(f"| kind | {' | '.join(OUTCOMES)} |\n|---|{'--:|' * len(OUTCOMES)}")
    clear = sum((x for kind, x in counts.items() if kind != "open"), Counter())
    for kind, count in [*sorted(counts.items()), ("**all but open**", clear)]:
        print(f"| {kind} | {' | '.join(str(count[x]) for x in OUTCOMES)} |")


def _outcome(instruction: Instruction, learned: Learned) -> str:
    """The outcome of an instruction that is read by its kind alone."""
    (row,) = learned.probabilities([example_of(instruction)]).tolist()
    odds = dict(sorted(zip(learned.kinds, row, strict=True), key=lambda x: -x[1]))

    def weigh(_: str, __: Collection[str]) -> dict[str, float]:
        return odds

    text = Document.of(instruction.text).model_text
    language = language_of(instruction.path, "")
    found = candidates_by_kind(parse(instruction.sentence), text, language, instruction.path, weigh)
    if found is not None:
        return "right" if instruction.is_right(found.texts[0]) else "wrong"
    return "left" if name_of(instruction.kind) in likely_kinds(odds) else "unsure"


if __name__ == "__main__":
    main()
