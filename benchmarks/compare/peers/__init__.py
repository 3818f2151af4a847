"""The engines that are compared, by the names that ``--peers`` knows.

Each file has one shape (``peer.PeerModule``) and imports its engine only where it opens it, so that
all of them can be listed on a machine that has none.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from benchmarks.compare.environments import HERE, Environment
from benchmarks.compare.peer import Mode, PeerModule
from editd.errors import UsageError

EDITD = "editd"


@dataclass(frozen=True, slots=True)
class Peer:
    """One engine with one kind of weights. module: its file here."""

    name: str
    title: str
    module: str
    weights: str = "float32"

    @property
    def file(self) -> PeerModule:
        return cast(PeerModule, import_module(self.module))

    def missing(self, environment: Environment = HERE) -> str | None:
        """One line that says what to install, ``None`` when it is all there."""
        file = self.file
        if absent := environment.lacks(file.MODULES):
            return f"{self.title}: {absent[0]} is not installed: pip install {file.INSTALL}"
        if file.PROGRAM and shutil.which(file.PROGRAM) is None:
            return (
                f"{self.title}: no {file.PROGRAM} on the PATH: build one with "
                "`python -m benchmarks.compare.build_llama`"
            )
        return None


_FOLDER = "benchmarks.compare.peers"

PEERS = {
    peer.name: peer
    for peer in (
        Peer(EDITD, "editd", f"{_FOLDER}.editd"),
        Peer("transformers", "transformers", f"{_FOLDER}.transformers"),
        Peer("llama.cpp", "llama.cpp (Python)", f"{_FOLDER}.llama_cpp"),
        Peer("llama.cpp-q8", "llama.cpp (Python)", f"{_FOLDER}.llama_cpp", "q8_0"),
        Peer("llama-server", "llama-server", f"{_FOLDER}.llama_server"),
        Peer("llama-server-q8", "llama-server", f"{_FOLDER}.llama_server", "q8_0"),
        Peer("openvino", "OpenVINO GenAI", f"{_FOLDER}.openvino"),
        Peer("vllm", "vLLM", f"{_FOLDER}.vllm"),
    )
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: an engine in one of its modes."""

    peer: Peer
    mode: Mode

    @property
    def name(self) -> str:
        return f"{self.peer.name}/{self.mode.name}"


REFERENCE = "editd/plain"
"""Plain decoding: what all other outputs are compared with."""

OURS = "editd/buffer"
"""What a user gets: what all other times are compared with."""


def choose_rows(wanted: str) -> list[Row]:
    """The rows that ``--peers`` asks for: names of engines or ``engine/mode``, or ``all``.

    editd's own are always there, the reference first. Raises ``UsageError``.
    """
    every = {row.name: row for peer in PEERS.values() for row in _rows(peer)}
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    chosen = [every[REFERENCE], every[OURS]]
    for name in names if names != ["all"] else list(PEERS):
        if name in every:
            chosen.append(every[name])
        elif name in PEERS:
            chosen += _rows(PEERS[name])
        else:
            raise UsageError(
                f"There is no peer called {name!r}: choose of {', '.join(PEERS)}, one of their "
                f"modes (such as openvino/lookup), or all."
            )
    return list({row.name: row for row in chosen}.values())


def _rows(peer: Peer) -> list[Row]:
    return [Row(peer, mode) for mode in peer.file.MODES]
