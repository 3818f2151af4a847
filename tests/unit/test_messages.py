"""Messages come out as they went in, and nothing else comes out at all."""

import contextlib
import random

import msgpack
import pytest

from editd.daemon.framing import MessageError, pack, unpack
from editd.diff.hunk import Hunk, Keep, Span, merge_ops
from editd.messages import (
    CancelRequest,
    ChatMessage,
    CompleteRequest,
    CompleteResult,
    ContextItem,
    Delta,
    Done,
    EditRequest,
    EditResult,
    ErrorInfo,
    Failed,
    Hello,
    Progress,
    StatusReport,
    TextDelta,
    WarmupRequest,
    Welcome,
)
from editd.messages.options import WAYS, EditOptions, Loading, ways_from
from editd.messages.reports import ModelStatus, Stats

MESSAGES = [
    Hello(1, "cli", 7),
    Welcome(1, "0.1.0", 8),
    EditRequest("1", "a\r\nb\u2028😀", "say \"hi\"\nand 'bye'", prediction="", start_line=0, end_line=1),
    EditRequest("2", "", "x", context=(ContextItem("note", "t", start_line=3),)),
    EditRequest("3", "", "x", options=EditOptions(temperature=1, loading=Loading(threads=2))),
    WarmupRequest("4", "text", options=EditOptions(model="m", way="again")),
    CancelRequest("5"),
    Progress("6", "loading", "half", 0.5, None),
    Delta("7", 1, (Keep(3), Hunk(1, 3, 0, ("x\n",), done=False), Hunk(1, 3, 1, ("x\n", "y"), suspect="why", note="look", note_spans=(Span(0, 0, 1, "x or y"),)))),
    EditResult("8", "stop", "t", (Hunk(1, 0, 0, ()),), stats=Stats(rounds=2), summary="One line.", ways=WAYS),
    EditResult("9", "error", error=ErrorInfo("model", "No.")),
    StatusReport("10", "busy", "0", 1, 2.5, (ModelStatus("m", "loading", fraction=0.1),)),
    Done("11"),
    Failed("12", ErrorInfo("usage", "No.")),
    CompleteRequest("13", (ChatMessage("user", "a\u2028"),), "", ("\n", "x"), EditOptions(seed=1)),
    CompleteResult("14", "length", "é", ("n",), Stats(rounds=2), "m"),
    CompleteRequest("15", prompt="<|fim|>\r", stream=True),
    CompleteRequest("16", prompt="3 0"),
    TextDelta("17", "😀\n"),
]  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_round_trip(message):
    assert unpack(pack(message)) == message


def changed(message, **fields):
    body = msgpack.unpackb(pack(message))
    body.update(fields)
    return msgpack.packb(body)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x01",
        b"\xc1",
        msgpack.packb([]),
        msgpack.packb({}),
        msgpack.packb({"type": "Nonsense"}),
        msgpack.packb({"type": ["Hello"]}),
        msgpack.packb({"type": "Hello"}),
        pack(MESSAGES[2])[:-1],
        pack(MESSAGES[2]) + b"\x00",
        changed(MESSAGES[0], extra=1),
        changed(MESSAGES[0], version="1"),
        changed(MESSAGES[0], pid=True),
        changed(MESSAGES[6], request_id=None),
        changed(MESSAGES[6], request_id=5),
        changed(MESSAGES[7], stage="dancing"),
        changed(MESSAGES[9], ways=[{"name": "none", "title": "t", "needs_model": True}]),
        changed(MESSAGES[8], ops=[{"keep": 1}]),
    ],
)
def test_anything_else_is_refused(data):
    with pytest.raises(MessageError):
        unpack(data)


def test_noise_never_raises_anything_but_message_error():
    rng = random.Random(5)
    for message in MESSAGES:
        packed = bytearray(pack(message))
        for _ in range(60):
            noisy = bytearray(packed)
            noisy[rng.randrange(len(noisy))] = rng.randrange(256)
            with contextlib.suppress(MessageError):
                unpack(bytes(noisy))


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ((), (Keep(1),), (Keep(1),)),
        ((Keep(1),), (Keep(2),), (Keep(3),)),
        ((Hunk(1, 1, 0, ("a",), done=False),), (Hunk(1, 1, 0, ("a", "b")),), (Hunk(1, 1, 0, ("a", "b")),)),
        ((Hunk(1, 1, 0, ("a",)),), (Hunk(2, 2, 0, ("b",)),), (Hunk(1, 1, 0, ("a",)), Hunk(2, 2, 0, ("b",)))),
        ((Keep(2), Hunk(1, 2, 0, ("a",))), (Keep(1),), (Keep(2), Hunk(1, 2, 0, ("a",)), Keep(1))),
    ],
)  # fmt: skip
def test_deltas_merge_into_one_walk(first, second, merged):
    assert merge_ops(first, second) == merged


@pytest.mark.parametrize(
    ("written_by", "facts", "names"),
    [
        ("model", {}, ["again"]),
        ("model", {"in_parts": True}, ["again", "whole"]),
        ("model", {"words_differ": True}, ["words", "again"]),
        ("text", {}, ["model"]),
        ("text", {"other_reading": True}, ["reading", "model"]),
        ("text+model", {"in_parts": True}, ["again", "whole"]),
        ("words", {"resembling": True}, ["resembling", "model"]),
        ("", {"in_parts": True}, ["whole"]),
        ("", {}, []),
    ],
)
def test_only_ways_that_are_there_are_offered_best_first(written_by, facts, names):
    assert [way.name for way in ways_from(written_by, **facts)] == names
