"""``python -m benchmarks.apply.ask EDITS URL MODEL OUT``: answers that a model gives in a chat, to be judged.

EDITS: public files as JSON lines with ``source``, ``licence``, ``language`` and ``before``. The server at URL speaks
OpenAI's chat API (``editd serve`` does). The model is shown a file and asked for a change, in no particular
format, as a person would. What a careful person wants of each answer is written into
``tests/fixtures/pasted*.jsonl`` by hand.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import Any

import httpx2

from editd.syntax.outline import outline

ASKS = (
    "Please add error handling to `{name}`.",
    "Can you add a doc comment to `{name}`?",
    "Simplify `{name}`.",
    "`{name}` should take one more argument, `verbose`, and print its name if that is set.",
    "Write another function like `{name}`, right after it, with a name of your own.",
    "I'd like `{name}` to log what it was called with.",
    "Rename `{name}` to `{name}_now`.",
    "Make `{name}` return early where that is possible.",
    "Is there a bug in `{name}`? If so, show me the fix.",
    "Add a constant for the first literal in `{name}`.",
)
MANNERS = ("", "", " Only show me the parts that change.", " Don't repeat the whole file.")
MOST_CHARACTERS = 3_000
MOST_TOKENS = 400


def questions(edits: Path, seed: str) -> Iterator[dict[str, Any]]:
    """Files with three questions each, in an order drawn by ``seed``; files that are too long or define nothing are skipped."""
    records = [json.loads(line) for line in edits.read_text(encoding="utf-8").splitlines()]
    draw = random.Random(seed)
    for record in draw.sample(records, len(records)):
        text = record["before"].replace("\r\n", "\n")
        language = record["language"]
        names = [
            definition.name
            for definition in outline(text.splitlines(keepends=True), language)
            if definition.is_block and definition.name.isidentifier()
        ]
        if not 200 < len(text) <= MOST_CHARACTERS or not names:
            continue
        for ask in draw.sample(ASKS, 3):  # in turn, so that a server reads the file once
            yield {
                "path": PurePosixPath(record["source"].rsplit(":", 1)[-1]).name,
                "source": record["source"],
                "licence": record["licence"],
                "language": language,
                "text": text,
                "ask": ask.format(name=draw.choice(names)) + draw.choice(MANNERS),
            }


def main() -> int:
    """Ask until the time is over; what was answered so far is in the file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply.ask")
    parser.add_argument("edits", type=Path)
    parser.add_argument("url", help="up to /v1")
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--minutes", type=float, default=60)
    given = parser.parse_args()
    end = monotonic() + 60 * given.minutes
    with httpx2.Client(base_url=given.url, timeout=600) as http, given.out.open("a") as out:
        for number, case in enumerate(questions(given.edits, given.seed)):
            if monotonic() > end:
                break
            content = f"```{case['language']}\n{case['text']}```\n\n{case['ask']}"
            body = {
                "model": given.model,
                "messages": [{"role": "user", "content": content}],
                "max_tokens": MOST_TOKENS,
                "temperature": 0,
                "prediction": {"type": "content", "content": case["text"]},
            }
            started = monotonic()
            answer = http.post("/chat/completions", json=body)
            answer.raise_for_status()
            choice = answer.json()["choices"][0]
            case |= {
                "number": number,
                "model": given.model,
                "paste": choice["message"]["content"],
                "finish_reason": choice["finish_reason"],
                "seconds": round(monotonic() - started, 1),
            }
            out.write(json.dumps(case, ensure_ascii=False) + "\n")
            out.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
