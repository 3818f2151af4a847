"""A unit is bounded in time: how pieces of work become units, with the time injected."""

import pytest

from editd.config import Config
from editd.diff.document import Document
from editd.diff.lines import lines_of
from editd.engine.job import UNIT_SECONDS, Job
from editd.errors import AnswerCutOff
from editd.messages import EditOptions, EditRequest
from editd.pieces import whole


class Pool:
    def spec(self, model):
        return model

    draft_spec = spec


class Prepared(Job):
    _OVERDUE = "late"

    def _run(self):
        yield []

    def _answer_error(self, error):
        return error


def job(**options):
    return Prepared(Pool(), Config(), EditRequest("r", "", "", options=EditOptions(**options)))


class Clock:
    """Each piece of work takes so long."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def pieces(self, seconds, closed):
        try:
            for taken in seconds:
                self.now += taken
                yield
            return "made"
        finally:
            closed.append(True)


@pytest.mark.parametrize(
    ("seconds", "units"),
    [([], 0), ([0.001] * 10, 0), ([UNIT_SECONDS] * 3, 3), ([UNIT_SECONDS / 4] * 8, 2), ([9.0], 1)],
)
def test_pieces_are_done_together_until_the_time_is_over(seconds, units):
    clock, closed, one = Clock(), [], job()
    made = []

    def run():
        made.append((yield from one._in_units(clock.pieces(seconds, closed), clock)))

    seen = [(told, one.preparing) for told in run()]
    assert seen == [([], True)] * units
    assert made == ["made"]
    assert not one.preparing
    assert closed == [True]


def test_work_that_is_dropped_is_closed():
    clock, closed = Clock(), []
    work = job()._in_units(clock.pieces([1.0] * 99, closed), clock)
    next(work)
    work.close()
    assert closed == [True]


def test_the_limit_of_time_is_looked_at_before_every_unit(monkeypatch):
    clock, one, closed = Clock(), job(timeout=5.0), []
    monkeypatch.setattr("editd.engine.job.monotonic", lambda: one._started + clock.now)
    one._units = one._in_units(clock.pieces([1.0] * 99, closed), clock)
    told = [message for _ in range(99) for message in one.advance()]
    assert [(type(end), str(end)) for end in told] == [(AnswerCutOff, "late")]
    assert (clock.now, closed, one.finished) == (6.0, [True], True)


@pytest.mark.parametrize(
    "text", ["x\n" * 500_000, "x" * 1_000_000, "a\r" * 500_000, "a\r\n" * 300_000]
)
def test_a_text_is_cut_into_lines_in_pieces(text):
    pieces = sum(1 for _ in lines_of(text))
    assert pieces == -(-len(text) // (1 << 16))
    document = Document.of(text)
    assert document.text == text
    assert len(document.lines) == len(text.splitlines())
    assert "\r" not in document.model_text


def test_lines_take_less_memory_than_their_text_six_times():
    text = "x\n" * 500_000
    assert whole(lines_of(text))._starts.buffer_info()[1] * 4 < 6 * len(text)
