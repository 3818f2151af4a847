"""Edits, completions and warm-ups that a server writes: what is sent, and what is told."""

import json
import time
from math import log

import pytest

from editd.config import Config, ModelConfig
from editd.engine import Engine
from editd.messages import (
    ChatMessage,
    CompleteRequest,
    CompleteResult,
    Delta,
    Done,
    EditRequest,
    EditResult,
    TextDelta,
    WarmupRequest,
)
from editd.messages.options import EditOptions
from editd.models.remote.abilities import read_abilities
from editd.models.remote.http_thread import PendingResponse
from editd.models.remote.server import address_of
from tests.unit.models.remote.server import (
    CARD,
    DONE,
    FIGURES,
    STREAM,
    engine_of,
    listing,
    said,
    serving,
)

TEXT = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"
REQUEST = EditRequest("r", TEXT, "make a 3", path="a.py")
ANSWER = TEXT.replace("a = 1", "a = 3")
EDITD = {**CARD, "owned_by": "editd", "editd": {"version": "0.1.0", "fields": ["prediction"]}}
VLLM = {
    **CARD,
    "owned_by": "vllm",
    "max_model_len": 4096,
    "editd": {"fields": ["prediction", "prediction_opening", "prediction_closing"]},
}


def streamed(text):
    return [STREAM, *(said(piece) for piece in text), said("", "stop"), FIGURES, DONE]


def result_of(engine, request=REQUEST):
    *_, result = engine.edit(request)
    return result


def test_an_edit():
    with (
        serving(*streamed(["```py", "thon\n", ANSWER[:7], ANSWER[7:], "```"])) as server,
        engine_of(server) as engine,
    ):
        result = result_of(engine)
        (held,) = engine.models()
    assert (result.text, result.finish_reason) == (ANSWER, "stop")
    assert [(h.start, h.old_count, h.new_lines) for h in result.hunks] == [(0, 1, ("a = 3\n",))]
    assert result.model == "m at 127.0.0.1"
    assert (held.exactness, held.device) == ("remote", f"http://127.0.0.1:{server.port}")
    (body,) = server.bodies
    assert body["model"] == "m"
    assert body["stream"] is True
    assert body["temperature"] == 0
    assert TEXT in body["messages"][1]["content"]
    assert "prediction" not in body  # nobody said that it is taken


def test_figures_that_a_server_does_not_give_are_absent():
    with serving(*streamed(["```\n", ANSWER, "```"])) as server, engine_of(server) as engine:
        stats = result_of(engine).stats
    assert (stats.prompt_tokens, stats.output_tokens, stats.cached_tokens) == (50, 9, 40)
    assert (stats.accepted, stats.rejected, stats.drafted) == (6, 2, 8)
    assert stats.exactness == "remote"
    for name in ("rounds", "tokens_per_round", "near_ties", "min_margin"):
        assert getattr(stats, name) is None, name
    with (
        serving(STREAM, said("```\n" + ANSWER + "```", "stop"), DONE) as server,
        engine_of(server) as engine,
    ):
        stats = result_of(engine).stats
    assert (stats.prompt_tokens, stats.output_tokens, stats.accepted) == (None, None, None)
    assert stats.tokens_per_second is None


def test_hunks_come_while_it_streams():
    with (
        serving(
            STREAM, said("```\n" + ANSWER[:24]), "wait", said(ANSWER[24:] + "```", "stop"), DONE
        ) as server,
        engine_of(server) as engine,
    ):
        job, told = engine.start(REQUEST), []
        ends = time.monotonic() + 60
        while not any(getattr(op, "done", False) for d in told for op in d.ops):
            told += [m for m in job.advance() if isinstance(m, Delta)]
            assert time.monotonic() < ends
        server.go_on.set()
        while not job.finished:
            last = job.advance()
        assert isinstance(last[-1], EditResult)
        assert last[-1].text == ANSWER


@pytest.mark.parametrize(
    ("card", "prediction", "xargs"),
    [
        (CARD, None, None),
        (EDITD, TEXT, None),
        (VLLM, TEXT, {"prediction_closing": "```"}),
        ({**VLLM, "editd": None}, None, None),
    ],
)
def test_what_a_server_takes_is_what_it_is_sent(card, prediction, xargs):
    with (
        serving(*streamed(["```\n", ANSWER, "```"]), models=listing(card)) as server,
        engine_of(server) as engine,
    ):
        assert result_of(engine).text == ANSWER
    (body,) = server.bodies
    assert body.get("prediction", {}).get("content") == prediction
    assert body.get("vllm_xargs") == xargs


