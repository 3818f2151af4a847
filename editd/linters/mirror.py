"""A folder that looks like a project to a linter, with another text in the place of one file.

The folder has a link to everything in the project, so that the project's configuration and neighbouring files are found,
and the text itself as a file of its own: a linter that cannot read standard input reads it there, and a linter that
writes to the file writes there. Only symbolic links are made, and nothing in the project is changed. The folder lies in
the user's cache: linters look for settings in the folders above, too, and in the system's folder for temporary files
another user could put them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from editd.files.local_cache import cache_dir

_MOST_ENTRIES = 20_000  # of one folder: more take longer than a linter


@contextmanager
def mirrored(root: Path, file: Path, text: str) -> Iterator[tuple[Path, Path]]:
    """A mirror of the folder ``root``, made of links in a temporary folder below editd's cache, in which ``file``,
    which lies below ``root``, has ``text``; deleted at the end.

    Yields the mirror's root and the file in it. Raises ``OSError`` if a folder cannot be read or made, or has too
    many entries.
    """
    folder = cache_dir() / "linters"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as name:
        mirror = Path(name) / (root.name or "root")
        mirror.mkdir()
        place, original = mirror, root
        *folders, last = file.relative_to(root).parts
        for part in [*folders, last]:
            _link_all(original, place, but=part)
            place, original = place / part, original / part
            if original != file:
                place.mkdir()
        place.write_bytes(text.encode())
        yield mirror, place


def _link_all(folder: Path, into: Path, *, but: str) -> None:
    """Make a link in ``into`` to each entry of ``folder`` except ``but``. Raises ``OSError`` if the folder cannot
    be read, a link cannot be made, or there are more than ``_MOST_ENTRIES``; links that are made stay.
    """
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number == _MOST_ENTRIES:
                raise OSError(f"{folder} has more than {_MOST_ENTRIES:,} entries")
            if entry.name != but:
                (into / entry.name).symlink_to(entry.path)
