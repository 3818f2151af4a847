"""Clients that are broken, slow or hostile: none hangs the door, and none sees a defect."""

import asyncio
import contextlib
import itertools
import json
import random
import socket
import threading

import pytest

from editd.daemon.framing import pack
from editd.frontends.http import routes
from editd.frontends.http import serving as http_serving
from editd.messages import TextDelta
from tests.leap import leap
from tests.unit.frontends.http.serving import HELLO, chat, say_result, serving

DEEP = b"[" * 100_000
VALUES = [
    None, True, False, 0, -1, 1.5, 1e308, 10**30, "", "x", "\u0000", [], {}, [[]], [{}], [None], ["a", 1],
    [10**30], [[-1]], [3, 4], [2**31],
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
                fake = await client.engine.next_completion()
                pack(fake.request)  # as it would go to the daemon
                say_result(fake)

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


async def test_a_body_with_two_lengths_ends_the_connection():
    """Whoever stands in between may have read the other one, and see two requests here."""
    both = HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n"
    async with serving() as client:
        told = await raw(client, both + b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert told.startswith(b"HTTP/1.1 400")
        assert b"Transfer-Encoding and Content-Length" in told
        assert told.count(b"HTTP/1.1") == 1


REFUSED = {
    "no such route": b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\n",
    "another host": b"POST /v1/completions HTTP/1.1\r\nHost: evil.example\r\n",
    "needs no body": b"GET /health HTTP/1.1\r\nHost: localhost\r\n",
}


@pytest.mark.parametrize("why", REFUSED)
@pytest.mark.parametrize("length", [b"Content-Length: 9999999999", b"Transfer-Encoding: chunked"])
async def test_the_body_of_a_refused_request_is_not_read_for_ever(monkeypatch, why, length):
    """Neither a fast one, nor one that comes by the byte; the answer can be read nevertheless."""
    monkeypatch.setattr(http_serving, "REST_BYTES", 100_000)
    chunk = b"%x\r\n%b\r\n" % (10_000, b"x" * 10_000)
    async with serving() as client:
        for fast in (True, False):
            reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
            writer.write(REFUSED[why] + length + b"\r\n\r\n" + chunk)
            assert (await asyncio.wait_for(reader.readline(), 60)).startswith(b"HTTP/1.1 ")
            ended = asyncio.create_task(reader.read())
            sent = 0
            while not ended.done() and sent < 1000:
                with contextlib.suppress(ConnectionError):
                    writer.write(chunk if fast else chunk[sent : sent + 1])
                    await writer.drain()
                await asyncio.sleep(0.001)
                if not fast:
                    await leap(http_serving.REST_SECONDS / 20)
                sent += 1
            assert (10 if fast else 15) <= sent < (1000 if fast else 30)
            with contextlib.suppress(ConnectionError):
                await ended
            writer.close()
        assert (await client.get("/health")).status_code == 200


async def test_a_connection_is_kept_if_a_refused_body_ends_soon():
    async with serving() as client:
        reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        for _ in range(3):
            writer.write(REFUSED["no such route"] + b"Content-Length: 20\r\n\r\n" + b"x" * 10)
            assert b"404" in await asyncio.wait_for(reader.readline(), 60)
            writer.write(b"x" * 10)
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
            await reader.readexactly(int(head.partition(b"content-length: ")[2].split()[0]))
        await leap(1.5 * http_serving.REST_SECONDS)
        writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200" in await asyncio.wait_for(reader.readline(), 60)
        writer.close()


async def test_nobody_waits_while_a_large_body_is_read(monkeypatch):
    read, done = routes.read, threading.Event()

    def slow(*asked):
        assert done.wait(60), "the event loop waits for this body"
        return read(*asked)

    monkeypatch.setattr(routes, "read", slow)
    async with serving() as client:
        asking = asyncio.create_task(chat(client, user="x" * 100_000))
        for _ in range(3):
            assert (await client.get("/health")).status_code == 200
        done.set()
        say_result(await client.engine.next_completion())
        assert (await asking).status_code == 200


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"messages": HELLO * 100_000}, "messages has 100,000 items"),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": ""}] * 20_000}]},
            "20,001",
        ),
        ({"prompt": "x", "stop": ["x"] * 17}, "stop has 17 items"),
    ],
)
async def test_an_array_has_a_limit(body, words):
    async with serving() as client:
        path = "chat/completions" if "messages" in body else "completions"
        response = await client.post(f"/v1/{path}", json=body)
        assert response.status_code == 400
        assert words in response.json()["error"]["message"]


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
            await leap(http_serving.HEAD_SECONDS / 8)
        lasted = asyncio.get_running_loop().time() - asked
        assert lasted > http_serving.HEAD_SECONDS
        writer.close()


async def test_a_connection_that_asks_nothing_is_closed_and_one_that_asks_is_not():
    async with serving() as client:
        reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        asking = asyncio.create_task(chat(client))
        fake = await client.engine.next_completion()
        await leap(http_serving.HEAD_SECONDS)
        assert await asyncio.wait_for(reader.read(), 60) == b""
        say_result(fake, "Hi.")  # later than any head may be
        assert (await asking).status_code == 200
        writer.close()


async def test_who_leaves_an_answer_unread_loses_its_connection(monkeypatch):
    """Though nothing else limits the request: a connection that is kept is one fewer for others."""
    monkeypatch.setattr(http_serving, "UNREAD_SECONDS", 0.2)
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


async def test_of_many_at_once_those_for_whom_there_is_room_are_served(monkeypatch):
    monkeypatch.setattr(routes, "_MOST_WAITING", 3)
    async with serving() as client:
        asking = [asyncio.create_task(chat(client)) for _ in range(12)]
        fakes = [await client.engine.next_completion() for _ in range(3)]
        async with asyncio.timeout(60):
            for refused in itertools.islice(asyncio.as_completed(asking), 9):
                assert (await refused).status_code == 429
        assert client.engine.completions.empty()
        for fake in fakes:
            say_result(fake)
        statuses = [(await task).status_code for task in asking]
        assert sorted(statuses) == [200] * 3 + [429] * 9
