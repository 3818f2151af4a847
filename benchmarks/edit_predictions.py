"""Prompts of edit prediction models, with and without the prediction that they hold: rounds, and equal text.

    python -m benchmarks.edit_predictions MODEL

The prompts are built as the clients build them, around the middle of a file of the examples. Any model
will do: one that was not trained on these prompts strays from the lines that it should repeat.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from editd.config import Config
from editd.doors.http.edit_prompts import with_prediction
from editd.engine import Engine
from editd.messages import CompleteRequest, CompleteResult, EditOptions

FILE = Path(__file__).parents[1] / "examples" / "demo" / "inventory.py"
LINES = 21  # that are rewritten: Sweep's window
TOKENS = 200


def prompts() -> dict[str, str]:
    """A prompt of each of three forms, by its name."""
    lines = FILE.read_text().splitlines(keepends=True)
    start = (len(lines) - LINES) // 2
    before = "".join(lines[:start])
    part = "".join(lines[start : start + LINES])
    after = "".join(lines[start + LINES :])
    middle = part.index("\n", len(part) // 2)
    name = FILE.name
    return {
        "sweep": f"<|file_sep|>{name}\n{before}{part}{after}<|file_sep|>original/{name}\n{part}"
        f"<|file_sep|>current/{name}\n{part}<|file_sep|>updated/{name}\n",
        "zeta-2-ordered": f"<|file_sep|>edit history\n<|file_sep|>{name}\n<|fim_prefix|>\n{before}"
        f"<|fim_middle|>current\n{part[:middle]}<|user_cursor|>{part[middle:]}"
        f"<|fim_suffix|>\n{after}<|fim_middle|>updated\n",
        "zeta-1": f"### User Edits:\n\n\n\n### User Excerpt:\n\n```{name}\n{before}"
        f"<|editable_region_start|>\n{part[:middle]}<|user_cursor_is_here|>{part[middle:]}"
        f"<|editable_region_end|>\n{after}```\n\n### Response:\n",
    }


def main(model: str) -> None:
    """Print a row for each form."""
    config = Config()
    engine = Engine(replace(config, model=replace(config.model, name=model, threads=1)))
    for name, prompt in prompts().items():
        plain = CompleteRequest(
            name,
            prompt=prompt,
            stop=("<|file_sep|>", "<|endoftext|>", "\n<|editable_region_end|>"),
            options=EditOptions(temperature=0.0, max_new_tokens=TOKENS),
        )
        predicted, _ = with_prediction(plain)
        asked = {
            "plain decoding": replace(plain, options=replace(plain.options, drafter="none")),
            "as any prompt": plain,
            "with its prediction": predicted,
        }
        told = {way: _answer(engine, request) for way, request in asked.items()}
        if len({answer.text for answer in told.values()}) > 1:
            raise SystemExit(f"{name}: a draft changed the text")
        print(
            f"{name}: {told['plain decoding'].stats.output_tokens} tokens;",
            ", ".join(f"{way} {answer.stats.rounds} rounds" for way, answer in told.items()),
            flush=True,
        )
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
