"""editd on OpenVINO: on the files that OpenVINO GenAI's own rows read, or on a GGUF file."""

from __future__ import annotations

from pathlib import Path

from benchmarks.compare.peer import Setup
from benchmarks.compare.peers.editd import MODES, PROGRAM, EditdEngine
from tests.gguf_writer import gguf_of
from tests.openvino_writer import ir_of

__all__ = ["INSTALL", "MODES", "MODULES", "PROGRAM", "open_engine"]

MODULES = ("openvino", "openvino_tokenizers", "nncf", "gguf")
INSTALL = "editd[openvino] openvino-tokenizers nncf gguf"


def open_engine(setup: Setup) -> EditdEngine:
    """Load what is asked for as the daemon would, after converting it if that was not done yet."""
    return EditdEngine(setup, str(_file(setup)), engine="openvino")


def _file(setup: Setup) -> Path:
    if setup.weights == "int8":
        return ir_of(setup.checkpoint, setup.weights)
    return gguf_of(setup.checkpoint, setup.weights)
