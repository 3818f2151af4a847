"""What the tests of llama.cpp share: a tiny model of it, texts, and decoding with it."""

import pytest
import torch

from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow
from editd.models import registry
from editd.models.model import ModelSpec
from tests import tiny
from tests.gguf_files import DEVICE

gguf = pytest.importorskip("gguf")
pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

TEMPLATE = "{{ bos_token }}{% for m in messages %}{{ m.content }}<|end|>{% endfor %}"
TEXT = (
    "".join(tiny.corpus(4))
    + "größe = '漢字 🙂'\n\t\t} // [UNUSED 400] <|pad|>\n"
    + "x = 12345.678; it's({}[\r\n  ])\n" * 2
    + "        80\n  x1   = '²½'\n"
)
ENDS = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
SIGNS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
# As the tokenizer.json of SmolLM 2, Qwen 2 and Llama 3 have it; and whether words are taken whole.
CUTS = {
    "gpt-2": ("", False),
    "smollm": ("digits", False),
    "qwen2": (WORDS + r"|\p{N}" + SIGNS + ENDS, False),
    "llama-bpe": (WORDS + r"|\p{N}{1,3}" + SIGNS + ENDS, True),
}
PROMPT = "".join(tiny.corpus(6))


def load(path, **options):
    return registry.load(ModelSpec(str(path), **{"device": DEVICE, "threads": 1, **options}))


def read(model, ids):
    sequence = model.target.open(ids)
    sequence.prefill(ids[sequence.length : -1])
    return sequence


def decoded(model, ids, drafter, sampling, prediction):
    task = DraftTask(
        prompt_ids=ids, prediction=prediction, answer_opening="", answer_closing="",
        codec=model.codec, trees=True,
    )  # fmt: skip
    decoding = Decoding(
        model.target, ids, make_drafter(drafter, task), ends_answer=lambda token_id: False,
        max_new_tokens=60, sampling=sampling, window=FixedWindow(16),
    )  # fmt: skip
    output = []
    while decoding.finish_reason is None:
        if (done := decoding.advance()) is not None:
            output += done.token_ids
    decoding.close()
    return output, decoding.stats.rounds


def assert_close_logits(loaded, source, share):
    ids = [*range(5, 60)]
    ours = read(loaded, ids[:1]).context.append_chain(ids).copy()
    with torch.inference_mode():
        theirs = source(input_ids=torch.tensor([ids])).logits[0].numpy()
    assert (ours - theirs).std() < share * theirs.std()  # keys and values are halves
    loaded.close()
