"""Every drafter returns what `none` returns: a real model, real edits, greedy and sampled."""

import random

import pytest

from editd.config import Config, ModelConfig
from editd.decode.detokenizer import Healing
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import Draft, DraftTask
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.models.pool import ModelPool
from editd.prompts.base import PromptParts
from editd.prompts.formats import EmbeddedFormat
from editd.syntax.language import language_of
from tests.fixtures.solved.edits import demo_folder, load_edits

SHORT = ["ring-rename", "limiter-mutex", "settings-constant"]
DRAFTERS = ["buffer", "buffer+prompt-lookup", "prompt-lookup:tuned", "prediction:1", "hostile"]
# Hot enough that the text leaves what the model knows, so that drafts are rejected all the time.
HOT = Sampling(temperature=12.0, top_k=5, top_p=0.95, seed=11)
MOST_TOKENS = 80


@pytest.fixture(scope="module")
def model(demo_model):
    pool = ModelPool(Config(model=ModelConfig(name=str(demo_model), threads=1)))
    model, _ = pool.acquire(pool.spec(ModelConfig(name=str(demo_model), threads=1)))
    yield model
    model.close()


class Hostile:
    """Drafts noise, sometimes after a true beginning, sometimes more than it may."""

    name = "hostile"

    def __init__(self, truth, vocab_size):
        self.truth, self.vocab_size, self.rng = truth, vocab_size, random.Random(3)

    def propose(self, output_ids, max_tokens):
        good = self.rng.randrange(max_tokens + 1)
        head = self.truth[len(output_ids) : len(output_ids) + good]
        noise = [self.rng.randrange(self.vocab_size) for _ in range(max_tokens + 3 - len(head))]
        return Draft([*head, *noise])

    def observe(self, accepted_ids):
        pass


def decode(model, edit, drafter, sampling, window, truth=(), most=MOST_TOKENS):
    region = edit.before
    parts = PromptParts(edit.path, language_of(edit.path), "", region, "", edit.instruction)
    prompt = EmbeddedFormat().prompt(parts)
    prompt_ids, required = model.codec.heal(prompt.segments)
    task = DraftTask(prompt_ids, region, prompt.opening, model.codec)
    decoding = Decoding(
        model.target,
        prompt_ids,
        Hostile(truth, model.codec.vocab_size)
        if drafter == "hostile"
        else make_drafter(drafter, task),
        ends_answer=lambda token_id: token_id in model.stop_ids,
        max_new_tokens=most,
        sampling=sampling,
        window=FixedWindow(window),
        allowed=Healing(model.codec, required),
    )
    while decoding.finish_reason is None:
        decoding.advance()
    decoding.close()
    return decoding


# What is hot is of no edit any more: one is as good as three.
@pytest.mark.parametrize(
    ("name", "sampling"), [*((name, GREEDY) for name in SHORT), (SHORT[0], HOT)]
)
def test_every_drafter_returns_what_plain_decoding_returns(model, name, sampling):
    edit = next(edit for edit in load_edits(demo_folder()) if edit.name == name)
    plain = decode(model, edit, "none", sampling, 1)
    assert plain.stats.rounds == len(plain.output_ids)
    for drafter, window in zip(DRAFTERS, [64, 17, 5, 9, 33], strict=True):
        result = decode(model, edit, drafter, sampling, window, plain.output_ids)
        assert result.output_ids == plain.output_ids, (drafter, window)
        assert result.stats.near_ties == 0


def test_another_seed_gives_another_text(model):
    edit = next(edit for edit in load_edits(demo_folder()) if edit.name == SHORT[0])
    texts = {
        tuple(decode(model, edit, "none", Sampling(12.0, seed=seed), 1, most=20).output_ids)
        for seed in range(3)
    }
    assert len(texts) == 3
