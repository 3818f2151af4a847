"""Work that hands the turn back, with the time injected."""

import gc
import weakref
from contextvars import ContextVar

import pytest
from greenlet import GreenletExit

from editd.turns import UNIT_SECONDS, Turns, critical_section, end_turn, yield_point


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Work:
    """Takes ``seconds``, with a yield point after each; ``ended`` has how it ended."""

    def __init__(self, seconds):
        self.clock, self.seconds, self.ended = Clock(), seconds, []

    def __call__(self):
        try:
            for taken in self.seconds:
                self.deeper(taken, 8)
        except BaseException as error:
            self.ended.append(type(error))
            raise
        finally:
            self.clock.now += 99.0
            yield_point()  # not once it is cancelled
            self.ended.append("given back")
        return "made"

    def deeper(self, taken, levels):
        if levels:
            self.deeper(taken, levels - 1)
            return
        self.clock.now += taken
        yield_point()


@pytest.mark.parametrize(
    ("seconds", "units"),
    [([], 1), ([0.001] * 10, 1), ([UNIT_SECONDS] * 3, 4), ([UNIT_SECONDS / 4] * 8, 3), ([9.0], 2)],
)
def test_a_turn_lasts_until_its_time_is_over(seconds, units):
    work = Work(seconds)
    turns, seen = Turns(work, work.clock), 0
    while not turns.done:
        turns.advance()
        seen += 1
    assert seen == units + 1  # the last one is what its end takes
    assert (turns.result, work.ended) == ("made", ["given back"])
    assert turns.advance() is None


def test_outside_of_turns_it_does_nothing():
    work = Work([9.0] * 3)
    assert work() == "made"
    with critical_section():
        yield_point()


def test_a_cancel_is_raised_at_a_yield_point():
    work = Work([9.0] * 3)
    turns = Turns(work, work.clock)
    turns.advance()
    turns.close()
    assert turns.done
    assert work.ended == [GreenletExit, "given back"]
    turns.close()
    assert turns.advance() is None


def test_a_cancel_in_a_critical_section_gives_back_in_one_go():
    work, ended = Work([9.0]), []

    def holding():
        try:
            with critical_section():
                end_turn("first")
        finally:
            work()
            ended.append(True)

    turns = Turns(holding, work.clock)
    assert turns.advance() == "first"
    turns.close()
    assert (ended, work.ended) == ([True], ["given back"])


def test_work_that_never_began_is_not_begun_to_be_ended():
    work = Work([9.0])
    turns = Turns(work)
    turns.close()
    assert (turns.done, work.ended, turns.advance()) == (True, [], None)


def test_what_the_work_raises_is_raised_to_its_host():
    def work():
        end_turn("first")
        raise KeyError("x")

    turns = Turns(work)
    assert turns.advance() == "first"
    with pytest.raises(KeyError):
        turns.advance()
    assert turns.done


def test_what_gives_back_may_fail_and_its_host_hears_of_it():
    def work():
        try:
            end_turn(None)
        finally:
            raise KeyError("x")

    turns = Turns(work)
    turns.advance()
    with pytest.raises(KeyError):
        turns.close()
    assert turns.done


def test_dropped_work_gives_back_what_it_holds():
    work = Work([9.0] * 3)
    turns = Turns(work, work.clock)
    turns.advance()
    gone = weakref.ref(turns)
    gc.disable()  # by counting references alone: a greenlet's frames are not searched for cycles
    try:
        del turns
        assert gone() is None
        assert work.ended == [GreenletExit, "given back"]
    finally:
        gc.enable()


def test_a_critical_section_is_one_turn():
    clock = Clock()

    def work():
        with critical_section():
            for _ in range(9):
                clock.now += 1.0
                yield_point()
        yield_point()

    turns = Turns(work, clock)
    turns.advance()
    assert (clock.now, turns.done) == (9.0, False)
    turns.advance()
    assert turns.done


def test_hosts_take_turns_and_may_be_hosted():
    said = []
    word = ContextVar("word", default="")

    def inner(name):
        for number in range(3):
            word.set(name)
            end_turn(f"{name}{number}")
            assert word.get() == name

    def outer():
        turns = [Turns(lambda: inner("a")), Turns(lambda: inner("b"))]
        while not all(one.done for one in turns):
            said.extend(one.advance() for one in turns)
            end_turn(None)

    turns = Turns(outer)
    while not turns.done:
        turns.advance()
    assert said == ["a0", "b0", "a1", "b1", "a2", "b2", None, None]
    assert word.get() == ""
