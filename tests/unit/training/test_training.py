"""A toy run from beginning to end: it learns, goes on, is exported, loaded and evaluated."""

import json
import shutil
from itertools import islice
from random import Random

import pytest
import torch
from transformers import AutoModelForCausalLM

from editd.backends.model import ModelSpec
from editd.backends.torch.loading import load_model
from editd.config import Config, ModelConfig
from editd.engine import Engine
from editd.messages import EditOptions, EditRequest
from training import checkpoint, corpus
from training.card import learned, write_figures
from training.evaluate import evaluate
from training.exact_match import exact_matches
from training.examples import Batches, collate, make_examples, write_shard
from training.export import export, write_manifest
from training.families import GENERATORS
from training.network import Network
from training.shape import SHAPES, Shape
from training.train import GateClosed, Settings, train
from training.wired import wire

TOY = SHAPES["toy"]


def network(seed=0, shape=TOY, *, wired=True):
    torch.manual_seed(seed)
    made = Network(shape)
    if wired:
        wire(made, seed)
    return made


def run(tmp_path, files, tokenizer, net, state=None, **more):
    shards = tmp_path / "shards"
    if not shards.exists():
        shards.mkdir()
        examples = islice(make_examples(files, tokenizer, Random(0), 256, only=["no-change"]), 60)
        write_shard(list(examples), shards / "256-00000.npy")
    told = {"minutes": 2.5 / 60, "tokens": 1024, "rate": 1e-3, "warm_up_steps": 5, "gate": 0.0}
    settings = Settings(out=tmp_path, **{**told, "evaluate_seconds": 100, **more})
    held_out = list(islice(make_examples(files, tokenizer, Random(9), 256, only=["no-change"]), 4))
    return train(settings, net, Batches(shards, tokenizer, 1024, 0.2, 0), held_out, state)


@pytest.fixture(scope="module")
def trained(tmp_path_factory, files, tokenizer):
    folder = tmp_path_factory.mktemp("run")
    state = run(folder, files, tokenizer, network(), stage="families")
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder, state


@pytest.fixture(scope="module")
def exported(trained, tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model") / "embedded"
    net, state = checkpoint.load(trained[0] / "checkpoint")
    export(net, tokenizer, folder, state)
    return folder


def test_the_shape_has_the_size_that_it_says():
    assert sum(item.numel() for item in network().parameters()) == TOY.parameters
    assert SHAPES["small"].parameters * 2 < 16e6


def test_the_loss_falls_and_the_log_says_so(trained):
    folder, state = trained
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert entries[-1]["tokens"] == state["tokens"] > 0
    assert "all 256" in entries[-1]["exact"]
    assert (folder / "curves.png").stat().st_size > 1000


def test_training_lowers_the_loss(files, tokenizer, tmp_path):
    examples = list(islice(make_examples(files, tokenizer, Random(1), 256), 12))
    batch = collate([(item.ids, item.start, item.changed) for item in examples])
    ids, where, targets = map(torch.from_numpy, (batch.ids, batch.where, batch.targets))

    def loss(net):
        with torch.no_grad():
            return float(torch.nn.functional.cross_entropy(net(ids, where), targets))

    net = network(wired=False)
    before = loss(net)
    run(tmp_path, files, tokenizer, net, stage="families", rate=3e-3)
    assert loss(net) < 0.9 * before


def test_a_run_goes_on_where_it_ended(trained, files, tokenizer):
    folder, state = trained
    net, again = checkpoint.load(folder / "checkpoint")
    assert again["steps"] == state["steps"]
    weights = [item.detach().clone() for item in net.parameters()]
    assert all(torch.equal(item, item.half().float()) for item in weights)
    optimizer = torch.optim.AdamW(net.parameters())
    checkpoint.load_moments(folder / "checkpoint", net, optimizer, again["steps"])
    assert all(bool(optimizer.state[item]["exp_avg_sq"].any()) for item in net.parameters())


def test_going_on_adds_to_the_state(files, tokenizer, tmp_path):
    first = run(tmp_path, files, tokenizer, network(), minutes=1 / 60)
    net, state = checkpoint.load(tmp_path / "checkpoint")
    second = run(tmp_path, files, tokenizer, net, state, minutes=1 / 60, stage="length")
    assert second["steps"] > first["steps"] > 0
    assert second["seconds"] > first["seconds"]


def test_the_gate_stops_a_hopeless_run(files, tokenizer, tmp_path):
    with pytest.raises(GateClosed, match="change the recipe"):
        run(
            tmp_path, files, tokenizer, network(wired=False), minutes=1,
            gate=0.9, gate_minutes=0.01, evaluate_seconds=0.5,
        )  # fmt: skip


def test_a_killed_writing_leaves_the_old_checkpoint(tmp_path):
    folder = tmp_path / "checkpoint"
    checkpoint.save(folder, network(), None, {"steps": 1})
    (tmp_path / "checkpoint.new").mkdir()
    (tmp_path / "checkpoint.new" / "state.json").write_text("{half")
    assert checkpoint.load(folder)[1]["steps"] == 1
    checkpoint.save(folder, network(1), None, {"steps": 2})
    assert checkpoint.load(folder)[1]["steps"] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]


