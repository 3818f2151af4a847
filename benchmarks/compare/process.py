"""Engines, each in a process of its own, which takes the time of its answers; its end is one sentence for the table.

Wall and CPU time are taken around the engine alone. Whatever an engine prints, from native code too, goes to a log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from benchmarks.compare.peer import Answer, Engine, Question, Setup

_SPAWN = get_context("spawn")


class PeerFailed(Exception):
    """An engine could not open or answer; the message is its own."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer and its seconds, of all of it and to the first tokens.

    first_tokens: how many came at once when the first were known.
    """

    answer: Answer
    seconds: float
    cpu_seconds: float
    first_seconds: float | None
    first_cpu_seconds: float | None
    first_tokens: int = 1


class PeerProcess:
    """An engine's process, started by the first question and again after it has ended.

    module: the engine's file. log: where its output goes. limit: seconds that an answer may take.
    """

    def __init__(self, module: str, setup: Setup, log: Path, limit: float) -> None:
        self._module = module
        self._setup = setup
        self._log = log
        self._limit = limit
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None

    def ask(self, settings: dict[str, Any], question: Question) -> Reply:
        """Decode ``question`` over there. Raises ``PeerFailed``."""
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._pipe is not None  # noqa: S101  the process has one
        self._pipe.send((settings, question))
        reply = self._received(self._limit)
        assert isinstance(reply, Reply)  # noqa: S101  to a question
        return reply

    def close(self) -> None:
        """End the process; the next question starts another."""
        process, self._process = self._process, None
        if self._pipe is not None:
            self._pipe.close()
        if process is not None:
            process.join(timeout=10)
            process.kill()
            process.join()

    def _start(self) -> None:
        self.close()
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(
            target=_serve, args=(theirs, self._module, self._setup, self._log)
        )
        with _environment(self._setup.threads):
            self._process.start()
        theirs.close()
        try:
            # Converting and compiling a large model takes longer than any answer.
            self._received(10 * self._limit)
        except PeerFailed:
            self.close()
            raise

    def _received(self, limit: float) -> Reply | None:
        """The next reply. Raises ``PeerFailed`` for a sentence in its place, for none in time, and for a process that ended."""
        assert self._process is not None  # noqa: S101  started by the caller
        assert self._pipe is not None  # noqa: S101
        if not self._pipe.poll(limit):
            self._process.kill()
            raise PeerFailed(f"stopped after {limit:.0f} s")
        try:
            reply: Reply | str | None = self._pipe.recv()
        except EOFError:
            self._process.join()
            lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            last = lines[-1] if lines else "it said nothing"
            raise PeerFailed(f"ended with status {self._process.exitcode}: {last}") from None
        if isinstance(reply, str):
            raise PeerFailed(reply)
        return reply


def measure(engine: Engine, settings: dict[str, Any], question: Question) -> Reply:
    """Decode ``question`` and take the time."""
    engine.prepare(settings, question)
    firsts: list[tuple[float, float, int]] = []
    started, cpu_started = time.perf_counter(), time.process_time()

    def first(num_tokens: int = 1) -> None:
        if not firsts:
            seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
            firsts.append((seconds, cpu_seconds, num_tokens))

    answer = engine.decode(settings, question, first)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    return Reply(
        answer,
        seconds,
        cpu_seconds if answer.cpu_seconds is None else answer.cpu_seconds,
        *(firsts[0] if firsts else (answer.first_seconds, answer.first_cpu_seconds)),
    )


def _serve(pipe: Connection, module: str, setup: Setup, log: Path) -> None:
    """Open the engine and answer questions until the other end closes; an error goes back as a sentence."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    try:
        engine = import_module(module).open_engine(setup)
    except Exception as error:  # noqa: BLE001  whatever an engine makes of it is its result
        pipe.send(_sentence(error))
        return
    pipe.send(None)
    try:
        while True:
            settings, question = pipe.recv()
            try:
                pipe.send(measure(engine, settings, question))
            except Exception as error:  # noqa: BLE001
                pipe.send(_sentence(error))
    except EOFError:
        engine.close()


@contextmanager
def _environment(threads: int) -> Iterator[None]:
    """While a process starts: threads for whatever library it computes with, no network, no chatter."""
    before = dict(os.environ)
    libraries = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    os.environ.update(dict.fromkeys(libraries, str(threads)))
    os.environ.update(
        TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1", HF_HUB_DISABLE_PROGRESS_BARS="1"
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _sentence(error: Exception) -> str:
    """The kind of an error and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no message'}"
