"""Today's behaviour, as figures and transcripts: `python -m tests.goldens.record` writes them.

They hold a change of structure to account: the same token ids, hunks, rounds and messages before and
after it. A change of behaviour records them anew, and its diff shows what it changed. What varies from
run to run (times, process ids, memory) is left out.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import msgpack

HERE = Path(__file__).parent
USUAL = (
    "buffer:chain",
    "buffer:tree+suffix:tree",
)  # these on all three edits, the others on the first
SLOW = ("prediction:16", "prediction:1", "draft-model", "universal")  # of these the beginning
MOST_SLOW = 80
SHORT = ("ring-rename", "limiter-mutex", "settings-constant")
DRAFTERS = (
    "buffer:chain", "buffer:tree", "buffer:chain+suffix:chain", "buffer:tree+suffix:tree", "suffix:chain",
    "prompt-lookup:tuned", "prompt-lookup:saxena", "prompt-lookup:transformers", "prediction:16",
    "prediction:1", "draft-model", "universal",
)  # fmt: skip
REPLAYED = (
    "buffer:chain", "buffer:tree+suffix:tree", "prompt-lookup:tuned", "prediction:16", "copy-oracle",
)  # fmt: skip
WINDOW = 32


def digest(value: object) -> str:
    """Short enough to read in a diff."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def demo_edits(folder: Path) -> dict[str, Any]:
    """Ids, rounds and hunks of short demo edits by every drafter, through the engine."""
    from editd.config import Config, ModelConfig
    from editd.decode.speculative import Decoding
    from editd.engine import Engine
    from editd.messages import EditRequest, EditResult
    from editd.messages.options import EditOptions
    from tests.fixtures.solved.edits import demo_folder, load_edits

    engine = Engine(Config(model=ModelConfig(name=str(folder), device="cpu", threads=1)))
    written: list[int] = []
    advance = Decoding.advance

    def noted(decoding: Decoding) -> Any:
        done = advance(decoding)
        written.extend(done.token_ids if done else ())
        return done

    figures: dict[str, Any] = {}
    known = {edit.name: edit for edit in load_edits(demo_folder())}
    with mock.patch.object(Decoding, "advance", noted):
        for name in SHORT:
            edit = known[name]
            for drafter in DRAFTERS:
                slow = drafter in SLOW
                if drafter not in USUAL and name != SHORT[0]:
                    continue
                written.clear()
                options = EditOptions(
                    drafter=drafter,
                    window=WINDOW,
                    draft_model=str(folder) if drafter in SLOW[2:] else None,
                    max_new_tokens=MOST_SLOW if slow else None,
                )
                request = EditRequest(
                    "g", edit.before, edit.instruction, path=edit.path, options=options
                )
                *_, result = engine.edit(request)
                assert isinstance(result, EditResult)
                hunks = [
                    [hunk.start, hunk.old_count, list(hunk.new_lines)] for hunk in result.hunks
                ]
                stats = result.stats
                figures[f"{name} {drafter}"] = {
                    "finish": result.finish_reason,
                    "ids": digest(written),
                    "hunks": digest(hunks),
                    "tokens": [stats.prompt_tokens, stats.output_tokens],
                    "rounds": [stats.rounds, stats.drafted, stats.accepted],
                }
    engine.close()
    return figures


def replays() -> dict[str, Any]:
    """Rounds, drafted and accepted tokens of all demo edits, by drafters in pseudo-tokens."""
    from tests.fixtures.solved.edits import demo_folder, load_edits
    from tests.model_free_codec import PseudoCodec
    from tests.recorded_cases import Case
    from tests.replay.rounds import replay_all
    from tests.replay.transcripts import transcribe

    codec = PseudoCodec()
    transcripts = [
        transcribe(
            Case(
                id=edit.name,
                language="",
                kind="",
                instruction=edit.instruction,
                before=edit.before,
                after=edit.after,
            ),
            codec,
        )
        for edit in load_edits(demo_folder())
    ]
    return {
        figures.drafter: [
            int(figures.total(name)) for name in ("output_tokens", "rounds", "drafted", "accepted")
        ]
        for figures in replay_all(transcripts, REPLAYED, codec, window=64)
    }


