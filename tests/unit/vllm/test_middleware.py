"""OpenAI's words around vLLM: what its server is asked, what an answer says, what is left alone."""

import json
from types import SimpleNamespace

import pytest

from editd_vllm import PredictionMiddleware

TEXT = {"prediction": "a\n"}
FIGURES = {"speculative_decoding": {"num_draft_tokens": 9, "num_accepted_draft_tokens": 7}}
USAGE = {"prompt_tokens": 1, "completion_tokens_details": {"reasoning_tokens": 2}}
COUNTED = {
    "reasoning_tokens": 2,
    "accepted_prediction_tokens": 7,
    "rejected_prediction_tokens": 2,
}


def vllm_server(model="editd_vllm.Proposer", metrics="summary"):
    config = SimpleNamespace(
        speculative_config=SimpleNamespace(model=model),
        observability_config=SimpleNamespace(per_request_spec_decode_metrics=metrics),
    )
    return SimpleNamespace(state=SimpleNamespace(vllm_config=config))


async def exchange(body, *, answer=b"{}", path="/v1/completions", kind="application/json", **more):
    """What vLLM was sent, and what the client got: status, headers, body."""
    chunks = answer if isinstance(answer, list) else [answer]
    given = body if isinstance(body, list) else [body]
    asked = {"body": None}

    async def vllm(scope, receive, send):
        read = b""
        while (message := await receive()).get("more_body") or not read:
            read += message["body"]
            if not message.get("more_body"):
                break
        asked["body"], asked["headers"] = read, dict(scope["headers"])
        status = more.get("status", 200)
        headers = [(b"content-type", kind.encode()), (b"content-length", b"999")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for number, chunk in enumerate(chunks):
            last = number == len(chunks) - 1
            await send({"type": "http.response.body", "body": chunk, "more_body": not last})

    parts = [
        {"type": "http.request", "body": part, "more_body": number < len(given) - 1}
        for number, part in enumerate(given)
    ]
    parts += [{"type": "http.disconnect"}]
    sent = []

    async def receive():
        return parts.pop(0)

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": more.get("method", "POST"),
        "path": path,
        "headers": [(b"content-length", b"1"), (b"x", b"y")],
        "app": more.get("app", vllm_server()),
    }
    await PredictionMiddleware(vllm)(scope, receive, send)
    got = b"".join(message.get("body", b"") for message in sent)
    start = sent[0] if sent else {}
    return asked, start.get("status"), dict(start.get("headers", ())), got


def request(**fields):
    return json.dumps({"model": "m", **fields}).encode()


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/chat/completions"])
@pytest.mark.parametrize(
    ("fields", "xargs"),
    [
        ({"prediction": {"type": "content", "content": "a\n"}}, TEXT),
        ({"prediction": {"content": [{"type": "text", "text": "a"}, {"text": "\n"}]}}, TEXT),
        ({"prediction": "a\n"}, TEXT),
        ({"prediction": None}, None),
        ({"prediction": "b", "vllm_xargs": TEXT}, TEXT),
        ({"prediction": "a\n", "vllm_xargs": {"x": 1}}, {**TEXT, "x": 1}),
        ({"vllm_xargs": {"drafter": "none"}}, {"drafter": "none"}),
    ],
)
async def test_a_prediction_becomes_what_vllm_hands_on(path, fields, xargs):
    body = request(prompt=[1, 2], **fields)
    asked, status, _, _ = await exchange([body[:9], body[9:]], path=path)
    sent = json.loads(asked["body"])
    assert (status, sent.get("vllm_xargs")) == (200, xargs)
    assert "prediction" not in sent
    assert (sent["model"], sent["prompt"]) == ("m", [1, 2])
    assert asked["headers"] == {
        b"content-length": str(len(asked["body"])).encode(),
        b"x": b"y",
    }


@pytest.mark.parametrize(
    "body", [b'{"model": "m",  "n": 1}', b"{", b"[]", b"\xff", b'{"vllm_xargs": [1]}']
)
async def test_what_says_no_prediction_passes_byte_for_byte(body):
    assert (await exchange(body))[0]["body"] == body


