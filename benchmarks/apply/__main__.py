"""``python -m benchmarks.apply CASES.jsonl …``: sketches of recorded edits, and what a merge by text makes of them.

Each sketch is made with a seed from an edit whose outcome is known; the merged text is compared with
that. ``checker`` says of each whether it can mean one text only. ``--plain`` makes the sketches that people meet: each
whole edit in the ways of ``PLAIN``, without near copies beside it and without tricks; of the changes that
the pasted answers make, if no file is given.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.apply.answers import pairs_of
from benchmarks.apply.checker import verdict
from benchmarks.apply.hostile import hostile
from benchmarks.apply.pairs import THIRDS, Pair, read_pairs, some_hunks
from benchmarks.apply.styles import STYLES, variant
from editd.apply import Merged, merge
from editd.apply.outcome import Unresolved
from editd.syntax.language import extension_of
from tests.fixtures.pasted import LOTS, read_answers, shown_text

PLAIN = ("context 3", "other words", "fence and prose", "blank lines at markers", "context 1")


@dataclass(frozen=True)
class Case:
    """A sketch and the text that it should give."""

    id: str
    style: str
    pair: Pair
    sketch: str

    @property
    def text(self) -> str:
        return "\n".join(self.pair.before) + "\n"

    @property
    def right_text(self) -> str:
        return "\n".join(self.pair.after()) + "\n"

    @property
    def path(self) -> str:
        """The path to merge under: the file's own for a diff, which names it; else ``x.EXTENSION``."""
        if self.style == "unified diff":
            return self.pair.id.rpartition(":")[2]
        return "x." + extension_of(self.pair.language)


def main() -> int:
    """Make the sketches, merge them, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply")
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--number", type=int, default=1700, help="sketches to try to make")
    parser.add_argument("--third", choices=(*THIRDS, "all"), default="tuning")
    parser.add_argument("--seed", default="1")
    parser.add_argument(
        "--hostile",
        action="store_true",
        help="edits that are made to mislead, not the recorded ones",
    )
    parser.add_argument("--plain", action="store_true", help="each edit as a whole, in plain ways")
    parser.add_argument("--style", choices=STYLES)
    parser.add_argument(
        "--show",
        choices=("wrong", "doubt", "refused"),
        help="print such cases; refused: unambiguous, and in doubt",
    )
    parser.add_argument("--most", type=int, default=3000, help="characters of a sketch shown")
    args = parser.parse_args()
    every = (
        read_pairs(args.files) if args.files else pairs_of((*read_answers(), *read_answers(*LOTS)))
    )
    pairs = [pair for pair in every if args.third in (pair.third, "all")]
    styles = [args.style] if args.style else list(PLAIN if args.plain else STYLES)
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    spent = 0.0
    if args.plain:
        cases = plain(pairs, styles)
    else:
        drawn = ((number, styles[number % len(styles)]) for number in range(args.number))
        tried = (made(n, pairs, style, args.seed, misleading=args.hostile) for n, style in drawn)
        cases = (case for case in tried if case is not None)
    for case in cases:
        began = time.process_time()
        result = merge(case.text, case.sketch, path=case.path)
        spent += time.process_time() - began
        judged = judge(case, result)
        checked = verdict(case.pair.before, case.sketch)
        for row in (("style", case.style), ("language", case.pair.language), ("all", "all")):
            counts[row].update(("made", judged, checked))
            counts[row][f"{checked} answered"] += judged != "doubt"
            counts[row].update(of_reading(case, result))
            counts[row][f"{checked} read"] += shown_text(result) == case.right_text
        refused = judged == "doubt" and checked == "unambiguous"
        if judged == args.show or (refused and args.show == "refused"):
            show(case, result, args.most)
    print_table(counts)
    made_in_all = max(1, counts["all", "all"]["made"])
    print(f"{1000 * spent / made_in_all:.1f} ms of CPU time each", file=sys.stderr)
    return 0


def plain(pairs: list[Pair], styles: list[str]) -> Iterator[Case]:
    """A case of each edit as a whole, in each of the styles that can show it."""
    for pair in pairs:
        for style in styles:
            sketch = STYLES[style](pair, Random(f"{pair.id} {style}"))
            if sketch is not None:
                yield Case(pair.id, style, pair, sketch)


def made(
    number: int, pairs: list[Pair], style: str, seed: str, *, misleading: bool = False
) -> Case | None:
    """The sketch with this number; ``None`` where its pair has no such sketch."""
    random = Random(f"{seed}:{number}")
    if misleading:
        pair = hostile(random.choice(pairs), random)
    else:
        pair = variant(style, some_hunks(random.choice(pairs), random), random)
    sketch = STYLES[style](pair, random) if pair.hunks else None
    if sketch is None or pair.after() == pair.before:
        return None
    return Case(f"{number} {pair.id}", style, pair, sketch)


def judge(case: Case, result: Merged | Unresolved) -> str:
    """``right``, ``wrong`` or ``doubt``."""
    if isinstance(result, Unresolved):
        return "doubt"
    return "right" if result.text == case.right_text else "wrong"


def of_reading(case: Case, result: Merged | Unresolved) -> list[str]:
    """Count names of a best reading: ``sure`` or ``marked``, and the same with " right"; empty for a merge or no reading."""
    if isinstance(result, Merged) or result.reading is None:
        return []
    kind = "sure" if result.reading.is_confident else "marked"
    right = result.reading.merged.text == case.right_text
    return [kind, *([f"{kind} right"] if right else [])]


def show(case: Case, result: Merged | Unresolved, most: int) -> None:
    """Print the sketch, and a diff of the right text and the merged one, or the reason of a doubt."""
    print(f"=== {case.id} ({case.style})")
    print(case.sketch[:most])
    if isinstance(result, Unresolved):
        print("---", result.reason)
        return
    print("--- wanted against merged")
    right_text, merged = case.right_text.split("\n"), result.text.split("\n")
    print("\n".join(difflib.unified_diff(right_text, merged, lineterm="", n=1)))


def print_table(counts: dict[tuple[str, str], Counter[str]]) -> None:
    """Print a row for each style and language: certain answers and wrong ones, best readings and right ones, unambiguous sketches."""
    print("| | sketches | certain | wrong | sure | right | marked | right | ", end="")
    print("unambiguous | of these certain | best reading right |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for (kind, name), c in sorted(counts.items(), key=lambda item: item[0][0], reverse=True):
        answered = c["right"] + c["wrong"]
        sole = c["unambiguous"]
        named = (name or "(none)") if kind != "all" else "all"
        shares = (
            f"{100 * c[f'unambiguous {what}'] / sole:.1f} %" if sole else "–"
            for what in ("answered", "read")
        )
        print(
            f"| {named} | {c['made']} | {answered} | {c['wrong']} | {c['sure']} | {c['sure right']} "
            f"| {c['marked']} | {c['marked right']} | {sole} | {' | '.join(shares)} |"
        )


if __name__ == "__main__":
    raise SystemExit(main())
