"""The bytes of every token, and which tokens spell given bytes.

Knows the three ways in which tokenizers encode bytes as characters. Texts of several tokens are left to
``codec``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from typing import Any

from tokenizers import Tokenizer

from editd.errors import ModelDamaged
from editd.models.text.tokenizer_file import decoder_parts

_MOST_TOKENS = 1 << 22  # the largest vocabularies have a quarter of a million
_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class Vocabulary:
    """Token id to bytes and back.

    ``control`` tokens (end of turn, padding, …) spell nothing: ``b""``. Several ids may spell the
    same bytes.
    """

    def __init__(self, token_bytes: Sequence[bytes]) -> None:
        self._bytes = list(token_bytes)
        order = sorted(i for i, spelled in enumerate(self._bytes) if spelled)
        order.sort(key=self._bytes.__getitem__)
        self._sorted_ids = order
        self._sorted_bytes = [self._bytes[i] for i in order]
        self._longest = max(map(len, self._sorted_bytes), default=0)
        self._spellings: dict[bytes, tuple[int, ...]] = {}  # asked again in each healed row

    def __len__(self) -> int:
        return len(self._bytes)

    def __getitem__(self, token_id: int) -> bytes:
        """The bytes of one token; empty also for an id that the tokenizer does not know."""
        return self._bytes[token_id] if 0 <= token_id < len(self._bytes) else b""

    @property
    def longest(self) -> int:
        """Bytes of the longest token."""
        return self._longest

    def starting_with(self, prefix: bytes) -> list[int]:
        """Ids whose bytes start with ``prefix``, itself included, in the order of their bytes."""
        return self._sorted_ids[slice(*self._range(prefix))]

    def extends(self, prefix: bytes) -> bool:
        """Whether some token starts with ``prefix`` and is longer."""
        if len(prefix) >= self._longest:
            return False
        first, end = self._range(prefix)
        return first < end and self._sorted_bytes[end - 1] != prefix

    def spelling(self, required: bytes) -> tuple[int, ...]:
        """Ids that may come next where the text must go on with ``required``, ascending.

        Their bytes start with ``required``, or are a part of it from its beginning: of
        ``b"\\n  "`` both ``b"\\n    x"`` and ``b"\\n"`` are.
        """
        if not required:
            raise ValueError("nothing is required: every token may come next")
        if required in self._spellings:
            return self._spellings[required]
        ids = self.starting_with(required)
        for length in range(1, min(len(required), self._longest + 1)):
            part = required[:length]
            position = bisect_left(self._sorted_bytes, part)
            while position < len(self._sorted_bytes) and self._sorted_bytes[position] == part:
                ids.append(self._sorted_ids[position])
                position += 1
        spelling = self._spellings[required] = tuple(sorted(ids))
        return spelling

    def _range(self, prefix: bytes) -> tuple[int, int]:
        first = bisect_left(self._sorted_bytes, prefix)
        end = bisect_left(
            self._sorted_bytes, True, lo=first, key=lambda spelled: not spelled.startswith(prefix)
        )
        return first, end


def read_vocabulary(tokenizer: Tokenizer) -> Vocabulary:
    """Every token's bytes, by the rules of the tokenizer's own decoder.

    Byte-level BPE writes each byte as one of 256 printable characters (GPT-2). SentencePiece
    writes a space as ``▁`` and a byte without a token as ``<0xNN>``. Any other decoder is asked
    for one token at a time; whether that is exact is found out by ``codec``'s self-test.
    """
    parts = decoder_parts(tokenizer)
    kinds = {part["type"] for part in parts}
    control = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    tokens = {i: token for token, i in tokenizer.get_vocab(with_added_tokens=True).items()}

    def spell(token_id: int) -> bytes:
        if token_id not in tokens or token_id in control:
            return b""
        if "ByteLevel" in kinds:
            return _byte_level(tokens[token_id])
        if kinds & {"Metaspace", "Replace", "ByteFallback"}:
            return _sentencepiece(tokens[token_id], parts)
        return tokenizer.decode([token_id], skip_special_tokens=False).encode()

    most = max(tokens, default=-1)
    if most >= _MOST_TOKENS:
        raise ModelDamaged(
            f"The tokenizer of this model has a token with the number {most:,}, which no model has: pull "
            "or copy the model again."
        )
    return Vocabulary([spell(token_id) for token_id in range(most + 1)])


def _byte_level(token: str) -> bytes:
    """A token is a row of byte characters, or (an added token) plain text."""
    alphabet = byte_alphabet()
    try:
        return bytes([alphabet[character] for character in token])
    except KeyError:
        return token.encode()


def _sentencepiece(token: str, parts: list[dict[str, Any]]) -> bytes:
    for part in parts:
        if part["type"] == "ByteFallback" and (match := _BYTE_TOKEN.fullmatch(token)):
            return bytes.fromhex(match[1])
        if part["type"] == "Metaspace":
            token = token.replace(part["replacement"], " ")
        if part["type"] == "Replace" and "String" in part["pattern"]:
            token = token.replace(part["pattern"]["String"], part["content"])
    return token.encode()


@cache
def byte_alphabet() -> dict[str, int]:
    """GPT-2's printable character of each byte, turned round.

    Bytes that are printable in Latin-1 stand for themselves, the others for the characters from
    U+0100 on (https://github.com/openai/gpt-2, ``src/encoder.py``).
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = {chr(byte): byte for byte in printable}
    others = [byte for byte in range(256) if byte not in set(printable)]
    alphabet |= {chr(0x100 + index): byte for index, byte in enumerate(others)}
    return alphabet
