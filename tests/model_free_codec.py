"""Token ids for benchmarks that run no model: a tokenizer folder, or a stand-in that is always there.

Implements ``decode.drafters.base.Codec`` on the ``tokenizers`` library alone, so that a replay
starts in the time of reading one file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer

from editd.decode.drafters.base import Codec
from editd.errors import UsageError

# GPT-2's alphabet: every byte as one printable character. Printable bytes stand for themselves,
# the others follow from U+0100 on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in set(_PRINTABLE)]
BYTE_TO_CHAR = {byte: chr(byte) for byte in _PRINTABLE} | {
    byte: chr(0x100 + index) for index, byte in enumerate(_OTHERS)
}
_CHAR_TO_BYTE = {char: byte for byte, char in BYTE_TO_CHAR.items()}

# How much left context is tokenised again to find the first token's border.
_CONTEXT_CHARS = 64


class FolderCodec:
    """A folder's ``tokenizer.json`` as a codec; byte-level and metaspace vocabularies."""

    def __init__(self, folder: Path) -> None:
        file = folder / "tokenizer.json" if folder.is_dir() else folder
        try:
            self._tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:
            raise UsageError(f"{file} cannot be read as a tokenizer: {error}.") from error
        self.name = folder.name
        self.vocab_size: int = self._tokenizer.get_vocab_size()
        self._bytes: dict[int, bytes] = {}

    def encode(self, text: str, after: str = "") -> list[int]:
        if not after:
            encoding = self._tokenizer.encode(text, add_special_tokens=False)
            return list(encoding.ids)
        context = after[-_CONTEXT_CHARS:]
        encoding = self._tokenizer.encode(context + text, add_special_tokens=False)
        # The token that holds the first character of the text; a straddling one comes whole.
        first = encoding.char_to_token(len(context)) if text else None
        return [] if first is None else list(encoding.ids[first:])

    def decode(self, token_ids: Sequence[int]) -> str:
        return b"".join(map(self.token_bytes, token_ids)).decode("utf-8", errors="replace")

    def token_bytes(self, token_id: int) -> bytes:
        known = self._bytes.get(token_id)
        if known is None:
            known = self._bytes[token_id] = _bytes_of(self._tokenizer.id_to_token(token_id) or "")
        return known


class PseudoCodec:
    """Words, line ends, runs of blanks and single signs, numbered as they are met.

    No language model has this vocabulary: tokens per round come out larger than with a real one.
    It is the default because it needs no file; reports name it.
    """

    name = "pseudo (words and signs; give --tokenizer for a real vocabulary)"
    vocab_size = 1 << 20
    _PATTERN = re.compile(r"[^\W\d_]+|\d|_+|\r?\n|[^\S\r\n]+|.", re.DOTALL)

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._tokens: list[str] = []

    def encode(self, text: str, after: str = "") -> list[int]:
        context = after[-_CONTEXT_CHARS:]
        ids = []
        for match in self._PATTERN.finditer(context + text):
            if match.end() > len(context):
                token_id = self._ids.setdefault(match[0], len(self._tokens))
                if token_id == len(self._tokens):
                    self._tokens.append(match[0])
                ids.append(token_id)
        return ids

    def decode(self, token_ids: Sequence[int]) -> str:
        return b"".join(map(self.token_bytes, token_ids)).decode("utf-8", errors="replace")

    def token_bytes(self, token_id: int) -> bytes:
        return self._tokens[token_id].encode() if token_id < len(self._tokens) else b""


def open_codec(folder: Path | None) -> FolderCodec | PseudoCodec:
    """The codec of ``folder``, or the stand-in."""
    return FolderCodec(folder) if folder is not None else PseudoCodec()


def _bytes_of(token: str) -> bytes:
    """The bytes that a vocabulary entry spells, in whichever of the two usual alphabets."""
    if re.fullmatch(r"<0x[0-9A-F]{2}>", token):
        return bytes([int(token[3:5], 16)])
    if all(char in _CHAR_TO_BYTE for char in token):
        return bytes(_CHAR_TO_BYTE[char] for char in token)
    return token.replace("\u2581", " ").encode()


_: type[Codec] = FolderCodec
_ = PseudoCodec
