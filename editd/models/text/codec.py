"""Text to token ids and back, byte for byte, and the ids that end an answer.

``ModelCodec`` implements ``decode.drafters.base.Codec``. It knows texts and their borders: which parts of a prompt
are data, and where a prompt can end safely. The ids of a piece of text, and facts about its tokens, come from a
tokenizer behind ``TextTokenizer``: ``FileTokenizer`` for a ``tokenizer.json``; backends may provide their own. The
file itself is left to ``tokenizer_file``.

``stop_ids`` collects the tokens that end an answer from all of a model's files. A temperature or a penalty in
``generation_config.json`` must never change what an edit writes, so that file is read for nothing else.

``WindowTokenizer`` tokenises long texts in windows, with the very ids that they have in one go. The ``tokenizers``
library holds the interpreter for as long as a call takes, half a microsecond a character; so no call gets more than a
few thousand. A text is read window by window, and the next window begins where the tokens of this one certainly end,
whatever follows:

- Most tokenizers cut a text into words with a pattern that goes from left to right and looks back at nothing. So a word
  border is one in the whole text, too, as soon as the window goes on after it with something that no run reaches through;
  and read again from there, the rest has the same words. Taken are borders between unlike characters (letter and blank,
  digit and bracket), with text after them.
- Tokenizers that know no words (SentencePiece's) merge neighbours as far as their vocabulary goes. Two bytes that stand
  side by side in no token of it are never merged.

A run with no such border (a megabyte of one letter) is read in one call if it is not too long.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from tokenizers import Tokenizer

from editd.errors import EditRefused, ModelUnsupported
from editd.files.local_cache import json_object
from editd.models.text.tokenizer_file import (
    Vocabulary,
    control_words,
    opening_ids,
    prepare_tokenizers,
    read_tokenizer,
    read_vocabulary,
    space_sign,
)
from editd.turns import yield_point

_SAMPLE = (
    "def f(a, *, b=1):\n\tif a  >= b:\n        return {'x': [a, b]}  # größer, 漢字, Привет\n\n"
    '    s = """🙂👩‍👩‍👧 e\u0301 \u00e9"""\n\n\n#endif\n   \n\t\t} // 12345.678e-9 \\\\ \x0c\u2028 end\n'
)
_FEW_PARTS = 1000  # short parts of a text that are read in a piece

Segments = Sequence[tuple[str, bool]]
"""A text in pieces, each with whether it is control (``prompts.base.Prompt.segments``)."""

_STOP_FILES = ("generation_config.json", "config.json", "tokenizer_config.json")

WINDOW = 8192
"""Characters of a usual call: four to ten milliseconds."""

_LONGEST_RUN = 8 * WINDOW  # characters in which there need be no safe place
_MARGIN = 256  # bytes behind a border that have been looked at


class ModelCodec:
    """A model's tokenizer, as ``decode`` and ``prompts`` need it. Control tokens spell nothing.

    vocab_size: ids that the model may choose from, if more than the tokenizer has. Raises ``ModelUnsupported`` for a
    tokenizer that cannot spell code exactly.
    """

    def __init__(self, tokenizer: Tokenizer | TextTokenizer, *, vocab_size: int = 0) -> None:
        text_tokenizer: TextTokenizer = (
            FileTokenizer(tokenizer) if isinstance(tokenizer, Tokenizer) else tokenizer
        )
        self._tokenizer = text_tokenizer
        self.vocabulary: Vocabulary = text_tokenizer.vocabulary
        # Ids that the model may choose from; the last ones may mean nothing.
        self.vocab_size = max(vocab_size, len(self.vocabulary))
        self._windows = WindowTokenizer(self.vocabulary, knows_words=text_tokenizer.knows_words)
        self._prove_exact()

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes that one token adds to the text; empty for a control token."""
        return self.vocabulary[token_id]

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text that the ids spell; control tokens spell nothing, and bytes that are not (yet)
        UTF-8 become U+FFFD.
        """
        return b"".join(map(self.vocabulary.__getitem__, token_ids)).decode(errors="replace")

    def encode(self, text: str, after: str = "") -> list[int]:
        """The ids of ``text`` as it is tokenised when it follows the text ``after``.

        A token that straddles the border is returned whole, as the first id, so the ids may spell
        an end of ``after``, too. Empty for an empty text. Words of control tokens in ``text`` count
        as plain text. Raises ``EditRefused`` as ``WindowTokenizer.tokenize``.
        """
        ids = self._ids(after + text, inside=True, control_words=False)
        border = len(after.encode())
        position = 0
        for index, token_id in enumerate(ids):
            position += len(self.vocabulary[token_id])
            if position > border:
                return ids[index:]
        return []

    def prompt_ids(self, prompt: str | Segments) -> list[int]:
        """The ids of a whole prompt; only in its control segments (text of a template; a plain
        string is one) do words of control tokens mean these tokens.

        Plain text gets the opening token (BOS) that the tokenizer gives plain text; a prompt that
        opens with a control token was written by a template and stays as it is. Raises
        ``EditRefused`` as ``WindowTokenizer.tokenize``.
        """
        segments = ((prompt, True),) if isinstance(prompt, str) else prompt
        if self._has_control_words_in_data(segments):
            ids = self._encode_apart(segments)
        else:
            text = "".join(piece for piece, _ in segments)
            ids = self._ids(text, inside=False, control_words=True)
        opening_ids = self._tokenizer.opening_ids
        if opening_ids and not (ids and self.vocabulary[ids[0]] == b""):
            return [*opening_ids, *ids]
        return ids

    def heal(self, prompt: str | Segments) -> tuple[list[int], bytes]:
        """The ids of a whole prompt (``prompt_ids``) without its last tokens if longer ones could
        take their place.

        Returns the ids and the bytes cut off, whole characters, which the answer's first tokens
        must spell (``ids_with_prefix``): as many as some longer token begins with, looked for back
        to the last control token; ``b""`` if nothing is cut. The first token is never cut. Raises
        ``EditRefused`` as ``prompt_ids``.

        Where a prompt ends in a newline, a model that knows a token for newline and indent together
        would never write that newline alone: without healing, the first token of the answer is an
        improbable one.
        """
        ids = self.prompt_ids(prompt)
        text = prompt if isinstance(prompt, str) else "".join(piece for piece, _ in prompt)
        ending = text.encode()[-self.vocabulary.longest :]
        required = b""
        cut = len(ids)
        tail = b""
        for index in range(len(ids) - 1, 0, -1):
            spelled = self.vocabulary[ids[index]]
            tail = spelled + tail
            if not spelled or len(tail) >= self.vocabulary.longest or not ending.endswith(tail):
                break  # a control token, too long to be extended, or a dummy space
            if self.vocabulary.extends(tail) and not _inside_character(tail):
                cut, required = index, tail
        return ids[:cut], required

    def id_of(self, word: str) -> int | None:
        """The id of a token by its name in the tokenizer (``<|im_end|>``); ``None`` if there is no such token."""
        return self._tokenizer.id_of(word)

    def word_of(self, token_id: int) -> str:
        """The name of a token, as ``id_of`` takes it; empty for an id without a token."""
        return self._tokenizer.word_of(token_id)

    def extends(self, spelled: bytes) -> bool:
        """Whether some token starts with ``spelled`` and is longer."""
        return self.vocabulary.extends(spelled)

    def ids_with_prefix(self, required: bytes) -> tuple[int, ...]:
        """The ids that spell ``required`` or a beginning of it, or begin with it; none with empty bytes."""
        return self.vocabulary.spelling(required)

    def _ids(self, text: str, *, inside: bool, control_words: bool) -> list[int]:
        """The ids of ``text``, without BOS, tokenised in windows; yields to other work
        (``yield_point``) in between.

        inside: the text follows other text, so no space is put before it. control_words: as
        ``TextTokenizer.tokenize``. Raises ``EditRefused`` as ``WindowTokenizer.tokenize``.
        """

        def reading(*, inside: bool) -> Callable[[str], Encoding]:
            return lambda piece: self._tokenizer.tokenize(piece, inside, control_words)

        first, then = reading(inside=inside), reading(inside=True)
        sign, sign_ids = self._tokenizer.space_sign
        # Where "▁" means a space, the character itself can only be spelled byte by byte.
        parts = text.split(sign) if sign else [text]
        ids: list[int] = []
        for index, part in enumerate(parts):
            ids += sign_ids if index else []
            if part or not index:
                ids += self._windows.tokenize(then if index else first, then, part)
            if index % _FEW_PARTS == _FEW_PARTS - 1:
                yield_point()
        return ids

    def _has_control_words_in_data(self, segments: Segments) -> bool:
        """Whether a segment that is data (a user's text, not a template's) contains a word of a
        control token.
        """
        return any(
            not control and self._tokenizer.control_words.search(text) for text, control in segments
        )

    def _encode_apart(self, segments: Segments) -> list[int]:
        """The ids of a prompt, without BOS, whose data segments contain control words, which count
        as plain text there.

        Only in control segments do they mean their tokens; a word without an id there adds nothing.
        Control tokens cut a text before it is tokenised; so they do in this function, and the text
        between two of them is tokenised as one run that knows no control words. Raises
        ``EditRefused`` as ``_ids``.
        """
        runs, run = [], ""
        for text, control in segments:
            start = 0
            for match in self._tokenizer.control_words.finditer(text) if control else ():
                runs.append((run + text[start : match.start()], match[0]))
                run, start = "", match.end()
            run += text[start:]
        ids: list[int] = []
        for plain, word in [*runs, (run, "")]:
            if plain:
                ids += self._ids(plain, inside=False, control_words=False)
            if word and (found := self.id_of(word)) is not None:
                ids.append(found)
        return ids

    def _prove_exact(self) -> None:
        """Raise ``ModelUnsupported`` if a sample of code, encoded alone or after another text and
        decoded, does not come back exactly.
        """
        for text, after in ((_SAMPLE, ""), (_SAMPLE, "```python\n"), ("x", "\n"), (" x", "\n")):
            spelled = self.decode(self.encode(text, after))
            straddling = spelled.removesuffix(text)
            if not spelled.endswith(text) or not after.endswith(straddling):
                raise ModelUnsupported(
                    "The tokenizer of this model cannot spell code exactly (spaces, line ends or "
                    "characters get lost): choose a model with byte-level or byte-fallback tokens."
                )


def load_codec(folder: Path, *, vocab_size: int = 0) -> ModelCodec:
    """The codec of the model in ``folder``, whose logits have ``vocab_size`` columns.

    Raises ``ModelDamaged``, ``ModelUnsupported``.
    """
    tokenizer = read_tokenizer(folder)
    return ModelCodec(tokenizer, vocab_size=vocab_size)


def _inside_character(spelled: bytes) -> bool:
    """Whether the first byte continues a UTF-8 character."""
    return spelled[0] & 0xC0 == 0x80


class TextTokenizer(Protocol):
    """A tokenizer.

    opening_ids: the ids before plain text (BOS).
    control_words: finds the words of control tokens in a text, the longest first.
    space_sign: the character that stands for a space, and the byte tokens that spell it as itself; empty if there is
        none.
    knows_words: whether ``tokenize`` reports the word of each token.
    """

    vocabulary: Vocabulary
    opening_ids: list[int]
    control_words: re.Pattern[str]
    space_sign: tuple[str, list[int]]
    knows_words: bool

    def tokenize(self, text: str, inside: bool, control_words: bool) -> Encoding:  # noqa: FBT001
        """The ids of ``text``, without any token before or after it.

        inside: the text follows other text, so no space is put before it.
        control_words: words of control tokens mean these tokens; else they are plain text.
        """
        ...

    def id_of(self, word: str) -> int | None:
        """The id of a token by its name (``<|im_end|>``); ``None`` if there is no such token."""
        ...

    def word_of(self, token_id: int) -> str:
        """The name of a token, as ``id_of`` takes it; empty for an id without a token."""
        ...


class FileTokenizer:
    """A ``TextTokenizer`` read from a ``tokenizer.json``."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._for_prompts, self._for_insides = prepare_tokenizers(tokenizer)
        self.vocabulary = read_vocabulary(tokenizer)
        self.opening_ids = opening_ids(self._for_prompts)
        self.control_words = control_words(tokenizer)
        self.space_sign = space_sign(tokenizer)
        self.knows_words = _knows_words(self._for_insides)

    def tokenize(self, text: str, inside: bool, control_words: bool) -> Encoding:  # noqa: FBT001
        """As ``TextTokenizer.tokenize``; each call sets anew how the tokenizer takes control words."""
        tokenizer = self._for_insides if inside else self._for_prompts
        # Said anew with each piece: between two of them another text may be read.
        tokenizer.encode_special_tokens = not control_words
        encoding: Encoding = tokenizer.encode(text, add_special_tokens=False)
        return encoding

    def id_of(self, word: str) -> int | None:
        """As ``TextTokenizer.id_of``."""
        found: int | None = self._for_prompts.token_to_id(word)
        return found

    def word_of(self, token_id: int) -> str:
        """As ``TextTokenizer.word_of``."""
        return self._for_prompts.id_to_token(token_id) or ""


