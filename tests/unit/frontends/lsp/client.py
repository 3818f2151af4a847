"""A small JSON-RPC client for tests, and an editor that keeps a buffer as real ones do.

Neither uses a line of the server: frames, positions and edits are done here anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re

from editd.frontends.lsp.server import serve
from tests.unit.frontends.lsp.engine import FakeEngine

SECONDS = 30.0  # only a test that fails waits so long
EVERYTHING = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True},
    },
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        }
    },
    "experimental": {"editd": True},
}


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data")


class Client:
    """One end of a conversation. ``answers`` counts answers by id; more than one is a bug."""

    def __init__(self, reader, write):
        self.reader = reader
        self.write = write
        self.seen = []  # every message of the server, in order
        self.answers = {}
        self.handlers = {"window/workDoneProgress/create": lambda _: None}
        self._waiting = {}
        self._ids = iter(range(1, 1 << 30))
        self._changed = asyncio.Condition()
        self._pump = asyncio.ensure_future(self._read())

    async def initialize(self, capabilities=None, options=None, process_id=None, **more):
        capabilities = EVERYTHING if capabilities is None else capabilities
        params = {"processId": process_id, "capabilities": capabilities, **more}
        if options is not None:
            params["initializationOptions"] = options
        result = await self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def start(self, method, params=None, *, msg_id=None, **extra):
        """Send a request; a future of its result, and its id."""
        msg_id = next(self._ids) if msg_id is None else msg_id
        message = {"jsonrpc": "2.0", "id": msg_id, "method": method, **extra}
        if params is not None:
            message["params"] = params
        future = asyncio.get_running_loop().create_future()
        self._waiting[msg_id] = future
        self.send(message)
        return future, msg_id

    async def request(self, method, params=None, **extra):
        future, _ = self.start(method, params, **extra)
        async with asyncio.timeout(SECONDS):
            return await future

    async def failure(self, method, params=None, **extra):
        try:
            result = await self.request(method, params, **extra)
        except RpcError as error:
            return error
        raise AssertionError(f"{method} should have failed, but answered {result}")

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)

    def send(self, message):
        self.send_body(json.dumps(message).encode())

    def send_body(self, body):
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def all(self, method):
        """The params of every message of that method so far."""
        return [message.get("params") for message in self.seen if message.get("method") == method]

    async def wait_for(self, method, count=1):
        """The params of the ``count``-th message of that method."""
        async with asyncio.timeout(SECONDS), self._changed:
            await self._changed.wait_for(lambda: len(self.all(method)) >= count)
        return self.all(method)[count - 1]

    async def wait_until(self, condition):
        async with asyncio.timeout(SECONDS), self._changed:
            await self._changed.wait_for(condition)

    async def settle(self):
        """Return when the server has handled everything sent so far."""
        await self.failure("test/unknown")

    async def open(self, text, uri="file:///w/a.py", language="python", version=1):
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    async def finish(self):
        self._pump.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._pump

    async def _read(self):
        while True:
            length = 0
            while (line := await self.reader.readline()) != b"\r\n":
                if not line:
                    return
                name, _, value = line.partition(b":")
                assert name.lower() in (b"content-length", b"content-type"), line
                if name.lower() == b"content-length":
                    length = int(value)
            await self._handle(json.loads(await self.reader.readexactly(length)))

    async def _handle(self, message):
        assert message["jsonrpc"] == "2.0"
        self.seen.append(message)
        if "method" in message and "id" in message:
            handler = self.handlers.get(message["method"])
            if handler is None:
                error = {"code": -32601, "message": "no such method"}
                self.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
            elif (result := handler(message["params"])) is not Client.SILENT:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif "method" not in message:
            msg_id = message["id"]
            self.answers[msg_id] = self.answers.get(msg_id, 0) + 1
            future = self._waiting.pop(msg_id, None)
            if future is not None and not future.done():
                if "error" in message:
                    future.set_exception(RpcError(message["error"]))
                else:
                    future.set_result(message["result"])
        async with self._changed:
            self._changed.notify_all()

    SILENT = object()  # a handler that returns this never answers


class Editor:
    """A buffer in an open document; applies edits and tells changes as an editor does."""

    def __init__(self, client, text, uri="file:///w/a.py", encoding="utf-16", language="python"):
        self.client = client
        self.text = text
        self.uri = uri
        self.version = 1
        self.encoding = encoding
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": item})
        client.handlers["workspace/applyEdit"] = self.apply_edit

    @property
    def identifier(self):
        return {"uri": self.uri, "version": self.version}

    def type(self, start, end, text):
        """Replace code points ``start .. end``, and tell the server."""
        change = {
            "range": {"start": self.position(start), "end": self.position(end)},
            "text": text,
        }
        self.text = self.text[:start] + text + self.text[end:]
        self.tell([change])

    def tell(self, changes):
        self.version += 1
        identifier = {"uri": self.uri, "version": self.version}
        self.client.notify(
            "textDocument/didChange", {"textDocument": identifier, "contentChanges": changes}
        )

    def apply_edit(self, params):
        """``workspace/applyEdit`` as VS Code does it: refused at another version."""
        for change in params["edit"].get("documentChanges", []):
            document = change["textDocument"]
            assert document["uri"] == self.uri
            if document["version"] not in (None, self.version):
                return {"applied": False, "failureReason": "the document has changed"}
            self.apply(change["edits"])
        for uri, edits in params["edit"].get("changes", {}).items():
            assert uri == self.uri
            self.apply(edits)
        return {"applied": True}

    def apply(self, edits):
        changes = [{"range": e["range"], "text": e["newText"]} for e in reversed(edits)]
        self.text = applied(self.text, edits, self.encoding)
        self.tell(changes)

    def position(self, offset):
        return position_at(self.text, offset, self.encoding)


async def begin(client, editor, token="t", instruction="do it", **params):
    """Start an edit of the editor's document; its answer's future, its id and the engine's end."""
    future, msg_id = client.start(
        "editd/edit",
        {"editToken": token, "textDocument": editor.identifier, "instruction": instruction}
        | params,
    )
    return future, msg_id, await client.engine.next_edit()


