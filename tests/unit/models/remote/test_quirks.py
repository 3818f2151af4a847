"""What servers do that is not in OpenAI's book, by stand-ins that do as their sources and threads say.

Ollama (its ``openai/openai.go`` and ``middleware/openai.go``), LM Studio (its bug tracker: #618, #676,
#2322, #2339), llama-server, Mistral's service. None of them has run here but llama-server
(``tests/real/test_llama_server.py``).
"""

import json
from base64 import b64encode
from random import Random

import pytest

from editd.daemon.framing import pack
from editd.messages import EditRequest
from tests.unit.models.remote.server import (
    CARD,
    DONE,
    STREAM,
    answer,
    engine_of,
    listing,
    said,
    serving,
)
from tests.unit.models.remote.test_faults import check_refused, edited

TEXT = "a = 1\nb = 2\n"
AFTER = "a = 3\nb = 2\n"
FENCED = f"```python\n{AFTER}```"
OLLAMA = {**CARD, "owned_by": "library", "created": 1795000000}
LM_STUDIO = {**CARD, "owned_by": "organization_owner"}


def event(value, name="data"):
    return f"{name}: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode()


def chunk(finish_reason=None, **delta):
    delta = {"role": "assistant", **delta}
    return event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]})


def counted(prompt=50, output=9, **more):
    usage = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
    return event({"choices": [], "usage": usage, **more})


def whole(**choice):
    body = {"object": "chat.completion", "choices": [{"index": 0, **choice}], "usage": USAGE}
    return answer("200 OK", json.dumps(body).encode())


