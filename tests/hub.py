"""A hub of Hugging Face's API on this machine's loopback, with the files of one repository."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "c" * 40


@dataclass
class LoopbackHub:
    """files: content by name. digests: named in place of the true ones. breaks_after: bytes of an answer after which
    the connection ends, once. requests: method, path and Range of each.
    """

    repository: str
    files: dict[str, bytes]
    digests: dict[str, str] = field(default_factory=dict)
    breaks_after: int = 0
    ranges: bool = True
    requests: list[tuple[str, str, str]] = field(default_factory=list)

    def info(self):
        """The answer to ``model_info``."""
        siblings = [
            {"rfilename": name, "size": len(content), "blobId": "b" * 40, "lfs": self.pointer(name)}
            for name, content in self.files.items()
        ]
        return {"_id": "1", "id": self.repository, "modelId": self.repository, "sha": COMMIT, "siblings": siblings,
                "private": False, "tags": [], "downloads": 0}  # fmt: skip

    def pointer(self, name):
        """The LFS pointer of a GGUF file, ``None`` for others."""
        if not name.endswith(".gguf") or self.digests.get(name) == "":
            return None
        digest = self.digests.get(name) or hashlib.sha256(self.files[name]).hexdigest()
        return {"sha256": digest, "size": len(self.files[name]), "pointerSize": 100}


@contextlib.contextmanager
def serve(hub: LoopbackHub):
    """The address of a server of ``hub``."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            wanted = self.headers.get("Range", "")
            hub.requests.append((self.command, self.path, wanted))
            path = self.path.partition("?")[0]
            if path.startswith(f"/api/models/{hub.repository}/revision/"):
                self.reply(200, json.dumps(hub.info()).encode())
                return
            name = path.removeprefix(f"/{hub.repository}/resolve/{COMMIT}/")
            if name not in hub.files:
                self.reply(404, b"{}")
                return
            content, status = hub.files[name], 200
            if wanted and hub.ranges:
                content, status = (
                    content[int(wanted.removeprefix("bytes=").partition("-")[0]) :],
                    206,
                )
            self.reply(status, content)

        def reply(self, status, content):
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            cut, hub.breaks_after = (
                (hub.breaks_after, 0)
                if status in (200, 206) and b"GGUF" in content[:4]
                else (0, hub.breaks_after)
            )
            self.wfile.write(content[:cut] if cut else content)
            if cut:
                self.wfile.flush()
                self.connection.close()
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
