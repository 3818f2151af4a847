"""Which finished edits can be explained, and for how long."""

from editd.daemon import traces as traces_module
from editd.daemon.framing import pack
from editd.daemon.traces import Traces
from editd.messages import Explained
from editd.messages.reports import Stats, Trace, TraceSummary


def keep(kept, instruction="do it"):
    trace = Trace("", 1.0, "a.py", instruction, "m", "stop", Stats(), 0.0, ())
    summary = TraceSummary("", 1.0, "a.py", instruction, "stop", 1, 2)
    kept.add(summary, pack(Explained("", trace)))


def known(kept):
    return [summary.id for summary in kept.explain("r", "").known]


def test_of_many_edits_the_last_are_kept(monkeypatch):
    monkeypatch.setattr(traces_module, "MAX_TRACES", 3)
    kept = Traces()
    assert kept.explain("r", "") == Explained("r")
    for _ in range(5):
        keep(kept)
    assert known(kept) == ["5", "4", "3"]
    assert kept.explain("r", "").trace.id == "5"
    assert kept.explain("r", "4").trace.id == "4"
    assert kept.explain("r", "1").trace is None


def test_their_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(traces_module, "MAX_BYTES", 3000)
    kept = Traces()
    for size in (1000, 1000, 10_000, 1000):
        keep(kept, "x" * size)
    assert known(kept) == ["4"]
    keep(kept, "x" * 10_000)  # the last one is kept in any case
    assert known(kept) == ["5"]