def wire() -> list[Any]:
    """The frames between a client and the daemon, in order, decoded."""
    from editd.config import Config
    from editd.daemon import framing, lifecycle, transport
    from editd.daemon.outbox import ClientLimits
    from editd.daemon.server import Server
    from editd.messages import (
        PROTOCOL_VERSION,
        CancelRequest,
        ContextItem,
        EditRequest,
        EditResult,
        Hello,
        StatusRequest,
        WarmupRequest,
    )
    from editd.messages.options import EditOptions
    from tests.fakes import Script, scripted, with_script
    from tests.in_process import in_process

    frames: list[Any] = []

    async def session() -> None:
        path = transport.socket_path()
        lock = await lifecycle.take_over(path)
        limits = ClientLimits(farewell_seconds=0.2)
        server = Server(path, lock, Config(), in_process(scripted(Script())), limits)
        task = asyncio.create_task(server.serve())
        await asyncio.sleep(0)
        reader, writer = await asyncio.open_unix_connection(path)

        async def ask(*requests: Any, until: Callable[[Any], bool]) -> None:
            for request in requests:
                frames.append([">", _plain(msgpack.unpackb(framing.pack(request)))])
                writer.write(framing.encode(request))
            while True:
                frame = await framing.read_frame(reader)
                assert frame is not None
                message = await framing.decode(frame[1])
                if type(message).__name__ != "Progress":  # how many there are is a question of time
                    frames.append(["<", _plain(msgpack.unpackb(frame[1]))])
                if until(message):
                    return

        def is_any(_message: Any) -> bool:
            return True

        def result(message: Any) -> bool:
            return isinstance(message, EditResult)

        def done(message: Any) -> bool:
            return type(message).__name__ == "Done"

        options = EditOptions(model="m")
        await ask(Hello(PROTOCOL_VERSION, "golden", 1), until=is_any)
        await ask(WarmupRequest("w", "a\nb\n", options=options), until=done)
        await ask(EditRequest("e", "a\nB\nc\n", "shout", options=options), until=result)
        wrong = replace(with_script(error="refused"), model="m")
        await ask(EditRequest("r", "a\n", "shout", options=wrong), until=result)
        await ask(CancelRequest("gone"), StatusRequest("s"), until=is_any)
        item = ContextItem("mention", "c\n", "util.py", 0, 1)
        more: Any = {"context": (item,), "cursor": 1, "mention_root": "/p"}
        await ask(EditRequest("m", "a\nB\n", "shout", options=options, **more), until=result)
        writer.close()
        server.stop(force=True)
        await task
        lock.release()

    with tempfile.TemporaryDirectory(prefix="editd-") as home:
        names = {"EDITD_RUNTIME_DIR": f"{home}/run", "EDITD_STATE_DIR": f"{home}/state"}
        with (
            mock.patch.dict(os.environ, names),
            mock.patch.object(transport, "build_id", return_value="now"),
        ):
            asyncio.run(session())
    return frames


