"""``python -m benchmarks.compare.build_llama``: llama.cpp and its server, compiled once.

The package index has llama-cpp-python as source only, with all of llama.cpp inside. Its tree is built here with the
server, into the user's cache. Needs cmake and a C++ compiler; a quarter of an hour on two cores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from editd.files.local_cache import cache_dir

RELEASE = "0.3.36"
"""Of llama-cpp-python."""

_PIP = (sys.executable, "-m", "pip", "--quiet")

_OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DBUILD_SHARED_LIBS=ON",
    "-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON",  # the folder is moved afterwards
    "-DGGML_NATIVE=ON",
    "-DGGML_CCACHE=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_APP=OFF",
    "-DLLAMA_BUILD_UI=OFF",  # its pages would be downloaded
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_OPENSSL=OFF",
)


def built_programs() -> Path | None:
    """The folder with llama-server and its libraries, ``None`` until they were built here."""
    folder = _folder() / "bin"
    return folder if (folder / "llama-server").is_file() else None


def build() -> Path:
    """Fetch the source through pip, compile, and return the folder with the programs; once a user."""
    if (programs := built_programs()) is not None:
        return programs
    target = _folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unfinished-") as scratch:
        _compile(_download(Path(scratch)), Path(scratch), target)
    return target / "bin"


def _download(scratch: Path) -> Path:
    package = ["--no-binary", "llama-cpp-python", f"llama-cpp-python=={RELEASE}"]
    _run([*_PIP, "download", "--no-deps", "--dest", str(scratch), *package])
    return next(scratch.glob("*.tar.gz"))


def _compile(archive: Path, scratch: Path, target: Path) -> None:
    with tarfile.open(archive) as source:
        source.extractall(scratch, filter="data")
    tree = next(scratch.glob("llama_cpp_python-*/vendor/llama.cpp"))
    built = scratch / "build"
    _run(["cmake", "-S", str(tree), "-B", str(built), *_OPTIONS])
    jobs = str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
    _run(["cmake", "--build", str(built), "--parallel", jobs, "--target", "llama-server"])
    unfinished = scratch / "finished"
    shutil.copytree(built / "bin", unfinished / "bin", symlinks=True)
    shutil.rmtree(target, ignore_errors=True)  # one that was not finished
    unfinished.rename(target)


def _folder() -> Path:
    return cache_dir() / "compare" / f"llama.cpp-{RELEASE}"


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    print(build())
