"""A unified diff that ``git apply`` and ``patch`` take."""

from __future__ import annotations

import os
from pathlib import Path

from editd.diff.unified import unified
from editd.doors.cli.console import say, write_bytes
from editd.doors.cli.inputs import Source
from editd.doors.cli.outputs.base import Output, warn_of_doubts
from editd.messages import EditResult


class Patch(Output):
    """The patches of several texts follow each other: together they are one patch."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:  # noqa: ARG002
        patch = unified(result.hunks, source.text, _path(source))
        if source.encoding.startswith(("utf-16", "utf-32")):
            write_bytes(patch.encode())
            if patch:
                say(f"{source.given} is {source.encoding.upper()}; its diff is for reading only.")
        else:
            write_bytes(patch.encode(source.encoding, "replace"))
        warn_of_doubts(result)
        return 0


def _path(source: Source) -> str:
    """The name in the patch: from the current directory, or without the leading ``/``."""
    if source.file is None:
        return source.name or "stdin"
    path = Path(os.path.normpath(Path(source.given).absolute()))
    try:
        return path.relative_to(Path.cwd()).as_posix()
    except (ValueError, FileNotFoundError):  # elsewhere, or the current directory is gone
        return path.as_posix().lstrip("/")
