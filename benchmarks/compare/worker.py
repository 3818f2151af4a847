"""One engine in a process of its own: ``python -m benchmarks.compare.worker MODULE``.

Reads one JSON object a line on standard input, answers each with one on standard output. Wall and
CPU time of an answer are taken here, around the engine alone. What an engine prints goes to standard
error, from native code too.
"""

from __future__ import annotations

import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.compare.peer import Engine, Question, Setup


def main(module: str) -> None:
    """Serve until standard input ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    engine: Engine | None = None
    for line in sys.stdin:
        order = json.loads(line)
        try:
            if order["do"] == "open":
                engine = import_module(module).open_engine(_setup(order["setup"]))
                reply: dict[str, Any] = {}
            else:
                assert engine is not None  # noqa: S101  "open" comes first
                reply = measure(engine, order["settings"], Question(**order["question"]))
        except Exception as error:  # noqa: BLE001  whatever an engine makes of it is its result
            reply = {"error": _sentence(error)}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
    if engine is not None:
        engine.close()


def measure(engine: Engine, settings: dict[str, Any], question: Question) -> dict[str, Any]:
    """Decode one question; seconds of wall and CPU time, of all of it and to the first token."""
    engine.prepare(settings, question)
    firsts: list[tuple[float, float, int]] = []
    started, cpu_started = time.perf_counter(), time.process_time()

    def first(num_tokens: int = 1) -> None:
        if not firsts:
            seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
            firsts.append((seconds, cpu_seconds, num_tokens))

    answer = engine.decode(settings, question, first)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    return {
        "token_ids": list(answer.token_ids),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds if answer.cpu_seconds is None else answer.cpu_seconds,
        "first_seconds": firsts[0][0] if firsts else answer.first_seconds,
        "first_cpu_seconds": firsts[0][1] if firsts else answer.first_cpu_seconds,
        "first_tokens": firsts[0][2] if firsts else 1,
        "rounds": answer.rounds,
        "said": answer.said,
    }


def _setup(given: dict[str, Any]) -> Setup:
    draft = given["draft"]
    return Setup(
        checkpoint=Path(given["checkpoint"]),
        threads=given["threads"],
        draft=Path(draft) if draft else None,
        weights=given["weights"],
    )


def _sentence(error: Exception) -> str:
    """The kind of an error and the first line of what it says."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else 'no message'}"


if __name__ == "__main__":
    main(sys.argv[1])
