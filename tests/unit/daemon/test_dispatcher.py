"""The daemon without its socket: real thread, scripted engine, units let through one by one."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from unittest import mock

import pytest

from editd.config import Config, DaemonConfig, DecodeConfig
from editd.daemon import engine_supervisor
from editd.daemon.dispatcher import (
    CANCEL_PATIENCE,
    OVERDUE_PATIENCE,
    OVERDUE_SILENCE,
    Dispatcher,
)
from editd.daemon.forwarded import QueuedRequest
from editd.daemon.framing import unpack
from editd.daemon.outbox import ClientLimits
from editd.errors import UsageError
from editd.messages import Delta, Done, EditRequest, EditResult, Failed, Progress, WarmupRequest
from tests.fakes import Gate, Script, ScriptedEngine, scripted, with_script
from tests.in_process import in_process
from tests.injected_time import UNIT, InjectedEngine, InjectedLoop


class Rig:
    """A dispatcher, and everything that it delivers."""

    def __init__(self, dispatcher: Dispatcher, gate: Gate, engines: list[ScriptedEngine]):
        self.dispatcher = dispatcher
        self.gate = gate
        self.engines = engines
        self.told: dict[str, list] = {}
        self.order: list[str] = []  # requests in the order of their answers
        self._changed = asyncio.Event()

    def ask(self, request, client=1):
        self.told[request.request_id] = []
        self.dispatcher.submit(
            client, asked(request), lambda told: self._hear(request, unpack(told.body))
        )

    def _hear(self, request, message):
        assert message.request_id == request.request_id
        assert self.answer(request.request_id) is None, "two answers"
        self.told[request.request_id].append(message)
        if self.answer(request.request_id):
            self.order.append(request.request_id)
        self._changed.set()

    def answer(self, request_id):
        last = self.told[request_id][-1:]
        return None if not last or isinstance(last[0], Progress | Delta) else last[0]

    async def until(self, condition):
        async with asyncio.timeout(60):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def answers(self, *request_ids) -> list[str]:
        """How the requests end: finish reasons, error codes."""
        await self.until(lambda: all(map(self.answer, request_ids)))
        return [how(self.answer(request_id)) for request_id in request_ids]

    async def unit_waits(self):
        await asyncio.to_thread(self.gate.wait_for_unit)

    async def loaded(self):
        """Let the first request's model load, and stop in its next unit."""
        await self.unit_waits()
        self.gate.step()
        await self.unit_waits()


def how(answer) -> str:
    match answer:
        case EditResult(finish_reason=reason, error=None):
            return reason
        case EditResult(finish_reason=reason, error=error):
            return f"{reason}: {error.code}"
        case Failed(error=error):
            return f"failed: {error.code}"
        case Done():
            return "done"
    raise AssertionError(answer)


@asynccontextmanager
async def rig(limits=None, daemon=None, gated=True, **script):
    gate, engines = Gate(), []
    factory = scripted(Script(**script), gate, engines)
    config = Config(daemon=daemon or DaemonConfig())
    dispatcher = Dispatcher(config, in_process(factory), limits or ClientLimits())
    if not gated:
        gate.open()
    try:
        yield Rig(dispatcher, gate, engines)
    finally:
        gate.open()
        await dispatcher.close()
        assert all(engine.closed for engine in engines)


def asked(request):
    return QueuedRequest.of(request)


def edit(request_id, text="a\nb\n", priority="interactive", document="", **script):
    options = with_script(**script)
    return EditRequest(
        request_id, text, "shout", document=document, options=options, priority=priority
    )


async def test_an_edit_is_told_in_order_and_answered_once():
    async with rig(gated=False) as it:
        it.ask(edit("a", "x\n\ny\n"))
        assert await it.answers("a") == ["stop"]
        *_, last = it.told["a"]
        assert last.text == "X\n\nY\n"
        kinds = [type(message).__name__ for message in it.told["a"]]
        assert kinds[-4:] == ["Delta", "Delta", "Delta", "EditResult"]
        assert set(kinds[:-4]) == {"Progress"}
        assert it.dispatcher.report("s", 1).state == "idle"
        assert it.dispatcher.report("s", 1).last_stats == last.stats


