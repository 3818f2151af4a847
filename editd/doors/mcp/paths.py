"""Which files an agent may edit: those below the folders that were named at start.

Links are resolved first, so none leads out. Hidden files, and files whose names look like secrets, are
refused, because an agent may have been tricked into asking for them.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from editd.errors import UsageError


class Folders:
    """The folders that were named; relative paths are relative to the first."""

    def __init__(self, given: Sequence[str | Path]) -> None:
        """Raises ``UsageError`` for what is not a folder."""
        self.roots = tuple(dict.fromkeys(_folder(Path(name)) for name in given or (".",)))

    def find(self, given: str) -> Path:
        """The file that ``given`` names, links resolved; raises ``UsageError`` with what to do."""
        if not given or "\0" in given:
            raise UsageError("The path is empty or contains a NUL.")
        path = Path(given)
        path = path if path.is_absolute() else self.roots[0] / path
        try:
            file = path.resolve(strict=True)
            mode = file.stat().st_mode
        except FileNotFoundError:
            self._inside(path.resolve(), given)  # what lies outside is not even told to be missing
            raise UsageError(
                f"{given}: no such file. This tool edits existing files: create new ones with "
                "your own tool."
            ) from None
        except (OSError, RuntimeError) as error:
            self._inside(Path(path.absolute()), given)
            raise UsageError(f"{given} cannot be read ({error}).") from error
        below = self._inside(file, given)
        if hidden := next((part for part in below.parts if part.startswith(".")), None):
            raise UsageError(f"{given} is not edited, because {hidden} is hidden.")
        if any(map(_looks_secret, below.parts)):
            raise UsageError(f"{given} is not edited, because its name looks like a secret's.")
        if not stat.S_ISREG(mode):
            raise UsageError(f"{given} is not a regular file.")
        return file

    def shown(self, file: Path) -> str:
        """``file`` as an agent sees it: below its folder."""
        return self._inside(file, str(file)).as_posix()

    def _inside(self, file: Path, given: str) -> Path:
        for root in self.roots:
            if file.is_relative_to(root):
                return file.relative_to(root)
        roots = ", ".join(map(str, self.roots))
        raise UsageError(f"{given} is outside the folders that may be edited ({roots}).")


def _folder(path: Path) -> Path:
    try:
        folder = path.expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path} is not a folder.") from error
    if not folder.is_dir():
        raise UsageError(f"{path} is not a folder.")
    return folder


def _looks_secret(name: str) -> bool:
    from editd.workspace.rules import looks_secret  # it loads psutil

    return looks_secret(name)
