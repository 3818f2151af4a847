"""A model's tokenizer, read from its file, and the bytes of every token.

Reads ``tokenizer.json`` with the ``tokenizers`` library alone: for some model types, transformers' classes silently
replace the pre-tokenizer that the file names. ``Vocabulary`` knows the three ways in which tokenizers encode bytes as
characters, and which tokens spell given bytes. Tokenising text is left to ``codec``.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from editd.errors import ModelDamaged, ModelUnsupported, first_line
from editd.models.model_folder import check_regular

# Rewrites of the text before it is tokenised; a codec that must give back what it got drops them.
_UNICODE_FORMS = {"NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled"}

_MOST_TOKENS = 1 << 22  # the largest vocabularies have a quarter of a million
_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def read_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of the model in ``folder``: from ``tokenizer.json``, else converted by
    transformers (offline, without foreign code).

    Raises ``ModelUnsupported`` if transformers has no fast tokenizer for it, ``ModelDamaged`` for
    whatever else goes wrong in reading or converting, and for a pipe or device in the folder.
    """
    file = folder / "tokenizer.json"
    check_regular(folder)
    try:
        if file.is_file():
            return Tokenizer.from_file(str(file))
        return _convert(folder)
    except ModelUnsupported:
        raise
    except Exception as error:  # tokenizers raises bare Exception for what it cannot parse
        raise ModelDamaged(
            f"The tokenizer in {folder} cannot be read ({first_line(error)}): pull or copy the "
            "model again."
        ) from error


def prepare_tokenizers(tokenizer: Tokenizer) -> tuple[Tokenizer, Tokenizer]:
    """Change ``tokenizer``, which stays the one for prompts, and return it with the one for text
    that follows other text: the same object if they need not differ, else a copy.

    Neither changes Unicode forms: a buffer with a decomposed é would come back with another one.
    Inside a text there is no dummy space first, either: in prompts it stays (the model was trained
    with it), after a prompt it would be a space too many.
    """
    normalizer = _component_json(tokenizer.normalizer)
    pre_tokenizer = _component_json(tokenizer.pre_tokenizer)
    exact = _without_parts(normalizer, dropped=_UNICODE_FORMS)
    if exact != normalizer:
        tokenizer.normalizer = _tokenizer_with(exact, None).normalizer
    inside = _without_parts(exact, dropped={"Prepend"})
    inside_pre = _no_prefix_space(pre_tokenizer)
    if inside == exact and inside_pre == pre_tokenizer:
        return tokenizer, tokenizer
    other = Tokenizer.from_str(tokenizer.to_str())
    parts = _tokenizer_with(inside, inside_pre)
    other.normalizer, other.pre_tokenizer = parts.normalizer, parts.pre_tokenizer
    return tokenizer, other


def _component_json(component: Any) -> dict[str, Any] | None:
    """A tokenizer's component as JSON; ``None`` for none."""
    return None if component is None else json.loads(component.__getstate__())


def _tokenizer_with(
    normalizer: dict[str, Any] | None, pre_tokenizer: dict[str, Any] | None
) -> Tokenizer:
    """A new tokenizer without vocabulary that has these components, made from their JSON; ``None``
    leaves one out.
    """
    return Tokenizer.from_str(
        json.dumps(
            {
                "version": "1.0",
                "normalizer": normalizer,
                "pre_tokenizer": pre_tokenizer,
                "model": {"type": "BPE", "vocab": {}, "merges": []},
            }
        )
    )


def _without_parts(part: dict[str, Any] | None, *, dropped: set[str]) -> dict[str, Any] | None:
    """The JSON of a normalizer without the parts, at any depth, of the types in ``dropped``;
    ``None`` if nothing is left. The given one is not changed.
    """
    if part is None or part["type"] in dropped:
        return None
    if part["type"] == "Sequence":
        remaining = [
            k for inner in part["normalizers"] if (k := _without_parts(inner, dropped=dropped))
        ]
        return {**part, "normalizers": remaining} if remaining else None
    return part


def _no_prefix_space(part: dict[str, Any] | None) -> dict[str, Any] | None:
    """The JSON of a pre-tokenizer like ``part``, with parts at any depth set to put no space before
    a text (Metaspace, ByteLevel).

    Other types stay as they are; ``None`` for ``None``. The given one is not changed.
    """
    if part is None:
        return None
    if part["type"] == "Sequence":
        return {**part, "pretokenizers": [_no_prefix_space(p) for p in part["pretokenizers"]]}
    if part["type"] == "Metaspace":
        return {**part, "prepend_scheme": "never"}
    if part["type"] == "ByteLevel":
        return {**part, "add_prefix_space": False}
    return part


def opening_ids(tokenizer: Tokenizer) -> list[int]:
    """The ids that the post-processor puts before plain text (BOS), found by encoding ``a``; empty
    if it puts none, or changes the text's own ids.
    """
    plain = tokenizer.encode("a", add_special_tokens=False).ids
    full = tokenizer.encode("a", add_special_tokens=True).ids
    for start in range(len(full) - len(plain) + 1):
        if full[start : start + len(plain)] == plain:
            return list(full[:start])
    return []


def control_words(tokenizer: Tokenizer) -> re.Pattern[str]:
    """A pattern for the words of the tokenizer's special tokens, longer ones first; it matches
    nothing if there are none.
    """
    words = [t.content for t in tokenizer.get_added_tokens_decoder().values() if t.special]
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile("|".join(longest_first) or r"(?!)")


