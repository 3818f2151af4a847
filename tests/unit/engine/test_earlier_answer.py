"""Refine and retry: the earlier answer is what the model is shown, and what is drafted from."""

from __future__ import annotations

import pytest

import editd.engine.local_text_source as writer_module
from editd.config import Config, ModelConfig
from editd.decode.drafters import make_drafter
from editd.diff.earlier_answer import EarlierAnswer
from editd.engine import Engine
from editd.messages import EditRequest
from editd.messages.options import EditOptions
from editd.turns import Turns
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
    assert EarlierAnswer.read(text, LINES).part(start, end) == part


def test_the_earlier_text_is_read_once_however_many_regions_there_are():
    class Counted(list):
        num_read = 0

        def __iter__(self):
            Counted.num_read += len(self)
            return super().__iter__()

        def __reversed__(self):
            Counted.num_read += len(self)
            return super().__reversed__()

        def __getitem__(self, index):
            found = super().__getitem__(index)
            Counted.num_read += len(found) if isinstance(index, slice) else 1
            return found

    buffer = Counted(f"{number}\n" for number in range(9000))
    text = "".join(buffer).replace("\n4500\n", "\n4500!\n")
    Counted.num_read = 0
    turns = Turns(lambda: EarlierAnswer.read(text, buffer))
    for _ in range(5):
        turns.advance(0.0)  # one piece: its lines, and two times two thousand from either end
        assert not turns.done
    turns.advance()
    earlier = turns.result
    assert earlier.part(4500, 4501) == "4500!\n"
    assert [earlier.part(at, at + 1) for at in range(0, 9000, 100)] == [
        "4500!\n" if at == 4500 else text for at in range(0, 9000, 100)
    ]
    assert Counted.num_read <= 2 * len(buffer)


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
        return make_drafter(spec, task)

    monkeypatch.setattr(writer_module, "make_drafter", record)
    engine = Engine(Config(ModelConfig(str(checkpoint("llama")), threads=1)))
    options = EditOptions(max_new_tokens=4)
    text = "".join(LINES)
    request = EditRequest("r", text, "Go on.", start_line=1, end_line=2, options=options, **fields)
    list(engine.edit(request))
    engine.close()
    (task,) = tasks
    assert task.prediction.endswith(prediction)
    assert len(task.prediction) <= len(prediction) + 8  # what healing took back from the prompt
