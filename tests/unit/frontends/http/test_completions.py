"""Bodies to requests of the daemon, its results to answers in OpenAI's words."""

import asyncio

import pytest

from editd.errors import (
    AnswerCutOff,
    DaemonUnreachable,
    EditFailed,
    EditRefused,
    ModelNotFound,
    ProtocolError,
    ScopeTooLarge,
    UsageError,
)
from editd.frontends.http.completions import usage_of
from editd.messages import ChatMessage, Progress, StatusReport, TextDelta
from editd.messages.options import EditOptions
from editd.messages.reports import ModelStatus, Stats
from tests.unit.frontends.http.serving import COUNTS, HELLO, chat, events, say_result, serving

PARTS = [{"type": "text", "text": "a\n"}, {"type": "text", "text": "b"}]
USAGE = {
    "prompt_tokens": 30,
    "completion_tokens": 7,
    "total_tokens": 37,
    "completion_tokens_details": {
        "accepted_prediction_tokens": 4,
        "rejected_prediction_tokens": 5,
        "predicted_from": "",
    },
    "prompt_tokens_details": {"cached_tokens": 20},
}


@pytest.mark.parametrize(
    ("path", "body", "fields", "options"),
    [
        ("chat/completions", {}, {"messages": (ChatMessage("user", "Hello!"),), "stream": False}, {}),
        (
            "chat/completions",
            {"prediction": {"type": "content", "content": PARTS}, "stop": ["x", "\n"], "stream": True},
            {"prediction": "a\nb", "stop": ("x", "\n"), "stream": True},
            {},
        ),
        ("chat/completions", {"prediction": None, "stop": None, "stream": None}, {"prediction": None}, {}),
        ("chat/completions", {"messages": [{"role": "developer", "content": PARTS}, *HELLO]},
         {"messages": (ChatMessage("system", "a\nb"), ChatMessage("user", "Hello!"))}, {}),
        ("chat/completions", {"max_tokens": 5, "max_completion_tokens": 7}, {}, {"max_new_tokens": 7}),
        (
            "chat/completions",
            {"temperature": 1, "top_p": 0.5, "seed": 3, "model": "editd-Fast-Apply", "user": "me"},
            {},
            {"temperature": 1.0, "top_p": 0.5, "seed": 3, "model": None},
        ),
        # As other servers have it: no limit, no seed, the likeliest token, no call of a tool.
        ("chat/completions", {"max_tokens": -1, "seed": -1}, {}, {"max_new_tokens": None, "seed": None}),
        ("chat/completions", {"max_completion_tokens": -1}, {}, {"max_new_tokens": None}),
        ("chat/completions", {"top_p": 0, "temperature": 1}, {}, {"temperature": 0.0, "top_p": None}),
        ("chat/completions", {"tools": [{"type": "function"}], "tool_choice": "none"}, {}, {}),
        ("completions", {"prompt": "<|a|>\r\n", "max_tokens": 2}, {"prompt": "<|a|>\r\n"}, {"max_new_tokens": 2}),
        # llama.cpp's name: 0 reads the prompt only, which is one token here; negative has no limit.
        ("chat/completions", {"n_predict": 0}, {}, {"max_new_tokens": 1}),
        ("completions", {"prompt": "a", "n_predict": -1}, {}, {}),
        ("completions", {"prompt": "a", "n_predict": 9, "max_tokens": 2}, {}, {"max_new_tokens": 2}),
        ("completions", {"prompt": "x", "prediction": "abc"}, {"prompt": "x", "prediction": "abc"}, {}),
        ("completions", {"prompt": "x", "prediction": {"type": "content", "content": "d"}}, {"prompt": "x", "prediction": "d"}, {}),
    ],
)  # fmt: skip
async def test_what_the_engine_is_asked(path, body, fields, options):
    base = {"messages": HELLO} if path == "chat/completions" else {}
    async with serving() as client:
        for prefix in ("/", "/v1/"):
            asking = asyncio.create_task(client.post(prefix + path, json={**base, **body}))
            fake = await client.engine.next_completion()
            for name, value in fields.items():
                assert getattr(fake.request, name) == value
            assert fake.request.options == EditOptions(**options)
            say_result(fake)
            assert (await asking).status_code == 200


