"""Sketches that a model puts in, through the real engine: each format with a checkpoint solved for it."""

import dataclasses

import pytest
import torch

from docs.edit_formats import chatml
from editd.apply import resolve as answering
from editd.apply.outcome import Doubtful, InDoubt
from editd.config import Config, ModelConfig
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Keep, Origin
from editd.engine import Engine
from editd.messages import Delta, EditRequest, EditResult
from editd.messages.options import EditOptions
from editd.prompts.formats import format_for
from tests.fixtures.solved.checkpoint import Wording, build
from tests.fixtures.solved.edits import Edit
from tests.unit.solved.tiny_edits import TINY

pytestmark = pytest.mark.usefixtures("settled_costs")

TEXT = "a = load(1)\nb = load(2)\n\nif a:\n    say(a)\nif b:\n    say(b)\n"
SKETCH = "# ...\nif b:\n    with quiet():\n        say(b)\n    stop()\n"
AFTER = TEXT.replace("    say(b)\n", "    with quiet():\n        say(b)\n    stop()\n")
TIGHT = "# ...\nb = load(2)\nif a:\n# ...\n"
APPLY = ("fast-apply", "osmosis-apply", "update-message")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def checkpoint(folder, name, edits):
    torch.set_num_threads(1)
    wording = Wording(
        format_for(name, chatml), ("<|im_start|>", "<|im_end|>"), "<|im_end|>", TEMPLATE
    )
    build(folder, edits, TINY, lambda _message, _done: None, wording)
    return folder


def engine_of(folder):
    config = dataclasses.replace(
        Config(), model=ModelConfig(name=str(folder), device="cpu", dtype="float32", threads=1)
    )
    return Engine(config)


def run(engine, request):
    job, told = engine.start(request), []
    while not job.finished:
        told += job.advance()
    assert isinstance(told[-1], EditResult)
    return told[:-1], told[-1]


def request(**changes):
    made = EditRequest("r", TEXT, "", path="a.py", sketch=SKETCH, merge="model")
    return dataclasses.replace(made, **changes)


def walked(told):
    """The text that the deltas tell of."""
    lines, new = TEXT.splitlines(keepends=True), []
    at = 0
    hunks = {}
    for message in told:
        for op in message.ops if isinstance(message, Delta) else ():
            if isinstance(op, Keep):
                new += lines[at : at + op.count]
                at += op.count
            elif op.done:
                hunks[op.id] = op
                new += op.new_lines
                at = op.start + op.old_count
    return "".join(new), list(hunks)


@pytest.mark.parametrize("name", APPLY)
def test_a_solved_checkpoint_puts_it_in(name, tmp_path):
    edits = [Edit("quiet", "a.py", "", TEXT, AFTER, sketch=SKETCH)]
    if name == APPLY[0]:
        edits.append(Edit("tight", "a.py", "", TEXT, TEXT.replace("\n\n", "\n"), sketch=TIGHT))
    engine = engine_of(checkpoint(tmp_path / name, name, edits))
    told, result = run(engine, request())
    assert (result.text, result.error, result.suspects) == (AFTER, None, ())
    assert walked(told)[0] == AFTER
    assert (result.stats.written_by, result.stats.drafter) == ("model", "sketch+suffix")
    assert [way.name for way in result.ways] == ["again"]
    assert result.stats.rounds < result.stats.output_tokens / 2
    assert {origin.source for hunk in result.hunks for origin in hunk.origins} >= {"sketch"}
    # The same way by its name, where the text alone would do.
    for way in ("model", "again"):
        sampling = EditOptions(way=way, temperature=0.01)
        _, asked = run(engine, request(merge="auto", options=sampling))
        assert (asked.text, asked.stats.written_by) == (AFTER, "model")
    # Lossless: nothing drafted, the same text, in as many rounds as it has tokens.
    _, plain = run(engine, request(options=EditOptions(drafter="none")))
    assert plain.text == AFTER
    assert plain.stats.output_tokens == result.stats.output_tokens == plain.stats.rounds
    if name == APPLY[0]:  # a blank line goes, because the sketch says so
        _, tight = run(engine, request(sketch=TIGHT))
        assert (tight.text, tight.stats.restored_lines) == (TEXT.replace("\n\n", "\n"), 0)
    _, refused = run(engine, request(sketch=None, instruction="x"))
    assert refused.finish_reason == "refused"
    engine.close()


def test_only_the_doubtful_region_is_rewritten(tmp_path, monkeypatch):
    """The certain hunk is told where it stands, before and after what the model writes."""
    part = "if a:\n    shout(a)\n"
    region = "if a:\n    say(a)\n"
    edits = [Edit("part", "a.py", "", region, part, sketch=part)]
    engine = engine_of(checkpoint(tmp_path / "part", "fast-apply", edits))

    def certain(start, count, *lines):
        origins = tuple(Origin(i, 0, len(line), "sketch") for i, line in enumerate(lines))
        return Hunk(len(lines), start, count, lines, origins=origins)

    doubt = InDoubt(
        "It says two things.",
        certain=(certain(0, 1, "a = load(3)\n"), certain(7, 0, "stop()\n", "end()\n")),
        doubtful=(Doubtful(3, 5, ("if a:", "    shout(a)")),),
    )
    monkeypatch.setattr(answering, "merge_request", lambda _request: doubt)
    told, result = run(engine, request(merge="auto"))
    expected = TEXT.replace("load(1)", "load(3)").replace("say(a)", "shout(a)") + "stop()\nend()\n"
    assert (result.error, result.text) == (None, expected)
    assert apply(result.hunks, TEXT) == expected
    assert walked(told)[0] == expected
    assert len({hunk.id for hunk in result.hunks}) == len(result.hunks) == 3
    assert [hunk.start for hunk in result.hunks] == sorted(hunk.start for hunk in result.hunks)
    assert result.stats.written_by == "text+model"
    assert any("It says two things." in notice for notice in result.notices)
    assert any("Only lines 4 to 5" in notice for notice in result.notices)
    assert [way.name for way in result.ways] == ["again"]
    # As text it is refused, and the model is what is left.
    _, as_text = run(engine, request(merge="text"))
    assert (as_text.finish_reason, as_text.error.message) == ("refused", "It says two things.")
    assert [way.name for way in as_text.ways] == ["model"]
    # Where lines are selected nothing is put in besides: the model is asked for these.
    _, selected = run(engine, request(merge="auto", start_line=3, end_line=5))
    assert selected.hunks
    assert all(3 <= hunk.start <= hunk.start + hunk.old_count <= 5 for hunk in selected.hunks)
    engine.close()
