"""The engines that are compared, by the names that ``--peers`` knows.

Each file has one shape (``peer.PeerModule``) and imports its engine only where it opens it, so that
all of them can be listed on a machine that has none.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from benchmarks.compare.peer import Mode, PeerModule
from editd.errors import UsageError

EDITD = "editd"
_ON_OPENVINO = f"{EDITD}-openvino"
STORED = "stored"  # the weights of a GGUF file that is given


@dataclass(frozen=True, slots=True)
class Peer:
    """An engine with a kind of weights. module: its file.

    editd: the peer of editd with the same weights, whose texts and times this one's are compared with.
    """

    name: str
    title: str
    module: str
    weights: str = "float32"
    editd: str = EDITD

    @property
    def file(self) -> PeerModule:
        return cast(PeerModule, import_module(self.module))

    def missing(self) -> str | None:
        """A line that says what to install, ``None`` when nothing is missing."""
        file = self.file
        if absent := [name for name in file.MODULES if find_spec(name) is None]:
            return f"{self.title}: {absent[0]} is not installed: pip install {file.INSTALL}"
        if file.PROGRAM and shutil.which(file.PROGRAM) is None:
            return f"{self.title}: no {file.PROGRAM} on the PATH"
        return None


_FOLDER = "benchmarks.compare.peers"


def _on_gguf(weights: str, suffix: str) -> Iterator[Peer]:
    """The engines that read GGUF files, on one with these weights."""
    ours = f"{EDITD}-{suffix or 'gguf'}"
    yield Peer(ours, "editd on llama.cpp", f"{_FOLDER}.editd_gguf", weights, ours)
    name = f"llama-server-{suffix}" if suffix else "llama-server"
    yield Peer(name, "llama-server", f"{_FOLDER}.llama_server", weights, ours)


PEERS = {
    peer.name: peer
    for peer in (
        Peer(EDITD, "editd on torch", f"{_FOLDER}.editd"),
        Peer("transformers", "transformers", f"{_FOLDER}.transformers"),
        *_on_gguf("float32", ""),
        *_on_gguf("q8_0", "q8"),
        *_on_gguf("q4_k_m", "q4"),
        Peer(_ON_OPENVINO, "editd on OpenVINO", f"{_FOLDER}.editd_openvino", "int8", _ON_OPENVINO),
        Peer(
            f"{_ON_OPENVINO}-q4",
            "editd on OpenVINO",
            f"{_FOLDER}.editd_openvino",
            "q4_k_m",
            f"{_ON_OPENVINO}-q4",
        ),
        Peer("openvino", "OpenVINO GenAI", f"{_FOLDER}.openvino"),
        Peer("openvino-int8", "OpenVINO GenAI", f"{_FOLDER}.openvino", "int8", _ON_OPENVINO),
    )
}


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: an engine in one of its modes."""

    peer: Peer
    mode: Mode

    @property
    def name(self) -> str:
        return f"{self.peer.name}/{self.mode.name}"

    @property
    def reference(self) -> str:
        """The name of the row of plain decoding, whose output this row's is compared with."""
        return f"{self.peer.editd}/{PLAIN}"

    @property
    def ours(self) -> str:
        """The name of editd's row with its default settings, whose times this row's are compared with."""
        return f"{self.peer.editd}/buffer"

    @property
    def is_reference(self) -> bool:
        return self.name == self.reference


PLAIN = "plain"  # the mode without drafts, of every engine that has it


def choose_rows(choice: str, *, stored: bool = False) -> list[Row]:
    """The rows that ``--peers`` asks for: names of engines or ``engine/mode``, or ``all``.

    editd's own with the same weights are always there, references first. stored: the model is a GGUF
    file, whose weights stay as they are. Raises ``UsageError``.
    """
    peers = PEERS
    if stored:
        peers = {
            peer.name: replace(peer, weights=STORED)
            for peer in PEERS.values()
            if peer.editd == f"{EDITD}-gguf" or peer.name == f"{_ON_OPENVINO}-q4"
        }
    every = {row.name: row for peer in peers.values() for row in _rows(peer)}
    names = [name.strip() for name in choice.split(",") if name.strip()]
    chosen = []
    for name in names if names != ["all"] else list(peers):
        if name in every:
            chosen.append(every[name])
        elif name in peers:
            chosen += _rows(peers[name])
        else:
            raise UsageError(
                f"There is no peer called {name!r} for this model: choose of {', '.join(peers)}, one "
                f"of their modes (such as {[*every][-1]}), or all."
            )
    rows = [every[name] for row in chosen for name in (row.reference, row.ours)] + chosen
    return list({row.name: row for row in rows}.values())


def _rows(peer: Peer) -> list[Row]:
    return [Row(peer, mode) for mode in peer.file.MODES]
