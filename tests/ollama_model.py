"""A store of Ollama's with a real GGUF model in it, for tests that choose a model as a user does.

``python -m tests.ollama_model HOME`` lays it out below ``HOME``: ``ollama:greeter:latest`` is told its edits by
the chat template in its file, as any downloaded model is, and knows those of ``tiny_edits`` by heart.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from docs.edit_formats import chatml
from editd.prompts.formats import format_for
from tests.fixtures.solved.checkpoint import Wording, build
from tests.gguf_files import write
from tests.stores import Home
from tests.unit.engine.test_sketches import TEMPLATE
from tests.unit.solved.tiny_edits import EDITS, TINY

WORDING = ("<|im_start|>", "<|im_end|>"), "<|im_end|>", TEMPLATE


def lay_out(home):
    """The model is solved in a few seconds, and lies in ``home`` as Ollama would have it."""
    torch.set_num_threads(1)
    with TemporaryDirectory() as scratch:
        source = Path(scratch) / "greeter"
        build(
            source,
            EDITS,
            TINY,
            lambda _message, _done: None,
            Wording(format_for("chat", chatml), *WORDING),
        )
        file = write(source, source / "model.gguf", cut="qwen2", tokenizer__chat_template=TEMPLATE)
        Home(home).ollama("registry.ollama.ai/library/greeter/latest", file.read_bytes())


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]))
