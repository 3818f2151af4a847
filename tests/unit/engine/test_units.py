"""A unit is bounded in time: how pieces of work become units, with the time injected."""

import pytest

from editd.config import Config
from editd.diff.document import Document, lines_of
from editd.engine.job import Job
from editd.errors import AnswerCutOff, EditCancelled
from editd.messages import EditRequest
from editd.messages.options import EditOptions
from editd.turns import UNIT_SECONDS, Turns, critical_section, yield_point


class Pool:
    def spec(self, model):
        return model

    draft_spec = spec


class Prepared(Job):
    _OVERDUE = "late"

    def _run(self):
        self.work()
        self._send(["sent"])
        return "answer"

    def _answer_error(self, error):
        return error


def job(**options):
    return Prepared(Pool(), Config(), EditRequest("r", "", "", options=EditOptions(**options)))


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr("editd.engine.job.Turns", lambda work: Turns(work, clock))
    return clock


def working(one, clock, seconds, ended=None):
    def work():
        try:
            for taken in seconds:
                clock.now += taken
                yield_point()
        finally:
            if ended is not None:
                ended.append(True)

    one.work = work
    return one


@pytest.mark.parametrize(
    ("seconds", "units"),
    [([], 0), ([0.001] * 10, 0), ([UNIT_SECONDS] * 3, 3), ([UNIT_SECONDS / 4] * 8, 2), ([9.0], 1)],
)
def test_others_may_come_first_once_the_time_is_over(clock, seconds, units):
    one = working(job(), clock, seconds)
    seen = []
    while not one.finished:
        seen.append((one.advance(), one.preparing))
    preparing = [([], True)] * units
    assert seen == [*preparing, (["sent"], False), (["answer"], False)]
    assert one.advance() == []


def test_a_critical_section_is_no_ones_turn(clock):
    one = job()

    def work():
        with critical_section():
            clock.now += 9.0
            yield_point()
            one._send(["loading"])
            clock.now += 9.0
            yield_point()

    one.work = work
    seen = [(one.advance(), one.preparing) for _ in range(3)]
    assert seen == [([word], False) for word in ["loading", "sent", "answer"]]


def test_a_job_that_is_cancelled_gives_back_what_it_holds(clock):
    ended = []
    one = working(job(), clock, [1.0] * 99, ended)
    one.advance()
    (error,) = one.cancel()
    assert (type(error), ended, one.finished) == (EditCancelled, [True], True)
    assert one.cancel() == one.advance() == []


def test_the_limit_of_time_is_looked_at_before_every_unit(monkeypatch, clock):
    ended = []
    one = working(job(timeout=5.0), clock, [1.0] * 99, ended)
    monkeypatch.setattr("editd.engine.job.monotonic", lambda: one._started + clock.now)
    told = [message for _ in range(99) for message in one.advance()]
    assert [(type(end), str(end)) for end in told] == [(AnswerCutOff, "late")]
    assert (clock.now, ended, one.finished) == (6.0, [True], True)


@pytest.mark.parametrize(
    "text", ["x\n" * 500_000, "x" * 1_000_000, "a\r" * 500_000, "a\r\n" * 300_000]
)
def test_a_text_is_cut_into_lines_in_pieces(text):
    turns, pieces = Turns(lambda: lines_of(text)), 0
    while not turns.done:
        turns.advance(0.0)
        pieces += 1
    assert pieces == -(-len(text) // (1 << 16)) + 1
    document = Document.of(text)
    assert document.text == text
    assert len(document.lines) == len(text.splitlines())
    assert "\r" not in document.model_text


def test_lines_take_less_memory_than_their_text_six_times():
    text = "x\n" * 500_000
    assert lines_of(text)._starts.buffer_info()[1] * 4 < 6 * len(text)
