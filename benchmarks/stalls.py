"""How large and odd files from one client delay the others of a daemon.

``python -m benchmarks.stalls`` starts a daemon of its own and sends it files of ten shapes, from a
kilobyte to sixty megabytes, each from a process of its own and as a batch. Meanwhile it asks for
``status`` every few milliseconds and has a small file edited, again and again, by another client.
For each file it prints

- the longest time without an answer to ``status``,
- the longest wait of the small edit for its turn: the longest unit of the file's edit,
- how long the file took and what became of it: a prompt that fits is read and answered with one
  token; what does not fit is refused with a sentence,
- how much the daemon's memory grew, as a multiple of the file.

The model has random weights, a context of 32,768 tokens and a vocabulary learned from this
package; how fast a pass is says nothing here, so its longest unit alone is printed first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from editd.daemon.client import SocketEngineClient
from editd.errors import EditdError
from editd.messages import EditRequest, EditResult, Progress
from editd.messages.options import EditOptions

CONTEXT = 32_768
SIZES = {
    "1K": 1 << 10,
    "10K": 10 << 10,
    "100K": 100 << 10,
    "1M": 1 << 20,
    "8M": 8 << 20,
    "60M": 60 << 20,
}
_EVERY = 0.005  # seconds between two questions

SHAPES: dict[str, tuple[Callable[[int], str], str, str]] = {
    # name → (how a text of about so many bytes is made, path, instruction)
    "functions": (lambda n: _filled(n, "def f{0}(x):\n    # {0}\n    return x + {0}\n\n\n"), "a.py", "Rename f10007 to g."),
    "one name": (lambda n: _filled(n, "x = 1\n"), "a.py", "Rename things in x."),
    "one method": (lambda n: _filled(n, "class C{0}:\n    def forward(self):\n        pass\n\n"), "a.py", "Add a docstring to forward."),
    "one line": (lambda n: "[" + _filled(n, '{{"id":{0},"name":"n{0}","on":true}},') + "{}]", "a.json", "Rename id to key."),
    "nested": (lambda n: "{" * (n // 2) + "}" * (n // 2), "a.js", "Rename a to b everywhere."),
    "emoji": (lambda n: "🙂" * (n // 4), "a.txt", "Remove all comments."),
    "blank": (lambda n: "\n" * n, "a.py", "Remove all comments."),
    "carriage returns": (lambda n: _filled(n, "let a{0} = {0};\r"), "a.ts", "Rename a10001 to b."),
    "one letter": (lambda n: "x" * n, "a.txt", "Rename x to y."),
    "prose": (lambda n: _filled(n, "Nummer {0}: 漢字とかな、größer, it's “so”.\n"), "a.md", "Remove all comments."),
}  # fmt: skip


@dataclass(slots=True)
class Noticed:
    """Effects of a file on other clients, in seconds and bytes."""

    status: float = 0.0
    wait: float = 0.0
    grown: int = 0
    seconds: float = 0.0
    outcome: str = ""


def _filled(size: int, line: str) -> str:
    each = len(line.format(10_000).encode())
    return "".join(line.format(10_000 + number % 90_000) for number in range(max(1, size // each)))


# --- the daemon and its model ---------------------------------------------------------------------


def random_model(folder: Path) -> Path:
    """A Qwen-like checkpoint, small and random, with a tokenizer of Qwen's kind."""
    import torch
    import transformers
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    import editd

    pattern = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    words.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=8000,
        special_tokens=["<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    sources = sorted(Path(editd.__file__).parent.rglob("*.py"))
    words.train_from_iterator((file.read_text() for file in sources), trainer)
    words.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = transformers.Qwen2Config(
        vocab_size=words.get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=CONTEXT,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    model: Any = transformers.AutoModelForCausalLM
    model.from_config(config).save_pretrained(folder)
    return folder


async def _daemon(folder: Path, model: Path) -> psutil.Process:
    config = folder / "config.toml"
    config.write_text(
        f"[model]\nname = {json.dumps(str(model))}\nthreads = 1\n[decode]\nmax_new_tokens = 1\n"
    )
    os.environ.update(
        EDITD_RUNTIME_DIR=str(folder / "run"),
        EDITD_STATE_DIR=str(folder / "state"),
        EDITD_CONFIG=str(config),
    )
    client = await SocketEngineClient.connect(client="stalls")
    process = psutil.Process((await client.status()).pid)
    await client.aclose()
    return process


# --- one file -------------------------------------------------------------------------------------


async def notice(process: psutil.Process, shape: str, size: int) -> Noticed:
    """Send one file from another process, and look at the others meanwhile."""
    noticed = Noticed()
    before = process.memory_info().rss
    command = [sys.executable, "-m", "benchmarks.stalls", "--send", shape, str(size)]
    sender = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    assert sender.stdout is not None  # noqa: S101 - it was asked for
    await sender.stdout.readline()  # it has its text and is connected
    # Connecting reads all of editd's code, and would hold up the other one's clock.
    clients = [await SocketEngineClient.connect(client="stalls") for _ in range(2)]
    others = [
        asyncio.create_task(_ask_status(clients[0], process, before, noticed)),
        asyncio.create_task(_edit_meanwhile(clients[1], noticed)),
    ]
    outcome = json.loads((await sender.stdout.read()).splitlines()[-1])
    await sender.wait()
    for task in others:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    noticed.seconds, noticed.outcome = outcome
    return noticed


async def _ask_status(
    client: SocketEngineClient, process: psutil.Process, before: int, noticed: Noticed
) -> None:
    try:
        while True:
            began = time.monotonic()
            await client.status()
            noticed.status = max(noticed.status, time.monotonic() - began)
            noticed.grown = max(noticed.grown, process.memory_info().rss - before)
            await asyncio.sleep(_EVERY)
    finally:
        await client.aclose()


async def _edit_meanwhile(client: SocketEngineClient, noticed: Noticed) -> None:
    """Ask for a small edit again and again; notes the longest time until its turn in ``noticed``."""
    try:
        for number in range(sys.maxsize):
            began = time.monotonic()
            request = EditRequest(f"small {number}", "a = 1\n", "Rename a to b.", path="b.py")
            async for message in client.ask(request):
                done = isinstance(message, EditResult)
                if done or (isinstance(message, Progress) and message.stage == "prefill"):
                    noticed.wait = max(noticed.wait, time.monotonic() - began)
                    began = time.monotonic()
            await asyncio.sleep(_EVERY)
    finally:
        await client.aclose()


async def _send(shape: str, size: int) -> None:
    make, path, instruction = SHAPES[shape]
    text = make(size)
    client = await SocketEngineClient.connect(client="stalls")
    print("ready", flush=True)
    await asyncio.sleep(0.2)
    started = time.monotonic()
    outcome = "no answer"
    request = EditRequest(
        "large", text, instruction, path=path, priority="batch",
        options=EditOptions(max_new_tokens=1, timeout=600.0),
    )  # fmt: skip
    try:
        async for message in client.ask(request):
            if isinstance(message, EditResult):
                error = message.error.message if message.error else ""
                outcome = f"{message.finish_reason}: {error}"
    except EditdError as error:
        outcome = f"{error.code}: {error}"
    print(json.dumps([time.monotonic() - started, outcome]), flush=True)
    await client.aclose()


# --- all of them ----------------------------------------------------------------------------------


async def measure(shapes: list[str], sizes: list[str]) -> None:
    """Print a line for each file, and the worst of all."""
    with tempfile.TemporaryDirectory(prefix="stalls-") as made:
        folder = Path(made)
        model = folder / "model"
        model.mkdir()
        process = await _daemon(folder, random_model(model))
        try:
            await notice(process, "functions", 1 << 10)  # loads the model
            print(
                f"{'shape':18}{'size':>6}{'status ms':>11}{'wait ms':>9}{'grown':>8}{'s':>8}  outcome"
            )
            all_: list[Noticed] = []
            for shape in shapes:
                for size in sizes:
                    noticed = await notice(process, shape, SIZES[size])
                    all_.append(noticed)
                    print(
                        f"{shape:18}{size:>6}{1000 * noticed.status:>11.0f}{1000 * noticed.wait:>9.0f}"
                        f"{noticed.grown / SIZES[size]:>8.1f}{noticed.seconds:>8.2f}  {noticed.outcome[:100]}",
                        flush=True,
                    )
            print(
                f"worst: {1000 * max(noticed.status for noticed in all_):.0f} ms without status, "
                f"{1000 * max(noticed.wait for noticed in all_):.0f} ms until another client's turn"
            )
        finally:
            process.terminate()
            process.wait(10)


def main() -> None:
    """``python -m benchmarks.stalls``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES), choices=SHAPES)
    parser.add_argument("--sizes", nargs="*", default=list(SIZES), choices=SIZES)
    parser.add_argument("--send", nargs=2, metavar=("SHAPE", "BYTES"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.send:
        asyncio.run(_send(arguments.send[0], int(arguments.send[1])))
    else:
        asyncio.run(measure(arguments.shapes, arguments.sizes))


if __name__ == "__main__":
    main()