def test_sampling_and_limits_go_along():
    options = EditOptions(temperature=0.5, top_p=0.9, seed=7, max_new_tokens=100)
    with serving(*streamed(["```\n", ANSWER, "```"])) as server, engine_of(server) as engine:
        result_of(engine, EditRequest("r", TEXT, "make a 3", options=options))
    (body,) = server.bodies
    assert {"temperature": 0.5, "top_p": 0.9, "seed": 7, "max_tokens": 100}.items() <= body.items()
    assert "top_k" not in body


def test_a_buffer_that_does_not_fit_is_known_by_its_bytes():
    small = {**CARD, "max_model_len": 512}
    with serving(models=listing(small)) as server, engine_of(server) as engine:
        result = result_of(engine, EditRequest("r", TEXT * 200, "make it shorter"))
    assert result.error.code == "scope-too-large"
    assert server.bodies == []


@pytest.mark.parametrize("size", [10**30, 1 << 31, 0, -1, True, "4096", 4096.0, None])
def test_a_context_that_no_model_has_is_not_believed(size):
    card = {**CARD, "max_model_len": size}
    found = read_abilities(address_of("http://127.0.0.1/v1"), {"data": [card]}, CARD["id"])
    assert (found.max_context, found.usual_context) == (0, 8192)


def test_a_model_in_a_format_of_its_own_is_sent_a_prompt():
    card = {**EDITD, "editd": {"fields": ["prediction"], "format": "embedded"}}
    text = [b'data: {"choices": [{"text": "a = 3\\n", "finish_reason": "stop"}]}\n\n', DONE]
    with serving(STREAM, *text, models=listing(card)) as server, engine_of(server) as engine:
        assert (
            result_of(engine, EditRequest("r", "a = 1\n", "make a 3", path="a.py")).text
            == "a = 3\n"
        )
        hostile = result_of(engine, EditRequest("r", "a = '<file_sep>'\n", "make a 3", path="a.py"))
    assert server.paths[-1] == "/v1/completions"
    (body,) = server.bodies
    assert body["prompt"] == "<file_sep>make a 3<|im_start|>a = 1\n<file_sep>make a 3<|im_start|>"
    assert hostile.error.code == "refused"
    assert "<file_sep>" in hostile.error.message


def test_a_warm_up_has_the_prompt_read():
    with serving(*streamed(["x"])) as server, engine_of(server) as engine:
        job = engine.start(WarmupRequest("w", TEXT, path="a.py"))
        while not job.finished:
            (*_, told) = job.advance() or [None]
        assert told == Done("w", "warm")
    (body,) = server.bodies
    assert body["max_tokens"] == 1
    assert TEXT in body["messages"][1]["content"]


def test_a_completion():
    messages = (ChatMessage("user", "Hello!"),)
    request = CompleteRequest("c", messages, stream=True, stop=("!",), prediction="Hi there!")
    with (
        serving(*streamed(["Hi ", "there!", " More"]), models=listing(EDITD)) as server,
        engine_of(server) as engine,
    ):
        job, told = engine.start(request), []
        while not job.finished:
            told += job.advance()
    assert "".join(m.text for m in told if isinstance(m, TextDelta)) == "Hi there"
    assert isinstance(told[-1], CompleteResult)
    assert told[-1].text == "Hi there"
    (body,) = server.bodies
    assert body["messages"] == [{"role": "user", "content": "Hello!"}]
    assert body["prediction"]["content"] == "Hi there!"


def test_the_key_goes_along_and_nowhere_else(tmp_path, caplog):
    caplog.set_level("DEBUG")
    key = tmp_path / "key"
    key.write_text("s3cret\n")
    key.chmod(0o600)
    with (
        serving(*streamed(["```\n", ANSWER, "```"])) as server,
        engine_of(server, key_file=str(key)) as engine,
    ):
        assert result_of(engine).text == ANSWER
    assert all("authorization: bearer s3cret" in head.lower() for head in server.heads)
    assert "s3cret" not in caplog.text


def test_proxies_and_credentials_of_the_environment_are_not_used(monkeypatch):
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(*streamed(["```\n", ANSWER, "```"])) as server, engine_of(server) as engine:
        assert result_of(engine).text == ANSWER


