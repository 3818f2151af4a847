"""Rewrite a file through the language server, with nothing but JSON-RPC over a pipe.

    python examples/stdio_edit.py FILE INSTRUCTION [SERVER COMMAND ...]

Prints the new text; FILE stays as it is. docs/reference/lsp-methods.md explains the request.
"""

import json
import subprocess
import sys
from pathlib import Path

path, instruction, *command = sys.argv[1:]
server = subprocess.Popen(
    command or ["editd", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)


def ask(method: str, params: dict) -> dict:
    message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    body = json.dumps(message).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()
    while True:  # notifications (editd/editDelta and others) come before the answer
        length = int(server.stdout.readline().removeprefix(b"Content-Length: "))
        server.stdout.readline()
        message = json.loads(server.stdout.read(length))
        if message.get("id") == method:
            return message.get("result") or sys.exit(message["error"]["message"])


ask("initialize", {"capabilities": {}})
text = Path(path).read_bytes().decode()
answer = ask("editd/edit", {"editToken": 1, "text": text, "path": path, "instruction": instruction})
server.stdin.close()  # the server leaves
if answer["status"] != "ok":
    sys.exit(answer["message"])
sys.stdout.buffer.write(answer["text"].encode())
