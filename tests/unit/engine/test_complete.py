"""Completions through the real engine and tiny models: a prediction changes counts, never text."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import replace

import pytest

from editd.config import Config, ModelConfig
from editd.daemon.framing import pack, unpack
from editd.decode.target import num_common
from editd.engine import Engine
from editd.errors import EditRefused
from editd.messages import ChatMessage, CompleteRequest, CompleteResult, Failed, Progress, TextDelta
from editd.messages.options import EditOptions
from editd.models.loaded_model import CachedSequence
from tests.in_process import InProcessEngineClient
from tests.tiny import checkpoint, random_model, save

pytestmark = pytest.mark.usefixtures("settled_costs")

SAMPLED = {"temperature": 0.8, "seed": 3}
TOKENS = 24
TEMPLATE = (
    "{% for message in messages %}<|begin|>{{ message.role }}\n{{ message.content }}<|tool|>"
    "{% endfor %}<|begin|>assistant\n"
)
STRICT = (
    "{% for message in messages %}{% if loop.index0 > 1 and message.role == 'system' %}"
    "{{ raise_exception('no') }}{% endif %}" + TEMPLATE.partition("%}")[2]
)


@pytest.fixture(scope="module")
def chatting(tmp_path_factory):
    """A tiny model with a chat template that takes a system message only at the start."""
    folder = tmp_path_factory.mktemp("chatting")
    settings = {"chat_template": STRICT}
    return save(folder, random_model("qwen2"), tokenizer_config=settings)


@pytest.fixture(scope="module")
def engines(chatting):
    folders = {"plain": checkpoint("llama"), "chat": chatting}
    made = {
        name: Engine(Config(ModelConfig(str(path), threads=1))) for name, path in folders.items()
    }
    yield made
    for engine in made.values():
        engine.close()


def complete(engine, *words, prediction=None, stop=(), **options):
    turns = ("system", "user", "assistant", "user") if len(words) > 1 else ("user",)
    messages = tuple(ChatMessage(role, text) for role, text in zip(turns, words, strict=False))
    options = EditOptions(**{"max_new_tokens": TOKENS, **options})
    job = engine.start(CompleteRequest("c", messages, prediction, tuple(stop), options))
    said = []
    while not job.finished:
        said += job.advance()
    assert all(isinstance(message, Progress) for message in said[:-1])
    assert all(unpack(pack(message)) == message for message in said)
    return said[-1]


@pytest.mark.parametrize("kind", ["plain", "chat"])
@pytest.mark.parametrize("sampling", [{}, SAMPLED], ids=["greedy", "sampled"])
def test_a_prediction_changes_the_counts_and_never_the_text(engines, kind, sampling):
    engine, words = engines[kind], "def value(index):\n    return"
    plain = complete(engine, words, drafter="none", **sampling)
    assert isinstance(plain, CompleteResult)
    assert plain.text
    assert plain.finish_reason in ("stop", "length")
    assert plain.stats.accepted_prediction_tokens == plain.stats.rejected_prediction_tokens == 0
    right = complete(engine, words, prediction=plain.text, **sampling)
    assert right.stats.drafter == "buffer+suffix"  # random text retokenises badly; some is accepted
    assert right.stats.rounds < plain.stats.rounds
    assert right.stats.accepted_prediction_tokens > 0
    half = plain.text[: len(plain.text) // 2]
    cases = [({}, text) for text in (half + "\nno\n" + half, "nothing of it", "", half[::-1])]
    cases += [({"window": 3}, half), ({"drafter": "prediction"}, plain.text)]
    for more, prediction in cases:
        result = complete(engine, words, prediction=prediction, **sampling, **more)
        assert (result.text, result.finish_reason) == (plain.text, plain.finish_reason)
        stats = result.stats
        assert stats.output_tokens == plain.stats.output_tokens
        assert stats.accepted_prediction_tokens == stats.accepted
        assert stats.rejected_prediction_tokens == stats.drafted - stats.accepted
    undrafted = complete(engine, words, **sampling)
    assert (undrafted.stats.drafter, undrafted.text) == ("suffix", plain.text)


def test_text_ends_before_the_first_stop_string_wherever_tokens_begin(engines):
    engine, words = engines["plain"], "class value:\n"
    full = complete(engine, words, drafter="none", max_new_tokens=24).text
    assert len(full) > 30
    for start in range(0, len(full) - 8, 7):
        for size in (1, 5):
            stop = full[start : start + size]
            result = complete(engine, words, prediction=full, stop=["never said", stop])
            assert (result.text, result.finish_reason) == (full[: full.index(stop)], "stop")
    # What only looks like the beginning of a stop string is text.
    result = complete(engine, words, stop=[full[-4:] + "\0"], max_new_tokens=24)
    assert (result.text, result.finish_reason) == (full, "length")


def test_a_reply_that_is_cut_off_ends_in_a_whole_character(engines):
    engine, words = engines["chat"], "größe 漢字"
    full = complete(engine, words, drafter="none").text
    lengths = set()
    for count in range(1, TOKENS, 4):
        result = complete(engine, words, prediction=full, max_new_tokens=count)
        assert result.stats.output_tokens == count
        assert result.finish_reason == "length"
        assert full.startswith(result.text)
        lengths.add(len(result.text))
    assert len(lengths) > 3


def test_a_conversation_is_told_in_the_model_s_own_template(engines):
    engine = engines["chat"]
    whole = complete(engine, "Be brief.", "value", "index", "total")
    assert isinstance(whole, CompleteResult)
    assert whole.text != complete(engine, "Be brief.", "value", "index", "path").text
    # The beginning of a conversation is read once.
    assert complete(engine, "Be brief.", "value", "index", "total").text == whole.text


@pytest.mark.parametrize(
    ("messages", "options", "code", "words"),
    [
        ([("user", "a"), ("user", "b"), ("system", "c")], {}, "refused", "(user, user, system)"),
        ([("user", "value " * 1500)], {}, "scope-too-large", "send less"),
        ([("user", "a")], {"drafter": "nobody"}, "usage", "nobody"),
        ([("user", "a")], {"timeout": 1e-9}, "cut-off", "decode.timeout"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(engines, messages, options, code, words):
    told = tuple(ChatMessage(*message) for message in messages)
    job = engines["chat"].start(CompleteRequest("c", told, options=EditOptions(**options)))
    said = []
    while not job.finished:
        said += job.advance()
    assert isinstance(said[-1], Failed)
    assert said[-1].error.code == code
    assert words in said[-1].error.message


def test_cancelling_ends_it_and_gives_the_model_back(engines):
    engine = engines["plain"]
    job = engine.start(CompleteRequest("c", (ChatMessage("user", "value"),)))
    while not any(m.stage == "decoding" for m in job.advance()):
        pass
    (failed,) = job.cancel()
    assert failed.error.code == "cancelled"
    assert job.finished
    assert isinstance(complete(engine, "value"), CompleteResult)


def said_about(engine, request):
    job = engine.start(request)
    said = []
    while not job.finished:
        said += job.advance()
    return said


@pytest.mark.parametrize("kind", ["plain", "chat"])
def test_a_stream_tells_the_text_of_the_result_round_by_round(engines, kind):
    messages = (ChatMessage("user", "größe 漢字\n\ndef value(index):"),)
    for stop in ((), ("e",), ("\0",)):
        request = CompleteRequest(
            "c", messages, "漢字 nothing", stop, EditOptions(max_new_tokens=TOKENS), stream=True
        )
        *told, result = said_about(engines[kind], request)
        pieces = [message.text for message in told if isinstance(message, TextDelta)]
        assert "".join(pieces) == result.text
        assert all(pieces)
        assert len(pieces) > 3 or stop == ("e",)
        whole = complete(engines[kind], messages[0].content, prediction="漢字 nothing", stop=stop)
        assert whole.text == result.text


def test_a_raw_prompt_is_read_as_it_stands(engines):
    """Control words in a prompt mean their tokens; in a message they are text."""
    options = EditOptions(max_new_tokens=8, drafter="none")
    for kind, text in (("plain", "class value:\n    "), ("chat", "<|begin|>user\nvalue<|tool|>")):
        engine = engines[kind]
        codec = engine.pool.acquire(engine.start(CompleteRequest("x"))._settings.spec)[0].codec
        ids, _ = codec.heal(text)
        by_text = said_about(engine, CompleteRequest("t", prompt=text, options=options))[-1]
        assert by_text.stats.prompt_tokens == len(ids)
        quicker = CompleteRequest(
            "q", prompt=text, prediction=by_text.text, options=EditOptions(max_new_tokens=8)
        )
        assert said_about(engine, quicker)[-1].text == by_text.text
    control = engines["chat"].pool.acquire(engines["chat"].start(quicker)._settings.spec)[0]
    assert control.codec.id_of("<|begin|>") in ids


@pytest.mark.parametrize(
    ("request_", "code", "words"),
    [
        (CompleteRequest("c"), "usage", "no text"),
        (CompleteRequest("c", prompt=""), "usage", "no text"),
        (CompleteRequest("c", prompt="漢" * 1024), "scope-too-large", "send less"),
    ],
)
def test_a_prompt_that_cannot_be_read_is_refused(engines, request_, code, words):
    failed = said_about(engines["plain"], request_)[-1]
    assert failed.error.code == code
    assert words in failed.error.message


def test_a_request_while_typing_reads_only_what_is_new(monkeypatch):
    """What two prompts begin with is read once, to the last whole chunk; the rows are counted where they are read."""
    rows = []
    prefill = CachedSequence.prefill

    def counted(sequence, token_ids):
        rows.append(len(token_ids))
        prefill(sequence, token_ids)

    monkeypatch.setattr(CachedSequence, "prefill", counted)
    head = "def value(index):\n    return index\n" * 36
    before, typed = (
        CompleteRequest("c", prompt=text, options=EditOptions(max_new_tokens=8))
        for text in (f"{head}total = val\n{head}", f"{head}total = value\n{head}")
    )
    config = Config(ModelConfig(str(checkpoint("llama")), threads=1))
    with closing(Engine(config)) as alone:
        control = said_about(alone, typed)[-1]
        codec = alone.pool.acquire(alone.start(typed)._settings.spec)[0].codec
    all_of_it = rows.copy()
    rows.clear()
    with closing(Engine(config)) as engine:
        said_about(engine, before)
        rows.clear()
        result = said_about(engine, typed)[-1]
        chunk = engine.pool.acquire(engine.start(typed)._settings.spec)[0].target.prefill_chunk
    ids = [codec.heal(request.prompt)[0] for request in (before, typed)]
    shared = num_common(*ids) // chunk * chunk
    assert shared >= 2 * chunk
    assert sum(all_of_it) - sum(rows) == shared == result.stats.cached_tokens
    assert (result.text, result.stats.rounds) == (control.text, control.stats.rounds)


async def test_through_the_queue_of_the_daemon(chatting):
    """Asked as clients ask: progress on the way, one answer, and a cancellation that is heard."""
    client = InProcessEngineClient(Config(ModelConfig(str(chatting), threads=1)))
    stages = []
    asked = CompleteRequest("c", (ChatMessage("user", "value"),), "value", stop=("\0",))
    short = replace(asked, options=EditOptions(max_new_tokens=8))
    result = await client.complete(short, lambda progress: stages.append(progress.stage))
    assert result.finish_reason in ("stop", "length")
    assert stages[-1] == "decoding"
    decoding = asyncio.Event()
    long = replace(asked, request_id="d", options=EditOptions(drafter="none"))
    running = asyncio.create_task(
        client.complete(long, lambda told: told.stage == "decoding" and decoding.set())
    )
    await asyncio.wait_for(decoding.wait(), 60)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (await client.complete(replace(short, request_id="e"))).text == result.text
    with pytest.raises(EditRefused, match="does not take these messages"):
        await client.complete(
            replace(
                short, request_id="f", messages=(*asked.messages * 2, ChatMessage("system", ""))
            ),
        )
    await client.aclose()


def test_the_demo_model_says_that_it_knows_edits_only(demo_model):
    engine = Engine(Config(ModelConfig(str(demo_model), threads=1)))
    failed = complete(engine, "Hello!")
    assert failed.error.code == "refused"
    assert "cannot hold a conversation" in failed.error.message
    engine.close()
