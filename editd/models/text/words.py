"""The tokenizer interface that ``codec`` uses: the ids of a piece of text, and facts about its tokens.

``Words`` is the interface. ``FileWords`` implements it with the ``tokenizers`` library and a
``tokenizer.json``; backends may provide their own.
"""

from __future__ import annotations

import re
from typing import Protocol

from tokenizers import Tokenizer

from editd.models.text.cutting import Encoding
from editd.models.text.token_bytes import Vocabulary, read_vocabulary
from editd.models.text.tokenizer_file import (
    control_words,
    opening_ids,
    space_sign,
    two_readings,
)


class Words(Protocol):
    """A tokenizer.

    opening_ids: what stands before plain text (BOS). control_words: finds the words of control
    tokens in a text, the longest first. space_sign: the character that stands for a space, and the
    byte tokens that spell it as itself; empty where there is none. knows_words: whether ``read``
    says in which word each token lies.
    """

    vocabulary: Vocabulary
    opening_ids: list[int]
    control_words: re.Pattern[str]
    space_sign: tuple[str, list[int]]
    knows_words: bool

    def read(self, text: str, inside: bool, control_words: bool) -> Encoding:  # noqa: FBT001
        """The ids of ``text``, without any token before or after it.

        inside: it goes on behind other text, so no space is put before it. control_words: words of
        control tokens mean these tokens.
        """
        ...

    def id_of(self, word: str) -> int | None:
        """The id of a token by its name (``<|im_end|>``)."""
        ...

    def word_of(self, token_id: int) -> str:
        """The name of a token, as ``id_of`` takes it; empty for an id without a token."""
        ...


class FileWords:
    """``Words`` of a tokenizer that was read from its file."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._for_prompts, self._for_insides = two_readings(tokenizer)
        self.vocabulary = read_vocabulary(tokenizer)
        self.opening_ids = opening_ids(self._for_prompts)
        self.control_words = control_words(tokenizer)
        self.space_sign = space_sign(tokenizer)
        self.knows_words = _knows_words(self._for_insides)

    def read(self, text: str, inside: bool, control_words: bool) -> Encoding:  # noqa: FBT001
        """As ``Words.read``."""
        tokenizer = self._for_insides if inside else self._for_prompts
        # Said anew with each piece: between two of them another text may be read.
        tokenizer.encode_special_tokens = not control_words
        encoding: Encoding = tokenizer.encode(text, add_special_tokens=False)
        return encoding

    def id_of(self, word: str) -> int | None:
        """As ``Words.id_of``."""
        found: int | None = self._for_prompts.token_to_id(word)
        return found

    def word_of(self, token_id: int) -> str:
        """As ``Words.word_of``."""
        return self._for_prompts.id_to_token(token_id) or ""


def _knows_words(tokenizer: Tokenizer) -> bool:
    """Whether the tokenizer cuts a text into words before it merges anything."""
    if tokenizer.pre_tokenizer is None:
        return False
    sample = "one two(three) 4\n\nfive"
    if tokenizer.normalizer is not None:
        sample = tokenizer.normalizer.normalize_str(sample)
    return len(tokenizer.pre_tokenizer.pre_tokenize_str(sample)) > 1
