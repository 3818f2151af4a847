"""Prompts of edit models, with and without the prediction that they hold: rounds, and equal text.

    python -m benchmarks.edit_predictions MODEL

The prompts are those of tests/fixtures/edit_prompts.json, most of them recorded from the clients. Any model
will do: one that was not trained on these prompts strays from the lines that it should repeat.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from editd.config import Config
from editd.doors.http.edit_prompts import with_prediction
from editd.engine import Engine
from editd.messages import ChatMessage, CompleteRequest, CompleteResult, EditOptions

PROMPTS = Path(__file__).parents[1] / "tests" / "fixtures" / "edit_prompts.json"
STOPS = ("<|file_sep|>", "<|endoftext|>", "\n<|editable_region_end|>", ">>>>>>> UPDATED\n")
TOKENS = 150


def request_of(told: dict[str, Any]) -> CompleteRequest:
    """The request of one prompt of the file."""
    messages = tuple(ChatMessage(**message) for message in told.get("messages", ()))
    options = EditOptions(temperature=0.0, max_new_tokens=TOKENS)
    return CompleteRequest("1", messages, stop=STOPS, options=options, prompt=told.get("prompt"))


def main(model: str) -> None:
    """Print a row for each prompt that holds a prediction."""
    config = Config()
    engine = Engine(replace(config, model=replace(config.model, name=model, threads=1)))
    print(
        "| form | prompt | tokens | plain decoding | drafted as any prompt | with the prediction |"
    )
    print("|---|---|---|---|---|---|")
    for told in json.loads(PROMPTS.read_text()):
        asked = request_of(told)
        predicted, form = with_prediction(asked)
        if predicted.prediction is None:
            continue
        plain = replace(asked, options=replace(asked.options, drafter="none"))
        answers = [_answer(engine, request) for request in (plain, asked, predicted)]
        if len({answer.text for answer in answers}) > 1:
            raise SystemExit(f"{told['builder']}: a draft changed the text")
        figures = [answers[0].stats.output_tokens, *(answer.stats.rounds for answer in answers)]
        print(f"| `{form}` | {told['builder']} |", " | ".join(map(str, figures)), "|", flush=True)
    engine.close()


def _answer(engine: Engine, request: CompleteRequest) -> CompleteResult:
    job, told = engine.start(request), []
    while not job.finished:
        told += job.advance()
    if not isinstance(told[-1], CompleteResult):
        raise SystemExit(str(told[-1]))
    return told[-1]


if __name__ == "__main__":
    main(sys.argv[1])