def space_sign(tokenizer: Tokenizer) -> tuple[str, list[int]]:
    """The character that stands for a space in tokens (SentencePiece's ``▁``), and the ids of the
    byte tokens that spell it as itself.

    ``("", [])`` if the decoder replaces no character by a space, or one of the sign's bytes has no
    token.
    """
    for part in decoder_parts(tokenizer):
        sign = part.get("replacement") or part.get("pattern", {}).get("String")
        if part.get("content", " ") == " " and sign:
            names = [f"<0x{byte:02X}>" for byte in str(sign).encode()]
            ids = [i for name in names if (i := tokenizer.token_to_id(name)) is not None]
            return (str(sign), ids) if len(ids) == len(names) else ("", [])
    return "", []


def decoder_parts(tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """The decoder's steps from tokens to text, as JSON, in order; empty if the tokenizer has no
    decoder.
    """
    decoder = _component_json(tokenizer.decoder)
    if decoder is None:
        return []
    return list(decoder["decoders"]) if decoder["type"] == "Sequence" else [decoder]


def _convert(folder: Path) -> Tokenizer:
    """The tokenizer of a model without ``tokenizer.json``, as transformers converts it, offline and
    without foreign code.

    Raises ``ModelUnsupported`` if the conversion gives none of the ``tokenizers`` library, and
    whatever transformers raises for files that it cannot read.
    """
    from transformers import AutoTokenizer

    wrapped = AutoTokenizer.from_pretrained(
        str(folder), local_files_only=True, trust_remote_code=False
    )
    backend = getattr(wrapped, "backend_tokenizer", None)
    if not isinstance(backend, Tokenizer):
        raise ModelUnsupported(
            f"The tokenizer in {folder} has no tokenizer.json and cannot be converted to one: "
            "choose a model that has it."
        )
    return backend


class Vocabulary:
    """Token id to bytes and back.

    Control tokens (end of turn, padding, …) spell nothing: ``b""``. Several ids may spell the same bytes.
    """

    def __init__(self, token_bytes: Sequence[bytes]) -> None:
        self._bytes = list(token_bytes)
        order = sorted(i for i, spelled in enumerate(self._bytes) if spelled)
        order.sort(key=self._bytes.__getitem__)
        self._sorted_ids = order
        self._sorted_bytes = [self._bytes[i] for i in order]
        self.longest = max(map(len, self._sorted_bytes), default=0)  # bytes of the longest token
        self._spellings: dict[bytes, tuple[int, ...]] = {}  # asked again in each healed row

    def __len__(self) -> int:
        return len(self._bytes)

    def __getitem__(self, token_id: int) -> bytes:
        """The bytes of one token; empty also for an id that the tokenizer does not know."""
        return self._bytes[token_id] if 0 <= token_id < len(self._bytes) else b""

    def extends(self, prefix: bytes) -> bool:
        """Whether some token starts with the bytes ``prefix`` and is longer than it."""
        if len(prefix) >= self.longest:
            return False
        first, end = self._range(prefix)
        return first < end and self._sorted_bytes[end - 1] != prefix

    def spelling(self, required: bytes) -> tuple[int, ...]:
        """Ids that may come next where the text must go on with ``required``, ascending.

        Their bytes start with ``required``, or are a part of it from its beginning: of ``b"\\n "``
        both ``b"\\n x"`` and ``b"\\n"`` are. Results are stored for later calls. Raises
        ``ValueError`` if ``required`` is empty.
        """
        if not required:
            raise ValueError("nothing is required: every token may come next")
        if required in self._spellings:
            return self._spellings[required]
        ids = self._sorted_ids[slice(*self._range(required))]
        for length in range(1, min(len(required), self.longest + 1)):
            part = required[:length]
            position = bisect_left(self._sorted_bytes, part)
            while position < len(self._sorted_bytes) and self._sorted_bytes[position] == part:
                ids.append(self._sorted_ids[position])
                position += 1
        spelling = self._spellings[required] = tuple(sorted(ids))
        return spelling

    def _range(self, prefix: bytes) -> tuple[int, int]:
        """The half-open range, in the tokens sorted by their bytes, of those that start with
        ``prefix``; empty if none does.
        """
        first = bisect_left(self._sorted_bytes, prefix)
        end = bisect_left(
            self._sorted_bytes, True, lo=first, key=lambda spelled: not spelled.startswith(prefix)
        )
        return first, end


def read_vocabulary(tokenizer: Tokenizer) -> Vocabulary:
    """The bytes of every token, by the rules of the tokenizer's own decoder; ``b""`` for special
    tokens and ids without a token.

    Raises ``ModelDamaged`` for an id of 4,194,304 or more.

    Byte-level BPE writes each byte as one of 256 printable characters (GPT-2). SentencePiece writes
    a space as ``▁`` and a byte without a token as ``<0xNN>``. Any other decoder decodes one token
    at a time; ``codec``'s self-test finds out whether that is exact.
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
    """The bytes of a token written in GPT-2's byte characters; the token's UTF-8 if it holds any
    other character (an added token).
    """
    alphabet = byte_alphabet()
    try:
        return bytes([alphabet[character] for character in token])
    except KeyError:
        return token.encode()


def _sentencepiece(token: str, parts: list[dict[str, Any]]) -> bytes:
    """The bytes of a token of SentencePiece: the byte of ``<0xNN>``, else its UTF-8 with the
    decoder's replacements made.

    parts: the decoder's steps, in order; patterns that are no plain strings are skipped.
    """
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
    """The byte of each of GPT-2's printable characters.

    Bytes that are printable in Latin-1 stand for themselves, the others for the characters from U+0100 on
    (https://github.com/openai/gpt-2, ``src/encoder.py``).
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    alphabet = {chr(byte): byte for byte in printable}
    others = [byte for byte in range(256) if byte not in set(printable)]
    alphabet |= {chr(0x100 + index): byte for index, byte in enumerate(others)}
    return alphabet