@pytest.mark.parametrize(
    "fields",
    [
        {"prediction": 7},
        {"prediction": {"type": "image", "content": "a"}},
        {"prediction": {"content": [{"type": "text"}]}},
        {"prediction": {}},
        {"vllm_xargs": {"prediction": ["a"]}},
        {"vllm_xargs": {"drafter": "best"}},
        {"vllm_xargs": {"drafter": "buffer+draft-model"}},
    ],
)
async def test_what_is_malformed_is_refused_in_a_sentence(fields):
    asked, status, _, got = await exchange(request(**fields))
    error = json.loads(got)["error"]
    assert (asked["body"], status, error["type"]) == (None, 400, "invalid_request_error")
    assert error["message"].endswith(".")


@pytest.mark.parametrize(
    "more",
    [
        {"path": "/v1/embeddings"},
        {"method": "GET"},
        {"app": vllm_server("another.Drafter")},
        {"app": SimpleNamespace(state=SimpleNamespace())},
    ],
)
async def test_other_requests_and_other_servers_are_left_alone(more):
    body = request(prediction="a")
    asked, _, _, got = await exchange(body, answer=b'{"data": [{}]}', **more)
    assert (asked["body"], got) == (body, b'{"data": [{}]}')


async def test_who_hangs_up_is_not_served():
    asked, status, _, _ = await exchange([])
    assert (asked["body"], status) == (None, None)


@pytest.mark.parametrize(
    ("fields", "answer", "expected"),
    [
        (TEXT, {"usage": USAGE, "metrics": FIGURES}, COUNTED),
        (TEXT, {"usage": USAGE, "metrics": {}}, USAGE["completion_tokens_details"]),
        (TEXT, {"usage": USAGE}, USAGE["completion_tokens_details"]),
        ({}, {"usage": USAGE, "metrics": FIGURES}, USAGE["completion_tokens_details"]),
    ],
)
async def test_usage_counts_what_became_of_a_prediction(fields, answer, expected):
    whole = json.dumps({"choices": [{"text": "größer"}], **answer}).encode()
    _, _, headers, got = await exchange(request(**fields), answer=[whole[:40], whole[40:]])
    assert json.loads(got)["usage"]["completion_tokens_details"] == expected
    assert json.loads(got)["choices"] == [{"text": "größer"}]
    if expected is COUNTED:
        assert headers[b"content-length"] == str(len(got)).encode()


async def test_usage_in_a_stream():
    """Events may be cut anywhere; all but the one with the figures pass as they are."""
    text = 'data: {"choices":[{"text":"a \\"usage\\" ü"}]}\n\n: ping\n\n'.encode()
    figures = json.dumps({"choices": [], "usage": USAGE, "metrics": FIGURES})
    whole = text + f"data: {figures}\n\ndata: [DONE]\n\n".encode()
    for size in (1, 7, 50, len(whole)):
        chunks = [whole[at : at + size] for at in range(0, len(whole), size)]
        _, _, _, got = await exchange(
            request(**TEXT), answer=chunks, kind="text/event-stream; charset=utf-8"
        )
        first, ping, counted, done, rest = got.split(b"\n\n")
        assert first + b"\n\n" + ping + b"\n\n" == text
        usage = json.loads(counted.removeprefix(b"data: "))["usage"]
        assert usage["completion_tokens_details"] == COUNTED
        assert (done, rest) == (b"data: [DONE]", b"")


async def test_errors_of_vllm_pass():
    got = await exchange(request(**TEXT), answer=b'{"error": 1}', status=404)
    assert (got[1], got[3]) == (404, b'{"error": 1}')


@pytest.mark.parametrize("metrics", ["summary", "none"])
async def test_models_say_what_the_server_can_do(metrics):
    _, status, headers, got = await exchange(
        b"",
        answer=b'{"object": "list", "data": [{"id": "m", "max_model_len": 5}]}',
        path="/v1/models",
        method="GET",
        app=vllm_server(metrics=metrics),
    )
    (card,) = json.loads(got)["data"]
    assert (status, card["id"], card["max_model_len"]) == (200, "m", 5)
    assert card["editd"]["fields"][0] == "prediction"
    assert card["editd"]["usage"] is (metrics == "summary")
    assert headers[b"content-length"] == str(len(got)).encode()