@pytest.mark.parametrize("path", ["chat/completions", "completions"])
async def test_an_answer_in_one_piece(path):
    async with serving() as client:
        body = {"messages": HELLO, "prompt": "Hello!", "model": "acme/coder"}
        asking = asyncio.create_task(client.post(f"/v1/{path}", json=body))
        say_result(await client.engine.next_completion(), "é", "length", **COUNTS)
        got = (await asking).json()
        assert got["model"] == "acme/coder"
        assert got["usage"] == USAGE
        (choice,) = got["choices"]
        assert (choice["index"], choice["finish_reason"]) == (0, "length")
        if path == "completions":
            assert (got["object"], choice["text"]) == ("text_completion", "é")
        else:
            assert got["object"] == "chat.completion"
            assert choice["message"] == {"role": "assistant", "content": "é"}


@pytest.mark.parametrize("path", ["chat/completions", "completions"])
@pytest.mark.parametrize("with_usage", [True, False])
async def test_a_stream_tells_each_piece_and_ends_with_done(path, with_usage):
    async with serving() as client:
        body = {"messages": HELLO, "prompt": "Hello!", "stream": True}
        if with_usage:
            body["stream_options"] = {"include_usage": True}
        asking = asyncio.create_task(client.post(f"/v1/{path}", json=body))
        fake = await client.engine.next_completion()
        fake.say(Progress(fake.request.request_id, "loading", "loading"))
        say_result(fake, "größe", pieces=("gr", "öße"), **COUNTS)
        response = await asking
        assert response.headers["content-type"].startswith("text/event-stream")
        *told, done = events(response)
        assert done == "[DONE]"
        if with_usage:
            last = told.pop()
            assert (last["choices"], last["usage"]) == ([], USAGE)
        choices = [part["choices"][0] for part in told]
        assert [c["finish_reason"] for c in choices][:-1] == [None] * (len(choices) - 1)
        assert choices[-1]["finish_reason"] == "stop"
        if path == "completions":
            assert [c["text"] for c in choices] == ["gr", "öße", ""]
        else:
            assert choices[0]["delta"] == {"role": "assistant", "content": ""}
            assert [c["delta"].get("content") for c in choices[1:]] == ["gr", "öße", None]
        assert len({part["id"] for part in told}) == 1


