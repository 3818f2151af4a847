# a script to run, not a package
"""The program of `make release`: the files of a release, from the checkout, into dist/release.

Wheels of editd, editd-core and editd-vllm, the VS Code extension, the Neovim plugin, the notes of this version from
the changelog, and the checksums of all. Nothing is published. The editors' files are built by `make editors` before.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist" / "release"
WHEELS = (".", "packages/core", "packages/vllm")
VERSIONS = {
    "editd/__init__.py": r'__version__ = "([^"]+)"',
    "packages/vllm/editd_vllm/__init__.py": r'__version__ = "([^"]+)"',
}


def main() -> int:
    """Build them all; exit code 1 and one sentence if versions differ or the changelog has no such section."""
    try:
        version = version_of_all()
        notes = notes_of(version)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir(parents=True)
    for package in WHEELS:
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(DIST),
            package,
        ]
        subprocess.run(command, cwd=ROOT, check=True)
    shutil.copy(ROOT / "dist" / "editd.vsix", DIST / f"editd-{version}.vsix")
    shutil.copy(ROOT / "dist" / "editd-nvim.tar.gz", DIST / f"editd-nvim-{version}.tar.gz")
    (DIST / "NOTES.md").write_text(notes, encoding="utf-8")
    lines = [f"{digest(path)}  {path.name}" for path in sorted(DIST.iterdir())]
    (DIST / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    return 0


def version_of_all() -> str:
    """The version that all parts state; raises ``ValueError`` if they differ."""
    found = {
        "clients/vscode/package.json": str(
            json.loads(read("clients/vscode/package.json"))["version"]
        )
    }
    for name, pattern in VERSIONS.items():
        match = re.search(pattern, read(name))
        found[name] = match[1] if match else "none"
    if len(set(found.values())) > 1:
        raise ValueError(
            "These state different versions: " + ", ".join(f"{a} {b}" for a, b in found.items())
        )
    return next(iter(found.values()))


def notes_of(version: str) -> str:
    """The changelog's section of ``version``, without its heading; raises ``ValueError`` if there is none."""
    _, heading, rest = read("CHANGELOG.md").partition(f"\n## [{version}]")
    if not heading:
        raise ValueError(
            f"CHANGELOG.md has no section [{version}]: name this version's changes before a release."
        )
    return rest.partition("\n")[2].partition("\n## [")[0].strip() + "\n"


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read(name: str) -> str:
    """The text of a file of the checkout."""
    return (ROOT / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
