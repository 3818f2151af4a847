"""How a stream ends: an answer that may be cut off is never written, whatever words a server has for it."""

import json
from random import Random

import pytest

from tests.unit.models.remote.server import DONE, STREAM, answer, engine_of, said, serving
from tests.unit.models.remote.test_faults import TEXT, check_refused, edited

AFTER = "a = 3\nb = 2\n"
WHOLE = f"```python\n{AFTER}```"
CUT = "```python\na = 3\n"
BARE = AFTER  # without a fence: only the server's word says that it is whole


def event(value, name="data"):
    text = value if isinstance(value, str) else json.dumps(value)
    return f"{name}: {text}\n\n".encode()


def check(pieces, *, text=None, words="", code="server-failed", **more):
    with serving(STREAM, *pieces) as server, engine_of(server) as engine:
        result = edited(engine)
    if text is None:
        check_refused(result, words, code=code, **more)
    else:
        assert (result.text, result.finish_reason) == (text, "stop"), result.error


@pytest.mark.parametrize(
    "word",
    ["stop", "STOP", "eos", "EOS_TOKEN", "end_turn", "stop_sequence", "Stop_String", " stop "],
)
@pytest.mark.parametrize("text", [WHOLE, BARE])
def test_a_word_for_the_models_own_end(word, text):
    check([said(text), said("", word), DONE], text=AFTER)


OTHERS = {
    "length": ("had not finished", "cut-off"),
    "MAX_TOKENS": ("had not finished", "cut-off"),
    "tool_calls": ("called a tool", "refused"),
    "Function_Call": ("called a tool", "refused"),
    "content_filter": ("withheld its answer", "refused"),
    "": ("ended before its answer was complete", "server-failed"),
    "null": ("ended before its answer was complete", "server-failed"),
    "unknown": ("ended before its answer was complete", "server-failed"),
    "stop!": ("ended before its answer was complete", "server-failed"),
    None: ("ended before its answer was complete", "server-failed"),
    7: ("ended before its answer was complete", "server-failed"),
    ("stop",): ("ended before its answer was complete", "server-failed"),
}


@pytest.mark.parametrize("word", OTHERS)
@pytest.mark.parametrize("last", [[DONE], []])
def test_any_other_word_counts_only_behind_a_closed_fence(word, last):
    words, code = OTHERS[word]
    check([said(WHOLE), said("", word), *last], text=AFTER)
    check([said(WHOLE, word), *last], text=AFTER)
    check([said(CUT), said("", word), *last], words=words, code=code)
    check([said(BARE), said("", word), *last], words=words, code=code)


@pytest.mark.parametrize("word", ["abort", "Error", "cancelled", "CANCELED", "failed"])
@pytest.mark.parametrize("text", [WHOLE, CUT])
def test_a_word_for_a_failure(word, text):
    check([said(text), said("", word), DONE], words="broke off its answer")


def test_a_word_for_an_end_is_none_where_text_follows():
    """Some servers send it with each piece."""
    each = [said(piece, "stop") for piece in (WHOLE[:12], WHOLE[12:20])]
    check(each, words="ended before its answer")
    check([*each, DONE], words="ended before its answer")
    check([*each, said(WHOLE[20:], "stop"), DONE], text=AFTER)
    check(
        [said(BARE[:6], "stop"), said(BARE[6:], "length"), DONE],
        words="had not finished",
        code="cut-off",
    )


def test_a_server_that_holds_on_after_its_last_word_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("editd.models.remote.streamed_answer._END_SECONDS", 0.05)
    monkeypatch.setattr("editd.models.remote.streamed_answer._SILENT_SECONDS", 0.3)
    check([said(WHOLE, "stop"), "wait"], text=AFTER)
    check([said(BARE, "stop"), "wait"], text=AFTER)
    check([said(WHOLE), "wait"], text=AFTER)
    check([said(CUT), "wait"], words="has said nothing")


