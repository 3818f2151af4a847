"""What editd adds to a server's answer: ``python -m benchmarks.remote``.

A server of its own, in a process of its own on the loopback, streams the answer to a demo edit at an
even pace. The same request is sent bare, by an HTTP client that only reads, and by the engine, in turns;
what differs is scope, prompt, transport, diff and checks. No model runs.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import statistics
from multiprocessing.connection import Connection
from time import perf_counter, process_time

import httpx2

from editd.config import Config, ModelConfig
from editd.engine import Engine
from editd.messages import EditRequest, EditResult
from tests.fixtures.solved.edits import demo_folder, load_edits

_EDIT = "inventory-rename"
_PIECE = 24  # characters of an event: some eight tokens
_PACE = 0.004  # seconds between two events
_UNCOUNTED = 3  # first turns, in which something is still made
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n"


def main() -> None:
    """Measure, print a table of Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=30)
    given = parser.parse_args()
    edit = next(edit for edit in load_edits(demo_folder()) if edit.name == _EDIT)
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(theirs, f"```python\n{edit.after}```"), daemon=True
    )
    process.start()
    url = f"http://127.0.0.1:{ours.recv()}/v1"
    request = EditRequest("r", edit.before, edit.instruction, path=edit.path)
    engine = Engine(Config(model=ModelConfig(engine="remote", url=url, name="m")))
    bare: list[Run] = []
    whole: list[Run] = []
    try:
        with httpx2.Client(timeout=60, trust_env=False) as client:
            for turn in range(given.repeats + _UNCOUNTED):
                one, other = _bare(client, url), _edited(engine, request, edit.after)
                if turn >= _UNCOUNTED:
                    bare.append(one)
                    whole.append(other)
    finally:
        engine.close()
        process.terminate()
    print(_table(bare, whole))


Run = tuple[float, float]
"""Seconds by the wall and by this process's CPU."""


def _bare(client: httpx2.Client, url: str) -> Run:
    """A client that reads the events and does nothing with them."""
    began, working = perf_counter(), process_time()
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "stream": True}
    with client.stream("POST", f"{url}/chat/completions", json=body) as response:
        for line in response.iter_lines():
            if line == "data: [DONE]":
                return perf_counter() - began, process_time() - working
    raise RuntimeError("the stream broke off")


def _edited(engine: Engine, request: EditRequest, after: str) -> Run:
    """An edit, from its request to its result; it must be ``after``."""
    began, working = perf_counter(), process_time()
    *_, result = engine.edit(request)
    took = perf_counter() - began, process_time() - working
    if not isinstance(result, EditResult) or result.text != after:
        raise RuntimeError(f"another answer: {result}")
    return took


def _table(bare: list[Run], whole: list[Run]) -> str:
    """The fastest run of each stands for a machine that does nothing else; so does the CPU's time."""
    rows = ["| ms | bare request | the edit | added |", "|---|--:|--:|--:|"]
    for name, of, pick in (
        ("median of the whole", 0, statistics.median),
        ("fastest of the whole", 0, min),
        ("median of the CPU's time", 1, statistics.median),
    ):
        one, other = (1000 * pick([run[of] for run in runs]) for runs in (bare, whole))
        rows.append(f"| {name} | {one:.1f} | {other:.1f} | {other - one:.1f} |")
    return "\n".join(rows)


def _serve(tell: Connection, answer: str) -> None:
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serving(tell, answer))


async def _serving(tell: Connection, answer: str) -> None:
    events = [
        {"choices": [{"index": 0, "delta": {"content": answer[at : at + _PIECE]}}]}
        for at in range(0, len(answer), _PIECE)
    ]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                await reader.readexactly(_length(head))
                if head.startswith(b"GET"):
                    body = json.dumps({"data": [{"id": "m"}]}).encode()
                    length = b"Content-Length: %d\r\n" % len(body)
                    writer.write(_HEAD % (b"application/json", length) + body)
                    continue
                writer.write(_HEAD % (b"text/event-stream", b"Transfer-Encoding: chunked\r\n"))
                began = asyncio.get_running_loop().time()
                for number, event in enumerate([*map(json.dumps, events), "[DONE]"]):
                    data = f"data: {event}\n\n".encode()
                    writer.write(b"%x\r\n%s\r\n" % (len(data), data))
                    await writer.drain()
                    due = began + number * _PACE
                    await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
                writer.write(b"0\r\n\r\n")

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    tell.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


if __name__ == "__main__":
    main()
