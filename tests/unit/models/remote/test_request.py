"""What becomes of a request that a server does not take as it is: fields left out, renamed, folded, clamped."""

import json

import pytest

from editd.messages import ChatMessage, CompleteRequest, EditRequest, WarmupRequest
from editd.messages.options import EditOptions
from editd.models.remote.request import limit_named
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
from tests.unit.models.remote.test_faults import REQUEST, TEXT, check_refused, edited

AFTER = "a = 3\nb = 2\n"
FENCED = f"```python\n{AFTER}```"
GOOD = [STREAM, said(FENCED, "stop"), DONE]


def refused(message, status="400 Bad Request", **more):
    return [answer(status, json.dumps({"error": {"message": message, **more}}).encode())]


def check(by_body, expected, *, requests=2, request=REQUEST, card=CARD, **model):
    """Edit twice: ``requests`` are sent in all, so what was learnt is not forgotten.

    expected: part of the last body, ``None`` for a field that it has not.
    """
    with (
        serving(by_body=by_body, models=listing(card)) as server,
        engine_of(server, **model) as engine,
    ):
        for _ in range(2):
            result = edited(engine, request)
            assert result.text == AFTER, result.error
        (held,) = engine.models()
    last = server.bodies[-1]
    assert {name: last.get(name) for name in expected} == expected
    assert len(server.bodies) == requests, [sorted(body) for body in server.bodies]
    return held


def refusing(
    *names, words="Unsupported parameter: '{}' is not supported with this model.", status="400 No"
):
    """A server that refuses a request with one of these fields, in ``words``."""

    def by_body(body):
        found = next((name for name in names if name in body), None)
        return GOOD if found is None else refused(words.format(found), status)

    return by_body


WORDS = {
    "OpenAI": "Unsupported parameter: '{}' is not supported with this model.",
    "OpenAI, a value": "Unsupported value: '{}' does not support 0.0 with this model. Only the default (1) is.",
    "older": "Unrecognized request argument supplied: {}",
    "pydantic": "body.{}: Extra inputs are not permitted",
    "plain": "{} is not supported",
}


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("status", ["400 Bad Request", "422 Unprocessable Entity"])
@pytest.mark.parametrize("field", ["temperature", "stream_options", "seed", "top_p"])
def test_a_field_that_is_not_taken_is_left_out(name, status, field):
    request = EditRequest(
        "r", TEXT, "make a 3", path="a.py", options=EditOptions(seed=7, top_p=0.5)
    )
    held = check(
        refusing(field, words=WORDS[name], status=status),
        {field: None},
        requests=3,
        request=request,
    )
    assert (f"takes no {field}" in held.runs) is (field != "stream_options")


def test_several_fields_are_left_out_one_after_the_other():
    fields = ("temperature", "logprobs", "top_logprobs", "chat_template_kwargs", "stream_options")
    card = {**CARD, "owned_by": "llamacpp"}
    check(refusing(*fields), dict.fromkeys(fields), requests=2 + len(fields), card=card)


@pytest.mark.parametrize(
    "words",
    [
        "Unsupported parameter: '{}' is not supported with this model. Use 'max_completion_tokens' instead.",
        "Unrecognized request argument supplied: {}",
        "Unknown field: {}",
    ],
)
def test_the_limit_of_tokens_has_two_names(words):
    held = check(refusing("max_tokens", words=words), {"max_tokens": None}, requests=3)
    assert "max_tokens" not in held.runs
    both = ("max_tokens", "max_completion_tokens")
    check(refusing(*both, words=words), dict.fromkeys(both), requests=4)
    with (
        serving(by_body=refusing("max_tokens", words=words)) as server,
        engine_of(server) as engine,
    ):
        edited(engine)
    before, after = server.bodies
    assert before["max_tokens"] == after["max_completion_tokens"] > 0


def test_fields_in_a_list_of_errors():
    """FastAPI's form, in which the field's name stands beside the message."""

    def by_body(body):
        if "max_tokens" not in body:
            return GOOD
        error = {
            "type": "extra_forbidden",
            "loc": ["body", "max_tokens"],
            "msg": "Extra inputs are not permitted",
        }
        return [answer("422 No", json.dumps({"detail": [error]}).encode())]

    check(by_body, {"max_tokens": None}, requests=3)


NO_SYSTEM = [
    ("400 No", "System role not supported"),
    ("400 No", "Unsupported value: 'messages[0].role' does not support 'system' with this model."),
    ("400 No", "Conversation roles must alternate user/assistant/user/assistant/..."),
    ("500 Oops", "Jinja Exception: System role not supported"),
    ("400 No", "Developer instruction is not enabled: system messages are not allowed"),
]


