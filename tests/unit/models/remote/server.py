"""A server in the test's process that sends whatever bytes it is told to, and on_text what is asked."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from editd.config import Config, ModelConfig
from editd.engine import Engine

CARD = {"id": "m", "object": "model", "owned_by": "acme"}
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def answer(status: str, body: bytes = b"", **headers: str) -> bytes:
    """A whole answer of HTTP."""
    headers = {"Content-Type": "application/json", **headers, "Content-Length": str(len(body))}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\n{lines}Connection: close\r\n\r\n".encode() + body


def listing(*cards) -> bytes:
    return answer("200 OK", json.dumps({"object": "list", "data": list(cards or [CARD])}).encode())


def said(text: str, finish_reason: str | None = None) -> bytes:
    """One event of a chat."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


USAGE = {
    "prompt_tokens": 50,
    "completion_tokens": 9,
    "completion_tokens_details": {"accepted_prediction_tokens": 6, "rejected_prediction_tokens": 2},
    "prompt_tokens_details": {"cached_tokens": 40},
}
FIGURES = b"data: " + json.dumps({"choices": [], "usage": USAGE}).encode() + b"\n\n"
DONE = b"data: [DONE]\n\n"


@dataclass
class Server:
    """What was asked (``bodies``), and how many connections it has seen closed by the client.

    pieces: bytes in answer to a POST, a number being a pause in seconds; by request where there are
    lists of them. by_body: the pieces in answer to what was asked, in their stead. models: the answer to
    ``GET /models``. tls: what proves who it is. keeps: connections are kept, for so many requests each; closes_late:
    without a word, and closed when one more comes.
    """

    pieces: list
    models: bytes = field(default_factory=listing)
    by_body: Callable[[dict], list] | None = None
    tls: ssl.SSLContext | None = None
    keeps: int = 1
    closes_late: bool = False
    num_connections: int = 0
    bodies: list = field(default_factory=list)
    paths: list = field(default_factory=list)
    heads: list = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    def serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            self.num_connections += 1
            connection.settimeout(20)
            for _ in range(self.keeps):
                self._answer(connection)
            if self.closes_late:
                self._read(connection)

    def _answer(self, connection: socket.socket) -> None:
        head, _, body = self._read(connection)
        self.heads.append(head)
        method, path = head.split(" ", 2)[:2]
        self.paths.append(path)
        if method == "GET":
            connection.sendall(self.models)
            return
        self.bodies.append(json.loads(body))
        pieces = self.by_body(self.bodies[-1]) if self.by_body else self.pieces
        if pieces and isinstance(pieces[0], list):
            pieces = pieces[min(len(self.bodies), len(pieces)) - 1]
        for piece in pieces:
            if piece == "wait":
                self._wait(connection)
            elif isinstance(piece, bytes):
                connection.sendall(piece)
            else:
                for _ in iter(bool, True):  # for ever
                    connection.sendall(piece())
                    time.sleep(0.001)

    def _wait(self, connection: socket.socket) -> None:
        """Until the test says so, or the client hangs up."""
        connection.setblocking(False)
        while not self.go_on.wait(0.005):
            with contextlib.suppress(BlockingIOError):
                if connection.recv(1) == b"":
                    self.hung_up.set()
                    return
        connection.setblocking(True)

    @staticmethod
    def _read(connection: socket.socket) -> tuple[str, bytes, bytes]:
        data = b""
        while b"\r\n\r\n" not in data:
            if not (more := connection.recv(65536)):
                raise ConnectionError
            data += more
        head, gap, body = data.partition(b"\r\n\r\n")
        length = next(
            (
                int(line.partition(b":")[2])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            ),
            0,
        )
        while len(body) < length:
            body += connection.recv(65536)
        return head.decode(), gap, body


@contextlib.contextmanager
def serving(*pieces, **more):
    """A ``Server`` on the loopback that answers so."""
    server = Server(list(pieces), **more)
    listener = socket.create_server(("127.0.0.1", 0))
    server.port = listener.getsockname()[1]

    def accept():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=begin, args=(connection,), daemon=True).start()

    def begin(connection):
        if server.tls:
            try:
                connection = server.tls.wrap_socket(connection, server_side=True)
            except OSError:
                connection.close()
                return
        server.serve(connection)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@contextlib.contextmanager
def engine_at(url: str, **model):
    """An engine whose model is at ``url``."""
    config = Config(
        model=ModelConfig(engine="remote", url=url, name=model.pop("name", "m"), **model)
    )
    engine = Engine(config)
    try:
        yield engine
    finally:
        engine.close()


@contextlib.contextmanager
def engine_of(server: Server, **model):
    with engine_at(f"http://127.0.0.1:{server.port}/v1", **model) as engine:
        yield engine
