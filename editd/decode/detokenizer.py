"""Output tokens to text as they arrive; and token healing: the first tokens spell again what was cut off the prompt.

``Detokenizer`` never gives half a character. ``Healing``: a prompt cut at ``"\\n"`` would keep the model from
choosing its usual token for ``"\\n "``. So the last prompt tokens are taken back (``models.text.codec``) and the
first output tokens are limited to those that spell the bytes taken back, then run free. Plain and speculative
decoding are limited alike, row by row, so healing never makes them differ.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from editd.decode.drafters.base import Codec, Draft
from editd.decode.drafters.draft_session import TextCodec


class Detokenizer:
    """Converts output tokens to text, one at a time.

    skip: bytes at the start that are left out: the healed tokens spell text again that stands in the prompt.
    """

    def __init__(self, codec: Codec, skip: int = 0) -> None:
        self._codec = codec
        self._skip = skip
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, token_id: int) -> str:
        """Take the next token; returns the text that it completes, without the bytes still to be
        skipped. Empty while a character still misses bytes; invalid bytes become U+FFFD.
        """
        spelled = self._codec.token_bytes(token_id)
        if self._skip:
            cut = min(self._skip, len(spelled))
            self._skip -= cut
            spelled = spelled[cut:]
        return self._utf8.decode(spelled)

    @property
    def inside_character(self) -> bool:
        """Whether a character has begun and still misses bytes."""
        return bool(self._utf8.getstate()[0])

    def finish(self) -> str:
        """The text left at the end: U+FFFD for a character that was never completed, else empty."""
        return self._utf8.decode(b"", final=True)


class Healing:
    """The limit on the first output tokens of one answer: they spell ``required`` first."""

    def __init__(self, codec: TextCodec, required: bytes) -> None:
        self._codec = codec
        self._required = required
        self._healed = not required

    def rows(self, output_ids: Sequence[int], draft: Draft) -> list[Sequence[int] | None] | None:
        """For each verified row (the first before the draft) the ids that may be chosen there,
        because their bytes agree with those still required; ``None`` for all. In a draft with
        branches each row depends on the row it follows.

        ``None`` in the place of the list once ``output_ids`` spell the required bytes; from then on
        always.
        """
        if self._healed:
            return None
        missing = self._missing(self._required, output_ids)
        if not missing:
            self._healed = True
            return None
        rest_after = {-1: missing}
        limits: list[Sequence[int] | None] = [self._codec.ids_with_prefix(missing)]
        for index, token_id in enumerate(draft.token_ids):
            parent = index - 1 if draft.parents is None else draft.parents[index]
            rest = self._missing(rest_after[parent], [token_id])
            rest_after[index] = rest
            limits.append(self._codec.ids_with_prefix(rest) if rest else None)
        return limits

    def _missing(self, required: bytes, token_ids: Sequence[int]) -> bytes:
        """The end of ``required`` that the tokens have not spelled, by the number of their bytes;
        empty if they spell as many or more.
        """
        for token_id in token_ids:
            if not required:
                break
            required = required[len(self._codec.token_bytes(token_id)) :]
        return required
