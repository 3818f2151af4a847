"""What the daemon reads of a request that it passes on is what the whole message says."""

import random

import msgpack
import pytest

from editd.daemon.failures import failure
from editd.daemon.forwarded import OutgoingMessage, QueuedRequest
from editd.daemon.framing import MessageError, head_of, unpack
from editd.diff.hunk import Hunk, Keep
from editd.errors import AnswerCutOff, DaemonUnreachable, EditCancelled, EditRefused
from editd.messages import (
    CancelRequest,
    CompleteRequest,
    ContextItem,
    Delta,
    Done,
    EditRequest,
    Hello,
    Progress,
    TextDelta,
    WarmupRequest,
)
from editd.messages.options import EditOptions

HALF = "\ud800"  # of a character: no message holds it
ITEMS = tuple(ContextItem("note", "n" * 300, start_line=number) for number in range(40))


@pytest.mark.parametrize(
    "request_",
    [
        EditRequest("e", "text", "do"),
        EditRequest("é" * 40, "x" * 70_000, "do", document="file:///a", priority="batch"),
        EditRequest("e", "", "", context=ITEMS, prediction="p" * 300, options=EditOptions(seed=7)),
        EditRequest("e", "漢" * 30, "do", options=EditOptions(temperature=0.5, top_k=70_000)),
        CompleteRequest("c", prompt="p" * 70_000, priority="batch"),
        WarmupRequest("w", "text", document="d", options=EditOptions(timeout=0)),
        EditRequest("e", "text", "do", options=EditOptions(timeout=7.5)),
    ],
)
def test_a_request_is_read_without_its_text(request_):
    asked = QueuedRequest.read(msgpack.packb(head_of(request_)), b"text")
    assert asked.is_job
    assert asked.type == type(request_).__name__
    assert asked.request_id == request_.request_id
    assert asked.priority == getattr(request_, "priority", "warmup")
    assert asked.document == getattr(request_, "document", "")
    assert asked.timeout == request_.options.timeout
    assert unpack(QueuedRequest.of(request_).body) == request_


@pytest.mark.parametrize("timeout", ["7", True, -1, 10**18, float("nan"), [7]])
def test_a_wrong_time_limit_is_left_to_the_engine(timeout):
    head = ["EditRequest", "e", "batch", "", timeout]
    assert QueuedRequest.read(msgpack.packb(head), b"").timeout is None


@pytest.mark.parametrize("message", [Hello(3, "x", 1), CancelRequest("e"), Done("e")])
def test_what_is_no_job_is_left_to_others(message):
    assert not QueuedRequest.of(message).is_job


@pytest.mark.parametrize(
    "head",
    [
        7,
        [],
        ["EditRequest", 7, "batch", "", None],
        ["EditRequest", "e", "at once", "", None],
        ["EditRequest", "e", ["batch"], "", None],
        ["EditRequest", "e", "batch", None, None],
        [["EditRequest"], "e", "batch", "", None],
        ["EditRequest", "e" * 201, "batch", "", None],
        ["EditRequest", "e", "batch", "", None, 0],
    ],
)
def test_a_request_with_a_wrong_head_is_refused(head):
    with pytest.raises(MessageError):
        QueuedRequest.read(msgpack.packb(head), b"")


@pytest.mark.parametrize("seed", range(300))
def test_a_damaged_head_is_read_or_not_at_all(seed):
    rng = random.Random(seed)
    head = bytearray(msgpack.packb(head_of(EditRequest("id", "", "", document="file:///a" * 9))))
    for _ in range(rng.randint(1, 3)):
        head[rng.randrange(len(head))] = rng.randrange(256)
    try:
        asked = QueuedRequest.read(bytes(head), b"")
    except MessageError:
        return
    assert all(isinstance(one, str) for one in (asked.type, asked.request_id, asked.document))


OPEN = Hunk(1, 0, 0, ("a",), done=False)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (Progress("e", "prefill", "reading"), "progress"),
        (Delta("e", 0, (Keep(1),)), "delta"),
        (Delta("e", 0, (OPEN,)), "open"),
        (Delta("e", 0, (Keep(1), OPEN)), "delta"),
        (TextDelta("e", "x"), "delta"),
        (Done("e"), "final"),
    ],
)
def test_a_message_is_marked_by_what_may_become_of_it(message, kind):
    told = OutgoingMessage.of(message)
    assert (told.request_id, told.kind, unpack(told.body)) == ("e", kind, message)


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        (Progress("e", "loading", HALF, 0.5), Progress("e", "loading", "loading")),
        (TextDelta("e", HALF), TextDelta("e", "")),
        (Delta("e", 3, (Hunk(1, 0, 0, (HALF,)),)), Delta("e", 3, ())),
    ],
)
def test_what_cannot_be_sent_before_an_answer_is_not_taken_for_one(message, sent):
    told = OutgoingMessage.of(message)
    assert (told.request_id, unpack(told.body)) == ("e", sent)
    assert told.kind == ("progress" if isinstance(sent, Progress) else "delta")


@pytest.mark.parametrize(
    ("error", "ends"),
    [
        (EditCancelled("x"), "cancelled"),
        (EditRefused("x"), "refused"),
        (AnswerCutOff("x"), "length"),
        (RuntimeError("secret"), "error"),
    ],
)
def test_an_error_knows_how_its_edit_ends(error, ends):
    answer = failure("EditRequest", "e", error)
    assert (answer.finish_reason, answer.text) == (ends, None)
    assert "secret" not in answer.error.message
    assert failure("WarmupRequest", "e", error).error == answer.error
    assert not hasattr(failure("EditRequest", "e", DaemonUnreachable("x")), "finish_reason")
