"""Give files new text, unless they have changed since they were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editd.errors import EditFailed, EditRefused
from editd.files.atomic import Change, PartlyReplaced, replace_files
from editd.files.encoding import encode


@dataclass(frozen=True, slots=True)
class NewText:
    """``text`` for a file that held ``before`` when it was read.

    name: for the declared encoding and its errors. given: what the user calls the file. mtime_ns:
    when it was last written before it was read; ``None`` where that is unknown.
    """

    file: Path
    before: bytes
    text: str
    encoding: str
    name: str
    given: str
    mtime_ns: int | None = None

    def check_unchanged(self) -> None:
        """Raise ``EditRefused`` if the file is no longer what was read."""
        file = self.file
        other = file.is_symlink() or not file.is_file()  # reading a pipe would wait for ever
        touched = (
            not other and self.mtime_ns is not None and file.stat().st_mtime_ns != self.mtime_ns
        )
        if other or touched or file.read_bytes() != self.before:
            raise EditRefused(
                f"{self.given} was not written, because it changed on disk meanwhile; try again."
            )


def replace_text(
    file: Path,
    before: bytes,
    text: str,
    encoding: str,
    *,
    name: str,
    given: str,
    mtime_ns: int | None = None,
) -> None:
    """``replace_texts`` for one."""
    replace_texts([NewText(file, before, text, encoding, name, given, mtime_ns)])


def replace_texts(news: Sequence[NewText]) -> None:
    """Write all of them, or none.

    Raises ``EditRefused`` or ``EditFailed``, and then all files are as they were; or its sentence
    names those that could not be put back.
    """
    if not news:
        return
    changes = [
        Change(new.file, encode(new.text, new.encoding, new.name), new.check_unchanged)
        for new in news
    ]
    try:
        for new in news:
            new.check_unchanged()
        replace_files(changes)
    except PartlyReplaced as error:
        stuck = ", ".join(new.given for new in news if new.file in error.replaced)
        raise EditFailed(
            f"Only a part was written: {stuck} has its new text and could not be put back after "
            f"another file failed ({error.__cause__})."
        ) from error
    except OSError as error:
        which = ", ".join(new.given for new in news)
        raise EditFailed(f"{which} could not be written: {error.strerror or error}.") from error
