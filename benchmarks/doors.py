"""What the HTTP door adds to a request: ``python -m benchmarks.doors [--model M]``.

Starts a daemon and ``editd serve`` of its own, with the solved model for edits and, for completions, the
model named (by default a tiny one with random weights: the door's own time does not depend on it).
Everything stays on the loopback and is bounded in count and time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from time import perf_counter

import httpx2
import psutil

from editd.daemon.client import SocketEngineClient
from editd.messages import CompleteRequest, TextDelta
from editd.messages.options import EditOptions
from tests.fixtures.solved.cache import demo_model_dir

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "examples" / "demo" / "inventory.py"
RENAME = "Rename qty to quantity everywhere."
PROMPT = "def value(index):\n    return"
EDITD = [sys.executable, "-m", "editd"]
_UNCOUNTED = 3  # first turns, in which something is still made


def main() -> None:
    """Measure, print a table of Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", help="for completions; by default a tiny one is made")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--malformed", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="editd-") as home:
        os.environ |= {
            "EDITD_CONFIG": f"{home}/config.toml",
            "EDITD_RUNTIME_DIR": f"{home}/run",
            "EDITD_STATE_DIR": f"{home}/state",
        }
        model = given.model or _tiny_model()
        Path(home, "config.toml").write_text(f"[model]\nname = {json.dumps(model)}\n")
        try:
            rows = asyncio.run(_measure(given.repeats, given.malformed))
        finally:
            subprocess.run([*EDITD, "stop", "--force"], check=False, capture_output=True)
    print("| figure | value |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


async def _measure(repeats: int, malformed: int) -> list[tuple[str, str]]:
    rows = []
    async with _serving() as (process, url), httpx2.AsyncClient(base_url=url, timeout=120) as http:
        memory = process.memory_info().rss
        torch = any("libtorch" in mapped.path for mapped in process.memory_maps())
        rows.append(
            (
                "`editd serve` at rest",
                f"{memory >> 20} MiB, torch {'loaded' if torch else 'not loaded'}",
            )
        )
        daemon = await SocketEngineClient.connect(start=False, client="bench")
        rows += await _overhead(process, daemon, http, repeats)
        rows.append(await _leaving(daemon, http))
        rows.append(await _malformed(http, malformed))
        rows.append(await _deaf(process, http, url))
        await daemon.aclose()
    return rows


async def _overhead(
    process: psutil.Process, daemon: SocketEngineClient, http: httpx2.AsyncClient, repeats: int
) -> list[tuple[str, str]]:
    """The same completion through the daemon's client and through HTTP, in turns; then `editd edit`."""
    body = {"prompt": PROMPT, "max_tokens": 16}
    options = EditOptions(max_new_tokens=16)
    number = 0

    def request(*, stream: bool) -> CompleteRequest:
        nonlocal number
        number += 1
        return CompleteRequest(str(number), prompt=PROMPT, options=options, stream=stream)

    async def direct() -> None:
        await daemon.complete(request(stream=False))

    async def over_http() -> None:
        (await http.post("/completions", json=body)).raise_for_status()

    async def first_direct() -> None:
        async with contextlib.aclosing(daemon.stream(request(stream=True))) as messages:
            async for message in messages:
                if isinstance(message, TextDelta):
                    return

    async def first_over_http() -> None:
        async with http.stream("POST", "/completions", json={**body, "stream": True}) as response:
            async for _ in response.aiter_bytes():
                return

    before = sum(process.cpu_times()[:2])
    plain, door = await _in_turns(repeats, direct, over_http)
    cpu = 1000 * (sum(process.cpu_times()[:2]) - before) / (repeats + _UNCOUNTED)
    first, first_door = await _in_turns(repeats, first_direct, first_over_http)
    command = [*EDITD, "edit", str(DEMO), "-i", RENAME, "--json", "--model", str(demo_model_dir())]
    added = []
    for _ in range(6):
        started = perf_counter()
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=True)
        took = perf_counter() - started
        added.append(took - json.loads(done.stdout)["stats"]["total_seconds"])
    return [
        ("a completion of 16 tokens: daemon's client, HTTP", f"{plain:.1f} ms, {door:.1f} ms"),
        ("what HTTP adds to a request", f"{door - plain:.1f} ms"),
        ("CPU time of `editd serve` a request", f"{cpu:.1f} ms"),
        ("what `editd edit` adds to an edit (a process each)", f"{1000 * statistics.median(added[1:]):.0f} ms"),
        ("first text: daemon's client, HTTP's first byte", f"{first:.1f} ms, {first_door:.1f} ms"),
    ]  # fmt: skip