def _knows_words(tokenizer: Tokenizer) -> bool:
    """Whether the tokenizer's pre-tokenizer cuts a sample of four words into more than one part;
    false without a pre-tokenizer.
    """
    if tokenizer.pre_tokenizer is None:
        return False
    sample = "one two(three) 4\n\nfive"
    if tokenizer.normalizer is not None:
        sample = tokenizer.normalizer.normalize_str(sample)
    return len(tokenizer.pre_tokenizer.pre_tokenize_str(sample)) > 1


def stop_ids(folder: Path, codec: ModelCodec) -> frozenset[int]:
    """The end tokens (``eos_token_id``, at the top or in ``text_config``, and ``eos_token``) of
    generation_config, config and tokenizer_config together.

    Files that are missing or unreadable, and words without a token, add nothing; empty if no file
    names any.
    """
    stops: set[int] = set()
    for file in _STOP_FILES:
        values = json_object(folder / file)
        for source in (values, values.get("text_config")):
            if isinstance(source, dict):
                stops.update(_valid_ids(source.get("eos_token_id")))
        word = values.get("eos_token")
        if isinstance(word, dict):
            word = word.get("content")
        if isinstance(word, str) and (found := codec.id_of(word)) is not None:
            stops.add(found)
    return frozenset(stops)


