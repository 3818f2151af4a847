"""What is computed now can be ended from another thread, and nothing else with it."""

import threading

from editd.config import Config
from editd.daemon.engine_core import EngineCore
from editd.daemon.orders import Answered, Open, Work
from editd.errors import EditCancelled
from editd.messages import EditRequest, pack


class Engine:
    """Its jobs compute until they are interrupted."""

    def __init__(self):
        self.begun, self.stopped, self.interrupts = threading.Event(), threading.Event(), 0

    def start(self, _request):
        return Job(self)

    def interrupt(self):
        self.interrupts += 1
        self.stopped.set()

    def models(self):
        return ()

    workspaces = models
    take_traces = models


class Job:
    finished = preparing = False

    def __init__(self, engine):
        self.engine = engine

    def advance(self):
        self.engine.begun.set()
        assert self.engine.stopped.wait(60)
        raise EditCancelled("The edit was cancelled.")

    def cancel(self, _reason=""):
        return []


def test_only_the_unit_of_that_job_is_ended():
    engine, said = Engine(), []
    core = EngineCore(lambda *_: engine, said.append)
    core.interrupt(7)  # before anything was asked
    core.hear(Open(Config()))
    request = EditRequest("r", "x = 1\n", "double it")
    core.hear(Work(7, "edit", "r", pack(request)))
    thread = threading.Thread(target=core.step)
    thread.start()
    assert engine.begun.wait(60)
    core.interrupt(8)
    assert engine.interrupts == 0
    core.interrupt(7)
    thread.join(60)
    core.interrupt(7)  # between two units
    assert engine.interrupts == 1
    [answer] = [report for report in said if isinstance(report, Answered)]
    assert (answer.key, answer.code) == (7, "cancelled")
