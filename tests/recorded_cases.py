"""Recorded edits, read from a JSONL file: an instruction, a text before and after it, byte for byte.

Also how reports group them by size, and their texts as a model sees them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from editd.diff.document import Document
from editd.errors import UsageError

_SIZES = ((60, "< 60 lines"), (160, "60-159 lines"), (400, "160-399 lines"), (800, "400-799 lines"))


@dataclass(frozen=True, slots=True)
class Case:
    """One real edit. ``language`` and ``kind`` are for reports; no drafter sees them."""

    id: str
    language: str
    kind: str
    instruction: str
    before: str
    after: str


def read_cases(path: Path, limit: int | None = None) -> list[Case]:
    """The cases of a file in its order, at most ``limit``. Raises ``UsageError`` naming a bad
    line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
    cases = list(_parsed(path, lines))
    if not cases:
        raise UsageError(f"{path} contains no cases.")
    return cases if limit is None else cases[:limit]


def _parsed(path: Path, lines: list[str]) -> Iterator[Case]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            yield Case(
                id=str(record.get("id", f"line-{number}")),
                language=str(record.get("language", "unknown")),
                kind=str(record.get("kind", "unknown")),
                instruction=record["instruction"],
                before=record["before"],
                after=record["after"],
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path}, line {number}: not a case with instruction, before and after ({error})."
            ) from error


def size_of(case: Case) -> str:
    """The group of its lines after the edit, such as ``60-159 lines``."""
    lines = case.after.count("\n") + 1
    return next((name for limit, name in _SIZES if lines < limit), ">= 800 lines")


def model_text(text: str) -> str:
    """Text as a model sees it: LF line ends, no byte order mark."""
    return Document.of(text).model_text