def lsp() -> list[Any]:
    """An editor's session: initialize, warm up, edit, accept, a refused edit, shutdown."""
    from editd.config import Config
    from tests.fakes import Script, scripted, with_script
    from tests.in_process import InProcessEngineClient
    from tests.unit.frontends.lsp.client import Editor, connected

    async def session() -> list[Any]:
        engine = InProcessEngineClient(Config(), scripted(Script(open_hunks=True)))
        async with connected(engine) as client:
            await client.initialize()
            editor = Editor(client, "alpha é\r\nBETA\r\n漢字 x\n")
            for token, script in (("t", {}), ("u", {"error": "refused"})):
                answer = await client.request(
                    "editd/edit",
                    {
                        "editToken": token,
                        "textDocument": editor.identifier,
                        "instruction": "shout",
                        "options": {"model": "m", "drafter": with_script(**script).drafter},
                    },
                )
                client.seen.append({"answer": answer})
            await client.request("editd/accept", {"editToken": "t"})
            await client.settle()
            await client.request("shutdown")
            client.notify("exit")
            return list(client.seen)

    with tempfile.TemporaryDirectory(prefix="editd-") as home:
        config = Path(home, "config.toml")
        config.touch()
        names = {"EDITD_CONFIG": str(config), "EDITD_STATE_DIR": f"{home}/state"}
        with mock.patch.dict(os.environ, names):
            messages = asyncio.run(session())
    varies = ("$/progress", "window/workDoneProgress/create", "editd/didChangeStatus")
    return _merged([_plain(message) for message in messages if message.get("method") not in varies])


def lsp_more() -> list[Any]:
    """What an editor learns besides its edits: presets with refusals, and the lines that a model rewrites."""
    from tests.unit.frontends.lsp.client import Editor, connected

    async def session() -> list[Any]:
        async with connected() as client:
            options = {"model": {"name": "embedded"}}
            await client.initialize(options=options, clientInfo={"name": "Neovim"})
            editor = Editor(client, "alpha\nbeta\n")
            await client.request("editd/presets")
            spot = {"line": 1, "character": 0}
            params = {"instruction": "shout", "range": {"start": spot, "end": spot}}
            document = {"editToken": "t", "textDocument": editor.identifier}
            answer, _ = client.start("editd/edit", {**document, **params})
            edit = await client.engine.next_edit()
            edit.progress("prefill", "reading the buffer", fraction=0.25, regions=((0, 2),))
            edit.finish("refused", error=("refused", "Too long (--range)."))
            await answer
            return list(client.seen)

    with tempfile.TemporaryDirectory(prefix="editd-") as home:
        config = Path(home, "config.toml")
        config.touch()
        with mock.patch.dict(os.environ, {"EDITD_CONFIG": str(config)}):
            messages = asyncio.run(session())
    varies = ("$/progress", "window/workDoneProgress/create", "editd/didChangeStatus")
    return [_plain(message) for message in messages if message.get("method") not in varies]


def _merged(messages: list[Any]) -> list[Any]:
    """All deltas of an edit as one, where the first stands: how they are cut is a question of time.

    So is whether a hunk is told while it grows, before it is told whole.
    """
    merged: list[Any] = []
    first: dict[str, list[Any]] = {}
    for message in messages:
        if message.get("method") != "editd/editDelta":
            merged.append(message)
            continue
        params = message["params"]
        ops, params["ops"] = params["ops"], first.get(params["editToken"], [])
        if params["editToken"] not in first:
            first[params["editToken"]] = params["ops"]
            params["seq"] = "…"
            merged.append(message)
        for op in ops:
            if params["ops"] and _hunk_id(params["ops"][-1]) == _hunk_id(op) != 0:
                params["ops"].pop()
            params["ops"].append(op)
    return merged


def _hunk_id(op: dict[str, Any]) -> int:
    return int(op.get("hunk", {}).get("id", 0))


_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_VARIES = (
    "seconds",
    "_ms",
    "pid",
    "rss",
    "uptime",
    "version",
    "time",
    "cpu",
    "Ms",
    "Seconds",
    "memory",
)


def _plain(value: Any) -> Any:
    """``value`` without what differs from run to run."""
    if isinstance(value, dict):
        return {
            key: "…" if any(word in str(key) for word in _VARIES) else _plain(of)
            for key, of in value.items()
        }
    if isinstance(value, str) and _UUID.fullmatch(value):
        return "…"
    if isinstance(value, list | tuple):
        return [_plain(of) for of in value]
    return value