async def test_the_state_is_told_while_a_model_loads_and_an_edit_runs():
    async with rig() as it:
        assert it.dispatcher.report("s", 3).state == "idle"
        it.ask(edit("a"))
        await it.unit_waits()
        report = it.dispatcher.report("s", 3)
        assert (report.state, report.queue, report.clients) == ("loading", 1, 3)
        assert report.message == "loading embedded (75%)"
        await it.until(lambda: any(m.stage == "loading" for m in it.told["a"]))
        assert it.told["a"][-1].queue_position == 0
        it.gate.step()
        await it.unit_waits()
        assert it.dispatcher.report("s", 3).state == "busy"


async def test_clients_take_turns_and_are_told_their_place():
    async with rig() as it:
        for request_id, client in [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2), ("c1", 3)]:
            it.ask(edit(request_id), client)
        places = {key: [m.queue_position for m in told] for key, told in it.told.items()}
        assert places == {"a1": [], "a2": [1, 2, 3], "a3": [2, 3, 4], "b1": [1], "c1": [2]}
        it.gate.open()
        await it.answers("a1", "a2", "a3", "b1", "c1")
        assert it.order == ["a1", "b1", "c1", "a2", "a3"]
        queued = [m.queue_position for m in it.told["a3"] if isinstance(m, Progress)]
        assert queued[:7] == [2, 3, 4, 3, 2, 1, 0]


async def test_an_interactive_edit_takes_over_from_a_batch_edit_at_the_next_unit():
    async with rig() as it:
        it.ask(edit("batch", "a\n" * 50, priority="batch"), 1)
        await it.loaded()
        it.ask(edit("now"), 2)
        it.gate.open()
        assert await it.answers("now", "batch") == ["stop", "stop"]
        assert it.order == ["now", "batch"]
        served = it.engines[0].served
        first, last = served.index("now"), len(served) - served[::-1].index("now")
        assert set(served[first:last]) == {"now"}
        assert first == 2, "one unit loaded, one was running"


@pytest.mark.parametrize("priority", ["interactive", "batch"])
async def test_a_newer_edit_of_the_same_document_supersedes_the_older(priority):
    async with rig() as it:
        it.ask(edit("other client", document="x"), 2)
        await it.loaded()
        it.ask(edit("old", document="x", priority=priority))
        it.ask(WarmupRequest("warm", "a", document="x"))
        it.ask(edit("other document", document="y"))
        it.ask(edit("new", document="x"))
        assert await it.answers("old", "warm") == ["cancelled: cancelled", "failed: cancelled"]
        assert "newer edit" in it.answer("old").error.message
        it.gate.open()
        ended = await it.answers("new", "other client", "other document")
        assert ended == ["stop", "stop", "stop"]
        assert "old" not in it.engines[0].served


async def test_a_running_edit_is_superseded_within_one_unit():
    async with rig() as it:
        it.ask(edit("old", "a\n" * 1000, document="x"))
        await it.loaded()
        it.ask(edit("new", document="x"))
        it.gate.step()
        await it.until(lambda: it.answer("old"))
        it.gate.open()
        assert await it.answers("old", "new") == ["cancelled: cancelled", "stop"]
        assert it.engines[0].served.count("old") == 2
        assert "newer edit" in it.engines[0].jobs[0].cancelled


async def test_cancelling_ends_a_running_edit_with_its_own_answer():
    async with rig() as it:
        it.ask(edit("a", "a\n" * 1000))
        await it.loaded()
        it.gate.step(3)
        await it.unit_waits()
        it.dispatcher.cancel(1, "a")
        it.gate.step()
        assert await it.answers("a") == ["cancelled: cancelled"]
        assert it.answer("a").stats.rounds == 3  # which only the job can know
        it.dispatcher.cancel(1, "a")
        it.dispatcher.cancel(1, "never asked")