async def _in_turns(
    repeats: int, one: Callable[[], Awaitable[None]], other: Callable[[], Awaitable[None]]
) -> tuple[float, float]:
    """Median milliseconds of each, after a few that are not counted."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(repeats + _UNCOUNTED):
        for call, found in zip((one, other), times, strict=True):
            started = perf_counter()
            await call()
            if turn >= _UNCOUNTED:
                found.append(1000 * (perf_counter() - started))
    return statistics.median(times[0]), statistics.median(times[1])


async def _leaving(daemon: SocketEngineClient, http: httpx2.AsyncClient) -> tuple[str, str]:
    """A client hangs up in the middle of a stream: how long does its work go on?"""
    body = {"prompt": PROMPT, "stream": True, "max_tokens": 800, "temperature": 2.0, "seed": 7}
    rounds, waits = [], []
    for _ in range(5):
        async with http.stream("POST", "/completions", json=body) as response:
            times: list[float] = []
            lines = response.aiter_lines()
            while len(times) < 20:
                await anext(lines)
                times.append(perf_counter())
        left = perf_counter()
        while (await daemon.status()).state != "idle":  # noqa: ASYNC110 - nothing else says it
            await asyncio.sleep(0.001)
        waits.append(1000 * (perf_counter() - left))
        # A line of text, an empty one.
        rounds.append(1000 * (times[-1] - times[1]) / (len(times) // 2 - 1))
    return (
        "a client hangs up: until the daemon is idle, beside one piece of the stream",
        f"{statistics.median(waits):.1f} ms, {statistics.median(rounds):.1f} ms",
    )


async def _malformed(http: httpx2.AsyncClient, count: int) -> tuple[str, str]:
    """Requests that no honest client sends, with seeds."""
    dice = random.Random(18)
    good = json.dumps({"prompt": PROMPT, "max_tokens": 1}).encode()
    statuses: Counter[int] = Counter()
    longest = 0.0
    for _ in range(count):
        body = bytearray(good)
        for _ in range(dice.randint(1, 6)):
            body[dice.randrange(len(body))] = dice.randrange(256)
        started = perf_counter()
        statuses[(await http.post("/completions", content=bytes(body))).status_code] += 1
        longest = max(longest, perf_counter() - started)
    told = ", ".join(f"{status}: {number}" for status, number in sorted(statuses.items()))
    return (
        f"{count} bodies with wrong bytes, by status",
        f"{told}; the longest {1000 * longest:.0f} ms",
    )


async def _deaf(process: psutil.Process, http: httpx2.AsyncClient, url: str) -> tuple[str, str]:
    """A client that asks for a long stream and reads nothing, while another asks on."""
    before = process.memory_info().rss
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", int(re.findall(r":(\d+)", url)[0])))
    body = json.dumps({"prompt": PROMPT, "stream": True, "max_tokens": 400}).encode()
    head = (
        f"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    deaf.sendall(head.encode() + body)
    response = await http.post("/completions", json={"prompt": PROMPT, "max_tokens": 4})
    grown = process.memory_info().rss - before
    deaf.close()
    return (
        "a client that does not read",
        f"others get {response.status_code}; memory + {grown >> 10} KiB",
    )


@contextlib.asynccontextmanager
async def _serving() -> AsyncIterator[tuple[psutil.Process, str]]:
    command = [*EDITD, "serve", "--port", "0", "--timeout", "120"]
    server = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert server.stderr is not None  # noqa: S101
    found = re.search(r"http://\S+/v1", (await server.stderr.readline()).decode())
    assert found is not None  # noqa: S101
    drained = asyncio.create_task(server.stderr.read())
    try:
        yield psutil.Process(server.pid), found[0]
    finally:
        server.send_signal(signal.SIGINT)
        await server.wait()
        await drained


def _tiny_model() -> str:
    from tests.tiny import checkpoint

    return str(checkpoint("qwen2"))


if __name__ == "__main__":
    main()
