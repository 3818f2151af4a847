"""What real models answered, replayed: nothing of their habits reaches the buffer unnoticed."""

import json
from collections import Counter
from pathlib import Path

import pytest

from editd.checks import check_hunks
from editd.checks.loops import LoopWatch
from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Keep
from editd.engine.provenance import NEW
from editd.engine.region_answer import RegionAnswer
from editd.intent import parse
from editd.prompts.base import Prompt, PromptParts
from editd.prompts.scope import choose_scope
from editd.syntax.language import language_of
from tests.fixtures.real_answers import spelled

FOLDER = Path(__file__).parents[2] / "fixtures" / "real"
RECORDS = {
    file.stem: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for file in sorted(FOLDER.glob("*.jsonl"))
}
CASES = [
    pytest.param(record, id=f"{model} {record['name']}")
    for model, records in RECORDS.items()
    for record in records
]


def replay(record, size):
    """The rewriting of a recorded answer that comes ``size`` characters at a time, and its walk."""
    before = record["before"]
    document = Document.of(before)
    pieces = choose_scope(
        document.model_lines,
        record["instruction"],
        count_tokens=len,
        max_context=100_000,
        overhead=0,
        path=record["path"],
    )
    scope = pieces
    (region,) = scope.regions
    prompt = Prompt("", opening="```\n", fence="```")
    loops = LoopWatch(before)
    language = language_of(record["path"])
    parts = PromptParts(record["path"], language, "", before, "", record["instruction"])
    writing = RegionAnswer(document, region, prompt, parts, record["instruction"], loops=loops)
    answer = spelled(before, record["answer"])
    ops = []
    for at in range(0, len(answer), size):
        ended = writing.on_text(answer[at : at + size], cut=False)
        ops += writing.end_round([NEW])
        if ended:
            break
    if writing.repeats:
        ops += writing.abandon()
    elif record["ended"]:
        ops += writing.finish()
    return writing.repeats, scope, ops


def outcome(record, repeats, scope, ops):
    before = record["before"]
    hunks = [op for op in ops if isinstance(op, Hunk) and op.done]
    if not repeats and not record["ended"]:
        return "cut off"
    if repeats:
        return "suspect" if hunks else "nothing ended"
    document = Document.of(before)
    regions = [(region.start, region.end) for region in scope.regions]
    language = language_of(record["path"])
    hunks, doubts = check_hunks(document, hunks, record["instruction"], language, regions=regions)
    text = apply(hunks, before)
    if doubts:
        return "suspect, wrongly" if text == spelled(before, record["after"]) else "suspect"
    if text == spelled(before, record["after"]):
        return "exact"
    return "unchanged" if text == before else "wrong"


@pytest.mark.parametrize("record", CASES)
def test_what_becomes_of_it(record):
    repeats, scope, ops = replay(record, 7)
    assert outcome(record, repeats, scope, ops) == record["outcome"]
    walked = [op.count if isinstance(op, Keep) else op.old_count * op.done for op in ops]
    if record["outcome"] != "cut off":
        assert sum(walked) == scope.regions[0].end - scope.regions[0].start


@pytest.mark.parametrize("record", CASES)
def test_no_hunk_is_white_space_alone(record):
    _, _, ops = replay(record, 7)
    if parse(record["instruction"]).is_about_spacing:
        return
    old = Document.of(record["before"]).lines
    for op in ops:
        if isinstance(op, Hunk) and op.done:
            gone = "".join(old[op.start : op.start + op.old_count])
            assert words(gone) != words("".join(op.new_lines))


def words(text):
    """The lines that say something, as they are indented."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_a_loop_is_ended_and_an_honest_answer_never():
    """Of the answers that came to no end of their own; the others are told to say nothing twice."""
    counts = Counter(
        (record["ended"], bool(replay(record, 7)[0]))
        for records in RECORDS.values()
        for record in records
    )
    assert counts[True, True] == 0
    assert counts[False, True] >= 16
    assert counts[False, False] <= 2
