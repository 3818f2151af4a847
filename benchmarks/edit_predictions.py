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
from editd.messages import ChatMessage, CompleteRequest, CompleteResult
from editd.messages.options import EditOptions

PROMPTS = Path(__file__).parents[1] / "tests" / "fixtures" / "edit_prompts.json"
STOPS = ("<|file_sep|>", "<|endoftext|>", "\n<|editable_region_end|>", ">>>>>>> UPDATED\n")
TOKENS = 150


def request_of(told: dict[str, Any]) -> CompleteRequest:
    """The request of one prompt of the file."""
    messages = tuple(ChatMessage(**message) for message in told.get("messages", ()))
    options = EditOptions(temperature=0.0, max_new_tokens=TOKENS)
    return CompleteRequest("1", messages, stop=STOPS, options=options, prompt=told.get("prompt"))


def main(model: str) -> None:
    """Print a row for each prompt that holds a prediction; raises ``SystemExit`` if a draft changed a text.

    On llama.cpp a near tie may go either way (docs/explanation/lossless.md). Where texts differ, all three are
    written once more with ``bitwise`` passes, where they may not.
    """
    config = Config()
    config = replace(config, model=replace(config.model, name=model, threads=1))
    engine, exact = Engine(config), None
    print("| form | prompt | tokens | plain | as any prompt | with the prediction | text |")
    print("|---|---|---|---|---|---|---|")
    for told in json.loads(PROMPTS.read_text()):
        asked = request_of(told)
        predicted, form = with_prediction(asked)
        if predicted.prediction is None:
            continue
        plain = replace(asked, options=replace(asked.options, drafter="none"))
        answers = [_answer(engine, request) for request in (plain, asked, predicted)]
        text = "equal"
        if _differ(answers):
            bitwise = replace(config, model=replace(config.model, exactness="bitwise"))
            exact = exact or Engine(bitwise)
            answers = [_answer(exact, request) for request in (plain, asked, predicted)]
            text = "equal with `bitwise`"
            if _differ(answers):
                raise SystemExit(f"{told['builder']}: a draft changed the text")
        figures = [answers[0].stats.output_tokens, *(answer.stats.rounds for answer in answers)]
        row = " | ".join(map(str, [*figures, text]))
        print(f"| `{form}` | {told['builder']} | {row} |", flush=True)
    for opened in filter(None, (engine, exact)):
        opened.close()


def _differ(answers: list[CompleteResult]) -> bool:
    return len({answer.text for answer in answers}) > 1


def _answer(engine: Engine, request: CompleteRequest) -> CompleteResult:
    job, told = engine.start(request), []
    while not job.finished:
        told += job.advance()
    if not isinstance(told[-1], CompleteResult):
        raise SystemExit(str(told[-1]))
    return told[-1]


if __name__ == "__main__":
    main(sys.argv[1])