def test_one_unit_waits_no_longer_than_others_can_bear(monkeypatch):
    take, waited = PendingResponse.take, []
    monkeypatch.setattr(PendingResponse, "take", lambda self, s: waited.append(s) or take(self, s))
    with serving(STREAM, "wait") as server, engine_of(server) as engine:
        job = engine.start(REQUEST)
        while not server.bodies:
            job.advance()
        for _ in range(20):
            waited.clear()
            job.advance()
            assert 0 < sum(waited) < 0.03
        job.cancel()


def test_it_comes_in_without_torch():
    """As ``test_architecture`` says of the rest; a client of a server needs no library of models."""
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "from editd.models.registry import load\n"
        "from editd.models.model import ModelSpec\n"
        "m = load(ModelSpec('m', engine='remote', url='http://127.0.0.1:9/v1'))\n"
        "print(m.name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "m at 127.0.0.1\n", done.stderr


def test_a_request_cannot_send_text_elsewhere():
    """What a client wants of the server is compared with what the daemon was told, never obeyed."""
    from editd.messages.options import Loading

    with serving() as server, serving() as other, engine_of(server) as engine:
        wanted = Loading(url=f"http://127.0.0.1:{other.port}/v1")
        result = result_of(engine, EditRequest("r", TEXT, "x", options=EditOptions(loading=wanted)))
        assert result.error.code == "usage"
        assert "model.url" in result.error.message
    assert other.heads == []
    local = Engine(Config(model=ModelConfig(name="nowhere/x")))
    with serving() as server:
        wanted = Loading(engine="remote", url=f"http://127.0.0.1:{server.port}/v1")
        assert (
            result_of(
                local, EditRequest("r", TEXT, "x", options=EditOptions(loading=wanted))
            ).error.code
            == "usage"
        )
    assert server.heads == []
    local.close()


def with_chances(*tokens):
    """Events of one token each: its text, its chance, and the likeliest other with its chance."""
    for text, chance, rival, rival_chance in tokens:
        told = {
            "token": text,
            "logprob": log(chance),
            "top_logprobs": [
                {"token": text, "logprob": log(chance)},
                {"token": rival, "logprob": log(rival_chance)},
            ],
        }
        event = json.loads(said(text).partition(b"data: ")[2])
        event["choices"][0]["logprobs"] = {"content": [told]}
        yield b"data: " + json.dumps(event).encode() + b"\n\n"


LLAMA = {**CARD, "owned_by": "llamacpp"}
SURE = ("```python\na", 0.99, "b", 0.01)
UNSURE = [SURE, (" = ", 0.98, "=", 0.01), ("3", 0.4, "4", 0.35), (ANSWER[5:] + "```", 0.9, "", 0.1)]


@pytest.mark.parametrize(
    ("card", "asked", "notes"),
    [(LLAMA, True, ["hesitated here: `3` or `4`"]), (CARD, None, ["hesitated here: `3` or `4`"])],
)
def test_where_a_server_says_how_sure_it_is_hesitation_is_told(card, asked, notes):
    """One that is not known to say it is not asked; what it says all the same is read."""
    pieces = [STREAM, *with_chances(*UNSURE), said("", "stop"), DONE]
    with serving(*pieces, models=listing(card)) as server, engine_of(server) as engine:
        result = result_of(engine)
    assert result.text == ANSWER
    (body,) = server.bodies
    assert (body.get("logprobs"), body.get("top_logprobs")) == (asked, asked and 2)
    assert [span.text for hunk in result.hunks for span in hunk.note_spans] == notes


@pytest.mark.parametrize(
    "logprobs",
    [None, 3, {"content": 7}, {"content": [{"token": "other", "logprob": 0}]}, {"content": [{"token": "3"}]},
     {"content": [{"token": "3", "logprob": "much", "top_logprobs": []}]},
     {"tokens": ["3"], "token_logprobs": [-0.1]}],
)  # fmt: skip
def test_chances_of_another_form_are_left_out(logprobs):
    event = json.loads(said("3").partition(b"data: ")[2])
    event["choices"][0]["logprobs"] = logprobs
    odd = b"data: " + json.dumps(event).encode() + b"\n\n"
    pieces = [STREAM, said("```python\na = "), odd, said(ANSWER[5:] + "```", "stop"), DONE]
    with serving(*pieces, models=listing(LLAMA)) as server, engine_of(server) as engine:
        result = result_of(engine)
    assert result.text == ANSWER
    assert not any(hunk.note_spans for hunk in result.hunks)
