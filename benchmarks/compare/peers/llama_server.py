"""llama.cpp's server with its n-gram speculation modes; a fresh server for every answer.

Fresh, because some of the modes learn from one request for the next.
"""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.request
from typing import Any

import psutil

from benchmarks.compare.peer import Answer, First, Mode, Question, Setup
from tests.gguf_writer import gguf_of

MODULES = ("gguf",)
INSTALL = "gguf"
PROGRAM = "llama-server"
MODES = tuple(
    Mode(name, f"--spec-type {name}", {"spec_type": name})
    for name in ("ngram-simple", "ngram-map-k", "ngram-mod")
)

_START_SECONDS = 120.0


class LlamaServerEngine:
    """Starts a server on a free port of this machine, asks it once, and ends it."""

    def __init__(self, setup: Setup) -> None:
        self._path = str(gguf_of(setup.checkpoint, setup.weights))
        self._threads = str(setup.threads)
        self._server: subprocess.Popen[bytes] | None = None
        self._url = ""

    def prepare(self, settings: dict[str, Any], question: Question) -> None:
        """Start a server with room for this question, and wait until it is ready."""
        self.close()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = str(probe.getsockname()[1])
        self._url = f"http://127.0.0.1:{port}"
        context = len(question.prompt_ids) + question.max_new_tokens + 256
        command = [PROGRAM, "-m", self._path, "-c", str(context), "-np", "1"]
        command += ["-t", self._threads, "-tb", self._threads, "--spec-type", settings["spec_type"]]
        command += ["--host", "127.0.0.1", "--port", port, "--cache-ram", "0", "--metrics"]
        self._server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self._server.poll() is not None:
                raise RuntimeError(f"llama-server ended with status {self._server.returncode}")
            try:
                self._get("/health")
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError(f"llama-server was not ready after {_START_SECONDS:.0f} s")

    def decode(
        self,
        settings: dict[str, Any],  # noqa: ARG002
        question: Question,
        first: First,  # noqa: ARG002
    ) -> Answer:
        """Ask for one ``/completion`` of token ids.

        Not streamed: a streamed answer leaves out the ids of tokens that end inside a character.
        """
        assert self._server is not None  # noqa: S101  prepare comes first
        process = psutil.Process(self._server.pid)
        passes, cpu = self._passes(), _cpu_seconds(process)
        body = {
            "prompt": list(question.prompt_ids),
            "n_predict": question.max_new_tokens,
            "temperature": 0,
            "top_k": 1,
            "cache_prompt": False,
            "return_tokens": True,
        }
        with self._open("/completion", body) as answer:
            reply = json.load(answer)
        cpu, timings = _cpu_seconds(process) - cpu, reply["timings"]
        # It has clocks of the wall alone; its CPU time is shared out by them.
        reading = timings["prompt_ms"] / max(timings["prompt_ms"] + timings["predicted_ms"], 1e-9)
        return Answer(
            reply["tokens"],
            rounds=self._passes() - passes,
            cpu_seconds=cpu,
            first_seconds=timings["prompt_ms"] / 1000,
            first_cpu_seconds=cpu * reading,
        )

    def close(self) -> None:
        if self._server is not None:
            self._server.terminate()
            self._server.wait()
            self._server = None

    def _passes(self) -> int:
        for line in self._get("/metrics").decode().splitlines():
            if line.startswith("llamacpp:n_decode_total"):
                return int(float(line.split()[1]))
        return 0

    def _get(self, path: str) -> bytes:
        with self._open(path) as answer:
            content: bytes = answer.read()
            return content

    def _open(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310  always this machine, always http
            self._url + path, data, {"Content-Type": "application/json"}
        )
        return urllib.request.urlopen(request)  # noqa: S310


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def open_engine(setup: Setup) -> LlamaServerEngine:
    """Convert the checkpoint if that was not done yet."""
    return LlamaServerEngine(setup)
