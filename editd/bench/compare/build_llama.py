"""``python -m editd.bench.compare.build_llama``: llama.cpp and its server, compiled once.

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
from pathlib import Path

from editd.nano.solved.cache import cache_dir

RELEASE = "0.3.36"
"""Of llama-cpp-python; constraints.txt names the same."""

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
    """Fetch the source through pip, compile, and return the folder with the programs."""
    if (found := built_programs()) is not None:
        return found
    target = _folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unfinished-") as scratch:
        pip = [sys.executable, "-m", "pip", "--quiet"]
        package = f"llama-cpp-python=={RELEASE}"
        _run(
            [
                *pip,
                "download",
                "--no-deps",
                "--no-binary",
                "llama-cpp-python",
                "--dest",
                scratch,
                package,
            ]
        )
        archive = next(Path(scratch).glob("*.tar.gz"))
        with tarfile.open(archive) as source:
            source.extractall(scratch, filter="data")
        tree = next(Path(scratch).glob("llama_cpp_python-*/vendor/llama.cpp"))
        # Without LLAMA_BUILD the package holds Python alone.
        _run([*pip, "install", str(archive)], CMAKE_ARGS="-DLLAMA_BUILD=OFF")
        built = Path(scratch) / "build"
        _run(["cmake", "-S", str(tree), "-B", str(built), *_OPTIONS])
        jobs = str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
        _run(["cmake", "--build", str(built), "--parallel", jobs, "--target", "llama-server"])
        unfinished = Path(scratch) / "finished"
        shutil.copytree(built / "bin", unfinished / "bin", symlinks=True)
        shutil.rmtree(target, ignore_errors=True)  # one that was not finished
        unfinished.rename(target)
    return target / "bin"


def _folder() -> Path:
    return cache_dir() / "compare" / f"llama.cpp-{RELEASE}"


def _run(command: list[str], **environment: str) -> None:
    subprocess.run(command, check=True, env={**os.environ, **environment})


if __name__ == "__main__":
    print(build())
