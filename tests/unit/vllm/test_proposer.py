"""``editd_vllm.Proposer`` in a pretended vLLM: whose drafts, how long, and what a fault costs."""

import gc
import logging
import weakref

import pytest

from editd.decode.costs import CPU_SHAPE, GPU_SHAPE
from editd_vllm import edit, inside
from tests.pretended_vllm import CODEC, Server, make_proposer  # noqa: F401 - a fixture

BEFORE = "".join(f"def area_{i}(r):\n    return {i} * r * r\n\n" for i in range(12))
AFTER = BEFORE.replace("return 3 * r", "return 3.5 * r")
SHORT = AFTER[:200]


@pytest.fixture
def server(make_proposer):  # noqa: F811
    return Server(make_proposer())


@pytest.mark.parametrize(
    ("xargs", "prompt", "most_steps"),
    [
        ({"drafter": "none"}, BEFORE, None),
        ({"prediction": BEFORE}, "Change it.", 15),
        ({"prediction": BEFORE, "drafter": "buffer+suffix"}, "Change it.", 15),
        ({"prediction": BEFORE, "prediction_opening": "```\n"}, "Change it.", 15),
        ({}, f"Change this:\n```python\n{BEFORE}```\n\n```python\n", 15),
        ({}, f"<code>{BEFORE}</code>\n<update>return 3.5 * r</update>", 15),
        ({}, BEFORE, 25),  # drafted from the prompt
    ],
)
def test_a_prediction_saves_steps_and_changes_nothing(server, xargs, prompt, most_steps):
    ids = server.add("a", prompt, AFTER, **xargs)
    assert server.run() == {"a": ids}
    if most_steps is None:
        assert server.num_steps == len(ids)
    else:
        assert server.num_steps <= most_steps < len(ids) / 8


def test_every_request_has_its_own_drafter(server):
    names = [f"r{i}" for i in range(32)]
    texts = {name: SHORT.replace("area", name) for name in names}
    given = [{"prediction": BEFORE}, {}, {"drafter": "none"}, {"prediction": "no such text\n" * 50}]
    expected = {
        name: server.add(name, "x", texts[name], chunks=1 + i % 3, **given[i % 4])
        for i, name in enumerate(names)
    }
    assert server.run() == expected
    assert server.num_steps < max(map(len, expected.values())) + 3


def test_a_drafter_goes_with_its_request(server, monkeypatch):
    drafters = []
    making = edit.make_drafter

    def watched(spec, task):
        drafter = making(spec, task)
        drafters.append(weakref.ref(drafter))
        return drafter

    monkeypatch.setattr(edit, "make_drafter", watched)
    for i in range(20):
        server.add(f"r{i}", "x", AFTER, prediction=BEFORE)
    server.step()
    server.add("last", "x", AFTER, prediction=BEFORE)
    server.step()
    assert sum(drafter() is not None for drafter in drafters) == 21
    for i in range(20):
        server.finish(f"r{i}")
    server.step()
    gc.collect()
    assert sum(drafter() is not None for drafter in drafters) == 1


def test_a_preempted_request_goes_on_with_its_drafter(server):
    ids = server.add("a", "x", AFTER, prediction=BEFORE)
    other = server.add("b", "x", BEFORE, prediction=BEFORE)
    for _ in range(4):
        server.step()
    server.preempt("a")
    server.step()
    server.resume("a")
    assert server.run() == {"a": ids, "b": other}
    assert server.num_steps < 20


@pytest.mark.parametrize("where", ["propose", "observe", "making"])
def test_a_fault_in_a_drafter_costs_its_drafts_and_one_line(server, monkeypatch, caplog, where):
    class Faulty:
        def propose(self, output_ids, max_tokens):
            if where == "propose" and len(output_ids) > 5:
                raise ValueError("secret buffer text")
            return edit.Drafter and type("Draft", (), {"token_ids": ()})()

        def observe(self, accepted_ids):
            if where == "observe":
                raise KeyError("secret buffer text")

    making = edit.make_drafter

    def faulty(spec, task):
        if task.answer_opening != "fail":
            return making(spec, task)
        if where == "making":
            raise RuntimeError("secret buffer text")
        return Faulty()

    monkeypatch.setattr(edit, "make_drafter", faulty)
    ids = server.add("bad", "x", AFTER, prediction=BEFORE, prediction_opening="fail")
    good = server.add("good", "x", AFTER, prediction=BEFORE)
    with caplog.at_level(logging.WARNING):
        assert server.run() == {"bad": ids, "good": good}
    (line,) = caplog.messages
    assert line.startswith("editd drafts nothing for bad: ")
    assert "secret" not in line
    assert "\n" not in line


