"""``python -m benchmarks.sentences``: how many plain sentences the embedded model's rule takes, and takes for what.

The sentences (tests/fixtures/sentences.tsv: kind, values, sentence) were written by somebody who had not read
the rules, a part of them are instructions of recorded edits. No rule is tuned on them, so only counts are printed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from editd.embedded.families import FAMILIES, family_of

FILE = Path(__file__).parents[1] / "tests" / "fixtures" / "sentences.tsv"
OFFERED = tuple(name for name in FAMILIES if name != "no-change")


@dataclass(frozen=True, slots=True)
class Sentence:
    """kind: the family that is meant, ``open``, one that is not offered, or two with a plus."""

    kind: str
    text: str

    @property
    def taken_for(self) -> str | None:
        """The family that the rule takes it for."""
        return family_of(self.text, among=OFFERED)


def sentences() -> list[Sentence]:
    """All of the table."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [Sentence(fields[0], fields[-1]) for fields in (line.split("\t") for line in lines)]


def counted() -> tuple[Counter[str], Counter[str], int]:
    """By kind: sentences that mean it, those that are taken for it; and how many are taken for another."""
    meant: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wrong = 0
    for one in sentences():
        meant[one.kind] += 1
        if one.taken_for == one.kind:
            right[one.kind] += 1
        elif one.taken_for is not None:
            wrong += 1
    return meant, right, wrong


def main() -> None:
    """Print a table of Markdown."""
    meant, right, wrong = counted()
    print("| kind | sentences | taken |\n|---|--:|--:|")
    for name in OFFERED:
        print(f"| {name} | {meant[name]} | {right[name]} |")
    offered = sum(meant[name] for name in OFFERED)
    print(f"| **offered** | {offered} | {sum(right.values())} |")
    print(f"\n{wrong} of {meant.total()} are taken for a wrong kind.")


if __name__ == "__main__":
    main()