def applied(text, edits, encoding="utf-16"):
    """``text`` after ``edits``, which must be in order and apart."""
    result, at = "", 0
    for edit in edits:
        start = offset_at(text, edit["range"]["start"], encoding)
        end = offset_at(text, edit["range"]["end"], encoding)
        assert at <= start <= end, "edits overlap"
        result += text[at:start] + edit["newText"]
        at = end
    return result + text[at:]


def lines_of(text):
    return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z", text)


def position_at(text, offset, encoding):
    lines = lines_of(text[:offset])
    if lines and lines[-1].endswith(("\r", "\n")):
        lines.append("")
    last = lines[-1] if lines else ""
    return {"line": max(0, len(lines) - 1), "character": units(last, encoding)}


def offset_at(text, position, encoding):
    lines = lines_of(text)
    if position["line"] >= len(lines):
        return len(text)
    line = lines[position["line"]]
    before = sum(len(other) for other in lines[: position["line"]])
    for column in range(len(line) + 1):
        if units(line[:column], encoding) == position["character"]:
            return before + column
    raise AssertionError(f"{position} is inside a character or beyond the line {line!r}")


def units(text, encoding):
    if encoding == "utf-32":
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@contextlib.asynccontextmanager
async def connected(engine=None):
    """A client of a server in this process, over pipes, with ``engine`` in the daemon's place."""
    engine = engine or FakeEngine()
    to_server_out, to_server_in = os.pipe()
    to_client_out, to_client_in = os.pipe()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(to_client_out, "rb", 0)
    )
    unsent = asyncio.Queue()

    async def write():  # the server may be slow to read, and a blocked test would never end
        while (data := await unsent.get()) is not None:
            await asyncio.to_thread(_write_all, to_server_in, data)

    writing = asyncio.ensure_future(write())
    serving = asyncio.ensure_future(serve(to_server_out, to_client_in, lambda: engine))
    client = Client(reader, unsent.put_nowait)
    client.engine = engine
    client.transport = transport
    client.serving = serving
    try:
        yield client
    finally:
        unsent.put_nowait(None)
        await writing
        os.close(to_server_in)
        async with asyncio.timeout(SECONDS):
            await serving
        os.close(to_client_in)
        os.close(to_server_out)
        await client.finish()
        transport.close()
        repeated = {key: count for key, count in client.answers.items() if key and count > 1}
        assert not repeated, f"answered more than once: {repeated}"


def _write_all(fd, data):
    data = memoryview(data)
    while data:
        data = data[os.write(fd, data) :]