def written(name: str, found: Any) -> str:
    """The file's text: one line for each entry, so that a diff shows what changed."""
    entries = (
        [f"{json.dumps(key)}: {json.dumps(of)}" for key, of in found.items()]
        if isinstance(found, dict)
        else [json.dumps(of, ensure_ascii=False) for of in found]
    )
    opening, closing = "{}" if isinstance(found, dict) else "[]"
    return opening + "\n" + ",\n".join(entries) + "\n" + closing + "\n"


def pasted() -> dict[str, Any]:
    """The reading of every pasted answer: how sure the merge is, and a digest of the text that is shown."""
    from tests.fixtures.pasted import FIXTURES, outcome, read_answers

    found = {}
    for path in sorted(FIXTURES.glob("pasted*.jsonl")):
        for answer in read_answers(path):
            kind, text, _ = outcome(answer)
            found[f"{path.stem}/{answer.name}"] = f"{kind} {digest(text)}"
    return found


def computed() -> dict[str, Any]:
    """The outcome of every recorded sentence on a small file that has its names, computed by words alone."""
    from editd.messages import EditRequest
    from editd.refactor.computed import compute_edit

    found = {}
    for table in ("sentences", "sentences_seen", "restrictions"):
        for line in (HERE.parent / "fixtures" / f"{table}.tsv").read_text("utf-8").splitlines():
            *fields, last = line.split("\t")
            sentence = fields[0] if table == "restrictions" else last
            names = [field for field in fields[1:] if field] or re.findall(
                r"\w*[_A-Z]\w*|\w+\(", sentence
            )
            for path, text in _small_files([name.strip("()") for name in names]):
                result = compute_edit(EditRequest("…", text, sentence, path=path))
                made = result and [
                    result.finish_reason,
                    result.text,
                    result.summary,
                    result.error and result.error.message,
                ]
                found[f"{path[-2:]} {sentence}"] = digest(made) if made else "not by words"
    return found


def _small_files(names: list[str]) -> Iterator[tuple[str, str]]:
    """A Python file and one in TypeScript in which ``names`` are functions, variables, texts and comments."""
    first, second = [*(name for name in names if name.isidentifier()), "load", "total"][:2]
    quoted = " ".join(names).replace('"', "'")
    yield (
        "a.py",
        f'''import sys, os
from json import loads

LIMIT = 30  # as in {first}


class Store:
    def {first}(self, path, {second}=1):
        # reads {second}
        print("reading", path)
        data = open(path).read()
        if data == None:
            return "{quoted}"
        return loads(data) + {second}


def other(x):
    """Call {first}."""
    print(f"{{x}}")  # noqa: T201
    return Store().{first}(x, {second}=LIMIT)
''',
    )
    yield (
        "a.ts",
        f"""import {{ b, a }} from "./b";

const LIMIT = 30; // as in {first}

/** Reads {second}. */
export function {first}(path: string, {second} = 1): number {{
  console.log("reading", path);
  let {second}s = a(path) == null ? "{quoted}" : {second};
  return {second}s + LIMIT;
}}

class Store {{
  run(x) {{
    return {first}(x, LIMIT);
  }}
}}
""",
    )


RECORDED: dict[str, Callable[[], Any]] = {
    "replays": replays,
    "wire": wire,
    "lsp": lsp,
    "lsp_more": lsp_more,
    "pasted": pasted,
    "computed": computed,
}


def main() -> None:
    """Write them all; ``EDITD_CACHE_DIR`` says where the solved model is."""
    from tests.demo_model import ENVIRONMENT
    from tests.fixtures.solved.cache import demo_model_dir

    os.environ.update(ENVIRONMENT)
    chosen = sys.argv[1:]
    found = {"edits": lambda: demo_edits(demo_model_dir()), **RECORDED}
    for name, record in found.items():
        if not chosen or name in chosen:
            (HERE / f"{name}.json").write_text(written(name, record()), encoding="utf-8")


if __name__ == "__main__":
    main()
