"""``python -m benchmarks.apply.answers``: pasted answers as people get them, and what a merge makes of them.

``tests/fixtures/pasted*.jsonl`` hold files (each with source and licence) and answers: some written by hand in the ways
of large assistants, the others by models that were asked in a chat, without any format (``benchmarks.apply.ask``).
``changes``: what a careful person wants of the paste, as ``[start, end, lines]``; none where no text is right; ``also``:
others that are as right, such as an import at another place of its block. A third of the answers, by a hash of their
names, are ``aside``: not looked at while merging was built. ``pasted_fresh.jsonl`` was written by someone who did not
know the merge's rules; it has been seen since the first look. ``pasted_third.jsonl``, ``pasted_fourth.jsonl``
and ``pasted_later.jsonl`` are other such lots, of which most of what is wrong has been looked at.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Literal

from benchmarks.apply.pairs import Pair, hunks_between
from editd.apply import Merged, merge
from editd.apply.doubts.marks import is_open_ended
from editd.apply.doubts.table import CONFIDENT, NOTES
from editd.apply.doubts.weighing import CLEAR
from editd.apply.paste.recognise import recognise
from editd.apply.readers.answer import read_answer
from editd.apply.reading import NoReadingError, differences
from editd.apply.text.file_lines import FileLines
from editd.diff.document import Document
from editd.diff.matching import is_weak
from editd.syntax.language import language_of

FIXTURES = Path("tests/fixtures")
FRESH = FIXTURES / "pasted_fresh.jsonl"
THIRD = FIXTURES / "pasted_third.jsonl"
FOURTH = FIXTURES / "pasted_fourth.jsonl"
LATER = FIXTURES / "pasted_later.jsonl"
LOTS = (FRESH, THIRD, FOURTH, LATER)
Kind = Literal["certain", "sure", "marked", "none"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One paste. wanted: the text that is right, if there is one, also: others that are as right.

    aside: not looked at while merging was built.
    """

    name: str
    path: str
    before: str
    paste: str
    wanted: str | None
    aside: bool = False
    also: tuple[str, ...] = ()

    def is_right(self, text: str | None) -> bool:
        """Whether a careful person would take this text, or none where there is none to take."""
        return text == self.wanted or text in self.also


def read_answers(*paths: Path) -> Iterator[Answer]:
    """All answers of these files, else of all fixtures but those of ``LOTS``."""
    for path in paths or sorted(set(FIXTURES.glob("pasted*.jsonl")) - {*LOTS}):
        yield from _read(path)


def _read(path: Path) -> Iterator[Answer]:
    files: dict[int, tuple[str, str]] = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line:
            continue
        record = json.loads(line)
        if "text" in record:
            files[record["file"]] = record["path"], record["text"]
            continue
        name, before = files[record["file"]]
        wanted = None if record["changes"] is None else _changed(before, record["changes"])
        also = tuple(_changed(before, changes) for changes in record.get("also", ()))
        aside = record.get("aside", False)
        yield Answer(record["answer"], name, before, record["paste"], wanted, aside, also)


def pairs_of(answers: Iterable[Answer]) -> Iterator[Pair]:
    """The changes that the answers make, for sketches of other kinds."""
    for answer in answers:
        before, after = (
            tuple((text or "").removesuffix("\n").split("\n"))
            for text in (answer.before, answer.wanted)
        )
        hunks = tuple(hunks_between(before, after))
        if hunks and answer.wanted is not None:
            yield Pair(answer.name, language_of(answer.path), before, hunks)


def outcome(answer: Answer) -> tuple[Kind, str | None, str]:
    """What a merge makes of it: the text that is shown, and why it is not certain."""
    merged = merge(answer.before, answer.paste, path=answer.path)
    if isinstance(merged, Merged):
        return "certain", merged.text, ""
    if merged.reading is None:
        return "none", None, merged.reason
    return (
        "sure" if merged.reading.is_confident else "marked",
        merged.reading.merged.text,
        merged.reason,
    )


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


def lost(answer: Answer, text: str | None) -> list[str]:
    """Lines that a shown text has not, although they should stay and the paste does not mention them."""
    if text is None or answer.is_right(text):
        return []
    pasted = {line.strip() for line in answer.paste.split("\n")}
    gone = _counted(answer.before) - _counted(text)
    if answer.wanted is not None:
        gone -= _counted(answer.before) - _counted(answer.wanted)
    return [line for line in gone if line not in pasted and not is_weak(line)]


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
            one = counts.setdefault(group, Counter())
            one["answers"] += 1
            one["right" if right else "no reading" if kind == "none" else "wrong"] += 1
            one[kind] += kind != "none"
            one[f"{kind} {'right' if right else 'wrong'}"] += 1
            one["loses code"] += bool(lost(answer, text))
        if args.show and not right:
            print(f"=== {answer.name}: {kind}: {why}")
            if text is not None:
                sides = ((answer.wanted or answer.before).split("\n"), text.split("\n"))
                print("\n".join(unified_diff(*sides, lineterm="", n=1)))
    print("|".join(("", "", *(f" {column} " for column in _COLUMNS), "")))
    print("|---" * (1 + len(_COLUMNS)) + "|")
    for group, one in sorted(counts.items()):
        print("|".join(("", f" {group} ", *(f" {one[column]} " for column in _COLUMNS), "")))
    return 0


_COLUMNS = (
    *("answers", "right", "wrong", "no reading", "loses code"),
    *("certain", "certain wrong", "sure", "sure wrong", "marked right", "marked wrong"),
)


def _print_doubts(answers: Iterable[Answer]) -> None:
    """By doubt, or several: readings against which nothing else was raised, and whether it is a note."""
    counts: dict[tuple[str, ...], Counter[bool]] = {}
    for answer in answers:
        kind, text, _ = outcome(answer)
        if kind in ("sure", "marked") and (raised := doubts(answer)):
            counts.setdefault(raised, Counter())[answer.is_right(text)] += 1
    for raised, count in sorted(counts.items(), key=lambda item: -item[1].total()):
        mark = "note" if NOTES.issuperset(raised) else "suspect"
        print(f"{count[True]:3} of {count.total():3} right: {' + '.join(raised)} ({mark})")


def _counted(text: str) -> Counter[str]:
    return Counter(line.strip() for line in text.split("\n") if line.strip())


def _changed(before: str, changes: Sequence[tuple[int, int, list[str]]]) -> str:
    lines = before.split("\n")
    for start, end, new in reversed(changes):
        lines[start:end] = new
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