@pytest.mark.parametrize(("status", "words"), NO_SYSTEM)
def test_a_system_message_that_is_not_taken_stands_in_the_users(status, words):
    def by_body(body):
        roles = [message["role"] for message in body["messages"]]
        return refused(words, status) if "system" in roles else GOOD

    with serving(by_body=by_body) as server, engine_of(server) as engine:
        assert edited(engine).text == AFTER
        assert edited(engine).text == AFTER
        assert "takes no system message" in engine.models()[0].runs
    before, after, again = (body["messages"] for body in server.bodies)
    (only,) = after
    assert only["role"] == "user"
    assert only["content"] == "\n\n".join(message["content"] for message in before)
    assert again == after


LIMITS = [
    (
        "max_tokens is too large: {}. This model supports at most 512 completion tokens, whereas you provided {}.",
        512,
    ),
    ("`max_tokens` must be less than or equal to `512`, the maximum value for this model", 512),
    (
        "max_tokens: {} > 512, which is the maximum allowed number of output tokens for claude-3-20240620",
        512,
    ),
    ("Invalid max_tokens value, the valid range of max_tokens is [1, 512]", 512),
    ("max_completion_tokens: Input should be less than or equal to 512", 512),
    ("Error code: 400 - max_new_tokens may have 512 tokens at most", 512),
]
ROOMS = [
    ("This model's maximum context length is 4096 tokens. However, you requested {t} tokens (3584 in the messages, "
     "{} in the completion). Please reduce the length of the messages or completion."),
    ("'max_tokens' or 'max_completion_tokens' is too large: {}. This model's maximum context length is 4096 tokens and "
     "your request has 3584 input tokens ({} > 4096 - 3584)."),
    ("This model's maximum context length is 4096 tokens. However, you requested {} output tokens and your prompt "
     "contains at least 3584 input tokens, for a total of at least 4097 tokens. Please reduce it."),
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3584 `inputs` tokens and {} `max_new_tokens`",
    ("Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of {t} "
     "tokens: 3584 tokens from the input messages and {} tokens for the completion."),
    "This model's maximum context length is 4,096 tokens. However, you requested {t} tokens. Please reduce the length.",
]  # fmt: skip


@pytest.mark.parametrize(("words", "limit"), [*LIMITS, *((words, 512) for words in ROOMS)])
def test_a_limit_that_the_server_names_is_kept(words, limit):
    def by_body(body):
        sent = body["max_tokens"]
        return GOOD if sent <= 512 else refused(words.format(sent, sent, t=sent + 3584))

    is_for_all = words not in ROOMS
    check(by_body, {"max_tokens": limit}, requests=3 if is_for_all else 4)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Please reduce the length of the messages.", 0),
        ("This model's maximum context length is 4096 tokens.", 0),
        ("context length is 4096 tokens and your request has 5000 input tokens", 0),
        ("The server model-2024-08-06 has failed at 12.5 %.", 0),
    ],
)
def test_an_error_that_names_no_limit(words, expected):
    assert limit_named(words, 8000)[0] == expected


def test_a_server_that_is_never_content_is_not_asked_for_ever():
    def by_body(body):
        return refused(
            f"max_tokens must be less than {body['max_tokens']}, at most {body['max_tokens'] - 1}"
        )

    with serving(by_body=by_body) as server, engine_of(server) as engine:
        check_refused(edited(engine), "refused the request (400")
    assert len(server.bodies) < 8
    with serving(by_body=lambda body: refused(f"Unsupported: {', '.join(body)}")) as server:
        with engine_of(server) as engine:
            check_refused(edited(engine), "refused the request (400")
        assert len(server.bodies) < 16


# --- thoughts ---------------------------------------------------------------------------------------


def thought(text, name="reasoning_content", finish_reason=None):
    choice = {"index": 0, "delta": {name: text}, "finish_reason": finish_reason}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def is_off(body):
    return body.get("chat_template_kwargs", {}).get("enable_thinking") is False


def is_low(body):
    return body.get("reasoning_effort") in ("none", "low")


def thinking(num_tokens, off=lambda _body: False, send=thought):
    """A server whose model thinks for so many tokens first, unless ``off``."""

    def by_body(body):
        most = body.get("max_tokens", body.get("max_completion_tokens"))
        if off(body):
            return GOOD
        thoughts = [send("hmm ") for _ in range(min(num_tokens, most))]
        if num_tokens >= most:
            return [STREAM, *thoughts, said("", "length"), DONE]
        return [STREAM, *thoughts, *GOOD[1:]]

    return by_body


