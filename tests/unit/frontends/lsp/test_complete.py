"""``editd/complete`` in OpenAI's words."""

from __future__ import annotations

import asyncio
import json

import pytest

from editd.errors import EditRefused
from editd.messages import ChatMessage, CompleteResult, Progress
from editd.messages.reports import Stats
from tests.unit.frontends.lsp.client import connected
from tests.unit.frontends.lsp.test_methods import FIXTURES

HELLO = [{"role": "user", "content": "Hello!"}]
PARTS = [{"type": "text", "text": "a\n"}, {"type": "text", "text": "b"}]


def result(fake, text="Hi.", finish_reason="stop", **stats):
    fake.say(
        CompleteResult(
            fake.request.request_id, finish_reason, text, stats=Stats(**stats), model="fake"
        )
    )


@pytest.mark.parametrize(
    ("params", "fields", "options"),
    [
        ({}, {"prediction": None, "stop": ()}, {"max_new_tokens": None, "drafter": None}),
        (
            {"prediction": {"type": "content", "content": PARTS}, "stop": ["x", "\n"]},
            {"prediction": "a\nb", "stop": ("x", "\n")},
            {},
        ),
        ({"prediction": {"type": "content", "content": ""}}, {"prediction": ""}, {}),
        ({"stop": "x"}, {"stop": ("x",)}, {}),
        ({"max_tokens": 5, "stream": False, "n": 1}, {}, {"max_new_tokens": 5}),
        ({"max_tokens": 5, "max_completion_tokens": 7}, {}, {"max_new_tokens": 7}),
        (
            {"temperature": 1, "top_p": 0.5, "seed": 3, "drafter": "buffer", "model": "a/b"},
            {},
            {"temperature": 1.0, "top_p": 0.5, "seed": 3, "drafter": "buffer", "model": "a/b"},
        ),
        (
            {"options": {"maxNewTokens": 9, "topP": 0.9, "window": 4}, "top_p": 0.5},
            {},
            {"max_new_tokens": 9, "top_p": 0.5, "window": 4},
        ),
        ({"messages": [{"role": "developer", "content": PARTS}, *HELLO], "user": "me"}, {}, {}),
    ],
)
async def test_what_the_engine_is_asked(params, fields, options):
    async with connected() as client:
        await client.initialize()
        answer, _ = client.start("editd/complete", {"messages": HELLO, **params})
        fake = await client.engine.next_completion()
        wanted = (ChatMessage("user", "Hello!"),)
        if "messages" in params:
            wanted = (ChatMessage("system", "a\nb"), *wanted)
        assert fake.request.messages == wanted
        for name, value in fields.items():
            assert getattr(fake.request, name) == value
        for name, value in options.items():
            assert getattr(fake.request.options, name) == value
        result(fake)
        assert (await answer)["choices"][0]["message"]["content"] == "Hi."


