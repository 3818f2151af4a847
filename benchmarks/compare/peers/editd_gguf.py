"""editd on llama.cpp: as ``editd``, on the GGUF file that llama.cpp's own rows read."""

from __future__ import annotations

import json

from benchmarks.compare.peer import Setup
from benchmarks.compare.peers.editd import MODES, PROGRAM, EditdEngine
from tests.gguf_writer import gguf_of

__all__ = ["INSTALL", "MODES", "MODULES", "PROGRAM", "open_engine"]

MODULES = ("gguf",)
INSTALL = "editd[llama]"


def open_engine(setup: Setup) -> EditdEngine:
    """Load the file as the daemon would, after converting it if that was not done yet."""
    file = gguf_of(setup.checkpoint, setup.weights)
    engine = EditdEngine(setup, str(file), engine="llama.cpp")
    if file != setup.checkpoint:
        _know_the_checkpoint(engine, setup)
    return engine


def _know_the_checkpoint(engine: EditdEngine, setup: Setup) -> None:
    """The conversion's tokenizer is a stand-in, and a GGUF file has no ``editd.json``."""
    from editd.models.llama_cpp.loading import LlamaModel
    from editd.models.text.chat_template import load_chat
    from editd.models.text.codec import load_codec, stop_ids

    model, folder = engine.model, setup.checkpoint
    assert isinstance(model, LlamaModel)  # noqa: S101  it is named by a .gguf file
    model.codec = load_codec(folder, vocab_size=model.target.vocab_size)
    model.tokenizer_folder = folder
    model.stop_ids = stop_ids(folder, model.codec)
    model.render_chat = load_chat(folder)
    manifest = folder / "editd.json"
    model.manifest = json.loads(manifest.read_text(encoding="utf-8")) if manifest.is_file() else {}
