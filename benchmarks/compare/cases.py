"""The edits that are decoded: the default dozen, or those of a JSON-lines file.

Knows texts and lines; the prompt is written by editd itself, in the process that decodes with it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editd.errors import UsageError
from tests.fixtures.solved.edits import Edit, demo_folder, load_edits


@dataclass(frozen=True, slots=True)
class Case:
    """An edit as an editor would ask for it.

    text: the whole buffer. lines: first and last line that may change, 1-based and inclusive;
    ``None`` for all.
    """

    name: str
    path: str
    instruction: str
    text: str
    lines: tuple[int, int] | None = None

    @property
    def num_lines(self) -> int:
        return len(self.text.splitlines())


_ABOVE = {
    "settings-constant": ("inventory.py", "geometry.py", "report.py", "worker.py"),
    "backup-try": ("textstats.py", "lru.py", "geometry.py", "scheduler.py"),
}
"""Edits that are asked for in a long file as well, with the files that stand above the rewritten lines there.

Both are asked for in their own short files as well, so that the cost of the context can be read off.
"""

_LONG = ", in a long file"

# The first few are of many kinds, for ``--limit``.
_ORDER = (
    "settings-constant",
    "settings-constant" + _LONG,
    "ring-rename",
    "backup-try",
    "lru-method",
    "events-unchanged",
    "limiter-mutex",
    "backup-try" + _LONG,
    "weather-translate",
    "scheduler-delete",
    "cart-rename",
    "inventory-rename",
)


def default_edits() -> list[Edit]:
    """The edits of ``examples/demo`` that the default model has to know."""
    by_name = {edit.name: edit for edit in load_edits(demo_folder())}
    return [by_name[name] for name in _ORDER if not name.endswith(_LONG)]


def default_cases() -> list[Case]:
    """A dozen: ten whole files of 65 to 104 lines, two selections at the end of 420 lines and more."""
    edits = {edit.name: edit for edit in default_edits()}
    return [
        _in_long_file(edits[name.removesuffix(_LONG)])
        if name.endswith(_LONG)
        else _whole_file(edits[name])
        for name in _ORDER
    ]


def _whole_file(edit: Edit) -> Case:
    return Case(edit.name, edit.path, edit.instruction, edit.before)


def _in_long_file(edit: Edit) -> Case:
    """The same lines selected at the end of a file that begins with others of the demo."""
    folder = demo_folder()
    above = "".join((folder / name).read_text(encoding="utf-8") for name in _ABOVE[edit.name])
    first = above.count("\n") + 1
    return Case(
        name=edit.name + _LONG,
        path="toolbox.py",
        instruction=edit.instruction,
        text=above + edit.before,
        lines=(first, first + edit.before.count("\n") - 1),
    )


def read_cases(path: Path) -> list[Case]:
    """The cases of a JSON-lines file. Raises ``UsageError`` naming a bad line.

    An object a line: ``instruction`` and ``before``, and perhaps ``name`` (or ``id``), ``path`` and ``lines`` (first and
    last, 1-based).
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
    cases = []
    for number, line in enumerate(lines, start=1):
        try:
            cases += [_read(json.loads(line), f"line {number}")] if line.strip() else []
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path}, line {number}: not a case with instruction and before ({error!r})."
            ) from error
    if not cases:
        raise UsageError(f"{path} holds no cases.")
    return cases


def _read(record: dict[str, Any], default_name: str) -> Case:
    name = str(record.get("name") or record.get("id") or default_name)
    path, lines = str(record.get("path") or name), record.get("lines")
    first_last = (int(lines[0]), int(lines[1])) if lines else None
    return Case(name, path, record["instruction"], record["before"], first_last)