async def test_cancelling_during_a_load_answers_at_once_and_the_load_serves_the_next():
    async with rig() as it:
        it.ask(edit("a"))
        await it.unit_waits()
        it.dispatcher.cancel(1, "a")
        assert await it.answers("a") == ["cancelled: cancelled"]  # nothing has left the gate
        it.ask(edit("b"), 2)
        it.gate.open()
        assert await it.answers("b") == ["stop"]
        assert it.engines[0].served[:2] == ["a", "b"]
        assert it.engines[0].jobs[0].finished


async def test_a_load_that_fails_after_its_edit_was_cancelled_says_nothing_more():
    async with rig(crash_in="load") as it:
        it.ask(edit("a"))
        await it.unit_waits()
        it.dispatcher.cancel(1, "a")
        assert await it.answers("a") == ["cancelled: cancelled"]
        it.ask(edit("b"))
        it.gate.open()
        assert await it.answers("b") == ["error: failed"]
        assert len(it.order) == 2


async def test_a_waiting_edit_is_cancelled_at_once_and_the_others_move_up():
    async with rig() as it:
        for request_id in ("a", "b", "c"):
            it.ask(edit(request_id))
        await it.unit_waits()
        it.dispatcher.cancel(1, "b")
        assert how(it.answer("b")) == "cancelled: cancelled"
        assert it.told["c"][-1].queue_position == 1


async def test_an_edit_that_was_pushed_aside_can_be_cancelled():
    async with rig() as it:
        it.ask(edit("batch", "a\n" * 50, priority="batch"))
        await it.loaded()
        it.ask(edit("now", "a\n" * 50))
        it.gate.step()
        await it.unit_waits()
        it.dispatcher.cancel(1, "batch")
        it.gate.step()
        assert await it.answers("batch") == ["cancelled: cancelled"]
        it.gate.open()
        assert await it.answers("now") == ["stop"]


async def test_a_client_that_goes_takes_its_edits_along_and_hears_nothing_more():
    async with rig() as it:
        it.ask(edit("running", "a\n" * 1000), 1)
        it.ask(edit("waiting"), 1)
        it.ask(edit("other"), 2)
        await it.loaded()
        heard = {key: len(told) for key, told in it.told.items()}
        it.dispatcher.drop(1)
        it.dispatcher.drop(1)
        it.gate.open()
        assert await it.answers("other") == ["stop"]
        assert len(it.told["running"]) == heard["running"]
        assert len(it.told["waiting"]) == heard["waiting"]
        assert it.engines[0].served.count("running") <= 3


CRASHES = ["start", "load", "round"]


@pytest.mark.parametrize("where", CRASHES)
async def test_a_defect_in_the_engine_ends_one_request_with_a_sentence(where):
    async with rig(gated=False) as it:
        it.ask(edit("a", "secret words", crash_in=where))
        it.ask(edit("b"))
        assert await it.answers("a", "b") == ["error: failed", "stop"]
        sentence = it.answer("a").error.message
        assert "editd logs" in sentence
        assert "secret" not in sentence


async def test_a_defect_in_cancelling_is_no_obstacle():
    async with rig() as it:
        it.ask(edit("a", "a\n" * 50, crash_in="cancel"))
        await it.loaded()
        it.dispatcher.cancel(1, "a")
        it.gate.open()
        it.ask(edit("b"))
        assert await it.answers("a", "b") == ["cancelled: cancelled", "stop"]


