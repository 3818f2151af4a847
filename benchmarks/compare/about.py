"""The circumstances of a run: releases, processor, date. Nothing that names a person or a folder."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from editd.models.llama_cpp.fetching import probe_library
from editd.models.llama_cpp.library import PATH_VARIABLE, is_library_installed

_PACKAGES = ("editd", "torch", "transformers", "gguf", "openvino", "openvino-genai")


def describe(checkpoint: str, threads: int, command: str) -> dict[str, Any]:
    """The circumstances, for ``--json`` and the page."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "checkpoint": checkpoint,
        "threads": threads,
        "command": command,
        "processor": processor(),
        "python": platform.python_version(),
        "versions": _versions(),
    }


def processor() -> str:
    """The processor's name and the vector instructions that matter to matrices."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = dict(line.split(":", 1) for line in lines if ":" in line)
    facts = {name.strip(): value.strip() for name, value in facts.items()}
    flags = set(facts.get("flags", "").split())
    vectors = [name for name in ("avx2", "avx512f", "avx512_vnni", "amx_tile") if name in flags]
    name = facts.get("model name", platform.machine())
    return f"{name} ({', '.join(vectors)})" if vectors else name


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    if server := shutil.which("llama-server"):
        found["llama-server"] = _server_version(server)
    if is_library_installed():
        found["editd's GGUF rows on"] = _library()
    return found


def _library() -> str:
    """The llama.cpp that editd runs on, without the folder that it lies in."""
    if os.environ.get(PATH_VARIABLE):
        return f"a llama.cpp named in {PATH_VARIABLE}"
    seen = probe_library()
    return f"{seen.title} ({seen.processor})" if seen.processor else seen.title


def _server_version(program: str) -> str:
    command = [program, "--version"]
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        for line in (done.stderr + done.stdout).splitlines():
            if line.startswith("version:"):
                return line.removeprefix("version:").strip()
    return "unknown"
