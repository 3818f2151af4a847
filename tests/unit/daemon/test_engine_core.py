"""What is computed now can be ended from another thread; whatever fails, there is one answer."""

import threading
from dataclasses import dataclass, replace

import pytest

from editd.config import Config
from editd.daemon.engine_core import EngineCore
from editd.daemon.forwarded import OutgoingMessage, QueuedRequest
from editd.daemon.framing import unpack
from editd.daemon.orders import Configure, TraceReport, decode_order, encode_order
from editd.errors import EditCancelled, EditFailed, ModelNotFound
from editd.messages import (
    CompleteRequest,
    CompleteResult,
    EditRequest,
    EditResult,
    ErrorInfo,
    Failed,
)
from editd.messages.reports import ModelStatus, Stats, TraceSummary


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
    core.take_order(Configure(Config()))
    request = EditRequest("r", "x = 1\n", "double it")
    core.take_order(replace(QueuedRequest.of(request), key=7))
    thread = threading.Thread(target=core.step)
    thread.start()
    assert engine.begun.wait(60)
    core.interrupt(8)
    assert engine.interrupts == 0
    core.interrupt(7)
    thread.join(60)
    core.interrupt(7)  # between two units
    assert engine.interrupts == 1
    [answer] = [report for report in said if isinstance(report, OutgoingMessage)]
    assert answer.kind == "final"
    assert (answer.key, answer.code) == (7, "cancelled")


HALF = "\ud800"  # of a character: no message holds it
REQUESTS = {"EditRequest": EditRequest("r", "x", "y"), "CompleteRequest": CompleteRequest("r")}


@dataclass
class Answering:
    """An engine, and its only job."""

    answer: object
    models_: object = ()
    traces: object = ()
    finished = preparing = False

    def start(self, _request):
        return self

    def advance(self):
        self.finished = True
        return [self.answer]

    def cancel(self, _reason=""):
        raise RuntimeError

    def models(self):
        return self.models_

    def workspaces(self):
        return ()

    def take_traces(self):
        if isinstance(self.traces, Exception):
            raise self.traces
        return self.traces


@pytest.mark.parametrize(
    ("engine", "ends"),
    [
        (Answering(EditResult("r", "stop", text=HALF)), "stop: failed"),
        (Answering(EditResult("r", "stop", model=HALF)), "stop: failed"),
        (Answering(EditResult("r", "error", error=ErrorInfo("x", HALF))), "error: failed"),
        (Answering(Failed("r", ErrorInfo("x", HALF))), "x: failed"),
        (Answering(CompleteResult("r", "stop", text=HALF)), "stop: failed"),
        (Answering(EditResult("r", "stop", stats=Stats(rounds=10**30))), "stop: failed"),
        (Answering(EditResult("r", "stop", text="X"), (ModelStatus(HALF, "ready"),)), "stop"),
        (Answering(EditResult("r", "stop", text="X"), None), "stop"),
        (Answering(EditResult("r", "stop", text="X"), (), RuntimeError()), "stop"),
        (Answering(EditResult("r", "stop", text="X"), (), [None]), "stop"),
    ],
)
def test_whatever_fails_there_is_one_answer(engine, ends):
    said = []
    core = EngineCore(lambda *_: engine, said.append)
    core.take_order(Configure(Config()))
    of_completions = isinstance(engine.answer, CompleteResult | Failed)
    kind = "CompleteRequest" if of_completions else "EditRequest"
    core.take_order(replace(QueuedRequest.of(REQUESTS[kind]), key=7))
    while core.step():
        pass
    [report] = [one for one in said if isinstance(one, OutgoingMessage) and one.kind == "final"]
    answer = unpack(report.body)
    assert (report.key, answer.request_id) == (7, "r")
    error = getattr(answer, "error", None)
    assert report.outcome + (f": {error.code}" if error else "") == ends


@pytest.mark.parametrize("text", [HALF, "caf\udce9", "plain"])
def test_what_need_not_be_text_crosses_the_pipe_as_it_is(text):
    for sent in (
        TraceReport(TraceSummary("1", 0.0, text, text, "stop", 1, 1), b"body"),
        QueuedRequest("EditRequest", text, "batch", text, b"body", 1.5, 1),
    ):
        head, body = encode_order(sent)
        assert decode_order(head, body) == sent


@pytest.mark.parametrize("error", [EditFailed, ModelNotFound])
def test_the_sentence_of_an_error_is_always_text(error):
    assert str(error(f"{HALF} is no file.")) == r"\ud800 is no file."
