"""The edits: proposed by the families on unprepared texts, or recorded ones.

A *set* of cases is drawn by a seed from files of its own: what was tuned on one says nothing about
another, as long as their files differ. Knows nothing of models.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from editd.syntax.language import extension_of
from tests.fixtures.proposed_edits import Case
from tests.fixtures.real_answers import spelled
from training.corpus import HELD_OUT_PACKAGES, File
from training.families import GENERATORS
from training.generated import LANGUAGES, write_file

SETS: Mapping[str, tuple[str, ...]] = {
    "tuning": ("email", "http", "concurrent"),
    "test": ("json", "xmlrpc", "importlib", "unittest", "logging"),
    "held-out": tuple(sorted(HELD_OUT_PACKAGES)),
}
"""Packages of the standard library, or installed ones, whose files a set is cut from."""

_FEWEST_CUT = 8  # characters of a line that is cut in two


def with_cut_lines(cases: Sequence[Case], count: int, seed: int) -> list[Case]:
    """``cases`` with ``count`` of them, drawn by ``seed``, cut in the middle of a line behind their last change.

    Fewer where fewer can be cut: the cut line has to be one that the right answer leaves alone.
    """
    rng = Random(f"cut {seed}")
    found = list(cases)
    for number in rng.sample(range(len(found)), len(found)):
        if count and (cut := _cut_in_a_line(found[number], rng)):
            found[number] = cut
            count -= 1
    return found


def _cut_in_a_line(case: Case, rng: Random) -> Case | None:
    """A case whose texts end inside a line; ``None`` if every line is changed, or too short to be cut."""
    before, after = case.before.splitlines(), case.after.splitlines()
    alike = itertools.takewhile(
        lambda pair: pair[0] == pair[1], zip(before[::-1], after[::-1], strict=False)
    )
    # Some text has to be left above, for whatever is asked.
    most = min(sum(1 for _ in alike), len(before) // 2)
    fitting = [n for n in range(most) if len(before[-1 - n].strip()) >= _FEWEST_CUT]
    if not fitting:
        return None
    line = rng.choice(fitting)
    bare = before[-1 - line]
    column = rng.randrange(len(bare) - len(bare.lstrip()) + 2, len(bare) - 1)
    texts = ("\n".join([*text[: len(text) - 1 - line], bare[:column]]) for text in (before, after))
    return replace(
        case, name=f"{case.name}-cut", **dict(zip(("before", "after"), texts, strict=True))
    )


def word_as(path: Path) -> None:
    """Replace the held-out templates of the families, for the whole process, with those of the JSON file ``path``.

    Its form: kind → a list of templates for each of the kind's phrasings.
    """
    for kind, lists in json.loads(path.read_text(encoding="utf-8")).items():
        for phrasings, templates in zip(GENERATORS[kind].phrasings, lists, strict=True):
            phrasings.held_out = tuple(templates)


def folder_files(folder: Path) -> list[File]:
    """The files below ``folder`` in a language that the families can edit."""
    endings = {".py", *(f".{ending}" for ending in LANGUAGES.values())}
    paths = [p for p in sorted(folder.rglob("*")) if p.suffix in endings and p.is_file()]
    return [
        File(p.relative_to(folder).as_posix(), p.read_text(encoding="utf-8"), held_out=True)
        for p in paths
    ]


def generated_files(languages: Sequence[str], seed: int, count: int = 12) -> list[File]:
    """``count`` invented files in each of ``languages``, drawn by ``seed``."""
    rng = Random(f"files {seed}")
    return [
        File(
            f"generated/file{number}.{LANGUAGES[language]}",
            write_file(language, rng),
            held_out=True,
        )
        for language in languages
        for number in range(count)
    ]


def recorded_cases(path: Path, most_characters: int) -> list[Case]:
    """Recorded edits of short texts, one JSON object a line; or those of tests/fixtures/real."""
    with path.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    cases = [_proposed(record) if "answer" in record else _recorded(record) for record in records]
    return [case for case in cases if len(case.before) <= most_characters]


def _recorded(record: Mapping[str, str]) -> Case:
    path, _, item = record["source"].rpartition(":")[2].partition("#")
    return Case(
        record["id"],
        "recorded",
        # One of a data set is a file of its own.
        f"{record['id']}.{extension_of(record['language'])}" if item else path,
        record["instruction"],
        record["before"],
        record["after"],
    )


def _proposed(record: Mapping[str, Any]) -> Case:
    name, before = record["name"], record["before"]
    return Case(
        f"{name} (fixture)",
        name.rpartition("-")[0],
        record["path"],
        record["instruction"],
        before,
        spelled(before, record["after"]),
    )
