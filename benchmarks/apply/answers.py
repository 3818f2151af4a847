"""``python -m benchmarks.apply.answers``: pasted answers as people get them, and what a merge makes of them.

``tests/fixtures/pasted.jsonl`` holds files (each with source and licence) and answers: some written by hand in the ways
of large assistants, the others by models that were asked in a chat, without any format. ``changes``: what a careful
person wants of the paste, as ``[start, end, lines]``; none where no text is right.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Literal

from editd.apply import Merged, merge

FIXTURE = Path("tests/fixtures/pasted.jsonl")
Kind = Literal["certain", "sure", "marked", "none"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One paste. wanted: the text that is right, if there is one. aside: not looked at while merging was built."""

    name: str
    path: str
    before: str
    paste: str
    wanted: str | None
    aside: bool = False


def read_answers(path: Path = FIXTURE) -> Iterator[Answer]:
    """All answers of a file."""
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
        yield Answer(
            record["answer"], name, before, record["paste"], wanted, record.get("aside", False)
        )


def outcome(answer: Answer) -> tuple[Kind, str | None]:
    """What a merge makes of it, and the text that is shown."""
    merged = merge(answer.before, answer.paste, path=answer.path)
    if isinstance(merged, Merged):
        return "certain", merged.text
    if merged.reading is None:
        return "none", None
    return "sure" if merged.reading.sure else "marked", merged.reading.merged.text


def main() -> int:
    """Print how many are right, and those that are not."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply.answers")
    parser.add_argument("file", type=Path, nargs="?", default=FIXTURE)
    parser.add_argument("--show", action="store_true", help="print what is not right")
    args = parser.parse_args()
    counts: Counter[tuple[str, Kind, bool]] = Counter()
    for answer in read_answers(args.file):
        kind, text = outcome(answer)
        group = "aside" if answer.aside else answer.name.split(" ")[0]
        counts[group, kind, text == answer.wanted] += 1
        if args.show and text != answer.wanted:
            print(f"=== {answer.name}: {kind}")
            sides = ((answer.wanted or "").split("\n"), (text or "").split("\n"))
            print("\n".join(unified_diff(*sides, lineterm="", n=1)))
    print("| | answers | right | wrong | no reading |\n|---|---|---|---|---|")
    for group in sorted({group for group, _, _ in counts}):
        mine = {key[1:]: count for key, count in counts.items() if key[0] == group}
        right = sum(count for (_, good), count in mine.items() if good)
        refused = mine.get(("none", False), 0)
        total = sum(mine.values())
        print(f"| {group} | {total} | {right} | {total - right - refused} | {refused} |")
    return 0


def _changed(before: str, changes: Sequence[tuple[int, int, list[str]]]) -> str:
    lines = before.split("\n")
    for start, end, new in reversed(changes):
        lines[start:end] = new
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
