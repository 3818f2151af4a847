"""editd-vllm in vLLM's own API server, over HTTP: OpenAI's fields in, OpenAI's counts out."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

pytest.importorskip("vllm", reason="`make test-vllm` sets up an environment with it")

from benchmarks.vllm_engine import CHECKPOINT, CODEC, EDITD, asked_edits

ASKED = asked_edits()[0]
NONE = {"vllm_xargs": {"drafter": "none"}}
PREDICTED = {"prediction": {"type": "content", "content": ASKED.prediction}}


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Posts to the server, which is started for this module: a JSON value or a stream's."""
    folder = tmp_path_factory.mktemp("server")
    template = folder / "bare.jinja"
    template.write_text("{% for m in messages %}{{ m.content }}{% endfor %}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    command += ["--model", str(CHECKPOINT), "--served-model-name", "demo", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--dtype", "float32", "--enforce-eager", "--max-num-seqs", "8"]
    command += ["--max-model-len", "2048", "--kv-cache-memory-bytes", str(64 << 20)]
    command += ["--speculative-config", json.dumps(EDITD), "--chat-template", str(template)]
    command += ["--per-request-spec-decode-metrics", "summary"]
    command += ["--middleware", "editd_vllm.PredictionMiddleware"]
    log = folder / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, env=os.environ)

    def post(path, body=None, *, status=200):
        url = f"http://127.0.0.1:{port}/{path}"
        data = None if body is None else json.dumps({"model": "demo", **body}).encode()
        asked = urllib.request.Request(url, data, {"content-type": "application/json"})
        try:
            got = urllib.request.urlopen(asked, timeout=200)
        except urllib.error.HTTPError as error:
            got = error
        with got:
            text = got.read()
        assert got.status == status, text
        events = [line[6:] for line in text.splitlines() if line.startswith(b"data: {")]
        return [json.loads(event) for event in events] or json.loads(text)

    try:
        for _ in range(1500):
            try:
                post("v1/models")
                break
            except OSError:
                assert server.poll() is None, log.read_text()[-3000:]
                time.sleep(0.2)
        yield post
    finally:
        server.terminate()
        server.wait(60)


def completion(**more):
    body = {"prompt": list(ASKED.prompt_ids), "temperature": 0, "max_tokens": 400}
    return {**body, "return_token_ids": True, **more}


def test_models_say_what_the_server_can_do(ask):
    (card,) = ask("v1/models")["data"]
    assert card["editd"]["usage"] is True
    assert "prediction" in card["editd"]["fields"]


def test_a_completion_with_a_prediction(ask):
    plain = ask("v1/completions", completion(**NONE))
    drafted = ask("v1/completions", completion(**PREDICTED))
    ids = drafted["choices"][0]["token_ids"]
    assert ids == plain["choices"][0]["token_ids"]
    assert CODEC.decode(ids) == ASKED.after
    details = drafted["usage"]["completion_tokens_details"]
    assert len(ids) / 2 < details["accepted_prediction_tokens"] < len(ids)
    assert details["rejected_prediction_tokens"] >= 0
    assert drafted["usage"]["completion_tokens"] == len(ids)
    assert not plain["usage"]["completion_tokens_details"]


def test_a_chat_with_a_prediction(ask):
    text = ask("detokenize", {"tokens": list(ASKED.prompt_ids)})["prompt"]
    body = {"messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 400}
    plain, drafted = (ask("v1/chat/completions", {**body, **more}) for more in (NONE, PREDICTED))
    assert drafted["choices"] == plain["choices"]
    assert drafted["choices"][0]["message"]["content"] == ASKED.after
    assert drafted["usage"]["completion_tokens_details"]["accepted_prediction_tokens"] > 50


def test_a_stream_counts_in_its_last_event(ask):
    body = completion(**PREDICTED, stream=True, stream_options={"include_usage": True})
    *events, last = ask("v1/completions", body)
    assert "".join(event["choices"][0]["text"] for event in events) == ASKED.after
    assert last["usage"]["completion_tokens_details"]["accepted_prediction_tokens"] > 50


def test_what_is_malformed_is_a_400_in_a_sentence(ask):
    got = ask("v1/completions", completion(prediction=7), status=400)
    assert got["error"]["message"].startswith("prediction must be ")
    assert ask("v1/completions", completion(prediction=None, max_tokens=4))["choices"]
