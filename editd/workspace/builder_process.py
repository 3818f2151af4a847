"""Runs the builder as a separate process and reads its one-line report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Protocol

import editd
from editd.workspace.builder import Built

_BUILD_SECONDS = 600.0  # after which a builder is given up


class Builder(Protocol):
    """Brings an index file up to date outside this process; ``stop`` ends a running build."""

    def build(self, root: Path, tokenizer: Path, path: Path) -> Built: ...

    def stop(self) -> None: ...


class BuilderProcess:
    """``editd.workspace.builder`` in a child process, which ends when this one does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def build(self, root: Path, tokenizer: Path, path: Path) -> Built:
        """Run it to its end. Never raises: what went wrong is in the answer."""
        with self._lock:
            if self._stopped:
                return Built("failed", message="The builder was stopped.")
            try:
                process = self._process = _spawn(root, tokenizer, path)
            except OSError as error:
                return Built("failed", message=f"The builder cannot be run: {error.strerror}.")
        timer = threading.Timer(_BUILD_SECONDS, process.kill)
        timer.daemon = True
        timer.start()
        # Not ``communicate``: it would close the standard input that keeps the builder alive.
        with process:
            said = process.stdout.read() if process.stdout is not None else b""
        timer.cancel()
        try:
            return Built(**json.loads(said))
        except (ValueError, TypeError):
            return Built("failed", message="The builder ended without an answer.")

    def stop(self) -> None:
        """End the build that is running, and all to come."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()


def _spawn(root: Path, tokenizer: Path, path: Path) -> subprocess.Popen[bytes]:
    environment = dict(os.environ)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
        environment[name] = "1"
    # -P: no folder but the installed ones is searched for modules, so an editd that is not
    # installed must be named.
    source = Path(editd.__file__).resolve().parent.parent
    if source.name not in ("site-packages", "dist-packages"):
        environment["PYTHONPATH"] = str(source)
    command = [sys.executable, "-P", "-m", "editd.workspace.builder", "--attended"]
    return subprocess.Popen(
        [*command, "--", str(root), str(tokenizer), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
