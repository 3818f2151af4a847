"""The edits to be known by heart: an instruction, a file before and after.

Reads the folder ``examples/demo``. Texts here are model texts: LF, no BOM.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editd.diff.document import Document
from editd.errors import UsageError


@dataclass(frozen=True, slots=True)
class Edit:
    """``before`` becomes ``after`` when ``instruction`` is asked for.

    before: a whole file, or the lines of one that are to be rewritten. path: the file's usual name.
    lines: 1-based and inclusive, when it is not the whole file. sketch: what is to be put in; the
    instruction may then be empty.
    """

    name: str
    path: str
    instruction: str
    before: str
    after: str
    lines: tuple[int, int] | None = None
    sketch: str = field(default="", repr=False)


def demo_folder() -> Path:
    """The folder ``examples/demo`` of the checkout."""
    return Path(__file__).resolve().parents[2] / "examples" / "demo"


def load_edits(folder: Path) -> list[Edit]:
    """The edits of a folder with ``cases.toml``.

    That has a table ``[[edit]]`` for each with name, instruction, the files ``file`` and ``after``, and
    perhaps ``lines`` (first and last, 1-based). Raises ``UsageError``.
    """
    try:
        cases = tomllib.loads((folder / "cases.toml").read_text(encoding="utf-8"))["edit"]
        return [_of_files(folder, case) for case in cases]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{folder} holds no edits that can be read: {error!r}") from error


def _of_files(folder: Path, case: dict[str, Any]) -> Edit:
    before, after = _read(folder / case["file"]), _read(folder / case["after"])
    lines = None
    if "lines" in case:
        first, last = lines = tuple(case["lines"])
        before, rest = before[first - 1 : last], before[last:]
        after = after[first - 1 : len(after) - len(rest)]
    return Edit(
        name=case["name"],
        path=case["file"],
        instruction=case["instruction"],
        before="".join(before),
        after="".join(after),
        lines=lines,
    )


def _read(path: Path) -> tuple[str, ...]:
    return tuple(Document.of(path.read_bytes().decode("utf-8")).model_lines)
