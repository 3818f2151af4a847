"""What is remembered of a finished edit."""

from editd.decode.drafters.base import Draft
from editd.decode.speculative import Round
from editd.engine import trace
from editd.engine.provenance import named
from editd.engine.trace import Tracing
from editd.messages import EditRequest, EditResult
from editd.messages.reports import Stats, TracePiece


class LetterCodec:
    def decode(self, token_ids):
        return "".join(map(chr, token_ids))


def round_of(draft, path, own="."):
    accepted = [draft.token_ids[i] for i in path]
    sources = [(draft.sources or ["?"] * len(draft))[i] for i in path]
    return Round((*accepted, ord(own)), len(draft), len(path), (*sources, "new"), draft, 8, 40)


def draft_of(text, sources, parents=None):
    return Draft([ord(c) for c in text], parents, sources=sources)


def traced(*rounds):
    tracing = Tracing()
    tracing.begin(named)
    for one in rounds:
        tracing.add(LetterCodec(), one)
    return tracing


def request(text="buffer"):
    return EditRequest("r", text, "do it", path="a.py")


def test_a_chain_is_told_up_to_its_rejection():
    draft = draft_of("abcdef", ["buffer"] * 2 + ["project:x.py:1"] * 4)
    [told] = traced(round_of(draft, [0, 1, 2])).finish(request(), EditResult("r", "stop")).rounds
    assert told.pieces == (
        TracePiece("ab", "buffer", "", 2),
        TracePiece("c", "project", "x.py:1", 1),
        TracePiece(".", "new", "", 1),
    )
    assert (told.drafted, told.accepted) == (6, 3)


def test_of_a_tree_the_accepted_branch_is_told():
    #       a - b - c      accepted: a, d
    #         - d - e
    draft = draft_of("abcde", ["buffer"] * 5, [-1, 0, 1, 0, 3])
    [told] = traced(round_of(draft, [0, 3])).finish(request(), EditResult("r", "stop")).rounds
    assert [p.text for p in told.pieces] == ["ad", "."]


def test_of_a_very_long_answer_the_figures_stay_and_the_text_goes(monkeypatch):
    monkeypatch.setattr(trace, "_MOST_CHARACTERS", 30_000)
    big = round_of(draft_of("x" * 5000, ["buffer"] * 5000), range(5000))
    stats = Stats(rounds=10, output_tokens=50010)
    told = traced(*[big] * 10).finish(request(), EditResult("r", "stop", stats=stats))
    assert {p.text for r in told.rounds for p in r.pieces} == {""}
    assert sum(p.num_tokens for r in told.rounds for p in r.pieces) == 50010
    assert told.stats == stats