async def test_the_first_text_is_sent_while_the_engine_works_on():
    async with serving() as client:
        body = {"messages": HELLO, "stream": True}

        async def first_text():
            async with client.stream("POST", "/v1/chat/completions", json=body) as response:
                async for line in response.aiter_lines():
                    if "größe" in line:
                        return

        asking = asyncio.create_task(first_text())
        fake = await client.engine.next_completion()
        fake.say(TextDelta(fake.request.request_id, "größe"))
        await asyncio.wait_for(asking, 60)  # the engine has said nothing else yet


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (UsageError("u"), 400, "usage"),
        (ScopeTooLarge("s"), 400, "context_length_exceeded"),
        (EditRefused("r"), 422, "refused"),
        (AnswerCutOff("c"), 504, "cut-off"),
        (DaemonUnreachable("d"), 503, "daemon-unreachable"),
        (ModelNotFound("m"), 500, "model-not-found"),
        (EditFailed("f"), 500, "failed"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_what_goes_wrong_before_the_first_text_has_a_status(error, status, code, stream):
    async with serving() as client:
        asking = asyncio.create_task(chat(client, stream=stream))
        (await client.engine.next_completion()).say(error)
        response = await asking
        assert response.status_code == status
        told = response.json()["error"]
        assert (told["message"], told["code"], told["param"]) == (str(error), code, None)
        assert response.headers["x-should-retry"] == str(status == 503).lower()


async def test_what_goes_wrong_later_is_an_event_and_no_done():
    async with serving() as client:
        asking = asyncio.create_task(chat(client, stream=True))
        fake = await client.engine.next_completion()
        fake.say(TextDelta(fake.request.request_id, "Hi"))
        fake.say(EditFailed("It broke."))
        *_, last = events(await asking)
        assert last["error"]["message"] == "It broke."


WRONG = [
    ("chat/completions", {"messages": []}, "messages is empty"),
    ("chat/completions", {"messages": None}, "expected an array @ messages"),
    ("chat/completions", {"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role"),
    ("chat/completions", {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "content[0]"),
    ("chat/completions", {"prediction": "a"}, "expected an object @ prediction"),
    ("chat/completions", {"stop": ["a", ""]}, "empty string"),
    ("chat/completions", {"stop": 3}, "array of strings @ stop"),
    ("chat/completions", {"max_tokens": 0}, "max_tokens is 0"),
    ("chat/completions", {"max_tokens": 1 << 64}, "max_new_tokens"),
    ("chat/completions", {"seed": -2}, "seed is -2"),
    ("chat/completions", {"max_tokens": -2}, "max_tokens is -2"),
    ("chat/completions", {"temperature": -1}, "temperature is -1"),
    ("chat/completions", {"temperature": "hot"}, "expected a number @ temperature"),
    ("chat/completions", {"top_p": -1}, "top_p is -1"),
    ("chat/completions", {"stream": "yes"}, "expected true or false @ stream"),
    ("chat/completions", {"stream_options": 1}, "@ stream_options"),
    ("chat/completions", {"n": 2}, "does not support n"),
    ("chat/completions", {"tools": [{"type": "function"}]}, "does not support tools"),
    ("chat/completions", {"response_format": {"type": "json_object"}}, "does not support response_format"),
    ("chat/completions", {"logprobs": True}, "does not support logprobs"),
    ("completions", {}, "a required field is missing @ prompt"),
    ("completions", {"prompt": ""}, "prompt is empty"),
    ("completions", {"prompt": [1, 2]}, "expected a string @ prompt"),
    ("completions", {"prompt": "a", "suffix": "b"}, "does not support suffix"),
    ("completions", {"prompt": "a", "echo": True}, "does not support echo"),
    ("completions", {"prompt": "a", "logprobs": 0}, "does not support logprobs"),
]  # fmt: skip


async def test_a_wrong_body_is_answered_by_one_sentence():
    async with serving() as client:
        for path, body, words in WRONG:
            base = {"messages": HELLO} if path == "chat/completions" else {}
            response = await client.post(f"/v1/{path}", json={**base, **body})
            error = response.json()["error"]
            assert (response.status_code, error["type"]) == (400, "invalid_request_error")
            assert words in error["message"], (body, error)
        half = b'{"messages": [{"role": "user", "content": "\\ud800"}]}'
        response = await client.post("/v1/chat/completions", content=half)
        assert "half of a surrogate pair" in response.json()["error"]["message"]
        assert client.engine.completions.empty()


async def test_the_names_of_the_model():
    async with serving(configured="/home/ada/models/mine") as client:
        listed = (await client.get("/models")).json()
        names = [model["id"] for model in listed["data"]]
        assert names == ["editd", "editd-Fast-Apply", "mine"]
        assert (await client.get("/v1/models/mine")).json() == listed["data"][2]
        for response in (await client.get("/v1/models/gpt-4o"), await chat(client, model="gpt-4o")):
            assert response.status_code == 404
            assert response.json()["error"]["code"] == "model_not_found"


async def test_a_path_is_told_to_nobody():
    async with serving(configured="llama_cpp:/home/ada/models/mine.gguf") as client:
        assert "ada" not in (await client.get("/models")).text


async def test_nothing_else_is_served():
    async with serving() as client:
        for method, path, status in (
            ("GET", "/", 404),
            ("GET", "/v1/chat/completions", 405),
            ("POST", "/v1/models", 405),
            ("POST", "/v1/embeddings", 404),
        ):
            response = await client.request(method, path)
            assert response.status_code == status
            assert response.json()["error"]["message"]


async def test_health_is_bad_only_while_a_model_loads(monkeypatch):
    async with serving() as client:
        for state, models, status, told in (
            ("idle", (), 200, {"status": "ok", "state": "idle", "queue": 0}),
            (
                "busy",
                (ModelStatus("m", "ready"),),
                200,
                {"status": "ok", "state": "busy", "queue": 0},
            ),
            (
                "loading",
                (ModelStatus("m", "loading", fraction=0.4),),
                503,
                {"status": "loading", "message": "loading m (40%)", "progress": 0.4},
            ),
        ):

            async def report(state=state, models=models):
                message = "loading m (40%)" if state == "loading" else ""
                return StatusReport("s", state, "0", 1, 2.0, models, message=message)

            monkeypatch.setattr(client.engine, "status", report)
            for path in ("/health", "/v1/health"):
                response = await client.get(path)
                assert (response.status_code, response.json()) == (status, told)


@pytest.mark.parametrize(
    ("error", "status"),
    [(DaemonUnreachable("None runs."), 200), (ProtocolError("It is no daemon."), 503)],
)
async def test_no_daemon_is_no_fault_but_one_that_says_nothing_is(monkeypatch, error, status):
    async def report():
        raise error

    async with serving() as client:
        monkeypatch.setattr(client.engine, "status", report)
        assert (await client.get("/health")).status_code == status


def test_no_figure_of_the_usage_is_lost():
    assert usage_of(Stats(**COUNTS)) == USAGE
