"""A build of llama.cpp: downloaded at the user's request, and tested for the devices that it can use on this machine.

Fetched by the user's own npm, with its registry and proxy, checked, and unpacked. Nothing of the package is run:
llama.cpp's libraries are taken out of it, and nothing else. An earlier build stays until the new library has been
loaded once.

The test runs in a process of its own: a library that does not fit may end the process that loads it, and the
libraries of two builds do not mix in one. Run as a program, this module loads a library and prints one line of JSON.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from editd.errors import EditdError, ModelDamaged, ModelError, ModelUnsupported
from editd.files.local_cache import not_kept
from editd.models.llama_cpp.builds import NAME, SCOPE, Build, builds_folder, installed_builds

_LIBRARY = re.compile(r"lib(llama|ggml)(?!-common)[\w.-]*\.(so|dylib)|LICENSE")
_MOST_BYTES = 1 << 30  # unpacked; the largest build takes a fifth
_UNPACKED = 6  # times the download: the archive, npm's copy and the libraries
_SECONDS = 0.2  # between two looks at how much has come

_PROBE_SECONDS = 60.0  # a driver that takes longer to say what it has does not work


def fetch(build: Build, progress: Callable[[int], None] = lambda _nbytes: None) -> ProbedLibrary:
    """Download ``build`` with npm, check and test it, and install it in place of others, which are
    deleted; returns the library with its devices.

    progress: called with the bytes received so far; what it raises is passed on. Raises
    ``ModelError`` (no npm, no network, no space, not the known package), or ``ModelUnsupported`` if
    the library does not work; earlier builds stay then.
    """
    root = builds_folder()
    try:
        _check_disk_space(root, build)
        with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=root) as scratch:
            archive = _download(build, Path(scratch), progress)
            _check_digest(archive, build)
            unpacked = Path(scratch) / "library"
            _unpack(archive, unpacked)
            probed = probe_library(next(unpacked.glob("libllama.*")))
            return _install(unpacked, build, probed)
    except OSError as error:
        raise ModelError(not_kept("llama.cpp's library", root, error)) from error


def _check_disk_space(root: Path, build: Build) -> None:
    """Create the folder ``root``. Raises ``OSError`` if its disk has less free space than six times
    the download of ``build``.
    """
    root.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(root).free < _UNPACKED * build.nbytes:
        raise OSError(errno.ENOSPC, "no space left")


def npm() -> str:
    """The path of npm on the PATH. Raises ``ModelError`` if it is not installed."""
    if found := shutil.which("npm"):
        return found
    raise ModelError(
        f"{NAME} is fetched with npm, which is not on the PATH: install Node.js, or unpack a build "
        "yourself and name its libllama in EDITD_LLAMA_CPP."
    )


def _download(build: Build, folder: Path, progress: Callable[[int], None]) -> Path:
    """Download the archive with npm, which leaves nothing outside ``folder``; returns the archive's
    path.

    Calls ``progress`` several times a second with the bytes received, at most the build's size;
    what it raises ends npm. Raises ``ModelError`` if npm is missing or fails.
    """
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
            while not _has_ended(process):
                progress(min(_size(cache), build.nbytes))
        except BaseException:
            process.kill()
            raise
        errors.seek(0)
        npm_output = errors.read(100_000).decode(errors="replace")
    archives = list(folder.glob("*.tgz"))
    if process.returncode or len(archives) != 1:
        lines = re.findall(
            r"npm (?:error|ERR!) +(?!code|errno|syscall|A complete)(\S.*)", npm_output
        )
        reason = lines[0].strip().rstrip(".") if lines else f"exit code {process.returncode}"
        raise ModelError(
            f"npm cannot fetch {package} ({reason[:200]}): look at the network and at npm's registry, "
            "and try again."
        )
    progress(build.nbytes)
    return archives[0]


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Wait up to 0.2 s for the process; returns whether it has ended."""
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _size(folder: Path) -> int:
    """Bytes of all files in ``folder`` and below; files that disappear meanwhile count as none."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:  # it has been moved meanwhile
            continue
    return total


def _check_digest(archive: Path, build: Build) -> None:
    """Raise ``ModelDamaged`` if the archive's SHA-512 is not that of the package that editd was
    tested with.
    """
    with archive.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha512").digest()
    if f"sha512-{base64.b64encode(digest).decode()}" != build.integrity:
        raise ModelDamaged(
            f"{build.package} {build.version} is not the package that editd knows, so it was not "
            "unpacked: look at npm's registry, and try again."
        )


def _unpack(archive: Path, folder: Path) -> None:
    """Create ``folder`` and extract into it llama.cpp's libraries and the licence alone, by their
    last names, so that no member chooses where it goes; members more than three folders deep are
    left out.

    Raises ``ModelDamaged`` if they have more than 1 GiB, ``OSError`` if two have the same name.
    """
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


def _install(unpacked: Path, build: Build, probed: ProbedLibrary) -> ProbedLibrary:
    """Move the folder ``unpacked`` to the build's folder and delete other builds for this machine;
    returns ``probed`` with the new path and title.

    A folder that has that place is moved to ``old`` beside ``unpacked``. Raises ``OSError``.
    """
    others = [folder for folder in installed_builds() if folder != build.folder]
    if build.folder.exists():
        build.folder.replace(unpacked.with_name("old"))  # goes with the scratch folder
    unpacked.replace(build.folder)
    build.folder.touch()  # the newest, should another be fetched at the same time
    for folder in others:
        shutil.rmtree(folder, ignore_errors=True)
    library = next(build.folder.glob("libllama.*"))
    return ProbedLibrary(
        str(library), f"llama.cpp {build.folder.name}", probed.gpus, probed.processor
    )


@dataclass(frozen=True, slots=True)
class ProbedLibrary:
    """A library that was loaded on this machine.

    title: its name, for a person.
    gpus: name and total bytes of each.
    processor: the kind of processor that its CPU part is built for; empty if it has one part for all.
    """

    path: str
    title: str
    gpus: tuple[tuple[str, int], ...]
    processor: str


def probe_library(path: Path | str = "") -> ProbedLibrary:
    """Load the library at ``path``, or else the default one, in another process, and return its
    devices.

    Raises ``ModelUnsupported`` if there is none, or it does not work on this machine or takes
    longer than a minute.
    """
    # The same editd and the same packages, whatever the working directory.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", "-m", __name__, str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, env=environment, timeout=_PROBE_SECONDS, check=False
        )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ModelUnsupported(
            f"llama.cpp's library {path or 'of this machine'} cannot be loaded here: name another in "
            "EDITD_LLAMA_CPP, or remove it."
        ) from error
    if "error" in answer:
        raise ModelUnsupported(answer["error"])
    gpus = tuple((str(name), int(total)) for name, total in answer.pop("gpus"))
    return ProbedLibrary(gpus=gpus, **answer)


def _probe_result(path: str) -> dict[str, object]:
    """Load the library at ``path`` (empty: the default one) into this process; returns its
    description as JSON, or its ``error`` if it cannot be loaded.
    """
    from editd.models.llama_cpp.library import load_library

    try:
        library = load_library(path)
    except EditdError as error:
        return {"error": str(error)}
    return {
        "path": str(library.path),
        "title": library.title,
        "gpus": [(device.description or device.name, device.total) for device in library.devices()],
        "processor": _loaded_processor_kind(),
    }


def _loaded_processor_kind() -> str:
    """The kind of processor that the CPU part loaded into this process is built for, such as
    ``icelake``.

    Empty if there is one part for all, or ``/proc`` cannot be read.
    """
    try:
        loaded = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"libggml-cpu-([\w.]+)\.so", loaded)
    return found[1] if found else ""


if __name__ == "__main__":
    print(json.dumps(_probe_result(sys.argv[1])))
