"""What a llama.cpp library can use on this machine, asked in a process of its own.

A library that does not fit may end the process that loads it, and the libraries of two builds do not mix
in one. Run as a program, this module loads a library and prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from editd.errors import EditdError, ModelUnsupported

_SECONDS = 60.0  # a driver that takes longer to say what it has does not work


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
            command, capture_output=True, env=environment, timeout=_SECONDS, check=False
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
