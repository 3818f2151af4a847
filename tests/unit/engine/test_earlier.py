"""Refine and retry: the earlier answer is what the model is shown, and what is drafted from."""

from __future__ import annotations

import pytest

import editd.engine.edit as edit_module
from editd.config import Config, ModelConfig
from editd.decode.drafters import making_drafter
from editd.engine import Engine
from editd.engine.earlier import earlier_answer
from editd.messages import EditOptions, EditRequest
from tests.tiny import checkpoint

LINES = ("a\n", "b\n", "c\n", "d\n")


@pytest.mark.parametrize(
    ("text", "start", "end", "part"),
    [
        ("a\nB\nB\nc\nd\n", 1, 2, "B\nB\n"),
        ("a\r\nB\r\nc\r\nd\r\n", 1, 2, "B\n"),
        ("a\nc\nd\n", 1, 2, ""),
        ("A\nB\n", 0, 4, "A\nB\n"),
        ("a\nb\nc\nd\ne\n", 4, 4, "e\n"),
        # The buffer has changed since, or the answer reached beyond these lines.
        ("A\nB\nc\nd\n", 1, 2, "A\nB\nc\nd\n"),
        ("a\nB\nc\n", 1, 2, "a\nB\nc\n"),
        ("d\n", 0, 1, "d\n"),
    ],
)
def test_the_part_of_a_region(text, start, end, part):
    assert earlier_answer(text, LINES, start, end) == part


@pytest.mark.parametrize(
    ("fields", "prediction"),
    [
        ({}, "b\n"),
        ({"based_on": "a\nBETTER\nc\nd\n"}, "BETTER\n"),
        ({"based_on": "a\nBETTER\nc\nd\n", "prediction": "said\n"}, "said\n"),
    ],
)
def test_it_is_drafted_from(monkeypatch, fields, prediction):
    tasks = []

    def record(spec, task):
        tasks.append(task)
        return making_drafter(spec, task)

    monkeypatch.setattr(edit_module, "making_drafter", record)
    engine = Engine(Config(ModelConfig(str(checkpoint("llama")), threads=1)))
    options = EditOptions(max_new_tokens=4)
    text = "".join(LINES)
    request = EditRequest("r", text, "Go on.", start_line=1, end_line=2, options=options, **fields)
    list(engine.edit(request))
    engine.close()
    (task,) = tasks
    assert task.prediction.endswith(prediction)
    assert len(task.prediction) <= len(prediction) + 8  # what healing took back from the prompt