async def test_an_engine_that_cannot_be_made_is_tried_again_for_the_next_request():
    tries = []

    def make(config, progress):
        tries.append(1)
        if len(tries) == 1:
            raise SystemExit("secret")
        return ScriptedEngine(config, progress)

    dispatcher = Dispatcher(Config(), in_process(make))
    it = Rig(dispatcher, Gate(), [])
    it.ask(edit("a"))
    assert await it.answers("a") == ["error: failed"]
    it.ask(WarmupRequest("b", "x"))
    assert await it.answers("b") == ["done"]
    await dispatcher.close()


async def test_an_engine_that_forgets_its_answer_is_answered_for():
    class Job:
        finished = False

        def advance(self):
            self.finished = True
            return []

    class Engine(ScriptedEngine):
        def start(self, request):
            return Job()

    dispatcher = Dispatcher(Config(), in_process(Engine))
    it = Rig(dispatcher, Gate(), [])
    it.ask(edit("a"))
    assert await it.answers("a") == ["error: failed"]
    await dispatcher.close()


async def test_an_edit_that_is_prepared_without_end_keeps_nobody_waiting():
    class Job:
        finished = False
        preparing = True

        def advance(self):
            return []

        def cancel(self, reason):
            self.finished = True
            return []

    class Engine(ScriptedEngine):
        def start(self, request):
            return Job() if request.request_id == "a" else super().start(request)

    dispatcher = Dispatcher(Config(), in_process(Engine))
    it = Rig(dispatcher, Gate(), [])
    it.ask(edit("a"), client=1)
    it.ask(edit("b"), client=2)
    assert await it.answers("b") == ["stop"]
    dispatcher.cancel(1, "a")
    await dispatcher.close()


async def test_an_engine_that_says_nonsense_ends_one_request():
    class Job:
        finished = False
        preparing = False

        def advance(self):
            return ["nonsense", None]

        def cancel(self, reason):
            return 7

    class Engine(ScriptedEngine):
        def start(self, request):
            return Job() if request.request_id == "a" else super().start(request)

    def deliver(told):
        answers.append(told.request_id)

    answers: list[str] = []
    dispatcher = Dispatcher(Config(), in_process(Engine))
    dispatcher.submit(1, asked(edit("a")), deliver)
    dispatcher.submit(1, asked(edit("b")), deliver)
    await asyncio.wait_for(dispatcher.until_answered(), 60)
    assert answers[-1] == "b"
    await dispatcher.close()


async def test_a_load_that_fails_is_told_in_the_models_own_words():
    async with rig(gated=False, load_error="model-damaged") as it:
        it.ask(edit("a"))
        it.ask(WarmupRequest("b", "x"))
        assert await it.answers("a", "b") == ["error: model-damaged", "failed: model-damaged"]


@pytest.mark.parametrize(
    ("limits", "size", "refused"),
    [
        (ClientLimits(requests=3), 1, 2),
        (ClientLimits(request_bytes=6000), 1000, 3),
        (ClientLimits(), 1000, 0),
    ],
)
async def test_a_client_that_asks_for_too_much_is_refused_and_others_are_not(limits, size, refused):
    async with rig(limits) as it:
        for number in range(5):
            it.ask(edit(str(number), "x" * size), 1)
        await it.unit_waits()
        ended = [how(answer) for answer in map(it.answer, "01234") if answer]
        assert ended == ["refused: refused"] * refused
        it.ask(edit("other"), 2)
        it.gate.open()
        assert await it.answers("other") == ["stop"]


async def test_one_request_id_cannot_be_open_twice():
    async with rig() as it:
        it.ask(edit("a"))
        with pytest.raises(UsageError, match="request_id"):
            it.dispatcher.submit(1, asked(edit("a")), lambda told: None)
        it.ask(edit("a"), 2)
        it.gate.open()
        assert await it.answers("a") == ["stop"]


