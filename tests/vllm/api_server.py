"""vLLM's own API server with the solved model, as a process of its own."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

from tests.vllm.engine import CHECKPOINT, EDITD

DRAFTING = (
    *("--speculative-config", json.dumps(EDITD)),
    *("--per-request-spec-decode-metrics", "summary"),
    *("--middleware", "editd_vllm.PredictionMiddleware"),
)
# What a conversation says, to a model that was made for its own prompts alone. Editd's own conversation
# becomes the prompt that it would write for the model, so that the answer is known; any other is taken as
# it stands.
TEMPLATE = r"""
{%- set words = messages[-1].content -%}
{%- set halves = words.split("```\n\nRewrite the whole text.\n\nInstruction: ") -%}
{%- if halves | length == 2 -%}
<|path|>{{ words.split("\n")[0][6:] }}<|buffer|>{{ halves[0].split("\n", 3)[3] }}
{{- "<|instruction|>" }}{{ halves[1] }}<|output|>
{%- else -%}
{{ words }}
{%- endif -%}"""


@contextlib.contextmanager
def api_server(folder, *flags):
    """The address of a server on the loopback that is up."""
    template = folder / "template.jinja"
    template.write_text(TEMPLATE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    command += ["--model", str(CHECKPOINT), "--served-model-name", "demo", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--dtype", "float32", "--enforce-eager", "--max-num-seqs", "8"]
    command += ["--max-model-len", "4096", "--kv-cache-memory-bytes", str(64 << 20)]
    command += ["--chat-template", str(template), *flags]
    log, address = folder / "log", f"http://127.0.0.1:{port}"
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, env=os.environ)
    try:
        for _ in range(1500):
            try:
                urllib.request.urlopen(f"{address}/v1/models", timeout=20).close()
                break
            except OSError:
                assert server.poll() is None, log.read_text()[-3000:]
                time.sleep(0.2)
        yield address
    finally:
        server.terminate()
        server.wait(60)
