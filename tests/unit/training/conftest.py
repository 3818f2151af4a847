"""A corpus, a tokenizer and a network of toy size that tests share."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from editd.prompts.formats import END, INSTRUCTION, TEXT
from tests.fixtures.solved.tokenizer import train_tokenizer
from tests.unit.training.samples import PYTHON, TYPESCRIPT
from training.corpus import File
from training.network import Network, Shape

SHAPE = Shape(
    hidden_size=32,
    intermediate_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=8,
)


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def files():
    python = [File(f"p{n}/m{n}.py", PYTHON.replace("stock", f"shop{n}"), n == 0) for n in range(4)]
    other = [
        File(f"t{n}/m{n}.ts", TYPESCRIPT.replace("limit", f"most{n}"), n == 0) for n in range(4)
    ]
    return python + other


@pytest.fixture(scope="session")
def tokenizer(files):
    return train_tokenizer([file.text for file in files], 512, (TEXT, INSTRUCTION, END))


@pytest.fixture(scope="session")
def llama():
    """As transformers runs it, float32."""
    torch.manual_seed(0)
    config = LlamaConfig(
        **{
            name: getattr(SHAPE, name) for name in SHAPE.__dataclass_fields__ if "theta" not in name
        },
        rope_parameters={"rope_type": "default", "rope_theta": SHAPE.rope_theta},
        vocab_size=512,
        tie_word_embeddings=True,
        initializer_range=0.2,
    )
    return LlamaForCausalLM(config).eval()


@pytest.fixture(scope="session")
def network(llama):
    return Network(llama.state_dict(), SHAPE, torch.float32)
