"""llama.cpp's own server as the model: `make test-real` with EDITD_REAL_MODEL, a GGUF file.

The server is the one that xllamacpp (extra ``llama``) brings, in a process of its own.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import urllib.request

import pytest

from editd.config import Config, ModelConfig
from editd.diff.hunk import Hunk
from editd.engine import Engine
from editd.messages import Delta, EditRequest

MODEL = os.environ.get("EDITD_REAL_MODEL", "")
pytestmark = [
    pytest.mark.skipif(not MODEL.endswith(".gguf"), reason="EDITD_REAL_MODEL names no GGUF file"),
    pytest.mark.skipif(not importlib.util.find_spec("xllamacpp"), reason="no llama.cpp here"),
    pytest.mark.timeout(1800),
]
SERVER = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port = sys.argv[1], ["127.0.0.1"], 0
params.n_ctx, params.n_parallel = 4096, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print("at", server.listening_address, flush=True)
sys.stdin.read()
"""
TEXT = "def area(w, h):\n    return w * h\n\n\ndef volume(w, h, d):\n    return area(w, h) * d\n"


@pytest.fixture(scope="module")
def server():
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, MODEL],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    said = next(line for line in process.stdout if line.startswith("at "))
    yield re.search(r"http://127\.0\.0\.1:\d+", said)[0]
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def engine(server):
    with urllib.request.urlopen(f"{server}/v1/models") as told:
        name = json.load(told)["data"][0]["id"]
    engine = Engine(Config(model=ModelConfig(engine="remote", url=f"{server}/v1", name=name)))
    yield engine
    engine.close()


def test_an_edit(engine):
    """What a small model answers is its own; that all of it came through is ours."""
    *_, result = engine.edit(EditRequest("r", TEXT, "rename w to width", path="a.py"))
    assert result.error is None
    assert "width" in result.text
    assert result.stats.prompt_tokens > 50
    assert result.stats.output_tokens > 10
    assert result.stats.rounds is None
    (held,) = engine.models()
    assert "llama-server" in held.runs
    assert "4,096" in held.runs


def test_a_cancel_frees_its_slot(engine, server):
    def busy():
        with urllib.request.urlopen(f"{server}/slots") as told:
            return any(slot["is_processing"] for slot in json.load(told))

    job = engine.start(EditRequest("r", TEXT * 8, "rename w to width", path="a.py"))
    begun = False
    while not begun:
        begun = any(
            isinstance(op, Hunk) for m in job.advance() if isinstance(m, Delta) for op in m.ops
        )
        assert not job.finished
    assert busy()
    job.cancel()
    ends = time.monotonic() + 10
    while busy():
        assert time.monotonic() < ends
        time.sleep(0.05)
