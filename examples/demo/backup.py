"""Copy a folder into a dated archive and forget the oldest ones."""

import argparse
import hashlib
import sys
import tarfile
from datetime import datetime
from pathlib import Path


def parse_arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="folder to save")
    parser.add_argument("target", type=Path, help="folder that holds the archives")
    parser.add_argument("--keep", type=int, default=7, help="how many archives to keep")
    parser.add_argument("--exclude", action="append", default=[], help="names to leave out")
    return parser.parse_args(argv)


def digest(path, block=1 << 20):
    """SHA-256 of a file, read in blocks."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(block):
            total.update(chunk)
    return total.hexdigest()


def write_archive(source, target, exclude):
    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    archive = target / f"{source.name}-{stamp}.tar.gz"

    def wanted(member):
        return None if Path(member.name).name in exclude else member

    with tarfile.open(archive, "w:gz") as tar:
        tar.add(source, arcname=source.name, filter=wanted)
    return archive


def forget_old(target, prefix, keep):
    """Delete all but the newest ``keep`` archives; return what was deleted."""
    archives = sorted(target.glob(f"{prefix}-*.tar.gz"))
    old = archives[:-keep] if keep else archives
    for archive in old:
        archive.unlink()
    return old


def main(argv=None):
    arguments = parse_arguments(argv)
    if not arguments.source.is_dir():
        print(f"{arguments.source} is no folder", file=sys.stderr)
        return 2
    arguments.target.mkdir(parents=True, exist_ok=True)
    archive = write_archive(arguments.source, arguments.target, set(arguments.exclude))
    size = archive.stat().st_size / 1e6
    print(f"{archive.name}: {size:.1f} MB, sha256 {digest(archive)[:16]}")
    for old in forget_old(arguments.target, arguments.source.name, arguments.keep):
        print(f"forgot {old.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
