"""OpenAI's own package at the door: nothing of ours stands between it and the socket."""

import asyncio

import openai
import pytest

from editd.errors import DaemonUnreachable, EditRefused
from editd.frontends.http.guard import Access
from editd.messages import TextDelta
from tests.unit.frontends.http.serving import COUNTS, HELLO, say_result, serving

PREDICTION = {"type": "content", "content": "Hi."}


def asynchronous(client, **more):
    return openai.AsyncOpenAI(base_url=f"http://127.0.0.1:{client.port}/v1", api_key="k", **more)


def synchronous(client, **more):
    return openai.OpenAI(base_url=f"http://127.0.0.1:{client.port}/v1", api_key="k", **more)


async def answered(asking, client, *said, **more):
    """What ``asking`` brings when the engine says ``said``."""
    task = asyncio.ensure_future(asking)
    fake = await client.engine.next_completion()
    say_result(fake, *said, **{**COUNTS, **more})
    return await task


async def test_a_chat_with_a_prediction():
    async with serving(access=Access(key="k")) as client, asynchronous(client) as ours:
        asking = ours.chat.completions.create(model="editd", messages=HELLO, prediction=PREDICTION)
        told = await answered(asking, client, "Hi.")
        assert told.choices[0].message.content == "Hi."
        details = told.usage.completion_tokens_details
        assert (details.accepted_prediction_tokens, details.rejected_prediction_tokens) == (4, 5)
        assert told.usage.prompt_tokens_details.cached_tokens == 20


async def test_a_stream():
    async with serving() as client, asynchronous(client) as ours:
        asking = ours.chat.completions.create(
            model="editd", messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
        stream = await answered(asking, client, "größe", pieces=("gr", "öße"))
        chunks = [chunk async for chunk in stream]
        assert "".join(c.choices[0].delta.content or "" for c in chunks[:-1]) == "größe"
        assert chunks[-2].choices[0].finish_reason == "stop"
        assert chunks[-1].usage.completion_tokens == 7
        prompted = ours.completions.create(model="editd", prompt="x", stream=True)
        stream = await answered(prompted, client, "ab", pieces=("a", "b"))
        assert [chunk.choices[0].text async for chunk in stream] == ["a", "b", ""]


async def test_the_synchronous_client():
    async with serving() as client:

        def ask():
            with synchronous(client) as ours:
                names = [model.id for model in ours.models.list()]
                told = ours.chat.completions.create(model=names[0], messages=HELLO)
                pieces = ours.completions.create(model=names[1], prompt="x", stream=True)
                return told.choices[0].message.content, [p.choices[0].text for p in pieces]

        asking = asyncio.create_task(asyncio.to_thread(ask))
        say_result(await client.engine.next_completion(), "Hi.")
        say_result(await client.engine.next_completion(), "ab", pieces=("a", "b"))
        assert await asking == ("Hi.", ["a", "b", ""])


async def test_errors_are_the_package_s_own():
    async with serving(access=Access(key="right")) as client:
        async with asynchronous(client) as ours:
            with pytest.raises(openai.AuthenticationError, match="API key is missing or wrong"):
                await ours.models.list()
        async with asynchronous(client).with_options(api_key="right") as ours:
            for wrong, error in (
                ({"model": "gpt-4o"}, openai.NotFoundError),
                ({"n": 2}, openai.BadRequestError),
                ({"temperature": -1}, openai.BadRequestError),
            ):
                with pytest.raises(error):
                    await ours.chat.completions.create(
                        **{"model": "editd", "messages": HELLO} | wrong
                    )
            for broken, error in (
                (EditRefused("It knows edits only."), openai.UnprocessableEntityError),
                (RuntimeError("a defect"), openai.InternalServerError),
            ):
                asking = asyncio.ensure_future(
                    ours.chat.completions.create(model="editd", messages=HELLO)
                )
                (await client.engine.next_completion()).say(broken)
                with pytest.raises(error):  # and it does not try again
                    await asking


async def test_a_daemon_that_left_is_asked_again():
    async with serving() as client, asynchronous(client) as ours:
        asking = asyncio.ensure_future(ours.chat.completions.create(model="editd", messages=HELLO))
        (await client.engine.next_completion()).say(DaemonUnreachable("It left."))
        say_result(await client.engine.next_completion(), "Hi.")
        assert (await asking).choices[0].message.content == "Hi."


async def test_an_error_in_the_middle_of_a_stream_is_raised():
    async with serving() as client, asynchronous(client) as ours:
        asking = asyncio.ensure_future(
            ours.chat.completions.create(model="editd", messages=HELLO, stream=True)
        )
        fake = await client.engine.next_completion()
        fake.say(TextDelta("x", "Hi"))
        stream = await asking
        fake.say(EditRefused("It broke."))
        with pytest.raises(openai.APIError, match="It broke"):
            async for _ in stream:
                pass


@pytest.mark.parametrize("stream", [True, False])
async def test_who_times_out_or_leaves_stops_the_engine(stream):
    async with serving() as client:
        async with asynchronous(client, timeout=0.3, max_retries=0) as ours:
            with pytest.raises(openai.APITimeoutError):
                await ours.chat.completions.create(model="editd", messages=HELLO, stream=stream)
            fake = await client.engine.next_completion()
            await asyncio.wait_for(fake.closed.wait(), 60)
        async with asynchronous(client) as ours:
            asking = asyncio.ensure_future(
                ours.chat.completions.create(model="editd", messages=HELLO, stream=stream)
            )
            fake = await client.engine.next_completion()
            asking.cancel()
            await asyncio.wait_for(fake.closed.wait(), 60)


async def test_who_leaves_a_stream_stops_the_engine():
    async with serving() as client, asynchronous(client) as ours:
        asking = asyncio.ensure_future(
            ours.chat.completions.create(model="editd", messages=HELLO, stream=True)
        )
        fake = await client.engine.next_completion()
        fake.say(TextDelta("x", "Hi"))
        stream = await asking
        await stream.close()
        await asyncio.wait_for(fake.closed.wait(), 60)
