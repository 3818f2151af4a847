"""Small projects, and a tokenizer of characters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editd.workspace.index import FileTokens, Index


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
    codec = CharacterCodec()
    return Index([FileTokens.of(path, ids(said), codec) for path, said in files.items()])


def content(index: Index) -> dict[str, str]:
    """The text of each file of an index."""
    return {path: text(token_ids) for path, token_ids in index.content().items()}


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for path, said in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(said.encode() if isinstance(said, str) else said)
