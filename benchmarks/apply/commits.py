"""``python -m benchmarks.apply.commits CLONE … > EDITS.jsonl``: edits of public files, one of each commit.

CLONE: a clone of a repository, in a folder of the form ``owner+name`` or with that as its parent. Commits are drawn
with the repository's name as the seed; of each a file of a known kind that it modifies is taken, if it has a dozen lines
or more and at most a dozen hunks change. Of edits of a single line three in five are left out: they are the most.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.apply.pairs import hunks_between
from editd.syntax.language import language_of

_MOST_FILES, _MOST_HUNKS, _MOST_CHARACTERS, _LONGEST_LINE = 6, 12, 60_000, 300
_LEAST_LINES = 12
_DATA = ("markdown", "yaml", "toml", "json", "text")  # a tenth each, at most
_SINGLE = 0.4  # share of edits of a single line that are taken


def main() -> int:
    """Print the edits as JSON lines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply.commits")
    parser.add_argument("clones", type=Path, nargs="+")
    parser.add_argument("--number", type=int, default=40, help="edits of each repository")
    given = parser.parse_args()
    for clone in given.clones:
        for record in edits(clone, given.number):
            print(json.dumps(record))
    return 0


def edits(clone: Path, number: int) -> Iterator[dict[str, str]]:
    """Up to ``number`` edits of a repository."""
    name = next(part for part in (clone.name, clone.parent.name) if "+" in part).replace("+", "/")
    draw = Random(name)
    commits = _git(clone, "log", "--no-merges", "--format=%H", "--diff-filter=M").split()
    draw.shuffle(commits)
    found = 0
    languages: Counter[str] = Counter()
    for commit in commits:
        if found == number:
            return
        changed = _git(
            clone, "diff-tree", "--no-commit-id", "--name-only", "-r", "--diff-filter=M", commit
        )
        files = changed.splitlines()
        draw.shuffle(files)
        for file in files if len(files) <= _MOST_FILES else ():
            language = language_of(file)
            often = language in _DATA and languages[language] > number // 10
            if not language or often:
                continue
            try:
                before, after = (
                    _git(clone, "show", f"{revision}:{file}") for revision in (commit + "^", commit)
                )
            except (UnicodeDecodeError, subprocess.CalledProcessError):
                continue
            if _is_taken(before, after, draw):
                source = f"github:{name}@{commit}:{file}"
                sides = {"before": before, "after": after}
                yield {"id": source, "source": source, "language": language, **sides}
                languages[language] += 1
                found += 1
                break


def _is_taken(before: str, after: str, draw: Random) -> bool:
    lines = before.split("\n")
    if len(before) > _MOST_CHARACTERS or len(lines) <= _LEAST_LINES:
        return False
    hunks = list(hunks_between(tuple(before.splitlines()), tuple(after.splitlines())))
    if not hunks or len(hunks) > _MOST_HUNKS or max(map(len, lines)) > _LONGEST_LINE:
        return False
    first = hunks[0]
    is_single = len(hunks) == 1 and first.end - first.start <= 1 and len(first.new) <= 1
    return not is_single or draw.random() < _SINGLE


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()


if __name__ == "__main__":
    raise SystemExit(main())