async def test_what_nobody_waits_for_is_done_between_requests():
    """An edit waits for one unit of it at most, and the rest comes after the edit."""
    async with rig(gated=False, idle_units=20, unit_seconds=0.01) as it:
        it.ask(edit("a"))
        await it.answers("a")
        engine = it.engines[0]
        await asyncio.sleep(0.03)
        it.ask(edit("b"))
        begun = engine.idle_units
        assert await it.answers("b") == ["stop"]
        assert await asyncio.to_thread(engine.idled.wait, 60)
        first = engine.served.index("b")
        rounds = engine.served.count("b")
        assert engine.served[first : first + rounds] == ["b"] * rounds
        assert engine.served[:first].count("idle") <= begun + 1


async def test_the_engine_is_ended_after_idle_time_and_starts_again():
    async with rig(daemon=DaemonConfig(unload_after=0.02), gated=False) as it:
        it.ask(edit("a"))
        await it.answers("a")
        async with asyncio.timeout(60):
            while it.dispatcher.report("s", 1).models:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.005)
        it.ask(edit("b"))
        assert await it.answers("b") == ["stop"]
        assert any(m.stage == "loading" for m in it.told["b"] if isinstance(m, Progress))
        assert len(it.engines) == 2
        assert it.engines[0].closed


async def test_everything_can_be_cancelled_and_nothing_more_is_taken():
    async with rig() as it:
        for client in (1, 2, 3):
            it.ask(edit(str(client)), client)
        await it.unit_waits()
        it.dispatcher.stopping = True
        it.dispatcher.cancel_all("the daemon was stopped")
        async with asyncio.timeout(60):
            await it.dispatcher.until_answered()
        assert await it.answers("1", "2", "3") == ["cancelled: cancelled"] * 3
        it.ask(edit("late"))
        assert await it.answers("late") == ["failed: daemon-unreachable"]
        assert it.dispatcher.report("s", 0).state == "stopping"


async def test_closing_does_not_wait_for_a_load():
    gate = Gate()
    dispatcher = Dispatcher(Config(), in_process(scripted(gate=gate)))
    it = Rig(dispatcher, gate, [])
    it.ask(edit("a"))
    await it.unit_waits()
    engine = dispatcher._supervisor.engine
    await dispatcher.close()
    gate.open()
    await asyncio.to_thread(engine.thread.join, 60)
    assert not engine.thread.is_alive()


@pytest.mark.parametrize(
    ("unit", "killed"), [(1.0, False), (2 * engine_supervisor.SILENT_SECONDS, True)]
)
def test_an_engine_is_given_up_for_silence_never_for_the_length_of_its_work(
    monkeypatch, unit, killed
):
    loop, why = InjectedLoop(), []
    monkeypatch.setattr(InjectedEngine, "unit", unit)
    monkeypatch.setattr(InjectedEngine, "kill", lambda self, reason: why.append(reason))

    async def work():
        dispatcher = Dispatcher(Config(), in_process(scripted(Script(lines_per_unit=1))))
        dispatcher.submit(1, asked(edit("a", "x\n\n" * 400)), lambda told: None)
        await asyncio.sleep(3 * engine_supervisor.SILENT_SECONDS)
        await dispatcher.close()

    with loop.under_the_daemon():
        loop.run_until_complete(work())
    loop.end()
    assert [f"{engine_supervisor.SILENT_SECONDS:g} seconds" in reason for reason in why] == [
        True
    ] * killed


class Frozen:
    """An engine that takes orders and says nothing, until it is ended."""

    pid = None

    def __init__(self, gone, killed):
        self._gone, self._killed = gone, killed

    def send(self, order):
        pass

    def kill(self, why):
        self._killed.append((asyncio.get_running_loop().time(), why))
        asyncio.get_running_loop().call_soon(self._gone, why)

    async def end(self):
        pass


def timed(request, seconds):
    return replace(request, options=replace(request.options, timeout=seconds))