async def test_the_answer_is_one_of_openai_s():
    async with connected() as client:
        await client.initialize()
        answer, _ = client.start("editd/complete", {"messages": HELLO, "workDoneToken": "t"})
        fake = await client.engine.next_completion()
        fake.say(Progress(fake.request.request_id, "decoding", "writing"))
        counts = {"prompt_tokens": 30, "output_tokens": 7, "cached_tokens": 20}
        counts |= {"accepted_prediction_tokens": 4, "rejected_prediction_tokens": 5}
        result(fake, "é", "length", **counts)
        got = await answer
        assert (got["object"], got["model"]) == ("chat.completion", "fake")
        assert got["choices"] == [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "é"},
                "finish_reason": "length",
            }
        ]
        assert got["usage"] == {
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
        kinds = [told["value"]["kind"] for told in client.all("$/progress")]
        assert kinds == ["begin", "report", "end"]


def example(name):
    return json.loads((FIXTURES / f"complete.{name}.json").read_text("utf-8"))


async def test_the_examples_are_what_is_taken_and_answered():
    params, wanted = example("request")["params"], example("response")["result"]
    async with connected() as client:
        await client.initialize()
        answer, _ = client.start("editd/complete", params)
        fake = await client.engine.next_completion()
        assert fake.request.prediction == params["prediction"]["content"]
        options = fake.request.options
        assert (options.window, options.seed, options.drafter) == (32, 1, "prediction")
        text = wanted["choices"][0]["message"]["content"]
        stats = Stats(**wanted["stats"])
        key = fake.request.request_id
        fake.say(CompleteResult(key, "stop", text, stats=stats, model=wanted["model"]))
        assert await answer == wanted
        error = await client.failure("editd/complete", {**params, "stream": True})
        assert {"code": error.code, "message": error.message} == example("error")["error"]


async def test_the_prompt_of_an_edit_model_holds_its_prediction():
    prompt = "<editable_region>\na = 1\n</editable_region>"
    async with connected() as client:
        await client.initialize()
        params = {"messages": [{"role": "user", "content": prompt}]}
        answer, _ = client.start("editd/complete", params)
        fake = await client.engine.next_completion()
        assert fake.request.prediction == prompt
        result(fake)
        details = (await answer)["usage"]["completion_tokens_details"]
        assert details["predicted_from"] == "minuet-duet"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (None, "required field is missing @ messages"),
        ([], "expected an object"),
        ({"messages": []}, "messages is empty"),
        ({"messages": "Hello!"}, "expected an array @ messages"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": None}]}, "array of text parts"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "content[0]"),
        (
            {"messages": [{"role": "user"}]},
            "required field is missing @ messages[0].content",
        ),
        ({"prediction": "a"}, "expected an object @ prediction"),
        ({"prediction": {"type": "text", "content": "a"}}, 'expected "content" @ prediction.type'),
        ({"stop": 3}, "array of strings @ stop"),
        ({"stop": ["a", ""]}, "empty string"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"max_completion_tokens": "7"}, "expected an integer @ max_completion_tokens"),
        ({"temperature": -1}, "temperature"),
        ({"top_p": "high"}, "expected a number @ top_p"),
        ({"stop": ["x"] * 17}, "stop has 17 items"),
        ({"drafter": " "}, "drafter"),
        ({"drafter": 3}, "expected a string @ params.drafter"),
        ({"options": {"maxNewTokens": "9"}}, "an integer @ params.options.maxNewTokens"),
        ({"model": "/a/folder"}, "names a folder"),
        ({"messages": [{"role": "user", "content": "b\ud83d"}]}, "half of a surrogate pair"),
        ({"prediction": {"type": "content", "content": "b\ud83d"}}, "half of a surrogate pair"),
        ({"n": 2}, "does not support n"),
        ({"stream": True}, "does not support stream"),
        ({"tools": [{"type": "function"}]}, "does not support tools"),
        ({"response_format": {"type": "json_object"}}, "does not support response_format"),
        ({"web_search_options": {}}, "does not support web_search_options"),
        ({"reasoning_effort": "high"}, "does not support reasoning_effort"),
    ],
)
async def test_a_malformed_request_is_answered_by_one_sentence(params, words):
    async with connected() as client:
        await client.initialize()
        if isinstance(params, dict):
            params = {"messages": HELLO, **params}
        error = await client.failure("editd/complete", params)
        assert error.code == -32602
        assert words in error.message
        assert "\n" not in error.message


async def test_what_the_engine_cannot_do_is_an_error_with_a_code():
    async with connected() as client:
        await client.initialize()
        answer, _ = client.start("editd/complete", {"messages": HELLO})
        (await client.engine.next_completion()).say(EditRefused("It knows edits only."))
        with pytest.raises(Exception, match="edits only") as caught:
            await answer
        assert caught.value.code == -32803
        assert caught.value.data == {"code": "refused", "message": "It knows edits only."}


@pytest.mark.parametrize("how", ["request", "progress"])
async def test_cancelling_a_completion_stops_the_engine(how):
    async with connected() as client:
        await client.initialize()
        params = {"messages": HELLO, "workDoneToken": "mine"}
        answer, msg_id = client.start("editd/complete", params)
        fake = await client.engine.next_completion()
        if how == "request":
            client.notify("$/cancelRequest", {"id": msg_id})
        else:
            client.notify("window/workDoneProgress/cancel", {"token": "mine"})
        with pytest.raises(Exception, match="Cancelled") as caught:
            await answer
        assert caught.value.code == -32800
        await asyncio.wait_for(fake.closed.wait(), 60)
        assert client.all("$/progress")[-1]["value"]["kind"] == "end"
        assert (await client.request("editd/status"))["state"] == "idle"
