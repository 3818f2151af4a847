"""Only what an instruction can concern is rewritten where *this* engine would take long over all of it.

Through the whole engine: a warm-up measures the loaded model, by a clock that runs so many times as fast,
and the next edit's scope follows from what was measured.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from editd.config import Config, DecodeConfig, ModelConfig
from editd.engine import Engine
from editd.messages import EditRequest, WarmupRequest
from editd.models.loaded_model import LoadedModel
from editd.models.openvino.loading import OpenVinoModel
from editd.models.torch.loading import TorchModel
from tests import tiny
from tests.gguf_files import wide_checkpoint, write

BUFFER = "".join(f"def f{i}(a):\n    return a * {i}\n\n\n" for i in range(60))
MODELS: dict[str, type[LoadedModel]] = {"torch": TorchModel, "openvino": OpenVinoModel}


@cache
def source(engine):
    """A tiny model with room for all of ``BUFFER``."""
    folder = Path(mkdtemp(dir=tiny._session_folder())) / "long"
    shutil.copytree(wide_checkpoint("llama"), folder, ignore=shutil.ignore_patterns("*.gguf"))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 1 << 14}))
    return folder if engine == "torch" else f"openvino:{write(folder, folder / 'm.gguf', 'q8_0')}"


@pytest.mark.parametrize("engine", MODELS)
@pytest.mark.parametrize("times", [1, 10_000])
def test_the_scope_follows_what_was_measured(engine, times, monkeypatch, tmp_path):
    if engine == "openvino":
        pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    kind = MODELS[engine]
    timing = kind.timing.fget

    def faster(model):
        plain = timing(model)
        return replace(plain, clock=lambda: times * plain.clock())

    monkeypatch.setattr(kind, "timing", property(faster))
    config = Config(
        model=ModelConfig(name=str(source(engine)), device="cpu", threads=1),
        decode=DecodeConfig(max_new_tokens=1),
    )
    running = Engine(config)
    try:
        assert last(running, WarmupRequest("1", "x = 1\n", path="a.py")).message == "warm"
        result = last(running, EditRequest("2", BUFFER, "make `f7` faster", path="a.py"))
    finally:
        running.close()
    notice = "Only what the instruction names is rewritten: f7"
    assert (notice in " ".join(result.notices)) == (times > 1)


def last(engine, request):
    job = engine.start(request)
    told = []
    while not job.finished:
        told += job.advance()
    return told[-1]
