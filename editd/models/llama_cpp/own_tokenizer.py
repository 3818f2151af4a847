"""llama.cpp's own tokenizer, for files whose pre-tokenizer is known only to llama.cpp.

Implements ``text.codec.TextTokenizer`` on the vocabulary of a GGUF file, without loading its weights. ``text.codec``
checks whether the tokenizer can spell code exactly. ``codec_in`` is the codec of any model folder, for processes that
do not load the model.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from editd.errors import ModelDamaged, ModelUnsupported
from editd.models.llama_cpp.header import SOURCE, tokenizer_file
from editd.models.llama_cpp.layouts import set_known
from editd.models.llama_cpp.library import Library, load_library
from editd.models.text.codec import ModelCodec, load_codec
from editd.models.text.tokenizer_file import Vocabulary

_SENTENCEPIECE, _UNIGRAM = (
    1,
    4,
)  # llama_vocab_type: SentencePiece's two kinds, which put a space first
_SPACE_SIGN = "▁"
_BYTES = {f"<0x{byte:02X}>" for byte in range(256)}
_LONGEST = 1024  # bytes that a token is first given room for
_BOOL_TAG = 2  # LLAMA_KV_OVERRIDE_TYPE_BOOL


def codec_in(folder: Path, *, vocab_size: int = 0) -> ModelCodec:
    """The codec of ``folder``: by its ``tokenizer.json``, or by llama.cpp, which is loaded then, if
    the folder only names a GGUF file.

    Raises ``ModelUnsupported`` or ``ModelDamaged``, as ``text.codec.load_codec``.
    """
    if tokenizer_file(folder).name == SOURCE:
        return ModelCodec(tokenizer_in(folder), vocab_size=vocab_size)
    return load_codec(folder, vocab_size=vocab_size)


class _Override(ctypes.Structure):
    """``llama_model_kv_override``: a value of the header replaced while it is read."""

    _fields_ = (
        ("tag", ctypes.c_int),
        ("key", ctypes.c_char * 128),
        ("value", ctypes.c_int64 * 16),
    )


class LlamaEncoding(NamedTuple):
    """A ``text.codec.Encoding`` without words: llama.cpp does not report them."""

    ids: list[int]
    word_ids: tuple[int | None, ...] = ()


def tokenizer_in(folder: Path) -> LlamaTokenizer:
    """The tokenizer of the file that ``folder`` names (``header.SOURCE``)."""
    source = json.loads((folder / SOURCE).read_text(encoding="utf-8"))
    return LlamaTokenizer(load_library(), Path(source["file"]))


class LlamaTokenizer:
    """The tokenizer of ``file``.

    Raises ``ModelDamaged`` if llama.cpp cannot read it, ``ModelUnsupported`` if it lacks bytes.
    """

    knows_words = False

    def __init__(self, library: Library, file: Path) -> None:
        self._library = library
        self._models: list[int] = []
        self._for_prompts = self._for_insides = self._vocabulary(file)
        kind = library.llama_vocab_type(self._for_prompts)
        if kind in (_SENTENCEPIECE, _UNIGRAM):
            self._for_insides = self._vocabulary(file, add_space_prefix=False)
        count = range(library.llama_vocab_n_tokens(self._for_prompts))
        name_of, is_control = library.llama_vocab_get_text, library.llama_vocab_is_control
        names = [name_of(self._for_prompts, i) or b"" for i in count]
        self._names = [name.decode(errors="replace") for name in names]
        self._ids = {name: i for i, name in reversed([*enumerate(self._names)])}
        if kind == _SENTENCEPIECE and not self._ids.keys() >= _BYTES:
            self.close()
            raise ModelUnsupported(
                f"The tokenizer of {file.name} has no token for some bytes, so it cannot spell every "
                "text: choose another model."
            )
        control = [i for i in count if is_control(self._for_prompts, i)]
        self._control = frozenset(control)
        self.vocabulary = Vocabulary([*self._token_bytes()])
        longest_first = sorted((re.escape(self._names[i]) for i in control), key=len, reverse=True)
        self.control_words = re.compile("|".join(filter(None, longest_first)) or r"(?!)")
        opening = library.llama_vocab_bos(self._for_prompts)
        opens = library.llama_vocab_get_add_bos(self._for_prompts) and opening >= 0
        self.opening_ids: list[int] = [opening] if opens else []
        spelled = [self._ids.get(f"<0x{byte:02X}>") for byte in _SPACE_SIGN.encode()]
        signs = [i for i in spelled if i is not None] if kind in (_SENTENCEPIECE, _UNIGRAM) else []
        self.space_sign = (_SPACE_SIGN, signs) if len(signs) == len(spelled) else ("", [])

    def tokenize(self, text: str, inside: bool, control_words: bool) -> LlamaEncoding:  # noqa: FBT001
        """As ``TextTokenizer.tokenize``. Without ``control_words`` no id of a control token is
        returned: text that spells its word is cut inside it.
        """
        vocabulary = self._for_insides if inside else self._for_prompts
        ids = self._tokens(vocabulary, text, control_words)
        if control_words or self._control.isdisjoint(ids):
            return LlamaEncoding(ids)
        # Letters that merge to the word of a control token: no merge goes over a break inside it.
        ids = []
        for part in self._split_control_words(text):
            ids += self._tokens(vocabulary, part, control_words=False)
            vocabulary = self._for_insides
        return LlamaEncoding(ids)

    def id_of(self, word: str) -> int | None:
        """As ``TextTokenizer.id_of``."""
        return self._ids.get(word)

    def word_of(self, token_id: int) -> str:
        """As ``TextTokenizer.word_of``."""
        return self._names[token_id] if 0 <= token_id < len(self._names) else ""

    def _vocabulary(self, file: Path, **replaced: bool) -> int:
        """Load the vocabulary alone of ``file``, with some of its tokenizer's settings replaced;
        returns llama.cpp's pointer, freed by ``close``.

        Raises ``ModelDamaged`` if llama.cpp cannot read it.
        """
        overrides = (_Override * (len(replaced) + 1))()
        for override, (name, value) in zip(overrides, replaced.items(), strict=False):
            override.tag, override.key = _BOOL_TAG, f"tokenizer.ggml.{name}".encode()
            override.value[0] = value
        library = self._library
        params = library.llama_model_default_params()
        set_known(params, {"vocab_only": True, "kv_overrides": ctypes.addressof(overrides)})
        library.take_errors()
        model = library.llama_model_load_from_file(os.fsencode(file), params)
        if not model:
            raise ModelDamaged(
                f"llama.cpp cannot read the tokenizer of {file.name} "
                f"({library.take_errors() or 'no reason given'}): download it again, or install a "
                "newer llama.cpp."
            )
        self._models.append(model)
        found: int = library.llama_model_get_vocab(model)
        return found

    def _tokens(self, vocabulary: int, text: str, control_words: bool) -> list[int]:  # noqa: FBT001
        """The ids of ``text`` by llama.cpp, without BOS. control_words: words of control tokens
        mean these tokens, else plain text.

        A lone surrogate is replaced by ``?``.
        """
        # A lone surrogate is not UTF-8; the codec's proof and callers do not send one.
        written = text.encode("utf-8", "replace")
        room = len(written) + 8
        while True:
            buffer = (ctypes.c_int32 * room)()
            count = self._library.llama_tokenize(
                vocabulary, written, len(written), buffer, room, False, control_words
            )
            if count >= 0:
                return buffer[:count]
            room = -count

    def _split_control_words(self, text: str) -> Iterator[str]:
        """The text in consecutive parts, each control word split after its first character; joined
        they are ``text``.
        """
        start = 0
        for match in self.control_words.finditer(text):
            yield text[start : match.start() + 1]
            start = match.start() + 1
        yield text[start:]

    def _token_bytes(self) -> Iterator[bytes]:
        """The bytes of each token in the order of ids; ``b""`` for a control token."""
        spell, vocabulary = self._library.llama_token_to_piece, self._for_prompts
        room = _LONGEST
        buffer = ctypes.create_string_buffer(room)
        for token_id in range(len(self._names)):
            while (count := spell(vocabulary, token_id, buffer, room, 0, False)) < 0:
                room = -count
                buffer = ctypes.create_string_buffer(room)
            yield buffer.raw[:count]

    def close(self) -> None:
        """Free the vocabularies; no method may be called afterwards. Safe to call twice."""
        for model in self._models:
            self._library.llama_model_free(model)
        self._models.clear()

    def __del__(self) -> None:
        self.close()
