"""The other end of ``worker``: starts an engine's process, asks it, and survives its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.compare.peer import Question, Setup


class PeerFailed(Exception):
    """An engine could not open or answer; the message is its own."""


class PeerProcess:
    """One engine's process, started when it is first asked and again after it has ended.

    module: the engine's file. log: where its standard error goes. limit: seconds that one answer
    may take.
    """

    def __init__(self, module: str, setup: Setup, log: Path, limit: float) -> None:
        self._module = module
        self._setup = setup
        self._log = log
        self._limit = limit
        self._process: subprocess.Popen[str] | None = None

    def ask(self, settings: dict[str, Any], question: Question) -> dict[str, Any]:
        """What ``worker.measure`` returns. Raises ``PeerFailed``."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        return self._exchange(
            {"do": "decode", "settings": settings, "question": asdict(question)}, self._limit
        )

    def close(self) -> None:
        """End the process; the next question starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None  # noqa: S101  a pipe was asked for
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.close()
            process.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()
        process.stdout.close()

    def _start(self) -> None:
        self.close()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.compare.worker", self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                env={**os.environ, **_settings(self._setup.threads)},
            )
        setup = {
            "checkpoint": str(self._setup.checkpoint),
            "threads": self._setup.threads,
            "draft": str(self._setup.draft) if self._setup.draft else None,
            "weights": self._setup.weights,
        }
        try:
            # Converting and compiling a large model takes longer than any answer.
            self._exchange({"do": "open", "setup": setup}, 10 * self._limit)
        except PeerFailed:
            self.close()
            raise

    def _exchange(self, order: dict[str, Any], limit: float) -> dict[str, Any]:
        process = self._process
        assert process is not None  # noqa: S101  started by the caller
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        alarm = threading.Timer(limit, process.kill)
        alarm.start()
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            late = not alarm.is_alive()
            alarm.cancel()
        if not line:
            self.close()
            raise PeerFailed(
                f"stopped after {limit:.0f} s" if late else self._last_words(process.returncode)
            )
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise PeerFailed(reply["error"])
        return reply

    def _last_words(self, status: int) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return f"ended with status {status}: {lines[-1] if lines else 'it said nothing'}"


def _settings(threads: int) -> dict[str, str]:
    """Threads for whatever library an engine computes with; no network, no chatter."""
    return {
        **dict.fromkeys(
            ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads)
        ),
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
