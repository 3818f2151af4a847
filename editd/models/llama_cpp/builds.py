"""Builds of llama.cpp for a processor or a GPU, which a user may add: those that exist, and those that are installed.

They come from the node-llama-cpp project: every package holds llama.cpp's own libraries, with one for each kind of
processor, of which the library itself loads the best. ``fetching`` downloads them.
"""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from editd.files.local_cache import cache_dir

SCOPE = "@node-llama-cpp"
NAME = "llama.cpp"
"""The name of all builds on the command line; ``llama.cpp:vulkan`` names a kind."""


@dataclass(frozen=True, slots=True)
class Build:
    """A package of llama.cpp's libraries.

    kind: ``cpu``, or the GPUs' interface.
    nbytes: size of the download.
    integrity: SHA-512 of the archive, as npm has it.
    """

    kind: str
    package: str
    version: str
    nbytes: int
    integrity: str

    @property
    def folder(self) -> Path:
        """The folder that the build is installed in."""
        return builds_folder() / f"{self.package}-{self.version}"


# By operating system and processor. Pinned, so that what is loaded is what was looked at.
_BUILDS: dict[tuple[str, str], tuple[Build, ...]] = {
    ("linux", "x64"): (
        Build(
            "cpu", "linux-x64", "3.22.1", 10_824_547,
            "sha512-5uCCDNqWCNfaAm8aR/Uzxbo4HBpKgNF91kCHPepKhgMgV2OAmatoefbOlMihsqCiH2Od35E/eUHQCFbfRBJuOg==",
        ),
        Build(
            "vulkan", "linux-x64-vulkan", "3.22.1", 24_311_427,
            "sha512-bBxqU+JOcBu1nb5Qj2zcMci+JByT1E8EajHvYodyNfVIPkEhXh+/HMwR1/BT7xP08YK0hks+kM8fglER0P8JEg==",
        ),
        Build(
            "cuda", "linux-x64-cuda", "3.22.1", 142_898_030,
            "sha512-8rQCjyNNLZJUFit+YpjwlC4hwkKgOMIkB2wuycKBf8NU2O3ySKbiWZQ8aw9ku2nUTXjSnUIrE6KB88itduTBuA==",
        ),
    ),
    ("linux", "arm64"): (
        Build(
            "cpu", "linux-arm64", "3.22.1", 7_340_902,
            "sha512-W+7naKCXX9/eEjjFmRS8vvx91QyLXDbeFxexZc3bh/PtQABZgmRL3C0AtYYXn4YGTj/3Qor4lWZn2tpjZFPLdQ==",
        ),
    ),
    ("darwin", "arm64"): (
        Build(
            "metal", "mac-arm64-metal", "3.21.1", 4_858_447,
            "sha512-6MIDAZV7DXD9R1+jEXWJkFuolni3GATGE6mmuyFYc6ZmtOh9djAy15df0T0AXK3sCmVKL+fQcOAWZezxx4MvQQ==",
        ),
    ),
    ("darwin", "x64"): (
        Build(
            "cpu", "mac-x64", "3.21.1", 10_809_280,
            "sha512-Q4nyNmbcNiKygBZQZjX+qLk2w3YzoiFpLWsxNURQN7xjyUi2p2rWxjRa7Otg0FrjGf/ri4aQ+X3Uj5Y0zD06eg==",
        ),
    ),
}  # fmt: skip


def available_builds() -> dict[str, Build]:
    """The builds for this operating system and processor, by kind."""
    return {build.kind: build for build in _BUILDS.get(_machine(), ())}


def builds_folder() -> Path:
    """The folder of installed builds, in the user's cache, which may be deleted."""
    return cache_dir() / "llama.cpp"


def installed_library() -> Path | None:
    """``libllama`` in the folder of the build installed last; ``None`` if no build for this machine
    is installed.
    """
    folders = installed_builds()
    return next(iter(sorted(folders[0].glob("libllama.*"))), None) if folders else None


def installed_builds() -> list[Path]:
    """Folders of the installed builds for this operating system and processor that contain
    ``libllama``, newest first by their time.

    Other machines may share the disk. Empty if there are none, or the cache may not be read.
    """
    system, processor = _machine()
    prefix = f"{'mac' if system == 'darwin' else system}-{processor}"
    try:
        folders = [x for x in builds_folder().glob(f"{prefix}-*") if any(x.glob("libllama.*"))]
        return sorted(folders, key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:
        return []


def installed_kind() -> str:
    """The kind of the build installed last (``vulkan``, ``cuda``, ``metal``, else ``cpu``); empty
    if none is installed.
    """
    folders = installed_builds()
    if not folders:
        return ""
    return next((kind for kind in ("vulkan", "cuda", "metal") if kind in folders[0].name), "cpu")


def _machine() -> tuple[str, str]:
    """Operating system and processor, as keys of ``_BUILDS``."""
    names = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    return sys.platform, names.get(platform.machine().lower(), "")
