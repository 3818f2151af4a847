"""An editor: a language server, a daemon behind it, and the clock. Knows LSP's frames; no edits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

EDITD = [sys.executable, "-m", "editd"]


class Session:
    """Requests as an editor sends them. Times are seconds since the request was written."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [*EDITD, "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._to: Any = self._server.stdin
        self._from: Any = self._server.stdout
        self._ids = iter(range(1, 1 << 30))
        capabilities = {"general": {"positionEncodings": ["utf-16"]}}
        self.request("initialize", {"processId": os.getpid(), "capabilities": capabilities})
        self._send({"method": "initialized", "params": {}})

    def open(self, uri: str, text: str) -> dict[str, Any]:
        """Open a document; returns the identifier that later requests name it by."""
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": item}})
        return {"uri": uri, "version": 1}

    def request(self, method: str, params: dict[str, Any]) -> tuple[Any, float | None, float]:
        """Send a request. Returns its result, and the seconds until the first hunk (settled or growing) and the result.

        Raises ``RuntimeError`` with the message of an error.
        """
        number = next(self._ids)
        started = perf_counter()
        self._send({"id": number, "method": method, "params": params})
        first = None
        while True:
            message = self._read()
            if first is None and _shows_a_hunk(message, params.get("editToken")):
                first = perf_counter() - started
            elif message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"], first, perf_counter() - started
            elif "id" in message and "method" in message:
                self._send({"id": message["id"], "result": None})

    def close(self) -> None:
        """Let the server leave; the daemon stays."""
        self._to.close()
        self._server.wait(30)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._to.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._to.flush()

    def _read(self) -> dict[str, Any]:
        length = 0
        while (line := self._from.readline()) != b"\r\n":
            if not line:
                raise RuntimeError("the language server left")
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        message: dict[str, Any] = json.loads(self._from.read(length))
        return message


def _shows_a_hunk(message: dict[str, Any], token: str | None) -> bool:
    """Whether it is a delta of the edit ``token`` with a hunk in it, settled or growing."""
    params = message.get("params", {})
    return (
        message.get("method") == "editd/editDelta"
        and params["editToken"] == token
        and any("hunk" in op for op in params["ops"])
    )


@contextmanager
def session(home: Path, model: str, threads: int) -> Iterator[Session]:
    """A session whose daemon is its own, and ends with it. home: where both keep their files.

    What rounds cost is kept under ``home``, too, so a second session in it knows them.
    """
    os.environ |= {
        "EDITD_CONFIG": str(home / "config.toml"),
        "EDITD_RUNTIME_DIR": str(home / "run"),
        "EDITD_STATE_DIR": str(home / "state"),
    }
    (home / "config.toml").write_text(
        f"[model]\nname = {json.dumps(model)}\nthreads = {threads}\n", encoding="utf-8"
    )
    opened = Session()
    try:
        yield opened
    finally:
        opened.close()
        subprocess.run([*EDITD, "stop", "--force"], check=False, capture_output=True)
