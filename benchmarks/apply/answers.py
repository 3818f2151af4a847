"""``python -m benchmarks.apply.answers``: how many pasted answers a merge reads right, and how sure it is of each.

The answers are ``tests/fixtures/pasted*.jsonl``; ``tests.fixtures.pasted`` reads and judges them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from pathlib import Path

from benchmarks.apply.pairs import Pair, hunks_between
from editd.apply.doubts.marks import is_open_ended
from editd.apply.doubts.table import CONFIDENT, NOTES
from editd.apply.doubts.weighing import CLEAR
from editd.apply.paste.recognise import recognise
from editd.apply.readers.answer import read_answer
from editd.apply.reading import NoReadingError, differences
from editd.apply.text.file_lines import FileLines
from editd.diff.document import Document
from editd.syntax.language import language_of
from tests.fixtures.pasted import FRESH, Answer, lost, outcome, read_answers


def pairs_of(answers: Iterable[Answer]) -> Iterator[Pair]:
    """The changes that the right texts of ``answers`` make; answers without a right text, or without a change, are skipped."""
    for answer in answers:
        before, after = (
            tuple((text or "").removesuffix("\n").split("\n"))
            for text in (answer.before, answer.wanted)
        )
        hunks = tuple(hunks_between(before, after))
        if hunks and answer.wanted is not None:
            yield Pair(answer.name, language_of(answer.path), before, hunks)


def doubts(answer: Answer) -> tuple[str, ...]:
    """The doubts against changes that are less than sure; empty if there are none, no reading, or a diff."""
    language = language_of(answer.path)
    lines = FileLines(Document.of(answer.before).model_lines, language)
    try:
        paste = recognise(answer.paste, lines.where_bare, language, answer.path)
        found = read_answer(paste.code_blocks, lines)[0] if paste.form == "sketch" else None
    except NoReadingError:
        found = None
    if found is None:
        return ()
    every = (part for change in found.changes for part in differences(change, lines.keys))
    doubted = [part for part in every if part.confidence < CONFIDENT]
    unclear = {"unclear" for part in doubted if part.before_doubts < CLEAR}
    open_ended = {"open-ended" for part in doubted if is_open_ended(part)}
    kinds = {kind for part in doubted for kind in part.doubts}
    return tuple(sorted(kinds | unclear | open_ended))


def main() -> int:
    """Print how many are right, and those that are not."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply.answers")
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--aside", action="store_true", help="the answers that were kept aside")
    parser.add_argument(
        "--fresh", action="store_true", help="the answers by someone who knew no rule"
    )
    parser.add_argument("--show", action="store_true", help="print what is not right")
    parser.add_argument(
        "--doubts",
        action="store_true",
        help="instead, how many readings are right by the doubts that alone were raised",
    )
    args = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    answers = read_answers(*args.files, *[FRESH] * args.fresh)
    if args.doubts:
        _print_doubts(answers)
        return 0
    for answer in answers:
        if answer.aside is not args.aside:
            continue
        kind, text, why = outcome(answer)
        right = answer.is_right(text)
        for group in (answer.name.split(" ")[0].rstrip(":"), "together"):
            count = counts.setdefault(group, Counter())
            count["answers"] += 1
            count["right" if right else "no reading" if kind == "none" else "wrong"] += 1
            count[kind] += kind != "none"
            count[f"{kind} {'right' if right else 'wrong'}"] += 1
            count["loses code"] += bool(lost(answer, text))
        if args.show and not right:
            print(f"=== {answer.name}: {kind}: {why}")
            if text is not None:
                sides = ((answer.wanted or answer.before).split("\n"), text.split("\n"))
                print("\n".join(unified_diff(*sides, lineterm="", n=1)))
    print("|".join(("", "", *(f" {column} " for column in _COLUMNS), "")))
    print("|---" * (1 + len(_COLUMNS)) + "|")
    for group, count in sorted(counts.items()):
        print("|".join(("", f" {group} ", *(f" {count[column]} " for column in _COLUMNS), "")))
    return 0


_COLUMNS = (
    *("answers", "right", "wrong", "no reading", "loses code"),
    *("certain", "certain wrong", "sure", "sure wrong", "marked right", "marked wrong"),
)


def _print_doubts(answers: Iterable[Answer]) -> None:
    """Print, for each doubt or set of doubts, how many readings are right that it alone was raised against, and its mark."""
    counts: dict[tuple[str, ...], Counter[bool]] = {}
    for answer in answers:
        kind, text, _ = outcome(answer)
        if kind in ("sure", "marked") and (raised := doubts(answer)):
            counts.setdefault(raised, Counter())[answer.is_right(text)] += 1
    for raised, count in sorted(counts.items(), key=lambda item: -item[1].total()):
        mark = "note" if NOTES.issuperset(raised) else "suspect"
        print(f"{count[True]:3} of {count.total():3} right: {' + '.join(raised)} ({mark})")


if __name__ == "__main__":
    raise SystemExit(main())