def test_the_wired_start_copies_untrained(files, tokenizer):
    shape = Shape(vocabulary=512, hidden=192, intermediate=64, layers=3, heads=4, head_dim=48)
    examples = list(islice(make_examples(files, tokenizer, Random(2), 512, only=["no-change"]), 12))
    net = network(shape=shape)
    batch = collate([(item.ids, item.start, item.changed) for item in examples])
    with torch.no_grad():
        said = net(torch.from_numpy(batch.ids), torch.from_numpy(batch.where)).argmax(-1).numpy()
    assert (said == batch.targets).mean() > 0.9


def test_it_is_a_stock_llama(exported, trained):
    model = AutoModelForCausalLM.from_pretrained(
        exported, local_files_only=True, dtype=torch.float32
    )
    net, _ = checkpoint.load(trained[0] / "checkpoint")
    ids = torch.randint(0, 512, (2, 100), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        for weights in net.parameters():
            weights.copy_(weights.half().float())  # as they are stored
        ours = net(ids, torch.arange(200))
        theirs = model(ids).logits.reshape(200, -1)
    assert torch.allclose(ours, theirs, atol=1e-3, rtol=1e-3)
    assert not list(exported.glob("*.py")) + list(exported.glob("*.bin"))
    assert all(file.stat().st_mode & 0o044 == 0o044 for file in exported.iterdir())


def test_editd_loads_it(exported):
    loaded = load_model(ModelSpec(name=str(exported), device="cpu", threads=1))
    try:
        assert loaded.edit_format == "embedded"
        assert loaded.manifest["families"] == list(GENERATORS)
        assert loaded.codec.word_of(min(loaded.stop_ids)) == "<|end|>"
    finally:
        loaded.close()


def test_exact_under_teacher_forcing_is_what_greedy_decoding_writes(files, tokenizer):
    shape = Shape(vocabulary=512, hidden=192, intermediate=64, layers=3, heads=4, head_dim=48)
    net = network(shape=shape)
    examples = list(islice(make_examples(files, tokenizer, Random(6), 160), 3))
    told = exact_matches(net, examples, "cpu")
    for example, right in zip(examples, told, strict=True):
        ids = example.ids[: example.start].tolist()
        for _ in range(len(example.ids) - example.start):
            with torch.no_grad():
                ids.append(int(net(torch.tensor([ids]), torch.tensor([len(ids) - 1])).argmax()))
        assert (ids == example.ids.tolist()) is right


def test_the_evaluation_writes_the_card(exported, files):
    families, languages = evaluate(exported, files, lengths=(256,), count=2)
    assert set(families) == set(GENERATORS)
    assert families["rename"]["256"][1] == 2
    assert "typescript" in languages
    write_figures(exported, families, languages, "Two examples a cell.")
    write_figures(exported, families, languages, "Two examples a cell.")
    card = (exported / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert card.count("| rename |") == 1
    assert "Not evaluated" not in card
    assert "MIT" in card


def test_only_learned_families_are_kept():
    figures = {
        "rename": {"256": (10, 10), "512": (9, 10), "1024": (0, 10)},
        "f-strings": {"256": (9, 10), "512": (6, 10)},
        "wrap-try": {"256": (0, 0)},
    }
    assert learned(figures) == ["rename"]


def test_corpus_files_are_split(files):
    assert {file.held_out for file in files} == {True, False}
    assert corpus.HELD_OUT_PACKAGES


@pytest.mark.parametrize(
    ("instruction", "families", "taught"),
    [
        ("rename stock to goods", ["rename"], True),
        ("Please rename `stock` to `goods`.", ["rename"], True),
        ("rename stock to goods", ["delete-comments"], False),
        ("translate this to French", list(GENERATORS), False),
    ],
)
def test_only_what_was_taught_is_asked(exported, tmp_path, instruction, families, taught):
    """A toy writes nonsense, so what counts is whether it was asked at all."""
    folder = tmp_path / "model"
    shutil.copytree(exported, folder)
    write_manifest(folder, families)
    engine = Engine(Config(model=ModelConfig(name=str(folder), device="cpu")))
    request = EditRequest("1", "stock = 1\n", instruction, options=EditOptions(max_new_tokens=4))
    *_, result = engine.edit(request)
    engine.close()
    assert (result.stats.output_tokens > 0) is taught
    if not taught:
        assert result.finish_reason == "refused"
        assert "only knows some edits" in result.error.message
        assert ("delete the comments" in result.error.message) is ("delete-comments" in families)
