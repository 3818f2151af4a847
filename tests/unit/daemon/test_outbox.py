import asyncio
import random

import pytest

from editd.daemon import outbox as outbox_module
from editd.daemon.outbox import Outbox
from editd.diff.hunk import Hunk, Keep
from editd.messages import Delta, Done, EditResult, Progress, TextDelta, merge_ops


def delta(*ops, request_id="a") -> Delta:
    return Delta(request_id, 99, ops)


def progress(fraction: float, request_id="a") -> Progress:
    return Progress(request_id, "prefill", "reading", fraction)


def hunk(number: int, *lines: str, done=True) -> Hunk:
    return Hunk(number, number, 1, lines or (f"line {number}\n",), done=done)


async def everything(box: Outbox) -> list:
    """What a client gets that begins to read only now."""
    box.close()
    messages = []
    while some := await box.take():
        messages += some
    return messages


@pytest.mark.parametrize(
    ("put", "taken"),
    [
        ([], []),
        ([Done("a")], [Done("a")]),
        ([progress(0.1), progress(0.2)], [progress(0.2)]),
        ([progress(0.1), Done("a")], [Done("a")]),
        ([delta(Keep(1)), delta(Keep(2))], [Delta("a", 0, (Keep(3),))]),
        (
            [delta(Keep(1), hunk(1, "x", done=False)), delta(hunk(1, "x", "y")), delta(Keep(5))],
            [Delta("a", 0, (Keep(1), hunk(1, "x", "y"), Keep(5)))],
        ),
        ([delta(hunk(1)), EditResult("a", "stop")], [Delta("a", 0, (hunk(1),)), EditResult("a", "stop")]),
        ([Done("a"), Done("a")], [Done("a"), Done("a")]),
        (
            [delta(hunk(1)), progress(0.5, "b"), Done("b"), Done("a")],
            [Delta("a", 0, (hunk(1),)), Done("a"), Done("b")],
        ),
        (
            [TextDelta("a", "é"), progress(0.5), TextDelta("a", "\n"), Done("a")],
            [TextDelta("a", "é\n"), Done("a")],
        ),
    ],
)  # fmt: skip
async def test_what_waits_is_merged_and_answers_are_kept(put, taken):
    box = Outbox()
    for message in put:
        box.put(message)
    assert await everything(box) == taken
    assert (box.size, box.waiting) == (0, 0)


async def test_the_first_delta_leaves_at_once_the_next_after_the_interval_the_answer_never_waits(
    monkeypatch,
):
    now = 100.0
    monkeypatch.setattr(outbox_module, "monotonic", lambda: now)
    box = Outbox(delta_interval=5.0)
    box.put(delta(hunk(1)))
    assert await box.take() == [Delta("a", 0, (hunk(1),))]
    box.put(delta(hunk(2)))
    taking = asyncio.create_task(box.take())
    await asyncio.sleep(0)
    assert not taking.done()
    taking.cancel()
    now = 105.0
    assert await box.take() == [Delta("a", 1, (hunk(2),))]
    box.put(delta(hunk(3)))
    box.put(Done("a"))
    assert await box.take() == [Delta("a", 2, (hunk(3),)), Done("a")]


async def test_the_first_hunk_does_not_wait_for_the_interval_either():
    box = Outbox(delta_interval=60.0)
    for ops in ((Keep(3),), (hunk(1),)):
        box.put(delta(*ops))
        assert (await box.take())[0].ops == ops


async def test_take_wakes_up_when_something_is_put_or_when_the_box_is_closed():
    box = Outbox()
    taking = asyncio.create_task(box.take())
    await asyncio.sleep(0)
    box.put(Done("a"))
    assert await taking == [Done("a")]
    taking = asyncio.create_task(box.take())
    await asyncio.sleep(0)
    box.close()
    assert await taking == []


async def test_a_long_delta_is_cut_into_pieces_that_say_the_same(monkeypatch):
    monkeypatch.setattr(outbox_module, "MAX_DELTA_BYTES", 1000)
    box = Outbox()
    hunks = [hunk(number) for number in range(1, 100)]
    for one in hunks:
        box.put(delta(one))
    box.put(Done("a"))
    *deltas, last = await everything(box)
    assert len(deltas) > 5
    assert [one.seq for one in deltas] == list(range(len(deltas)))
    assert [op for one in deltas for op in one.ops] == hunks
    assert last == Done("a")


async def test_a_hunk_that_is_sent_again_ten_thousand_times_takes_the_memory_of_one():
    box = Outbox()
    for _ in range(10_000):
        box.put(delta(hunk(1, "x" * 100, done=False)))
        box.put(progress(0.5))
        box.put(delta(hunk(1, "x" * 100, done=False)))
    assert box.size < 1000
    box.put(delta(hunk(1, "x" * 100)))
    for _ in range(10_000):
        box.put(delta(Keep(1)))
    assert box.size < 1000
    assert (await everything(box))[1:] == [Delta("a", 0, (hunk(1, "x" * 100), Keep(10_000)))]


async def test_who_puts_can_wait_until_answers_are_taken():
    box = Outbox()
    for number in range(3):
        box.put(Done(str(number)))
    waiting = asyncio.create_task(box.wait_until_fewer(2))
    await box.take()
    await asyncio.sleep(0)
    assert not waiting.done()
    await box.take()
    await asyncio.wait_for(waiting, 1)


@pytest.mark.parametrize("seed", range(20))
async def test_whatever_the_pace_the_walk_stays_the_same(seed):
    rng = random.Random(seed)
    walks: dict[str, tuple] = dict.fromkeys("abc", ())
    seen: dict[str, tuple] = dict.fromkeys("abc", ())
    box = Outbox()

    def see(messages) -> None:
        for message in messages:
            if isinstance(message, Delta):
                seen[message.request_id] = merge_ops(seen[message.request_id], message.ops)

    for number in range(300):
        name = rng.choice("abc")
        ops = rng.choice([(Keep(rng.randint(1, 3)),), (hunk(number, done=False), hunk(number))])
        walks[name] = merge_ops(walks[name], ops)
        box.put(delta(*ops, request_id=name))
        if rng.random() < 0.3:
            see(await box.take())
    assert sum(map(len, walks.values())) > 50
    see(await everything(box))
    assert seen == walks
    assert box.size == 0
