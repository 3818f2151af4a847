"""``python -m benchmarks.instructions``: how many instructions words alone carry out, and how many of these rightly.

They were written for thirty files by somebody who had not seen the rules (``tests/fixtures/instructions.py``), and the rules
have been extended with them at hand: a development set.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from tests.fixtures.instructions import instructions

OUTCOMES = ("right", "wrong", "unchanged", "left")


def main() -> None:
    """Print a table of Markdown: by kind of edit, what became of its instructions."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for instruction in instructions():
        counts[instruction.kind][instruction.outcome()] += 1
    print(f"| kind | {' | '.join(OUTCOMES)} |\n|---|{'--:|' * len(OUTCOMES)}")
    for kind, found in sorted(counts.items()):
        print(f"| {kind} | {' | '.join(str(found[outcome]) for outcome in OUTCOMES)} |")
    total = sum(counts.values(), Counter())
    print(f"| **all** | {' | '.join(str(total[outcome]) for outcome in OUTCOMES)} |")


if __name__ == "__main__":
    main()
