"""A toy training that tests share: seconds, one thread."""

import os

import pytest
import torch

from tests.unit.training.samples import PYTHON, TYPESCRIPT
from training.corpus import File
from training.tokenizer import train_tokenizer


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
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
    return train_tokenizer([file.text for file in files], 512)