@pytest.mark.parametrize("off", [is_off, is_low])
@pytest.mark.parametrize(
    "send",
    [
        thought,
        lambda text: thought(text, "reasoning"),
        lambda text: thought({"content": text}, "reasoning"),
        lambda text: thought([{"type": "reasoning.text", "text": text}], "reasoning_details"),
        lambda text: thought(
            [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}], "content"
        ),
    ],
)
def test_a_model_that_only_thinks_is_asked_again_not_to(off, send):
    check(thinking(2000, off, send), {"reasoning_effort": "none"}, requests=3)


def test_a_server_that_takes_the_templates_settings_is_sent_them_at_once():
    for owner in ("vllm", "llamacpp", "SGLang"):
        check(thinking(10**6, is_off), {"reasoning_effort": None}, card={**CARD, "owned_by": owner})
    with serving(*GOOD) as server, engine_of(server) as engine:
        edited(engine)
    assert not {"chat_template_kwargs", "reasoning_effort"} & server.bodies[0].keys()


@pytest.mark.parametrize(
    "names",
    [
        ("chat_template_kwargs",),
        ("reasoning_effort",),
        ("chat_template_kwargs", "reasoning_effort"),
    ],
)
def test_what_is_not_taken_to_think_less_is_left_out(names):
    """Then there is still more room for thoughts."""
    refuse, think = refusing(*names), thinking(2000)

    def by_body(body):
        return refuse(body) if {*names} & body.keys() else think(body)

    requests = 3 + len(names) + ("reasoning_effort" in names)
    check(by_body, dict.fromkeys(names), requests=requests, max_context=20_000)


def test_an_effort_that_is_not_known_is_another():
    def by_body(body):
        if body.get("reasoning_effort") == "none":
            return refused("reasoning_effort: Input should be 'low', 'medium' or 'high'")
        return thinking(2000, is_low)(body)

    check(by_body, {"reasoning_effort": "low"}, requests=4)


def test_thoughts_that_leave_no_room_are_said_to():
    with serving(by_body=thinking(10**5)) as server, engine_of(server) as engine:
        for _ in range(2):
            check_refused(edited(engine), "tokens on thoughts", "--max-new-tokens", code="cut-off")
        assert [body["max_tokens"] for body in server.bodies[:2]] == sorted(
            {body["max_tokens"] for body in server.bodies}
        )
        request = EditRequest("r", TEXT, "make a 3", options=EditOptions(max_new_tokens=50))
        check_refused(edited(engine, request), "its 50 tokens on thoughts", code="cut-off")
        assert server.bodies[-1]["max_tokens"] == 50


@pytest.mark.parametrize(
    "opening", ["<think>\n", "[THINK]", "<|channel|>analysis<|message|>", "<seed:think>"]
)
def test_thoughts_in_the_text_are_remembered(opening):
    """They cannot be taken back, so the next edit has more room."""
    pieces = [STREAM, said(f"{opening}Okay, the user wants a to be 3. Line one", "length"), DONE]
    with serving(pieces, GOOD) as server, engine_of(server) as engine:
        check_refused(edited(engine), "tokens on thoughts", code="cut-off")
        assert edited(engine).text == AFTER
    before, after = server.bodies
    assert after["max_tokens"] > before["max_tokens"]
    assert is_off(after)


def test_thoughts_alone_are_no_answer():
    pieces = [STREAM, thought(FENCED), said("", "stop"), DONE]
    with serving(*pieces) as server, engine_of(server) as engine:
        check_refused(edited(engine), "thoughts and no answer", code="refused")
    assert len(server.bodies) == 2


def test_thoughts_that_are_only_counted():
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 1000,
        "completion_tokens_details": {"reasoning_tokens": 1000},
    }
    figures = b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n"

    def by_body(body):
        return GOOD if is_low(body) else [STREAM, said("", "length"), figures, DONE]

    check(by_body, {"reasoning_effort": "none"}, requests=3)


def test_a_warm_up_and_a_conversation_are_not_asked_to_think_less():
    pieces = [STREAM, thought("Hm."), said("", "length"), DONE]
    with serving(*pieces) as server, engine_of(server) as engine:
        for request in (
            WarmupRequest("w", TEXT, path="a.py"),
            CompleteRequest("c", (ChatMessage("user", "Hello!"),)),
        ):
            job = engine.start(request)
            while not job.finished:
                job.advance()
    assert len(server.bodies) == 2
    assert not any(is_off(body) or is_low(body) for body in server.bodies)
