"""The network is the Llama that transformers runs, and a training makes its answers better."""

import json
from itertools import islice
from random import Random

import pytest
import torch

from editd.embedded.base_model import merge_adapter
from editd.errors import ModelDamaged
from tests.unit.training.conftest import SHAPE
from training.examples import every_family, make_examples
from training.network import losses, weighted
from training.state import State
from training.train import Curriculum, Settings, Trainer


@pytest.fixture(scope="module")
def examples(files, tokenizer):
    stream = make_examples(files, tokenizer, Random(0), lambda: every_family(300))
    return list(islice(filter(None, stream), 4))


def some_adapter():
    state = State.new(SHAPE, 4, [1])
    random = torch.Generator().manual_seed(1)
    for weight in state.weights.values():
        weight.copy_(torch.randn(weight.shape, generator=random) * 0.2)
    return state.weights


def as_arrays(weights):
    return {name: weight.detach().numpy() for name, weight in weights.items()}


@pytest.mark.parametrize("adapter", [{}, some_adapter()], ids=["none", "some"])
def test_the_network_says_what_transformers_says(llama, network, examples, adapter):
    with torch.no_grad():
        kept = {name: weight.clone() for name, weight in llama.state_dict().items()}
        whole = merge_adapter(as_arrays(kept), as_arrays(adapter))
        llama.load_state_dict({name: torch.from_numpy(weight) for name, weight in whole.items()})
        for example in examples:
            said = network.logits(example, adapter)
            wanted = llama(example.ids[None]).logits[0, example.start - 1 : -1]
            torch.testing.assert_close(said, wanted, atol=2e-4, rtol=1e-3)
        llama.load_state_dict(kept)


@pytest.mark.parametrize(
    "change",
    [
        lambda weights: weights.pop("layers.1.o.b"),
        lambda weights: weights.update({"layers.7.o.a": weights.pop("layers.1.o.a")}),
        lambda weights: weights.update({"layers.1.o.a": torch.ones(4, 3)}),
        lambda weights: weights.update({"more": torch.ones(1)}),
    ],
)
def test_an_adapter_of_another_model_is_refused(llama, change):
    weights = dict(some_adapter())
    change(weights)
    with pytest.raises(ModelDamaged, match="does not fit"):
        merge_adapter(as_arrays(llama.state_dict()), as_arrays(weights))


def test_a_training_lowers_the_loss_and_goes_on_where_it_was(network, examples, tmp_path):
    def loss():
        adapter = state.weights
        return sum(
            float(weighted(losses(network.logits(one, adapter), one)[0], one)) for one in examples
        )

    state = State.new(SHAPE, 4, [0, 1])
    # The toy runs in float32, and so must its adapter.
    state.adapter = lambda *, gradients: {
        name: weight.clone().requires_grad_(gradients) for name, weight in state.weights.items()
    }
    before = loss()
    settings = Settings(minutes=0.02, rate=2e-2, batch=2, workers=2, report_seconds=0.5)
    Trainer(network, state, iter_forever(examples), settings).run(tmp_path)
    assert loss() < 0.9 * before

    again = State.load(tmp_path / "state.pt")
    assert again.progress == state.progress
    assert again.progress.step > 3
    for name, weight in state.weights.items():
        assert torch.equal(again.weights[name], weight)
    shipped = State.of_adapter(tmp_path / "adapter.safetensors").weights
    for name, weight in state.weights.items():
        torch.testing.assert_close(shipped[name], weight, atol=1e-2, rtol=1e-2)
    entries = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert entries[-1]["step"] == state.progress.step
    assert entries[-1]["rate"] < 2e-2 * 0.06


def iter_forever(examples):
    while True:
        yield from examples
        yield None  # a file that had nothing to offer


def test_what_a_worker_raises_is_raised(network, tmp_path):
    def damaged():
        raise ValueError("no corpus")
        yield

    with pytest.raises(ValueError, match="no corpus"):
        Trainer(network, State.new(SHAPE, 4, [1]), damaged(), Settings(minutes=1)).run(tmp_path)


def test_what_fails_comes_more_often_and_a_fifth_changes_nothing():
    state = State.new(SHAPE, 4, [1])
    state.progress.failing.update(dict.fromkeys(state.progress.failing, 0.1), rename=0.9)
    wanted = Curriculum(state, 512)()
    weights = dict(zip((g.name for g in wanted.generators), wanted.weights, strict=True))
    assert weights["rename"] > 4 * weights["add-import"]
    assert weights["no-change"] == pytest.approx(0.2 * sum(weights.values()))
    assert wanted.tokens == 160
    state.progress.seen = 10**6
    curriculum = Curriculum(state, 400)
    assert {curriculum().tokens for _ in range(50)} == {192, 256, 320, 384, 400}
