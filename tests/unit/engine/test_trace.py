"""What is remembered of finished edits, and for how long."""

from editd.decode.drafters.base import Draft
from editd.decode.speculative import Round
from editd.engine.provenance import named
from editd.engine.trace import Traces, Tracing
from editd.messages import EditRequest, EditResult, Stats, TracePiece


class LetterCodec:
    def decode(self, token_ids):
        return "".join(map(chr, token_ids))


def round_of(draft, path, own="."):
    accepted = [draft.token_ids[i] for i in path]
    sources = [(draft.sources or ["?"] * len(draft))[i] for i in path]
    return Round(
        (*accepted, ord(own)), len(draft), len(path), (*sources, "new"), draft, tuple(path), 8, 40
    )


def draft_of(text, sources, parents=None):
    return Draft([ord(c) for c in text], parents, None, sources)


def traced(*rounds):
    tracing = Tracing()
    tracing.begin(named)
    for one in rounds:
        tracing.add(LetterCodec(), one)
    return tracing


def request(text="buffer"):
    return EditRequest("r", text, "do it", path="a.py")


def test_a_chain_is_told_up_to_its_rejection_and_behind_it():
    draft = draft_of("abcdef", ["buffer"] * 2 + ["project:x.py:1"] * 4)
    [told] = (
        traced(round_of(draft, [0, 1, 2])).finish("1", request(), EditResult("r", "stop")).rounds
    )
    assert told.pieces == (
        TracePiece("ab", "buffer", "", 2),
        TracePiece("c", "project", "x.py:1", 1),
        TracePiece(".", "new", "", 1),
    )
    assert told.rejected == (TracePiece("def", "project", "x.py:1", 3),)
    assert (told.window, told.context, told.drafted, told.accepted) == (8, 40, 6, 3)


def test_a_tree_is_told_branch_by_branch():
    #       a - b - c      accepted: a, d
    #         - d - e
    draft = draft_of("abcde", ["buffer"] * 5, [-1, 0, 1, 0, 3])
    [told] = traced(round_of(draft, [0, 3])).finish("1", request(), EditResult("r", "stop")).rounds
    assert [p.text for p in told.pieces] == ["ad", "."]
    assert [p.text for p in told.rejected] == ["bc", "e"]


def test_of_many_edits_the_last_are_kept():
    traces = Traces(most=3)
    for _ in range(5):
        traces.keep(traced(), request(), EditResult("r", "stop"))
    assert [s.id for s in traces.summaries()] == ["5", "4", "3"]
    assert traces.find().id == "5"
    assert traces.find("4").id == "4"
    assert traces.find("1") is None
    traces.clear()
    assert traces.find() is None
    assert traces.summaries() == ()


def test_their_memory_is_bounded():
    big = round_of(draft_of("x" * 5000, ["buffer"] * 5000), range(5000))
    stats = Stats(rounds=10, output_tokens=50010)
    traces = Traces(most_bytes=130_000)
    for count in (1, 2, 10, 1):
        traces.keep(traced(*[big] * count), request(), EditResult("r", "stop", stats=stats))
    kept = {s.id: traces.find(s.id) for s in traces.summaries()}
    assert "4" in kept
    assert len(kept) < 5
    huge = Traces(most_bytes=30_000)
    huge.keep(traced(*[big] * 10), request(), EditResult("r", "stop", stats=stats))
    found = huge.find()  # too large: the figures stay, the text goes
    assert {p.text for r in found.rounds for p in r.pieces} == {""}
    assert sum(p.num_tokens for r in found.rounds for p in r.pieces) == 50010