USAGE = {"prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59}
SAID = said(FENCED[:20]) + said(FENCED[20:])
ENDED = {
    "Ollama": [chunk(content=FENCED), chunk("stop", content=""), counted(), DONE],
    "Ollama thinks": [chunk(content="", reasoning="Hm."), chunk("stop", content=FENCED), DONE],
    "LM Studio thinks": [
        chunk(reasoning_content="Hm."),
        chunk(content=FENCED),
        chunk("stop"),
        DONE,
    ],
    "counts that are not yet": [event({"choices": [], "usage": {"prompt_tokens": 0}}), SAID, DONE],
    "null for what is absent": [
        event({"choices": None, "usage": None, "error": None}),
        chunk(content=None),
        chunk(content=FENCED),
        event({"choices": [{"delta": None, "finish_reason": "stop"}]}),
        DONE,
    ],
    "counts that no message holds": [SAID, counted(10**30, 10**30), DONE],
    "no [DONE]": [SAID, chunk("stop")],
    "[DONE] without a space": [SAID, b"data:[DONE]\n\n"],
    "[DONE] without an end": [SAID, b"data: [DONE]"],
    "lines of CR LF": [
        (SAID + chunk("stop") + DONE).replace(b"\n", b"\r\n"),
    ],
    "something behind [DONE]": [SAID, DONE, event({"choices": [{"delta": {"content": "more"}}]})],
    "comments and other fields": [
        b": keep-alive\n\n",
        b"event: ping\nid: 7\nretry: 100\ndata:\n\n",
        SAID,
        b": keep-alive\n\n",
        DONE,
    ],
    "the whole text beside each delta": [
        event({"choices": [{"delta": {"content": FENCED}, "message": {"content": FENCED}}]}),
        DONE,
    ],
    "the whole text at the end": [
        SAID,
        event({"choices": [{"message": {"content": FENCED}, "finish_reason": "stop"}]}),
        DONE,
    ],
    "a reason of its own": [SAID, chunk("eos"), DONE],
}


@pytest.mark.parametrize("name", ENDED)
def test_an_answer_is_understood(name):
    pieces = ENDED[name]
    with serving(STREAM, *pieces) as server, engine_of(server) as engine:
        result = edited(engine)
    assert (result.text, result.finish_reason) == (AFTER, "stop"), result.error
    assert result.stats.prompt_tokens in (None, 50)
    pack(result)


@pytest.mark.parametrize(
    "choice",
    [
        {"message": {"role": "assistant", "content": FENCED}, "finish_reason": "stop"},
        {"message": {"content": FENCED, "reasoning": "Hm."}, "finish_reason": None},
        {"text": FENCED, "finish_reason": "stop"},
    ],
)
def test_a_server_that_does_not_stream_is_read_whole(choice):
    with serving(whole(**choice)) as server, engine_of(server) as engine:
        result = edited(engine)
    assert (result.text, result.finish_reason) == (AFTER, "stop"), result.error
    assert (result.stats.prompt_tokens, result.stats.output_tokens) == (50, 9)


@pytest.mark.parametrize("choice", [{"finish_reason": "length"}, {"finish_reason": "stop"}])
def test_what_does_not_stream_is_cut_off_like_what_does(choice):
    """By its own word, or because it is longer than it was allowed to be."""
    size = 6 if choice["finish_reason"] == "length" else 100_000
    text = "```\n" + b64encode(Random(7).randbytes(size)).decode()
    with serving(whole(message={"content": text}, **choice)) as server, engine_of(server) as engine:
        check_refused(edited(engine), "had not finished", code="cut-off")


LM_STUDIO_OVERFLOW = {
    "message": "Trying to keep the first 5120 tokens when context the overflows. However, the model is "
    "loaded with context length of only 4096 tokens, which is not enough."
}


@pytest.mark.parametrize(
    "pieces",
    [
        [STREAM, event("error", "event")[:-1] + event({"error": LM_STUDIO_OVERFLOW})],
        [answer("400 Bad", json.dumps({"error": LM_STUDIO_OVERFLOW}).encode())],
        [
            answer(
                "400 Bad",
                b'{"error": {"code": 400, "type": "exceed_context_size_error", "message":'
                b' "request (20001 tokens) exceeds the available context size (8192 tokens)"}}',
            )
        ],
        [
            answer(
                "400 Bad",
                b'{"error": {"message": "This model\'s maximum context length is 8192 tokens.",'
                b' "type": "BadRequestError", "param": null, "code": 400}}',
            )
        ],
    ],
)
def test_a_text_that_is_too_long_is_said_to_be(pieces):
    """In an event after 200 by LM Studio; with a type by llama-server, in words by vLLM."""
    with serving(*pieces) as server, engine_of(server) as engine:
        check_refused(edited(engine), "cannot take so much text", code="scope-too-large")


@pytest.mark.parametrize(
    ("pieces", "words", "code"),
    [
        # Ollama's error within a stream becomes an empty chunk, and then nothing comes.
        (
            [STREAM, chunk(content="```\na"), chunk(content="")],
            "ended before its answer",
            "server-failed",
        ),
        # LM Studio with a GGUF file and a prompt beyond its context.
        ([STREAM, chunk("stop"), counted(), DONE], "answer is empty", "refused"),
        # LM Studio, asked without /v1.
        (
            [answer("200 OK", b'{"error": "Unexpected endpoint"}')],
            "Unexpected end",
            "server-failed",
        ),
    ],
)
def test_silent_failures_are_failures(pieces, words, code):
    with serving(*pieces) as server, engine_of(server) as engine:
        check_refused(edited(engine), words, code=code)


@pytest.mark.parametrize(
    ("models", "words", "code"),
    [
        (answer("200 OK", b'{"object": "list", "data": null}'), "offers none", "model-not-found"),
        (listing({**OLLAMA, "id": "m:7b"}), "it offers m:7b", "model-not-found"),
        (
            answer("200 OK", b'{"error": "Unexpected endpoint or method. (GET /models)"}'),
            "ends in /v1",
            "server-failed",
        ),
    ],
)
def test_how_models_are_listed(models, words, code):
    with serving(models=models) as server, engine_of(server) as engine:
        check_refused(edited(engine), words, code=code)


@pytest.mark.parametrize("card", [OLLAMA, LM_STUDIO])
def test_a_context_that_is_not_told_is_taken_for_the_usual_one(card):
    """Ollama would cut off what is beyond it, and answer for the rest as if nothing were missing."""
    request = EditRequest("r", TEXT * 800, "make a 3", path="a.py")
    with serving(STREAM, SAID, DONE, models=listing(card)) as server:
        with engine_of(server) as engine:
            check_refused(edited(engine, request), code="scope-too-large")
        assert server.bodies == []
        with engine_of(server, max_context=32_768) as engine:
            edited(engine, request)
        assert len(server.bodies) == 1


MISTRAL = {
    "object": "error",
    "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options", "x"]}]},
}


def test_fields_that_are_not_taken_are_left_out():
    """Mistral's service takes no ``stream_options``: asked once more, and without them from then on."""
    refusal = [answer("422 No", json.dumps(MISTRAL).encode())]
    with serving(refusal, [STREAM, SAID, DONE]) as server, engine_of(server) as engine:
        assert edited(engine).text == AFTER
        assert edited(engine).text == AFTER
        assert [("stream_options" in body) for body in server.bodies] == [True, False, False]