def ends_of(asks, *, frozen=1, timeout=0.0, unit=UNIT, seconds=2000):
    """When and how each of ``asks`` (client, request) is answered, and when engines were ended.

    frozen: how many engines are, before one that works.
    """
    loop, ends, killed, started = InjectedLoop(), {}, [], []

    def start(config, hear, gone):
        started.append(gone)
        if len(started) <= frozen:
            return Frozen(gone, killed)
        return InjectedEngine(scripted(Script()), config, hear, lambda _job: None)

    def deliver(told):
        if told.kind == "final":
            assert told.request_id not in ends, "two answers"
            ends[told.request_id] = (loop.time(), how(unpack(told.body)))

    async def work():
        config = Config(decode=DecodeConfig(timeout=timeout))
        dispatcher = Dispatcher(config, start)
        for client, request in asks:
            dispatcher.submit(client, asked(request), deliver)
        await asyncio.sleep(seconds)
        await dispatcher.close()

    with loop.under_the_daemon(), mock.patch.object(InjectedEngine, "unit", unit):
        loop.run_until_complete(work())
    loop.end()
    return ends, [when for when, _ in killed]


OVER = OVERDUE_PATIENCE
KILLED = OVER + OVERDUE_SILENCE


def test_a_frozen_engine_is_ended_soon_after_the_time_limit_and_others_go_on():
    asks = [(1, timed(edit("a"), 5)), (2, edit("b")), (3, timed(edit("c"), 600))]
    ends, killed = ends_of(asks)
    assert ends["a"] == (5 + OVER, "length: cut-off")
    assert killed == [5 + KILLED]
    assert [ends[name][1] for name in "bc"] == ["stop", "stop"]
    assert all(5 + KILLED < ends[name][0] < 30 for name in "bc")


def test_who_waits_behind_a_frozen_engine_is_answered_in_time_too():
    ends, killed = ends_of([(1, edit("a")), (2, timed(edit("b"), 7))])
    assert ends["b"] == (7 + OVER, "length: cut-off")
    assert killed[0] > engine_supervisor.SILENT_SECONDS  # nobody set a limit for the one that runs
    assert ends["a"][1] == "error: failed"


@pytest.mark.parametrize(
    ("own", "configured", "at"),
    [(None, 9.0, 9.0), (3, 9.0, 3.0), (0, 9.0, None), (None, 0.0, None)],
)
def test_the_limit_is_the_requests_own_or_the_configured_one(own, configured, at):
    ends, killed = ends_of([(1, timed(edit("a"), own))], timeout=configured)
    if at is None:
        assert killed[0] > engine_supervisor.SILENT_SECONDS
        assert ends["a"] == (killed[0], "error: failed")
    else:
        assert (ends["a"], killed) == ((at + OVER, "length: cut-off"), [at + KILLED])


def test_a_cancelled_edit_does_not_hold_others_beyond_its_limit():
    """Its caller may have gone long before."""
    loop, killed, ends = InjectedLoop(), [], []

    async def work():
        dispatcher = Dispatcher(Config(), lambda config, hear, gone: Frozen(gone, killed))
        deliver = lambda told: ends.append((loop.time(), told.kind))  # noqa: E731
        dispatcher.submit(1, asked(timed(edit("a"), 5)), deliver)
        await asyncio.sleep(1)
        dispatcher.cancel(1, "a")
        await asyncio.sleep(100)
        await dispatcher.close()

    with loop.under_the_daemon():
        loop.run_until_complete(work())
    loop.end()
    assert [when for when, kind in ends if kind == "final"] == [1 + CANCEL_PATIENCE]
    assert [when for when, _ in killed] == [5 + KILLED]


def test_an_engine_that_works_on_is_not_ended_and_who_waits_for_it_is_not_overdue():
    """Units shorter than the silence that is allowed; the engine itself ends what is overdue."""
    asks = [(1, edit("a", "x\n\n" * 40)), (2, timed(edit("b"), 30)), (2, edit("c"))]
    ends, killed = ends_of(asks, frozen=0, unit=4.0)
    assert killed == []
    assert {name: how for name, (_, how) in ends.items()} == dict.fromkeys("abc", "stop")
    assert ends["b"][0] > 100
