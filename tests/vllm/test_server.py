"""editd-vllm in vLLM's own API server, over HTTP: OpenAI's fields in, OpenAI's counts out."""

import json
import urllib.error
import urllib.request

import pytest

pytest.importorskip("vllm", reason="`make test-vllm` sets up an environment with it")

from tests.vllm.api_server import DRAFTING, api_server
from tests.vllm.engine import CODEC, asked_edits

ASKED = asked_edits()[0]
NONE = {"vllm_xargs": {"drafter": "none"}}
PREDICTED = {"prediction": {"type": "content", "content": ASKED.prediction}}


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """Posts to the server, which is started for this module: a JSON value or a stream's."""

    def post(path, body=None, *, status=200):
        data = None if body is None else json.dumps({"model": "demo", **body}).encode()
        asked = urllib.request.Request(
            f"{address}/{path}", data, {"content-type": "application/json"}
        )
        try:
            got = urllib.request.urlopen(asked, timeout=200)
        except urllib.error.HTTPError as error:
            got = error
        with got:
            text = got.read()
        assert got.status == status, text
        events = [line[6:] for line in text.splitlines() if line.startswith(b"data: {")]
        return [json.loads(event) for event in events] or json.loads(text)

    with api_server(tmp_path_factory.mktemp("server"), *DRAFTING) as address:
        yield post


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
