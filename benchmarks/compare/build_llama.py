"""``python -m benchmarks.compare.build_llama``: llama.cpp and its server, compiled once.

The package index has llama-cpp-python as source only, with all of llama.cpp inside. Compiled by
itself it has no server; compiled twice it takes twice as long. So its tree is built here with the
server, into the user's cache, and the Python package is installed without a compilation: it takes
its libraries from there. Needs cmake and a C++ compiler; a quarter of an hour on two cores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path

from editd.files.local_cache import cache_dir

RELEASE = "0.3.36"
"""Of llama-cpp-python; constraints.txt names the same."""

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
    """Fetch the source through pip, compile, and return the folder with the programs.

    What is there already is kept: the programs are the user's, the Python package is of this
    environment, so either may be missing alone.
    """
    programs, package = built_programs(), find_spec("llama_cpp")
    if programs is not None and package is not None:
        return programs
    target = _folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unfinished-") as scratch:
        archive = _download(Path(scratch))
        if package is None:  # without LLAMA_BUILD it holds Python alone
            _run([*_PIP, "install", str(archive)], CMAKE_ARGS="-DLLAMA_BUILD=OFF")
        if programs is None:
            _compile(archive, Path(scratch), target)
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


def _run(command: list[str], **environment: str) -> None:
    subprocess.run(command, check=True, env={**os.environ, **environment})


if __name__ == "__main__":
    print(build())
