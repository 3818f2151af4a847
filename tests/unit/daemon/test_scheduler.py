"""Items are written "a1": client a, first request; "a1!" is interactive, "a1~" is a warm-up."""

import random

import pytest

from editd.daemon.scheduler import QueueHandle, Scheduler

PRIORITIES = {"!": "interactive", "~": "warmup"}


def item(word: str) -> QueueHandle:
    """ "a1!doc": request a1 of client a, interactive, of document ``doc``."""
    priority = PRIORITIES.get(word[2:3], "batch")
    return QueueHandle(ord(word[0]), word[:2], priority, word[3:])


def names(items) -> str:
    return " ".join(t.request_id for t in items)


def run(scheduler: Scheduler, units: int) -> str:
    """Who gets the next units, when every item ends with its unit."""
    served = []
    for _ in range(units):
        turn = scheduler.next()
        if turn is None:
            break
        served.append(turn)
        scheduler.remove(turn)
    return names(served)


@pytest.mark.parametrize(
    ("added", "order"),
    [
        ("", ""),
        ("a1!", "a1"),
        ("a1! a2! a3!", "a1 a2 a3"),
        ("a1~ a2  a3!", "a3 a2 a1"),
        ("a1! a2! a3! b1! b2! c1!", "a1 b1 c1 a2 b2 a3"),
        ("a1  a2  b1  b2! c1!", "b2 c1 a1 b1 a2"),
        ("a1~ b1~ a2! b2!", "a2 b2 a1 b1"),
    ],
)
def test_clients_take_turns_and_the_urgent_go_first(added, order):
    scheduler = Scheduler()
    for word in added.split():
        scheduler.add(item(word))
    assert names(scheduler.in_order()) == order
    assert run(scheduler, 99) == order


def test_an_item_keeps_its_turn_until_it_ends():
    scheduler = Scheduler()
    first = item("a1!")
    scheduler.add(first)
    assert scheduler.next() is first
    scheduler.add(item("b1!"))
    assert [scheduler.next() for _ in range(3)] == [first] * 3
    scheduler.remove(first)
    assert run(scheduler, 9) == "b1"


def test_while_items_are_prepared_clients_take_turns():
    scheduler = Scheduler()
    for word in ("a1!", "a2!", "b1!", "c1~"):
        scheduler.add(item(word))
    turns = []
    for _ in range(4):
        turn = scheduler.next()
        turns.append(turn)
        scheduler.pass_turn(turn)
    assert names(turns) == "a1 b1 a1 b1"
    assert names(scheduler.in_order()) == "a1 b1 a2 c1"
    assert run(scheduler, 9) == "a1 b1 a2 c1"


def test_a_client_alone_keeps_the_order_of_its_items():
    scheduler = Scheduler()
    for word in ("a1!", "a2!"):
        scheduler.add(item(word))
    for _ in range(3):
        turn = scheduler.next()
        assert turn.request_id == "a1"
        scheduler.pass_turn(turn)
    assert run(scheduler, 9) == "a1 a2"


def test_who_just_had_a_turn_waits_for_those_who_came_meanwhile():
    scheduler = Scheduler()
    for word in ("a1!", "a2!"):
        scheduler.add(item(word))
    begun = scheduler.next()
    scheduler.add(item("b1!"))
    assert names(scheduler.in_order()) == "a1 b1 a2"
    scheduler.remove(begun)
    assert run(scheduler, 9) == "b1 a2"


def test_an_interactive_item_takes_the_next_unit_and_the_batch_goes_on_after_it():
    scheduler = Scheduler()
    batch, urgent = item("a1"), item("b1!")
    scheduler.add(batch)
    scheduler.add(item("c1"))
    assert scheduler.next() is batch
    scheduler.add(urgent)
    assert names(scheduler.in_order()) == "b1 a1 c1"
    assert [scheduler.next(), scheduler.next()] == [urgent, urgent]
    scheduler.remove(urgent)
    assert scheduler.next() is batch
    scheduler.remove(batch)
    assert run(scheduler, 9) == "c1"


@pytest.mark.parametrize(
    ("waiting", "newer", "superseded"),
    [
        ("a1!x", "a2!x", "a1"),
        ("a1!x", "a2!y", ""),
        ("a1!x", "b1!x", ""),  # another client's edit of the same file
        ("a1!", "a2!", ""),  # no document, never superseded
        ("a1-x", "a2!x", "a1"),
        ("a1~x", "a2!x", "a1"),
        ("a1!x", "a2~x", ""),  # a warm-up ends no edit
        ("a1~x", "a2~x", "a1"),
        ("a1~x", "a2~y", "a1"),  # a client looks at one document at a time
        ("a1~x", "b1~x", ""),
        ("a1!x a3!y a4-x", "a2!x", "a1 a4"),
    ],
)
def test_a_newer_edit_supersedes_older_ones_of_the_same_document(waiting, newer, superseded):
    for begun in (False, True):
        scheduler = Scheduler()
        for word in waiting.split():
            scheduler.add(item(word))
        if begun:
            scheduler.next()
        assert names(scheduler.add(item(newer))) == superseded


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_lost_or_served_twice_and_the_announced_order_is_kept(seed):
    rng = random.Random(seed)
    scheduler = Scheduler()
    waiting: dict[str, QueueHandle] = {}
    for number in range(300):
        action = rng.random()
        if action < 0.5:
            new = item(f"{rng.choice('abcd')}{number % 10}{rng.choice('! ~')}")
            new.request_id += f".{number}"
            waiting[new.request_id] = new
            scheduler.add(new)
        elif action < 0.6 and waiting:
            gone = waiting.pop(rng.choice(list(waiting)))
            scheduler.remove(gone)
            scheduler.remove(gone)
        else:
            announced = scheduler.in_order()
            turn = scheduler.next()
            assert turn is (announced[0] if announced else None)
            if turn and rng.random() < 0.7:
                scheduler.remove(turn)
                del waiting[turn.request_id]
        assert sorted(names(scheduler.in_order()).split()) == sorted(waiting)
    expected = names(scheduler.in_order())
    assert run(scheduler, 999) == expected
