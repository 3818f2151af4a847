"""Prompts of edit models, as the clients write them: each is recognised by itself.

Most of the fixture's prompts are recorded: the client's own program wrote them, about a small file. The others
follow the sources that they name.
"""

import asyncio
import json
from pathlib import Path

import pytest

from editd.errors import EditCancelled
from editd.frontends.http.edit_prompts import FORMS, recognise, with_prediction
from editd.messages import ChatMessage, CompleteRequest
from tests.unit.frontends.http.serving import COUNTS, say_result, serving

PROMPTS = json.loads((Path(__file__).parents[3] / "fixtures" / "edit_prompts.json").read_text())
WITH_TEXT = [told for told in PROMPTS if told["predicted"] is not None]
# Whose part the user's own text follows, so nothing can be said of the prompt's end.
OPEN = ("minuet-duet", "llama.vim")


def request_of(told):
    messages = tuple(ChatMessage(**message) for message in told.get("messages", ()))
    return CompleteRequest("1", messages, prompt=told.get("prompt"))


@pytest.mark.parametrize("told", PROMPTS, ids=lambda told: told["builder"])
def test_each_builder_s_prompt_is_recognised(told):
    asked, form = with_prediction(request_of(told))
    assert (form, asked.prediction) == (told["form"], told["predicted"])
    assert asked.document.strip() == told["document"]


def test_every_form_has_a_prompt():
    assert {form.name for form in FORMS} <= {told["form"] for told in PROMPTS}


@pytest.mark.parametrize("told", WITH_TEXT, ids=lambda told: told["builder"])
def test_anything_else_is_left_alone(told):
    """Each prompt without its end, with more behind it, or without the mark before the part."""
    prompt = told.get("prompt") or "".join(message["content"] for message in told["messages"])
    others = [prompt.replace("<", "(").replace("---", "(")]
    if told["form"] not in OPEN:
        others += [prompt[:-1], prompt + " Please."]
    for other in others:
        found = recognise(other)
        # Of Sweep's, more behind it is more of the answer, which is begun.
        assert found is None or (told["form"] == "sweep" and "(" not in other[:1])


def test_a_prediction_that_is_given_stays():
    told = WITH_TEXT[0]
    given = CompleteRequest("1", prompt=told["prompt"], prediction="mine")
    request, form = with_prediction(given)
    assert (request.prediction, form) == ("mine", "")


@pytest.mark.parametrize("told", WITH_TEXT, ids=lambda told: told["builder"])
async def test_the_engine_gets_it_and_the_counts_say_what_it_was(told):
    async with serving() as client:
        body = {"stop": ["x"] * 16}
        kind = "messages" if "messages" in told else "prompt"
        path = "chat/completions" if kind == "messages" else "completions"
        body[kind] = told[kind]
        asking = asyncio.create_task(client.post(f"/v1/{path}", json=body))
        fake = await client.engine.next_completion()
        assert fake.request.prediction == told["predicted"]
        say_result(fake, "x", **COUNTS)
        details = (await asking).json()["usage"]["completion_tokens_details"]
        assert details["predicted_from"] == told["form"]
        assert details["accepted_prediction_tokens"] == 4


async def test_a_request_that_a_newer_one_replaced_is_not_to_be_repeated():
    """The daemon replaces it, because both are about one document of one program."""
    told = WITH_TEXT[1]
    async with serving() as client:
        asking = [
            asyncio.create_task(
                client.post(
                    "/v1/completions",
                    json={"prompt": told["prompt"]},
                    headers={"User-Agent": agent},
                )
            )
            for agent in ("Zed/1.0", "Zed/1.0", "curl")
        ]
        fakes = [await client.engine.next_completion() for _ in asking]
        documents = sorted(fake.request.document for fake in fakes)
        name = told["document"]
        assert documents == [f"Zed/1.0 {name}", f"Zed/1.0 {name}", f"curl {name}"]
        fakes[0].say(EditCancelled("A newer one took its place."))
        for fake in fakes[1:]:
            say_result(fake)
        responses = [await task for task in asking]
        assert sorted(response.status_code for response in responses) == [200, 200, 422]
        (replaced,) = (r for r in responses if r.status_code == 422)
        assert replaced.headers["x-should-retry"] == "false"


def test_a_chat_s_last_message_counts():
    told = next(told for told in PROMPTS if told["form"] == "instinct")
    turns = (ChatMessage("system", "s"), ChatMessage("user", told["messages"][0]["content"]))
    request, form = with_prediction(CompleteRequest("1", turns))
    assert (request.prediction, form) == (told["predicted"], told["form"])
    chat = (*turns, ChatMessage("assistant", "x"), ChatMessage("user", "Thanks."))
    assert with_prediction(CompleteRequest("1", chat))[1] == ""
