"""A chat completion with a predicted output, over a pipe to the language server.

    python examples/complete_stdio.py FILE INSTRUCTION [SERVER COMMAND ...]

Asks the configured model (EDITD_MODEL=… names one that was pulled; the embedded model cannot chat) to
rewrite FILE, predicts that the file comes back mostly as it is, and prints the answer; how much of
the prediction was accepted goes to standard error. FILE stays as it is. To rewrite files, `editd
edit` does more; this is for programs that speak OpenAI's chat completions already.
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
    while True:  # notifications (editd/didChangeStatus and others) come before the answer
        length = int(server.stdout.readline().removeprefix(b"Content-Length: "))
        server.stdout.readline()
        message = json.loads(server.stdout.read(length))
        if message.get("id") == method:
            return message.get("result") or sys.exit(message["error"]["message"])


ask("initialize", {"capabilities": {}})
text = Path(path).read_bytes().decode()
answer = ask(
    "editd/complete",
    {
        "messages": [
            {"role": "system", "content": "Answer with the whole rewritten file and nothing else."},
            {"role": "user", "content": f"{text}\n\n{instruction}"},
        ],
        "prediction": {"type": "content", "content": text},
    },
)
server.stdin.close()  # the server leaves
sys.stdout.buffer.write(answer["choices"][0]["message"]["content"].encode())
usage = answer["usage"]
predicted = usage["completion_tokens_details"]["accepted_prediction_tokens"]
print(f"{predicted} of {usage['completion_tokens']} tokens were predicted", file=sys.stderr)
