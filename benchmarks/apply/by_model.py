"""``python -m benchmarks.apply.by_model FILE.gguf OUT.jsonl``: doubtful pasted answers, merged by a model.

Takes the answers of ``benchmarks.apply.answers`` that are not certain, in an order of their own, and asks the model as
*Ask the model* does: pieces that are certain are merged, it writes the rest. Judged beside the best reading.
OUT keeps each as it ends; called again, it goes on there.
"""

from __future__ import annotations

import argparse
import json
import statistics
import zlib
from pathlib import Path
from time import monotonic, process_time
from typing import cast

from benchmarks.apply.answers import LOTS, Answer, outcome, read_answers
from editd.apply.resolve import resolve_sketch
from editd.config import Config, ModelConfig
from editd.engine import Engine
from editd.errors import EditdError
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions


def main() -> int:
    """Ask until all are done or the time is over, and print a table of those in OUT."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply.by_model")
    parser.add_argument("model", help="a folder, a GGUF file or a pulled id")
    parser.add_argument("out", type=Path)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--limit", type=float, default=300, help="seconds for one answer")
    given = parser.parse_args()
    every = (*read_answers(), *read_answers(*LOTS))
    doubtful = [one for one in every if outcome(one)[0] in ("marked", "none")]
    doubtful.sort(key=lambda one: zlib.crc32(one.name.encode()))
    chosen = {one.name: one for one in doubtful[: given.number]}
    done = []
    if given.out.exists():
        done = [json.loads(line) for line in given.out.read_text(encoding="utf-8").splitlines()]
    ends = monotonic() + 60 * given.minutes
    engine = Engine(Config(ModelConfig(given.model, threads=1)))
    with given.out.open("a", encoding="utf-8") as out:
        for name in [name for name in chosen if name not in {one["name"] for one in done}]:
            if monotonic() > ends:
                break
            done.append(_merged(engine, chosen[name], given.limit))
            out.write(json.dumps(done[-1]) + "\n")
            out.flush()
    engine.close()
    print("| | answers | model right | best reading right | seconds, median | 90 % | CPU seconds |")
    print("|---|---|---|---|---|---|---|")
    for kind in ("marked", "none"):
        some = [one for one in done if one["kind"] == kind]
        if some:
            seconds = sorted(one["seconds"] for one in some)
            right = sum(one["right"] for one in some)
            reading = sum(one["reading"] for one in some)
            print(
                f"| {kind} | {len(some)} | {right} | {reading} | {statistics.median(seconds):.0f} "
                f"| {seconds[int(0.9 * (len(seconds) - 1))]:.0f} "
                f"| {statistics.median(one['cpu'] for one in some):.0f} |"
            )
    return 0


def _merged(engine: Engine, answer: Answer, limit: float) -> dict[str, object]:
    """What the model makes of it."""
    kind, text, _ = outcome(answer)
    options = EditOptions(way="model", timeout=limit)
    request = EditRequest(
        answer.name, answer.before, "", path=answer.path, sketch=answer.paste, options=options
    )
    started, spent = monotonic(), process_time()
    result: EditResult | None = None
    why = ""
    try:
        for message in engine.edit(cast("EditRequest", resolve_sketch(request))):
            if isinstance(message, EditResult):
                result = message
    except EditdError as error:
        why = str(error)
    return {
        "name": answer.name,
        "kind": kind,
        "right": result is not None and answer.is_right(result.text),
        "suspect": result is not None and bool(result.suspects),
        "reading": kind == "marked" and answer.is_right(text),
        "why": why or (_end_of(result) if result is not None else "no answer"),
        "seconds": round(monotonic() - started, 1),
        "cpu": round(process_time() - spent, 1),
    }


def _end_of(result: EditResult) -> str:
    return result.finish_reason + (f": {result.error.message}" if result.error else "")


if __name__ == "__main__":
    raise SystemExit(main())