def _valid_ids(value: Any) -> list[int]:
    """The ids in a value of JSON, which may be an id or a list of ids; what is no integer,
    negative, or ``true`` is left out.
    """
    values = value if isinstance(value, list) else [value]
    return [i for i in values if isinstance(i, int) and not isinstance(i, bool) and i >= 0]


class Encoding(Protocol):
    """The ids of a piece of text, and the word that each is in, if the tokenizer knows words."""

    @property
    def ids(self) -> list[int]: ...

    @property
    def word_ids(self) -> Sequence[int | None]: ...


Encode = Callable[[str], Encoding]


class WindowTokenizer:
    """Tokenises long texts window by window; one for each tokenizer.

    knows_words: whether encodings report the word of each token.
    """

    def __init__(self, vocabulary: Vocabulary, *, knows_words: bool) -> None:
        self._vocabulary = vocabulary
        self._knows_words = knows_words
        self._neighbours: frozenset[bytes] | None = None

    def tokenize(self, first: Encode, then: Encode, text: str) -> list[int]:
        """The ids of ``text``, window by window, equal to those of ``first(text)`` in one call.

        first: tokenises the beginning of the text. then: the windows after the first safe border
        (before which no following text can change the tokens), which follow other text. Calls
        ``yield_point`` between two windows. Raises ``EditRefused`` for a run of more than 65,536
        characters without a border.
        """
        ids: list[int] = []
        encode, at, size = first, 0, WINDOW
        while at + size < len(text):
            window = text[at : at + size]
            encoding = encode(window)
            count, spelled = self._certain_prefix(window.encode("utf-8", "replace"), encoding)
            if count:
                ids += encoding.ids[:count]
                at += spelled
                encode, size = then, WINDOW
            elif size < _LONGEST_RUN:
                size *= 2
            else:
                raise EditRefused(
                    f"The text has more than {_LONGEST_RUN:,} characters without a place where "
                    f"it can be split: select other lines with --range."
                )
            yield_point()
        ids += encode(text[at:]).ids
        return ids

    def _certain_prefix(self, window: bytes, encoding: Encoding) -> tuple[int, int]:
        """The number of tokens of ``encoding`` that no following text can change, and of the
        characters that they spell.

        Up to the last safe border at least 256 bytes before the window's end; ``(0, 0)`` if there
        is none, or none after the last control token. window: the UTF-8 of the encoded text.
        """
        ids, word_ids = encoding.ids, encoding.word_ids
        token_bytes = self._vocabulary
        at = len(window)  # where token ``index`` begins
        for index in range(len(ids) - 1, 0, -1):
            spelled = len(token_bytes[ids[index]])
            if not spelled:
                break  # a control token: how long its word is cannot be told from its bytes
            at -= spelled
            if at > len(window) - _MARGIN:
                continue
            if at < 1:
                break
            is_border = (
                word_ids[index] != word_ids[index - 1]
                if self._knows_words
                else self._never_merged(window, at)
            )
            if is_border and _is_kind_border(window, at) and window[at : at + _MARGIN].strip():
                return index, len(window[:at].decode("utf-8"))
        return 0, 0

    def _never_merged(self, window: bytes, at: int) -> bool:
        """Whether no token has the two bytes before and after offset ``at`` side by side. Gathers
        all such pairs at the first call.
        """
        if self._neighbours is None:
            tokens = (self._vocabulary[i] for i in range(len(self._vocabulary)))
            self._neighbours = frozenset(
                token[start : start + 2] for token in tokens for start in range(len(token) - 1)
            )
        return window[at - 1 : at + 1] not in self._neighbours


def _is_kind_border(window: bytes, at: int) -> bool:
    """Whether the characters before and after byte ``at`` are of two kinds (letter, number, blank,
    sign).

    False inside a character, and beside a character of no kind (an accent, a joiner, a control
    character).
    """
    if window[at] & 0xC0 == 0x80:
        return False  # inside a character
    before = window[max(0, at - 4) : at].decode("utf-8", "ignore")[-1:]
    after = window[at : at + 4].decode("utf-8", "ignore")[:1]
    kinds = _character_kind(before), _character_kind(after)
    return "" not in kinds and kinds[0] != kinds[1]


@lru_cache(maxsize=4096)
def _character_kind(character: str) -> str:
    """Letter, number, blank or sign; empty for any other character (accents, joiners, controls),
    and for an empty string.
    """
    if character.isspace():
        return "blank"
    category = unicodedata.category(character)[0] if character else "C"
    return {"L": "letter", "N": "number", "P": "sign", "S": "sign"}.get(category, "")
