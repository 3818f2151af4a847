"""Long texts tokenised in pieces, with the very ids that they have in one go.

The ``tokenizers`` library holds the interpreter for as long as a call takes, half a microsecond a
character; so no call gets more than a few thousand. A text is read window by window, and the next
window begins where the tokens of this one surely end, whatever comes behind it:

- Most tokenizers cut a text into words with a pattern that goes from left to right and looks back
  at nothing. So a word border is one in the whole text, too, as soon as the window goes on behind
  it with something that no run reaches through; and read again from there, the rest has the same
  words. Taken are borders between unlike characters (letter and blank, digit and bracket), with
  text behind them.
- Tokenizers that know no words (SentencePiece's) merge neighbours as far as their vocabulary goes.
  Two bytes that stand side by side in no token of it are never merged.

A run with no such place (a megabyte of one letter) is read in one call if it is not too long.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

from editd.breathing import breathe
from editd.errors import EditRefused
from editd.models.text.tokenizer_file import Vocabulary

WINDOW = 8192
"""Characters of a usual call: four to ten milliseconds."""
_LONGEST_RUN = 8 * WINDOW  # characters in which there need be no safe place
_MARGIN = 256  # bytes behind a border that have been looked at


class Encoding(Protocol):
    """Ids of a piece of text, and of each the word that it is in, where words are known."""

    @property
    def ids(self) -> list[int]: ...

    @property
    def word_ids(self) -> Sequence[int | None]: ...


Encode = Callable[[str], Encoding]


class Cutter:
    """Finds where a window's tokens may be parted from what follows; one for each tokenizer.

    knows_words: whether it says of each token in which word it lies.
    """

    def __init__(self, vocabulary: Vocabulary, *, knows_words: bool) -> None:
        self._vocabulary = vocabulary
        self._knows_words = knows_words
        self._neighbours: frozenset[bytes] | None = None

    def read(self, first: Encode, then: Encode, text: str) -> list[int]:
        """The ids of ``text``: its beginning is read by ``first``, all else by ``then``."""
        ids: list[int] = []
        encode, at, size = first, 0, WINDOW
        while at + size < len(text):
            window = text[at : at + size]
            encoding = encode(window)
            count, spelled = self._cut(window.encode("utf-8", "replace"), encoding)
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
            breathe()
        ids += encode(text[at:]).ids
        return ids

    def _cut(self, window: bytes, encoding: Encoding) -> tuple[int, int]:
        """How many tokens are sure, and the characters that they spell; zeros if none are."""
        ids, words = encoding.ids, encoding.word_ids
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
            apart = (
                words[index] != words[index - 1] if self._knows_words else self._apart(window, at)
            )
            if apart and _is_border(window, at) and window[at : at + _MARGIN].strip():
                return index, len(window[:at].decode("utf-8"))
        return 0, 0

    def _apart(self, window: bytes, at: int) -> bool:
        """Whether no token has the bytes on both sides of ``at`` side by side."""
        if self._neighbours is None:
            tokens = (self._vocabulary[i] for i in range(len(self._vocabulary)))
            self._neighbours = frozenset(
                token[start : start + 2] for token in tokens for start in range(len(token) - 1)
            )
        return window[at - 1 : at + 1] not in self._neighbours


def _is_border(window: bytes, at: int) -> bool:
    """Whether characters of two kinds meet at byte ``at``."""
    if window[at] & 0xC0 == 0x80:
        return False  # inside a character
    before = window[max(0, at - 4) : at].decode("utf-8", "ignore")[-1:]
    after = window[at : at + 4].decode("utf-8", "ignore")[:1]
    kinds = _kind(before), _kind(after)
    return "" not in kinds and kinds[0] != kinds[1]


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    """Letter, number, blank or sign; empty for what joins others (accents, joiners)."""
    if character.isspace():
        return "blank"
    category = unicodedata.category(character)[0] if character else "C"
    return {"L": "letter", "N": "number", "P": "sign", "S": "sign"}.get(category, "")