TOO_LONG = "the request exceeds the available context size. try increasing the context size"
ERRORS = {
    "OpenAI": event({"error": {"message": "Oops.", "type": "server_error", "code": None}}),
    "a text": event({"error": "Oops."}),
    "a number for a code": event({"error": {"code": 500, "message": "Oops."}}),
    "no words": event({"error": {"code": 500}}),
    "a field of llama-server": event({"code": 500, "message": "Oops."}, "error"),
    "a field with words": event("Oops.", "error"),
    "an event of that name": b"event: error\n" + event({"message": "Oops."}),
    "an event with OpenAI's": b"event: error\n" + event({"error": {"message": "Oops."}}),
    "an event with words": b"event: error\n" + event("Oops."),
    "vLLM": event({"object": "error", "message": "Oops.", "type": "Internal", "code": 500}),
    "Anthropic": event({"type": "error", "error": {"type": "overloaded", "message": "Oops."}}),
    "FastAPI": event({"detail": "Oops."}),
    "FastAPI's list": event({"detail": [{"loc": ["body"], "msg": "Oops.", "type": "x"}]}),
    "Cloudflare": event({"success": False, "errors": [{"code": 1, "message": "Oops."}]}),
    "Google": event([{"error": {"code": 503, "message": "Oops.", "status": "UNAVAILABLE"}}]),
    "bare": event({"code": 502, "message": "Oops."}),
    "with a status": event({"status": "error", "message": "Oops."}),
    "OpenRouter": event({"choices": [{"index": 0, "error": {"code": 502, "message": "Oops."}}]}),
    "beside choices": event(
        {"error": {"message": "Oops."}, "choices": [{"index": 0, "delta": {}}]}
    ),
}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("before", ["", CUT, WHOLE])
def test_an_error_in_a_stream_is_an_error(name, before):
    pieces = [said(before)] if before else []
    words = "failed during the answer" + ("" if name == "no words" else ": Oops.")
    check([*pieces, ERRORS[name], DONE], words=words)
    check([*pieces, ERRORS[name]], words=words)


@pytest.mark.parametrize("name", [name for name in ERRORS if ERRORS[name].startswith(b"data: ")])
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/plain"])
def test_an_error_in_the_place_of_a_stream_is_an_error(name, kind):
    body = ERRORS[name].removeprefix(b"data: ").strip()
    with serving(answer("200 OK", body, Content_Type=kind)) as server, engine_of(server) as engine:
        check_refused(edited(engine), "failed during the answer")


@pytest.mark.parametrize(
    "error",
    [
        {"object": "error", "message": TOO_LONG},
        {"detail": TOO_LONG},
        {"error": {"message": TOO_LONG}},
    ],
)
def test_an_error_that_says_that_the_text_is_too_long(error):
    check([said(CUT), event(error)], words="cannot take so much text", code="scope-too-large")
    check([event(error, "error")], words="cannot take so much text", code="scope-too-large")


@pytest.mark.parametrize("error", [None, False, "", {}, {"code": None, "message": ""}])
def test_what_looks_like_an_error_and_is_none(error):
    more = event({"choices": [], "error": error, "object": "chat.completion.chunk", "message": ""})
    check(
        [more, said(WHOLE, "stop"), event({"type": "ping"}), event({"message": {}}), DONE],
        text=AFTER,
    )


def choices(*texts):
    """One event with a choice for each index and text."""
    found = [{"index": index, "delta": {"content": text}} for index, text in texts]
    return event({"choices": found})


def test_the_choice_with_index_0_counts():
    others = [
        choices((1, "x"), (0, WHOLE[:9])),
        choices((1, "```\nx\n```")),
        choices((0, WHOLE[9:]), (2, "y")),
    ]
    check([*others, said("", "stop"), DONE], text=AFTER)
    check([choices((1, WHOLE)), DONE], words="ended before")
    end_of_other = event({"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]})
    check([choices((0, BARE)), end_of_other], words="ended before")
    body = {"choices": [{"index": 1, "message": {"content": "x"}, "finish_reason": "stop"},
                        {"index": 0, "message": {"content": WHOLE}, "finish_reason": "stop"}]}  # fmt: skip
    with (
        serving(answer("200 OK", json.dumps(body).encode())) as server,
        engine_of(server) as engine,
    ):
        assert edited(engine).text == AFTER


def test_a_model_that_declines_in_a_field_of_its_own():
    refusal = event({"choices": [{"index": 0, "delta": {"refusal": "I can't."}}]})
    check([refusal, said("", "stop"), DONE], words="declined (I can't.)", code="refused")


FRAMES = {
    "LF": lambda event: event,
    "CR LF": lambda event: event.replace(b"\n", b"\r\n"),
    "CR": lambda event: event.replace(b"\n", b"\r"),
    "one line end": lambda event: event[:-1],
    "pings": lambda event: b": ping\n\n" + event + b"data: :keepalive\n\n",
    "names": lambda event: b"event: message\nid: 1\n" + event,
}
SPOKEN = [[said("```py"), said("thon\na = 3\n"), said("b = 2\n"), said("```")],
          [said("```\na "), said("= 3\nb = 2\n```"), said("\n")]]  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("end", ["stop", "length", ""])
def test_wherever_a_stream_breaks_off_nothing_but_the_whole_answer_is_written(frame, end):
    chance = Random(f"{frame} {end}")
    for spoken in SPOKEN:
        stream = b"".join(map(FRAMES[frame], [*spoken, said("", end), DONE]))
        seen = set()
        for cut in [len(stream), *(chance.randrange(len(stream)) for _ in range(25))]:
            with serving(STREAM + stream[:cut]) as server, engine_of(server) as engine:
                result = edited(engine)
            assert result.text in (AFTER, None), (result.text, stream[:cut])
            assert (result.text is None) is bool(result.error)
            seen.add(result.text)
        assert seen == {AFTER, None}
    assert TEXT != AFTER
