"""A server that misbehaves on purpose: one sentence each, nothing written, the connection closed."""

import pytest

from editd.daemon.framing import pack
from editd.messages import EditRequest, EditResult
from tests.unit.models.remote.server import (
    CARD,
    DONE,
    STREAM,
    answer,
    engine_at,
    engine_of,
    listing,
    said,
    serving,
)

TEXT = "a = 1\nb = 2\n"
REQUEST = EditRequest("r", TEXT, "make a 3", path="a.py")


def edited(engine, request=REQUEST):
    *_, result = engine.edit(request)
    assert isinstance(result, EditResult)
    return result


def check_refused(result, *words, code="server-failed"):
    """One sentence that says so, and nothing that could be written."""
    pack(result)
    assert (result.text, result.hunks) == (None, ())
    assert result.error.code == code, result.error
    sentence = result.error.message
    assert sentence.endswith(".")
    assert "\n" not in sentence
    for word in words:
        assert word in sentence
    assert TEXT not in sentence


BEGUN = STREAM + said("```python\n") + said("a = 3\n")
ERROR = b'{"error": {"message": "out of order", "type": "server_error"}}'
FAULTS = {
    "401": ([answer("401 Unauthorized")], "requires a key (401)"),
    "403": ([answer("403 Forbidden")], "requires a key (403)"),
    "404": ([answer("404 Not Found", b'{"error": "no such model"}')], "no model m (404: no such"),
    "429": ([answer("429 Too Many", Retry_After="7")], "is overloaded (429): try again in 7 s"),
    "429 without": ([answer("429 Too Many")], "try again later"),
    "500": ([answer("500 Oops", ERROR)], "failed (500: out of order)"),
    "503": ([answer("503 Busy", b"<html>")], "failed (503)"),
    "400": ([answer("400 Bad", ERROR)], "refused the request (400: out of order)"),
    "redirect": ([answer("307 There", Location="http://127.0.0.1:1/")], "redirects (307)"),
    "stops in the middle": ([BEGUN], "ended before its answer was complete"),
    "stops in an event": ([BEGUN, b'data: {"choices": [{"de'], "ended before its answer"),
    "stops in a chunk": (
        [STREAM.replace(b"Connection: close", b"Transfer-Encoding: chunked") + b"40\r\ndata: "],
        "ended before its answer",
    ),
    "says nothing": ([b""], "ended before its answer"),
    "is no HTTP": ([b"SSH-2.0-OpenSSH_9.9\r\n"], "ended before its answer"),
    "ends without a word": ([STREAM], "ended before its answer"),
    "an error in the stream": ([BEGUN, b"data: " + ERROR + b"\n\n"], "during the answer: out of order"),
    "another type": ([answer("200 OK", b"<html>", Content_Type="text/html")], "no stream of events"),
    "one piece, no text": ([answer("200 OK", b'{"choices": []}')], "ended before its answer"),
    "one piece, no JSON": ([answer("200 OK", b"{]")], "something that is no JSON"),
    "one piece, no UTF-8": ([answer("200 OK", b'{"choices": "\xff"}')], "no UTF-8"),
    "one piece, too long": ([answer("200 OK", b'{"x": "' + b"x" * (9 << 20))], "more than an answer"),
    "truncated UTF-8": ([BEGUN, b'data: "\xc3"\n\n'], "no UTF-8"),
    "half a character": ([BEGUN, said("a = '\ud83d'\n"), DONE], "no UTF-8"),
    "one piece, half a character": ([answer("200 OK", b'{"choices": "\\uD83D"}')], "no UTF-8"),
    "an error of half a character": ([answer("500 Oops", b'{"error": "\\ud83d"}')], r"(500: \ud83d)"),
    "half a character in an error": ([BEGUN, b'data: {"error": "\\ude00"}\n\n'], "no UTF-8"),
    "no JSON": ([BEGUN, b"data: {]\n\n"], "no JSON"),
    "no object": ([BEGUN, b"data: 3\n\n"], "ended before its answer"),
    "deep": ([BEGUN, b"data: " + b"[" * 100_000 + b"\n\n"], "no JSON"),
    "a line that never ends": ([STREAM, lambda: b"x" * (1 << 20)], "a line that never ends"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_one_sentence(name):
    pieces, words = FAULTS[name]
    with serving(*pieces) as server, engine_of(server) as engine:
        check_refused(edited(engine), f"http://127.0.0.1:{server.port}", words)


def test_nobody_listens():
    with engine_at("http://127.0.0.1:9/v1") as engine:
        check_refused(edited(engine), "cannot be reached", "start the server")


@pytest.mark.parametrize(
    ("models", "words", "code"),
    [
        (listing(), "has no model x: it offers m", "model-not-found"),
        (listing({}, {"id": 3}), "has no model x", "model-not-found"),
        (answer("200 OK", b'{"data": 3}'), "it offers none", "model-not-found"),
        (answer("200 OK", b"3"), "JSON that is no object", "server-failed"),
        (answer("200 OK", b"[]"), "it offers none", "model-not-found"),
        (answer("200 OK", b"<html>"), "no JSON", "server-failed"),
        (answer("401 Unauthorized"), "requires a key", "server-failed"),
    ],
)
def test_what_it_says_of_its_models(models, words, code):
    with serving(models=models) as server, engine_of(server, name="x") as engine:
        check_refused(edited(engine), words, code=code)
        assert server.bodies == []  # no text went there


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (
            b'{"error": {"message": "too long", "code": "context_length_exceeded"}}',
            "scope-too-large",
        ),
        (b'{"error": {"message": "I only know two edits."}}', "refused"),
    ],
)
def test_what_a_server_refuses_is_refused(body, code):
    status = "422 No" if code == "refused" else "400 No"
    with serving(answer(status, body)) as server, engine_of(server) as engine:
        check_refused(edited(engine), code=code)


