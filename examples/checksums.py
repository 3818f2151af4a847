"""Write and check a list of checksums for the files of a folder."""

import hashlib
import logging
from pathlib import Path

logger = logging.getLogger(__name__)


def digest(path, block=1 << 20):
    """SHA-256 of a file, read in blocks."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(block):
            total.update(chunk)
    return total.hexdigest()


def write_list(folder, name="SHA256SUMS"):
    """Write one line for each file below ``folder``."""
    lines = [f"{digest(path)}  {path.relative_to(folder)}" for path in files_in(folder)]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    logger.info("%d files", len(lines))


def files_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def changed_files(folder, name="SHA256SUMS"):
    """Files that differ from the list, or are missing."""
    changed = []
    for line in (folder / name).read_text(encoding="utf-8").splitlines():
        expected, _, path = line.partition("  ")
        if not (folder / path).is_file() or digest(folder / path) != expected:
            changed.append(Path(path))
    return changed


if __name__ == "__main__":
    for path in changed_files(Path()):
        print(f"changed: {path}")
