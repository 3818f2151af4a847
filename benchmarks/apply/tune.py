"""``python -m benchmarks.apply.tune CASES.jsonl``: fits the costs of the alignment to sketches whose outcome is known.

Each cost in turn is made smaller and larger; what gives the right text a higher mean log probability is kept. Prints the
table; ``AlignmentCosts`` in ``editd/apply/readers/by_alignment.py`` is edited by hand, so that a figure can be looked at before it is used.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import fields, replace
from math import log
from pathlib import Path

from benchmarks.apply.__main__ import made
from benchmarks.apply.pairs import THIRDS, Pair, read_pairs
from benchmarks.apply.styles import STYLES
from editd.apply.doubts.table import CERTAIN, DOUBTS
from editd.apply.paste.recognise import recognise
from editd.apply.paste.segments import Segment, cut_sketch
from editd.apply.readers.by_alignment import ALIGNMENT_COSTS, AlignmentCosts, align
from editd.apply.readers.in_file_order import read_in_file_order
from editd.apply.reading import NoReadingError, Reading
from editd.apply.text.file_lines import FileLines
from editd.syntax.language import language_of

_SEVENTEEN = list(STYLES)[: list(STYLES).index("uneven context")]
_FACTORS = (0.7, 1.4)
_LEAST = 0.001  # the probability that a wrong reading's rival is given

Sketch = tuple[FileLines, list[Segment], list[str]]


def main() -> int:
    """Read the sketches, go round the costs, and print what is better."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply.tune")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--number", type=int, default=600, help="sketches to try to make")
    parser.add_argument("--third", choices=(*THIRDS, "all"), default="tuning")
    parser.add_argument("--seed", default="tune-1")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--caps",
        action="store_true",
        help="instead, how often a reading is right by its only doubt",
    )
    args = parser.parse_args()
    pairs = [pair for pair in read_pairs(args.files) if args.third in (pair.third, "all")]
    if args.caps:
        print_caps(pairs, args.number, args.seed)
        return 0
    sketches = []
    for number in range(args.number):
        case = made(number, pairs, _SEVENTEEN[number % len(_SEVENTEEN)], args.seed)
        if case is not None and (
            sketch := _read(case.text, case.sketch, case.path, case.right_text)
        ):
            sketches.append(sketch)
    best, worth = ALIGNMENT_COSTS, _worth(sketches, ALIGNMENT_COSTS)
    print(f"{len(sketches)} sketches, mean log probability {worth:.4f}")
    names = [
        cost.name
        for cost in fields(AlignmentCosts)
        if isinstance(getattr(ALIGNMENT_COSTS, cost.name), float)
    ]
    for _ in range(args.rounds):
        for name in names:
            for factor in _FACTORS:
                tried = replace(best, **{name: round(factor * getattr(best, name), 3)})
                if (now := _worth(sketches, tried)) > worth:
                    print(f"{name}: {getattr(best, name)} -> {getattr(tried, name)}: {now:.4f}")
                    best, worth = tried, now
    print(best)
    return 0


def print_caps(pairs: list[Pair], number: int, seed: str) -> None:
    """By doubt, or two of them: readings against which nothing else was raised, and those that are right.

    All styles, those that mislead too, and one edit in three made to mislead.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for n in range(number):
        case = made(n, pairs, list(STYLES)[n % len(STYLES)], seed, misleading=n % 3 == 0)
        if case is None:
            continue
        language = language_of(case.path)
        lines = FileLines(case.text.split("\n")[:-1], language)
        try:
            paste = recognise(case.sketch, {x.strip() for x in lines.keys}, language, case.path)
            found, sketch = read_in_file_order([x.lines for x in paste.code_blocks], lines)
        except NoReadingError:
            continue
        doubts = {kind for change in found.changes for kind in change.doubts}
        if paste.form == "sketch" and sketch.segments and len(doubts) <= 2:
            right = written(lines.keys, found) == [
                x.rstrip() for x in case.right_text.split("\n")[:-1]
            ]
            counts[" and ".join(sorted(doubts)) or "none"].update(
                ("made", "right" if right else "wrong")
            )
    for kind, c in sorted(counts.items()):
        cap = min(
            (DOUBTS[change].cap for change in kind.split(" and ") if change in DOUBTS),
            default=CERTAIN,
        )
        print(f"{kind}: {c['right']} of {c['made']} right, {c['right'] / c['made']:.2f}; cap {cap}")


def written(file: Sequence[str], found: Reading) -> list[str]:
    """The lines of ``file`` with the changes of ``found``."""
    text: list[str] = []
    position = 0
    for change in found.changes:
        text += [*file[position : change.start], *change.new]
        position = change.end
    return [*text, *file[position:]]


def _read(text: str, sketch: str, path: str, right_text: str) -> Sketch | None:
    lines = FileLines(text.split("\n")[:-1], language_of(path))
    known = {line.strip() for line in lines.keys}
    try:
        paste = recognise(sketch, known, language_of(path), path)
    except NoReadingError:
        return None
    if paste.form != "sketch":
        return None
    try:
        parts = list(cut_sketch([x.lines for x in paste.code_blocks], lines).segments)
    except NoReadingError:
        return None
    return lines, parts, [line.rstrip() for line in right_text.split("\n")[:-1]]


def _worth(sketches: list[Sketch], costs: AlignmentCosts) -> float:
    total = 0.0
    for file, parts, right_text in sketches:
        found = align(file, parts, costs=costs)
        if found is None:
            continue
        is_right = written(file.keys, found) == right_text
        total += log(
            max(_LEAST, found.confidence if is_right else min(1 - found.confidence, 0.5) * 0.1)
        )
    return total / max(1, len(sketches))


if __name__ == "__main__":
    raise SystemExit(main())
