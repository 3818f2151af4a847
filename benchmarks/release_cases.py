"""``python -m benchmarks.release_cases FOLDER OUT``: edits made of what changed between releases.

FOLDER holds unpacked releases, ``NAME-VERSION`` each (``pip download --no-deps NAME==VERSION``, then
``unzip -d NAME-VERSION``; or ``npm pack``). Of two releases that follow each other, the files in one of
the languages with the most hunks become cases for ``python -m benchmarks replay``, with an instruction
that says nothing.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from editd.syntax.language import language_of

_MOST_FILES = 9  # of a pair of releases
_LEAST_CHARACTERS, _MOST_CHARACTERS = 400, 60_000
# A file that shares less of its lines was written anew; one with a single small hunk says little.
_LEAST_SHARED, _LEAST_CHANGED = 0.5, 0.05


def main() -> int:
    """Write the cases and say how many."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.release_cases")
    parser.add_argument("folder", type=Path, help="of unpacked releases, NAME-VERSION each")
    parser.add_argument("out", type=Path, help="JSONL file to write")
    parser.add_argument(
        "--languages", nargs="+", default=["python"], help="of the files that are looked at"
    )
    parser.add_argument("--every", type=int, default=1, help="only every N-th case")
    parser.add_argument("--offset", type=int, default=0, help="begin with this one")
    parsed = parser.parse_args()
    found = [
        case
        for old, new in neighbours(parsed.folder)
        for case in changed_files(old, new, parsed.languages)
    ][parsed.offset :: parsed.every]
    parsed.out.write_text("".join(json.dumps(case) + "\n" for case in found), encoding="utf-8")
    print(f"{parsed.out}: {len(found)} edits")
    return 0


def neighbours(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Releases of one name that follow each other, names in alphabetical order."""
    by_name: dict[str, list[tuple[list[int], Path]]] = defaultdict(list)
    for release in sorted(path for path in folder.iterdir() if path.is_dir()):
        name, dash, version = release.name.rpartition("-")
        if dash and version[:1].isdigit():
            by_name[name].append(([int(part) for part in re.findall(r"\d+", version)], release))
    for releases in by_name.values():
        yield from pairwise(release for _, release in sorted(releases))


def changed_files(
    old: Path, new: Path, languages: Collection[str] = ("python",)
) -> list[dict[str, Any]]:
    """The cases of two releases, those with the most hunks first."""
    found = []
    for path in sorted(old.rglob("*")):
        name = path.relative_to(old)
        if language_of(path.name) not in languages or not (new / name).is_file():
            continue
        try:
            before, after = (p.read_text(encoding="utf-8") for p in (path, new / name))
        except UnicodeDecodeError:
            continue
        if before == after or len(before) > _MOST_CHARACTERS or len(after) < _LEAST_CHARACTERS:
            continue
        lines = after.splitlines()
        match = difflib.SequenceMatcher(None, before.splitlines(), lines, autojunk=False)
        shared = sum(block.size for block in match.get_matching_blocks()) / max(len(lines), 1)
        hunks = sum(tag != "equal" for tag, *_ in match.get_opcodes())
        if shared > _LEAST_SHARED and (hunks >= 2 or shared < 1 - _LEAST_CHANGED):
            found.append((hunks, name, before, after))
    found.sort(key=lambda case: -case[0])
    return [
        {
            "id": f"{new.name}:{name.as_posix()}",
            "language": language_of(name.name),
            "kind": "release",
            "instruction": f"Update {name.name} to {new.name}",
            "before": before,
            "after": after,
        }
        for _, name, before, after in found[:_MOST_FILES]
    ]


if __name__ == "__main__":
    raise SystemExit(main())
