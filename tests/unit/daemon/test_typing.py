"""An editor that asks for a prediction at every key, and an edit beside it: with injected time."""

import asyncio

from editd.config import Config
from editd.daemon.dispatcher import Dispatcher
from editd.daemon.forwarded import QueuedRequest
from editd.daemon.framing import unpack
from editd.errors import EditCancelled
from editd.messages import CompleteRequest, CompleteResult, EditRequest, EditResult
from tests.fakes import scripted
from tests.in_process import in_process
from tests.injected_time import LOAD, UNIT, InjectedLoop

TYPING, EDITING = 1, 2  # clients
A_SECOND = 20
LINES = 40  # of an edit: a round each


def test_twenty_requests_a_second_neither_queue_up_nor_starve_an_edit():
    loop = InjectedLoop()
    asked_at, answered_at, answers = {}, {}, {}
    dispatcher: Dispatcher

    def ask(client, request):
        asked_at[request.request_id] = loop.now

        def hear(told):
            message = unpack(told.body)
            if isinstance(message, EditResult | CompleteResult) or hasattr(message, "error"):
                answered_at[request.request_id] = loop.now
                answers[request.request_id] = message

        dispatcher.submit(client, QueuedRequest.of(request), hear)

    async def session():
        nonlocal dispatcher
        dispatcher = Dispatcher(Config(), in_process(scripted()))
        ask(EDITING, EditRequest("edit", "line\n" * LINES, "shout"))
        await asyncio.sleep(LOAD)
        for key in range(4 * A_SECOND):
            prompt = "one\n" * 10 + "x" * key  # takes longer than the time to the next key
            ask(TYPING, CompleteRequest(f"key {key}", prompt=prompt, document="zeta-2 a.py"))
            open_ = [name for name in asked_at if name.startswith("key") and name not in answers]
            assert len(open_) <= 2, "predictions queue up"
            await asyncio.sleep(1 / A_SECOND)
        await dispatcher.until_answered()
        await dispatcher.close()

    with loop.under_the_daemon():
        loop.run_until_complete(session())
    loop.end()
    last = f"key {4 * A_SECOND - 1}"
    assert isinstance(answers[last], CompleteResult)
    for name, answer in answers.items():
        if name.startswith("key") and not isinstance(answer, CompleteResult):
            assert answer.error.code == EditCancelled.code
            # The next key, and a round until it is heard of.
            assert answered_at[name] - asked_at[name] <= 1 / A_SECOND + 2 * UNIT
    assert answers["edit"].text == "LINE\n" * LINES
    # Each client has every second turn at least.
    assert answered_at["edit"] <= LOAD + 2 * UNIT * (LINES + 4)


def test_two_documents_and_two_programs_do_not_replace_each_other():
    loop = InjectedLoop()
    answers = []

    async def session():
        dispatcher = Dispatcher(Config(), in_process(scripted()))
        for name, document in (("1", "zeta-2 a.py"), ("2", "zeta-2 b.py"), ("3", ""), ("4", "")):
            request = CompleteRequest(name, prompt="x\n", document=document)
            dispatcher.submit(
                TYPING,
                QueuedRequest.of(request),
                lambda told: answers.append(unpack(told.body)),
            )
        await dispatcher.until_answered()
        await dispatcher.close()

    with loop.under_the_daemon():
        loop.run_until_complete(session())
    loop.end()
    assert sum(isinstance(answer, CompleteResult) for answer in answers) == 4
