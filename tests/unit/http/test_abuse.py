"""Clients that are broken, slow or hostile: none hangs the door, and none sees a defect."""

import asyncio
import itertools
import json
import random
import socket

import pytest

from editd.http import connection, routes
from editd.messages import TextDelta
from tests.leap import leap
from tests.unit.http.serving import HELLO, chat, say_result, serving

DEEP = b"[" * 100_000
VALUES = [
    None, True, False, 0, -1, 1.5, 1e308, 10**30, "", "x", "\u0000", [], {}, [[]], [{}], [None], ["a", 1],
    {"type": "content"}, {"role": "user"}, {"content": "x", "role": "user"}, {"include_usage": 1},
]  # fmt: skip
FIELDS = [
    "messages", "prompt", "model", "prediction", "max_tokens", "max_completion_tokens", "temperature",
    "top_p", "seed", "stop", "stream", "stream_options", "n", "tools", "logit_bias", "logprobs", "user",
]  # fmt: skip


async def test_what_is_no_request_is_a_client_s_mistake():
    async with serving() as client:
        for body in (
            b"", b"{", b"[]", b"3", b"null", b"\xff\xfe", b'"x"', b"{}", b'{"messages": NaN}', DEEP,
            b'{"a":' * 50_000, b'{"seed": ' + b"9" * 10_000 + b"}", b"\0" * 100, b"<html>",
        ):  # fmt: skip
            for path in ("/v1/chat/completions", "/v1/completions"):
                response = await client.post(path, content=body)
                assert response.status_code == 400, body[:40]
                assert response.json()["error"]["message"]
        assert client.engine.completions.empty()


async def test_whatever_stands_in_the_fields_is_answered(caplog):
    """Seeded: every answer is a result or a sentence about the request, never a defect."""
    dice = random.Random(18)
    async with serving() as client:

        async def answering():
            while True:
                say_result(await client.engine.next_completion())

        engine = asyncio.create_task(answering())
        for _ in range(400):
            body = {name: dice.choice(VALUES) for name in dice.sample(FIELDS, dice.randint(0, 5))}
            if dice.random() < 0.5:
                body = {"messages": HELLO, "prompt": "x"} | body
            path = dice.choice(["chat/completions", "completions"])
            response = await client.post(f"/v1/{path}", json=body)
            assert response.status_code in (200, 400, 404), (body, response.text)
        engine.cancel()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def raw(client, data, *, seconds=10):
    """What the door says to ``data``, until it hangs up or is silent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    writer.write(data)
    writer.write_eof()
    try:
        return await asyncio.wait_for(reader.read(), seconds)
    finally:
        writer.close()


async def test_bytes_that_are_no_http():
    async with serving() as client:
        for data in (
            b"\0" * 100,
            b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET /health HTTP/1.1\r\n\r\n",  # no Host
            b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
            b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
            b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
            b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ):
            told = await raw(client, data)
            assert told.startswith(b"HTTP/1.1 4"), data[:60]
        cut_off = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
        await raw(client, cut_off)
        assert (await client.get("/health")).status_code == 200


async def test_a_body_has_limits_of_size_and_time(monkeypatch):
    monkeypatch.setattr(routes, "_BODY_BYTES", 1000)
    async with serving() as client:
        body = json.dumps({"prompt": "x" * 2000}).encode()
        assert (await client.post("/v1/completions", content=body)).status_code == 413

        async def pieces():
            for start in range(0, len(body), 100):
                yield body[start : start + 100]

        assert (await client.post("/v1/completions", content=pieces())).status_code == 413
        monkeypatch.setattr(routes, "_BODY_SECONDS", 0.2)
        head = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"
        reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        writer.write(head)
        assert b" 408 " in await asyncio.wait_for(reader.readline(), 60)
        writer.close()


HEAD = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n"


@pytest.mark.parametrize("before", [b"", b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"])
async def test_a_head_has_a_limit_of_time_however_it_drips(before):
    """As the first request of a connection, and behind another one."""
    async with serving() as client:
        asked = asyncio.get_running_loop().time()
        reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        if before:
            writer.write(before)
            assert (await reader.readuntil(b"\r\n")).endswith(b" 200 OK\r\n")
        ended = asyncio.create_task(reader.read())
        for byte in itertools.cycle(b"X-Slow: 1\r\n" if before else HEAD):
            if ended.done():
                break
            writer.write(bytes([byte]))
            await asyncio.sleep(0.01)
            await leap(connection.HEAD_SECONDS / 8)
        lasted = asyncio.get_running_loop().time() - asked
        assert lasted > connection.HEAD_SECONDS
        writer.close()


async def test_a_connection_that_asks_nothing_is_closed_and_one_that_asks_is_not():
    async with serving() as client:
        reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        asking = asyncio.create_task(chat(client))
        fake = await client.engine.next_completion()
        await leap(connection.HEAD_SECONDS)
        assert await asyncio.wait_for(reader.read(), 60) == b""
        say_result(fake, "Hi.")  # later than any head may be
        assert (await asking).status_code == 200
        writer.close()


async def test_who_leaves_an_answer_unread_loses_its_connection(monkeypatch):
    """Though nothing else limits the request: a connection that is kept is one fewer for others."""
    monkeypatch.setattr(connection, "UNREAD_SECONDS", 0.2)
    async with serving() as client:
        deaf, fake = await asks_and_reads_nothing(client)
        for _ in range(200):
            fake.say(TextDelta("x", "y" * 100_000))
        await asyncio.wait_for(fake.closed.wait(), 60)
        deaf.settimeout(10)
        with deaf:
            lay_in_the_kernel = sum(map(len, iter(lambda: deaf.recv(1 << 20), b"")))
        assert lay_in_the_kernel < 10 << 20


async def asks_and_reads_nothing(client):
    """Its socket, and the completion that it asked for."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", client.port))
    body = json.dumps({"messages": HELLO, "stream": True}).encode()
    deaf.sendall(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    )
    return deaf, await client.engine.next_completion()