@pytest.mark.parametrize(
    "xargs", [{"prediction": 7}, {"drafter": "best"}, {"drafter": "workspace"}]
)
def test_fields_that_cannot_be_used_cost_the_drafts_alone(server, caplog, xargs):
    ids = server.add("a", BEFORE, AFTER, **xargs)
    with caplog.at_level(logging.WARNING):
        assert server.run() == {"a": ids}
    assert len(caplog.messages) == 1


def test_a_runner_that_is_not_as_expected_gets_empty_drafts(server, caplog):
    assert server.proposer.propose([[1], []], [5, 5]) == [[], []]  # never told of a step
    server.add("a", "x", AFTER, prediction=BEFORE)
    server.proposer.step = inside.Step(object(), object())
    with caplog.at_level(logging.WARNING):
        assert server.proposer.propose([[1], []], [5, 5]) == [[], []]
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("window", "context", "max_tokens"), [(8, 4096, None), (64, 40, None), (64, 4096, 3)]
)
def test_a_draft_has_room(make_proposer, window, context, max_tokens):  # noqa: F811
    server = Server(make_proposer(window, context))
    server.add("a", "Hello.", BEFORE, prediction=BEFORE, max_tokens=max_tokens)
    while server.input_batch.req_ids and server.num_steps < 40:
        drafts = server.step()
        if "a" not in server.requests:
            break
        state = server.requests["a"]
        used = len(state.prompt_token_ids) + len(state.output_token_ids)
        room = max(0, context - used - 1, 0)
        left = (max_tokens or 10**6) - len(state.output_token_ids) - 1
        assert len(drafts["a"]) <= min(window, room, left)
        if used >= context:
            break
    assert server.num_drafted > 0


def test_what_the_context_cannot_hold_is_not_read(make_proposer, monkeypatch):  # noqa: F811
    read = []
    encode = CODEC.encode

    def watched(text, after=""):
        read.append(len(text))
        return encode(text, after)

    monkeypatch.setattr(CODEC, "encode", watched)
    server = Server(make_proposer(64, 256))
    server.add("a", "x", AFTER, prediction=BEFORE * 100, max_tokens=20)
    server.run()
    assert 0 < max(read) <= 256 * 16


@pytest.mark.parametrize(("drafter", "most"), [("buffer", 1.15), ("suffix", 1.2)])
@pytest.mark.parametrize("shape", [CPU_SHAPE, GPU_SHAPE])
def test_with_a_batch_a_wrong_prediction_costs_others_little(
    make_proposer,  # noqa: F811
    shape,
    drafter,
    most,
):
    """Half of 16 requests predict nonsense: what it costs more than without their drafts.

    ``suffix`` drafts from the output, mostly wrong and sometimes right.
    """
    seconds = {}
    for nonsense in ("drafts", "none"):
        server = Server(make_proposer(), shape)
        for i in range(16):
            bad = {"prediction": "Something else. " * 40, "drafter": drafter}
            server.add(f"r{i}", "x", SHORT, **({"prediction": BEFORE} if i % 2 else bad))
            if nonsense == "none" and not i % 2:
                server.requests[f"r{i}"].sampling_params.extra_args = {"drafter": "none"}
        start = server.proposer.clock.now
        server.run()
        seconds[nonsense] = server.proposer.clock.now - start
    assert seconds["drafts"] < most * seconds["none"]


def test_a_long_prediction_is_read_over_several_steps(server, monkeypatch):
    """All drafters together get a share of a step: with no time at all, one piece of work each."""
    monkeypatch.setattr("editd_vllm.proposer._LEAST_SECONDS", 0.0)
    monkeypatch.setattr("editd_vllm.proposer._SHARE", 0.0)
    ids = server.add("a", "x", AFTER, prediction=BEFORE)
    assert server.run() == {"a": ids}
    assert server.num_drafted == 0
