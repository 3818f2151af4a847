"""Give a file new text, unless it has changed since it was read."""

from __future__ import annotations

from pathlib import Path

from editd.errors import EditFailed, EditRefused
from editd.files.atomic import replace_file
from editd.files.encoding import encode


def replace_text(
    file: Path,
    before: bytes,
    text: str,
    encoding: str,
    *,
    name: str,
    given: str,
    mtime_ns: int | None = None,
    resolved: bool = False,
) -> None:
    """Write ``text`` into ``file``, which held ``before`` when it was read, in one step.

    name: for the declared encoding and its errors. given: what the user calls the file. mtime_ns:
    when it was last written before it was read; ``None`` where that is unknown. resolved: no folder on
    the way to ``file`` was a link, and none may have become one. Raises ``EditRefused``
    or ``EditFailed``, and then the file is as it was.
    """
    data = encode(text, encoding, name)

    def check_unchanged() -> None:
        other = file.is_symlink() or (resolved and file.resolve() != file)
        other = other or not file.is_file()  # reading a pipe would wait for ever
        touched = not other and mtime_ns is not None and file.stat().st_mtime_ns != mtime_ns
        if other or touched or file.read_bytes() != before:
            raise EditRefused(
                f"{given} was not written, because it changed on disk meanwhile; try again."
            )

    try:
        check_unchanged()
        replace_file(file, data, check_unchanged)
    except OSError as error:
        raise EditFailed(f"{given} could not be written: {error.strerror or error}.") from error
