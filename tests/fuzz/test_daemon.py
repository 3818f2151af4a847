"""The daemon's queue under whatever clients do: nothing lost, everybody answered once, nobody stalled.

A state machine (Hypothesis) over ``Dispatcher`` with the scripted engine. Time is injected: the loop
jumps from timer to timer and a unit takes what it is said to take, so that a stall is a number.
"""

import asyncio

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from editd.config import Config, DaemonConfig
from editd.daemon.dispatcher import CANCEL_PATIENCE, Dispatcher
from editd.daemon.limits import Limits
from editd.messages import Delta, EditRequest, EditResult, Progress, WarmupRequest
from tests.fakes import ScriptedEngine, apply_hunks, scripted, split_lines, with_script

UNIT, LOAD = 0.05, 2.0  # seconds
CLIENTS = st.integers(1, 3)
TEXTS = st.sampled_from(["", "a\n", "a\nb\nc\n", "a\r\nb", "x\n" * 12])


class JumpingLoop(asyncio.SelectorEventLoop):
    """Nobody waits: when nothing is ready, the time of the next timer has come."""

    now = 0.0

    def time(self):
        return self.now

    def _run_once(self):
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0]._when)
        super()._run_once()


class InjectedWorker:
    """As ``Worker``, on the loop: a call is made at once, and is over when its time has passed."""

    def __init__(self, engines):
        self.engines = engines
        self.loop = asyncio.get_running_loop()
        self.longest = 0.0

    def call(self, function, *args):
        future = self.loop.create_future()
        before = set(self.engines[0]._models) if self.engines else set()
        try:
            value, error = function(*args), None
        except Exception as caught:  # noqa: BLE001  # as the worker does
            value, error = None, caught
        loaded = self.engines and set(self.engines[0]._models) - before
        seconds = LOAD if loaded else UNIT
        self.longest = max(self.longest, seconds)

        def settle():
            if not future.done():
                future.set_exception(error) if error else future.set_result(value)

        self.loop.call_later(seconds, settle)
        return future

    async def stop(self, seconds):
        return True


class DaemonMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.loop = JumpingLoop()
        self.engines: list[ScriptedEngine] = []
        self.told = {}  # by client and request id: messages
        self.requests = {}
        self.cancelled_at = {}
        self.gone = set()
        self.count = 0

        async def make():
            dispatcher = Dispatcher(
                Config(daemon=DaemonConfig(unload_after=30.0)),
                scripted(made=self.engines),
                Limits(requests=4),
            )
            await dispatcher._engine_room._worker.stop(10)
            dispatcher._engine_room._worker = InjectedWorker(self.engines)
            dispatcher.start()
            return dispatcher

        self.dispatcher = self.loop.run_until_complete(make())

    def deliver_to(self, key):
        def deliver(message):
            assert key[0] not in self.gone, "somebody who has gone was told something"
            if not isinstance(message, Progress | Delta):
                assert not self.answers(key), "answered twice"
                if (asked := self.cancelled_at.get(key)) is not None:
                    assert self.loop.now - asked <= CANCEL_PATIENCE + UNIT + 1e-6, (
                        "a cancel stalled"
                    )
            assert not self.answers(key), "told something after the answer"
            self.told[key].append(message)

        return deliver

    def answers(self, key):
        return [m for m in self.told[key] if not isinstance(m, Progress | Delta)]

    def submit(self, client, make):
        self.count += 1
        key = client, str(self.count)
        self.gone.discard(client)
        self.told[key], self.requests[key] = [], make(key[1])

        async def ask():
            self.dispatcher.submit(client, self.requests[key], self.deliver_to(key))

        self.loop.run_until_complete(ask())

    @rule(
        client=CLIENTS,
        text=TEXTS,
        document=st.sampled_from(["", "d"]),
        priority=st.sampled_from(["interactive", "batch"]),
        crash_in=st.sampled_from(["", "", "", "start", "load", "round", "cancel"]),
    )
    def edit(self, client, text, document, priority, crash_in):
        options = with_script(crash_in=crash_in)
        self.submit(
            client,
            lambda request_id: EditRequest(
                request_id, text, "x", document=document, priority=priority, options=options
            ),
        )

    @rule(client=CLIENTS, text=TEXTS)
    def warm_up(self, client, text):
        self.submit(client, lambda request_id: WarmupRequest(request_id, text, document="d"))

    @rule(data=st.data())
    def cancel(self, data):
        if not self.told:
            return
        key = data.draw(st.sampled_from(sorted(self.told)))

        async def ask():
            if not self.answers(key) and key[0] not in self.gone:
                self.cancelled_at.setdefault(key, self.loop.now)
            self.dispatcher.cancel(*key)

        self.loop.run_until_complete(ask())

    @rule(client=CLIENTS)
    def hang_up(self, client):
        async def drop():
            self.gone.add(client)
            self.dispatcher.drop(client)
            # What it asked for before is nobody's any more, also when it calls again.
            for key in [key for key in self.told if key[0] == client]:
                del self.told[key]

        self.loop.run_until_complete(drop())

    @rule(seconds=st.sampled_from([0.0, 0.01, UNIT, 0.3, LOAD, 40.0]))
    def time_passes(self, seconds):
        self.loop.run_until_complete(asyncio.sleep(seconds))

    @invariant()
    def status_is_always_there(self):
        report = self.dispatcher.report("s", 1)
        assert report.state in ("idle", "loading", "busy")

    def teardown(self):
        most = LOAD * 8 + sum(UNIT * (len(r.text) + 6) for r in self.requests.values())
        self.loop.run_until_complete(asyncio.wait_for(self.dispatcher.until_answered(), most))
        for key, messages in self.told.items():
            (answer,) = self.answers(key)
            assert answer is messages[-1]
            request = self.requests[key]
            if isinstance(answer, EditResult) and answer.finish_reason == "stop":
                lines = split_lines(request.text)
                assert answer.text == apply_hunks(lines, list(answer.hunks)) == request.text.upper()
            elif isinstance(answer, EditResult):
                assert answer.text is None
        self.loop.run_until_complete(asyncio.sleep(1))
        assert self.dispatcher.report("s", 0).queue == 0
        self.loop.run_until_complete(self.dispatcher.close(1))
        self.loop.close()


@pytest.mark.parametrize(("examples", "steps"), [pytest.param(1500, 60, marks=pytest.mark.slow)])
def test_nothing_is_lost_everybody_is_answered_once_and_nobody_stalls(examples, steps):
    run_state_machine_as_test(
        DaemonMachine,
        settings=settings(
            max_examples=examples, stateful_step_count=steps, deadline=None, database=None
        ),
    )
