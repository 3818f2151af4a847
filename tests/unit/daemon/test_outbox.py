import asyncio
import random

import pytest

from editd.daemon.forwarded import OutgoingMessage
from editd.daemon.framing import unpack
from editd.daemon.outbox import Outbox
from editd.diff.hunk import Hunk, Keep, merge_ops
from editd.messages import Delta, Done, EditResult, Progress, TextDelta


def delta(*ops, request_id="a") -> Delta:
    return Delta(request_id, 99, ops)


def progress(fraction: float, request_id="a") -> Progress:
    return Progress(request_id, "prefill", "reading", fraction)


def hunk(number: int, *lines: str, done=True) -> Hunk:
    return Hunk(number, number, 1, lines or (f"line {number}\n",), done=done)


def opened(number: int, *lines: str) -> Hunk:
    return hunk(number, *lines, done=False)


def put(box: Outbox, *messages) -> None:
    for message in messages:
        box.put(OutgoingMessage.of(message))


async def everything(box: Outbox) -> list:
    """What a client gets that begins to read only now."""
    box.close()
    messages = []
    while told := await box.take():
        messages.append(unpack(told.body))
    return messages


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ([], []),
        ([Done("a")], [Done("a")]),
        ([progress(0.1), progress(0.2)], [progress(0.2)]),
        ([progress(0.1), Done("a")], [Done("a")]),
        ([delta(Keep(1)), delta(Keep(2))], [delta(Keep(1)), delta(Keep(2))]),
        (
            [delta(opened(1, "x")), delta(opened(1, "x", "y")), delta(hunk(1, "x", "y"), Keep(5))],
            [delta(hunk(1, "x", "y"), Keep(5))],
        ),
        (
            [delta(Keep(1), opened(1, "x")), delta(hunk(1, "x", "y"))],
            [delta(Keep(1), opened(1, "x")), delta(hunk(1, "x", "y"))],
        ),
        ([delta(opened(1)), EditResult("a", "stop")], [delta(opened(1)), EditResult("a", "stop")]),
        ([delta(hunk(1)), EditResult("a", "stop")], [delta(hunk(1)), EditResult("a", "stop")]),
        ([Done("a"), Done("a")], [Done("a"), Done("a")]),
        (
            [delta(hunk(1)), progress(0.5, "b"), Done("b"), Done("a")],
            [delta(hunk(1)), Done("b"), Done("a")],
        ),
        (
            [TextDelta("a", "é"), progress(0.5), TextDelta("a", "\n"), Done("a")],
            [TextDelta("a", "é"), TextDelta("a", "\n"), Done("a")],
        ),
    ],
)
async def test_what_the_next_one_says_again_does_not_wait_and_answers_are_kept(said, taken):
    box = Outbox()
    put(box, *said)
    assert await everything(box) == taken
    assert (box.size, box.waiting) == (0, 0)


async def test_take_wakes_up_when_something_is_put_or_when_the_box_is_closed():
    box = Outbox()
    taking = asyncio.create_task(box.take())
    await asyncio.sleep(0)
    put(box, Done("a"))
    assert unpack((await taking).body) == Done("a")
    taking = asyncio.create_task(box.take())
    await asyncio.sleep(0)
    box.close()
    assert await taking is None


async def test_a_hunk_that_is_sent_again_ten_thousand_times_takes_the_memory_of_one():
    box = Outbox()
    for _ in range(10_000):
        put(box, delta(opened(1, "x" * 100)), progress(0.5), delta(opened(1, "x" * 100)))
    assert box.size < 1000
    put(box, delta(hunk(1, "x" * 100)))
    assert (await everything(box))[1:] == [delta(hunk(1, "x" * 100))]


async def test_who_puts_can_wait_until_answers_are_taken():
    box = Outbox()
    put(box, *(Done(str(number)) for number in range(3)))
    waiting = asyncio.create_task(box.wait_until_fewer(2))
    await box.take()
    await asyncio.sleep(0)
    assert not waiting.done()
    await box.take()
    await asyncio.wait_for(waiting, 60)


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_the_pace_the_walk_stays_the_same(seed):
    rng = random.Random(seed)
    walks: dict[str, tuple] = dict.fromkeys("abc", ())
    seen: dict[str, tuple] = dict.fromkeys("abc", ())
    box = Outbox()

    def see(message) -> None:
        seen[message.request_id] = merge_ops(seen[message.request_id], message.ops)

    for number in range(300):
        name = rng.choice("abc")
        for ops in rng.choice([[(Keep(1),)], [(opened(number),), (hunk(number),)]]):
            walks[name] = merge_ops(walks[name], ops)
            put(box, delta(*ops, request_id=name))
        if rng.random() < 0.3:
            see(unpack((await box.take()).body))
    assert sum(map(len, walks.values())) > 50
    for message in await everything(box):
        see(message)
    assert seen == walks
    assert box.size == 0