def test_a_stream_that_never_ends_is_ended():
    forever = said("a = 3\n" * 200)
    with serving(STREAM + said("```\n"), lambda: forever) as server, engine_of(server) as engine:
        request = EditRequest("r", TEXT, "repeat it a thousand times", path="a.py")
        check_refused(edited(engine, request), "had not finished", code="cut-off")


def test_silence_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("editd.models.remote.streamed_answer._SILENT_SECONDS", 0.05)
    with serving(BEGUN, "wait") as server, engine_of(server) as engine:
        check_refused(edited(engine), "has said nothing")
        assert server.hung_up.wait(60)


def test_comments_are_no_text(monkeypatch):
    """A proxy's heartbeats do not keep an answer alive that does not come."""
    monkeypatch.setattr("editd.models.remote.streamed_answer._FIRST_SECONDS", 0.05)
    with serving(STREAM, lambda: b": still here\n\n") as server, engine_of(server) as engine:
        check_refused(edited(engine), "has said nothing")


def test_a_cancel_closes_the_connection():
    with serving(BEGUN, "wait") as server, engine_of(server) as engine:
        job = engine.start(REQUEST)
        while not server.bodies:
            job.advance()
        (result,) = job.cancel()
        assert result.finish_reason == "cancelled"
        assert result.text is None
        assert server.hung_up.wait(60)


def test_no_text_is_logged(caplog):
    caplog.set_level("DEBUG")
    with serving(*FAULTS["no JSON"][0]) as server, engine_of(server) as engine:
        edited(engine)
    with (
        serving(STREAM, said("```\na = 3\nb = 2\n```", "stop"), DONE) as server,
        engine_of(server) as engine,
    ):
        assert edited(engine).text == "a = 3\nb = 2\n"
    assert "a = 3" not in caplog.text
    assert "make a 3" not in caplog.text


def test_a_prediction_that_is_not_taken_is_left_out():
    """Who advertises it and refuses it gets the same request without it, once and for all."""
    card = {**CARD, "editd": {"fields": ["prediction"]}}
    refusal = answer("400 Bad", b'{"error": {"message": "Unknown field", "param": "prediction"}}')
    good = [STREAM, said("```\na = 3\nb = 2\n```", "stop"), DONE]
    with serving([refusal], good, models=listing(card)) as server, engine_of(server) as engine:
        assert edited(engine).text == "a = 3\nb = 2\n"
        assert edited(engine).text == "a = 3\nb = 2\n"
        assert [("prediction" in body) for body in server.bodies] == [True, False, False]
