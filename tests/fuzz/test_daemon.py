"""The daemon's queue under whatever clients do: nothing lost, everybody answered once, nobody stalled.

A state machine (Hypothesis) over ``Dispatcher`` with the scripted engine and injected time. Time
passes only while the engine works or nothing waits, a more urgent request gets the very next unit,
clients take turns, and a cancel is answered within its patience, whatever runs.
"""

import asyncio
import contextlib
import logging
from unittest import mock

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from editd.config import Config, DaemonConfig
from editd.daemon.dispatcher import CANCEL_PATIENCE, Dispatcher
from editd.daemon.forwarded import QueuedRequest
from editd.daemon.framing import unpack
from editd.daemon.outbox import ClientLimits
from editd.errors import DaemonUnreachable, UsageError
from editd.messages import Delta, EditRequest, EditResult, Failed, Progress, WarmupRequest
from tests.fakes import ScriptedEngine, apply_hunks, scripted, split_lines, with_script
from tests.fuzz import machines
from tests.in_process import in_process
from tests.injected_time import LOAD, UNIT, InjectedEngine, InjectedLoop

SLOW_UNIT = 0.3  # seconds: more than the patience of a cancel
INSTANT = 1e-6
URGENCY = ("interactive", "batch", "warmup")
CLIENTS = st.integers(1, 3)
LARGE = "y" * 3000
TEXTS = st.sampled_from(["", "a\n", "a\nb\nc\n", "a\r\nb", "x\n" * 12, LARGE])
LIMITS = ClientLimits(requests=4, request_bytes=12_000)


class Asked:
    """One request, as its client sees it."""

    def __init__(self, client, request, count, now):
        self.client = client
        self.request = request
        self.urgency = URGENCY.index(getattr(request, "priority", "warmup"))
        self.count = count  # how many units had begun when it was asked
        self.at = now
        self.told = []
        self.begun = False
        self.cancelled_at = None

    @property
    def answers(self):
        return [m for m in self.told if not isinstance(m, Progress | Delta)]

    @property
    def waits(self):
        return not self.answers and self.cancelled_at is None


class DaemonMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.loop = InjectedLoop()
        self.engines: list[ScriptedEngine] = []
        self.injected = contextlib.ExitStack()
        self.injected.enter_context(self.loop.under_the_daemon(self.unit_begins))
        self.asked: dict[tuple[int, str], Asked] = {}  # by client and request id
        self.count = 0
        self.units = 0
        self.last_unit: dict[tuple[int, int], int] = {}  # by urgency and client

        async def make():
            return Dispatcher(
                Config(daemon=DaemonConfig(unload_after=30.0)),
                in_process(scripted(made=self.engines)),
                LIMITS,
            )

        self.dispatcher = self.loop.run_until_complete(make())
        self.loop.before_waiting = self.time_may_pass

    # --- what always holds -----------------------------------------------------------------------

    def time_may_pass(self):
        """Time passes while the engine works; else nobody may wait for it."""
        for asked in self.asked.values():
            assert asked.answers or self.working, "the engine rests and somebody waits"
            if asked.cancelled_at is not None and not asked.answers:
                waited = self.loop.now - asked.cancelled_at
                assert waited <= CANCEL_PATIENCE + INSTANT, "a cancel stalled"

    @property
    def working(self):
        engine = self.dispatcher._supervisor.engine
        return engine is not None and engine.working

    def unit_begins(self, job):
        """The engine is about to do a unit: it has to be that of the right request."""
        entry = self.dispatcher._begun[job.key]
        self.units += 1
        mine = self.asked.get((entry.client, entry.request_id))
        assert mine is not None, "the engine works for somebody who has gone"
        assert mine.waits, "the engine works for nothing"
        waiting = [asked for asked in self.asked.values() if asked.waits]
        assert mine.urgency <= min((a.urgency for a in waiting), default=9), "not the most urgent"
        lane = mine.urgency
        turn = self.last_unit.get((lane, mine.client), 0)
        self.last_unit[lane, mine.client] = self.units
        if mine.begun:
            return
        mine.begun = True
        for other in waiting:
            if other.urgency == lane and other.client != mine.client and other.count < turn:
                since = self.last_unit.get((lane, other.client), 0)
                assert other.begun or since > turn, "a client was passed over"

    def deliver_to(self, mine):
        def deliver(told):
            message = unpack(told.body)
            key = mine.client, mine.request.request_id
            assert self.asked.get(key) is mine, "somebody who has gone was told something"
            assert message.request_id == mine.request.request_id
            assert not mine.answers, "told something after the answer"
            mine.told.append(message)
            if isinstance(message, EditResult) and message.finish_reason == "refused":
                assert self.loop.now == mine.at, "refused after a wait"

        return deliver

    @invariant()
    def status_is_always_there(self):
        report = self.dispatcher.report("s", 1)
        assert report.state in ("idle", "loading", "busy")
        waiting = sum(1 for asked in self.asked.values() if asked.waits)
        assert report.queue >= waiting, "somebody waits who is not in the queue"

    # --- what clients do -------------------------------------------------------------------------

    def at_once(self, function, *args):
        async def call():
            return function(*args)

        return self.loop.run_until_complete(call())

    def submit(self, client, make):
        self.count += 1
        request = make(str(self.count))
        mine = Asked(client, request, self.units, self.loop.now)
        older = [asked for asked in self.asked.values() if superseded(mine, asked)]
        self.asked[client, request.request_id] = mine
        self.at_once(self.dispatcher.submit, client, sealed(request), self.deliver_to(mine))
        if mine.answers:  # refused, so everything else is as it was
            return
        for asked in older:
            self.note_cancelled(asked)

    def note_cancelled(self, asked):
        if asked.cancelled_at is None and not asked.answers:
            asked.cancelled_at = self.loop.now

    @rule(
        client=CLIENTS,
        text=TEXTS,
        document=st.sampled_from(["", "d"]),
        priority=st.sampled_from(["interactive", "batch"]),
        preparing=st.sampled_from([0, 0, 3]),
        crash_in=st.sampled_from(["", "", "", "start", "load", "round", "cancel"]),
    )
    def edit(self, client, text, document, priority, preparing, crash_in):
        self.submit(
            client,
            lambda request_id: EditRequest(
                request_id,
                text,
                "x",
                document=document,
                priority=priority,
                options=with_script(crash_in=crash_in, preparing_units=preparing),
            ),
        )

    @rule(client=CLIENTS, text=TEXTS)
    def warm_up(self, client, text):
        self.submit(client, lambda request_id: WarmupRequest(request_id, text, document="d"))

    @rule(data=st.data())
    def ask_twice(self, data):
        """The same id again is refused while it is in use; the request that has it goes on."""
        open_ = sorted(key for key, asked in self.asked.items() if not asked.answers)
        if open_:
            client, request_id = data.draw(st.sampled_from(open_))
            again = sealed(EditRequest(request_id, "", "x"))
            with pytest.raises(UsageError):
                self.at_once(self.dispatcher.submit, client, again, pytest.fail)

    @rule(data=st.data())
    def cancel(self, data):
        if self.asked:
            key = data.draw(st.sampled_from(sorted(self.asked)))
            self.note_cancelled(self.asked[key])
            self.at_once(self.dispatcher.cancel, *key)

    @rule()
    def cancel_all(self):
        for asked in self.asked.values():
            self.note_cancelled(asked)
        self.at_once(self.dispatcher.cancel_all, "All of them.")

    @rule(client=CLIENTS)
    def hang_up(self, client):
        # What it asked for before is nobody's any more, also when it calls again.
        self.asked = {key: asked for key, asked in self.asked.items() if key[0] != client}
        self.at_once(self.dispatcher.drop, client)

    @rule(seconds=st.sampled_from([0.0, 0.01, UNIT, 0.3, LOAD, 40.0]))
    def time_passes(self, seconds):
        self.loop.run_until_complete(asyncio.sleep(seconds))

    @rule(seconds=st.sampled_from([UNIT, SLOW_UNIT]))
    def units_take(self, seconds):
        self.injected.enter_context(mock.patch.object(InjectedEngine, "unit", seconds))

    # --- the end ---------------------------------------------------------------------------------

    def teardown(self):
        try:
            self.everybody_is_answered()
        finally:
            self.loop.end()
            self.injected.close()

    def everybody_is_answered(self):
        # Each may load a model of its own, if the load before it crashed.
        units = sum(len(split_lines(a.request.text)) + 8 for a in self.asked.values())
        most = LOAD * (len(self.asked) + 1) + SLOW_UNIT * units
        self.loop.run_until_complete(asyncio.wait_for(self.dispatcher.until_answered(), most))
        for asked in self.asked.values():
            (answer,) = asked.answers
            if isinstance(answer, EditResult) and answer.finish_reason == "stop":
                lines, text = split_lines(asked.request.text), asked.request.text
                assert answer.text == apply_hunks(lines, list(answer.hunks)) == text.upper()
            elif isinstance(answer, EditResult):
                assert answer.text is None
        # What a cancel was answered without may still run: the queue is empty when it has ended.
        self.loop.run_until_complete(asyncio.sleep(LOAD + SLOW_UNIT * (self.count + 1)))
        assert self.dispatcher.report("s", 0).queue == 0
        self.dispatcher.stopping = True
        self.submit(1, lambda request_id: EditRequest(request_id, "a", "x"))
        *_, last = self.asked.values()
        assert isinstance(last.told[0], Failed)
        assert last.told[0].error.code == DaemonUnreachable.code
        self.loop.run_until_complete(self.dispatcher.close())
        assert all(engine.closed for engine in self.engines)


def sealed(request):
    return QueuedRequest.of(request)


def superseded(newer, older):
    """Whether ``newer`` takes the place of ``older``."""
    documents = {getattr(asked.request, "document", "") for asked in (newer, older)}
    return (
        newer.client == older.client
        and documents == {"d"}
        and older.urgency >= (URGENCY.index("warmup") if is_warmup(newer) else 0)
    )


def is_warmup(asked):
    return isinstance(asked.request, WarmupRequest)


@machines.sizes((40, 30), (1500, 60))
def test_nothing_is_lost_everybody_is_answered_once_and_nobody_stalls(examples, steps, caplog):
    caplog.set_level(logging.CRITICAL, "editd")  # scripted defects are logged as defects
    machines.run(DaemonMachine, examples, steps)
