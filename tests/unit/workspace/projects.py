"""Small projects, a tokenizer of characters, and a builder that needs no process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from editd.workspace.builder import Built, build
from editd.workspace.cache import tokenizer_identity
from editd.workspace.index import Index
from editd.workspace.index_file import About, FileTokens, index_bytes
from editd.workspace.walk import Stamp


class CharacterCodec:
    """A token is a code point."""

    vocab_size = 0x110000

    def encode(self, text: str, after: str = "") -> list[int]:
        return [ord(character) for character in text]

    def decode(self, token_ids: Sequence[int]) -> str:
        return "".join(map(chr, token_ids))

    def token_bytes(self, token_id: int) -> bytes:
        return chr(token_id).encode()


def ids(text: str) -> list[int]:
    return CharacterCodec().encode(text)


def text(token_ids: Sequence[int]) -> str:
    return CharacterCodec().decode(token_ids)


def index_of(files: dict[str, str]) -> Index:
    """An index of these texts, changed in this order."""
    newlines = np.zeros(0x110000, np.uint8)
    newlines[ord("\n")] = 1
    return Index(
        index_bytes(
            About("/project", "characters", 1),
            [
                FileTokens(path, Stamp(len(said), 1, 1, 1), path, np.array(ids(said), np.uint32))
                for path, said in files.items()
            ],
            newlines,
        )
    )


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


class BuilderHere:
    """Builds in the thread that asks; counts, and can be told to fail."""

    def __init__(self) -> None:
        self.builds = 0
        self.failing = False
        self.stopped = threading.Event()

    def build(self, root: Path, tokenizer: Path, path: Path) -> Built:
        self.builds += 1
        if self.failing:
            return Built("failed", message="It was told to fail.")
        return build(root, path, tokenizer_identity(tokenizer), CharacterCodec)

    def stop(self) -> None:
        self.stopped.set()
