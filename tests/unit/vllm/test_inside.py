"""What is vLLM's: the versions that are taken, and how a proposer is told whose rows it drafts for."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from editd_vllm import inside


class Runner:
    def propose_draft_token_ids(self, scheduler_output, sampled_token_ids, *rest):
        return self.drafter.propose(sampled_token_ids, *rest)


@pytest.fixture
def vllm(monkeypatch):
    """A pretended vLLM that can be imported; returns a function that sets its version."""
    runner = type("GPUModelRunner", (), dict(vars(Runner)))
    for name in ("vllm", "vllm.v1", "vllm.v1.worker", "vllm.v1.worker.gpu_model_runner"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["vllm.v1.worker.gpu_model_runner"].GPUModelRunner = runner

    def version(text):
        sys.modules["vllm"].__version__ = text
        return runner

    return version


@pytest.mark.parametrize(
    ("version", "is_taken"),
    [
        ("0.32.0", True),
        ("0.32.1+cpu", True),
        ("0.31.0", False),
        ("0.33.0", False),
        ("0.320.0", False),
        ("1.0", False),
    ],
)
def test_other_versions_are_refused_in_a_sentence(vllm, version, is_taken):
    vllm(version)
    if is_taken:
        inside.check()
        return
    with pytest.raises(inside.NotThisVllm) as refused:
        inside.check()
    assert str(refused.value) == (
        f"editd-vllm was made for vLLM 0.32 and this is {version}: install one of these, or an "
        "editd-vllm that knows yours."
    )


def test_a_hook_of_another_shape_is_refused(vllm):
    vllm("0.32.0").propose_draft_token_ids = lambda self, input_batch: None
    with pytest.raises(inside.NotThisVllm):
        inside.check()


def test_a_proposer_is_told_of_each_step(vllm):
    runner = vllm("0.32.0")()
    seen = []

    class Drafter:
        step = None

        def propose(self, sampled, *rest):
            seen.append((self.step.row(0), self.step.num_tokens, rest))
            return [[]]

    params = SimpleNamespace(extra_args={"prediction": "x"}, max_tokens=9)
    runner.requests = {
        "a": SimpleNamespace(
            req_id="a", prompt_token_ids=[1, 2], output_token_ids=[3], sampling_params=params
        )
    }
    runner.input_batch = SimpleNamespace(req_ids=["a"])
    runner.drafter = Drafter()
    scheduled = SimpleNamespace(
        total_num_scheduled_tokens=5, scheduled_spec_decode_tokens={"a": [7, 7]}
    )
    inside.bind(Drafter)
    inside.bind(Drafter)  # a second engine in the same process
    assert runner.propose_draft_token_ids(scheduled, [[3]], "other") == [[]]
    ((row, num_tokens, rest),) = seen
    assert (row.request_id, row.xargs, row.num_tokens) == ("a", {"prediction": "x"}, 3)
    assert (row.num_verified, row.room, num_tokens, rest) == (2, 7, 5, ("other",))
    row.keep("edit")
    assert inside.Step(runner, scheduled).row(0).held == "edit"


def test_another_drafter_of_the_same_process_is_left_alone(vllm):
    runner = vllm("0.32.0")()
    runner.drafter = SimpleNamespace(propose=lambda sampled: ["theirs"])
    inside.bind(Runner)
    assert runner.propose_draft_token_ids(None, [[3]]) == ["theirs"]
    assert not hasattr(runner.drafter, "step")