@pytest.mark.parametrize("stream", [True, False])
async def test_a_request_has_a_limit_of_time(stream):
    async with serving(seconds=0.2) as client:
        response = await chat(client, stream=stream)
        assert response.status_code == 504
        assert response.json()["error"]["code"] == "timeout"
        fake = await client.engine.next_completion()
        await asyncio.wait_for(fake.closed.wait(), 60)
        asking = asyncio.create_task(chat(client, stream=True))
        fake = await client.engine.next_completion()
        fake.say(TextDelta("x", "begun"))
        assert '"code":"timeout"' in (await asking).text
        await asyncio.wait_for(fake.closed.wait(), 60)


async def test_a_client_that_does_not_read_harms_nobody_and_is_cut_off():
    async with serving(seconds=30.0) as client:
        deaf, fake = await asks_and_reads_nothing(client)
        for _ in range(200):
            fake.say(TextDelta("x", "y" * 100_000))
        asking = asyncio.create_task(chat(client))
        say_result(await client.engine.next_completion(), "Hi.")
        assert (await asking).json()["choices"][0]["message"]["content"] == "Hi."
        # What was not read waits in the engine's hands, not in the door's memory.
        assert fake.messages.qsize() > 100
        await leap(30)
        await asyncio.wait_for(fake.closed.wait(), 60)
        deaf.close()


async def test_too_many_that_wait_are_told_to_come_again(monkeypatch):
    monkeypatch.setattr(routes, "_MOST_WAITING", 3)
    async with serving() as client:
        waiting = [asyncio.create_task(chat(client)) for _ in range(3)]
        fakes = [await client.engine.next_completion() for _ in range(3)]
        response = await chat(client)
        assert response.status_code == 429
        assert response.headers["x-should-retry"] == "true"
        for fake in fakes:
            say_result(fake)
        await asyncio.gather(*waiting)
        asking = asyncio.create_task(chat(client))
        say_result(await client.engine.next_completion())
        assert (await asking).status_code == 200
