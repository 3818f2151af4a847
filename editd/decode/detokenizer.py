"""Token ids to text as they arrive, never half a character."""

from __future__ import annotations

import codecs

from editd.decode.drafters.base import Codec


class Detokenizer:
    """Feeds on output tokens, one at a time; gives the text that is complete so far.

    ``skip`` bytes at the start are not given: they spell what the prompt already said and the
    healed tokens said again.
    """

    def __init__(self, codec: Codec, skip: int = 0) -> None:
        self._codec = codec
        self._skip = skip
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, token_id: int) -> str:
        """Text that this token completes; empty while a character is still missing bytes."""
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
        """What is left: U+FFFD for a character that was never completed, else nothing."""
        return self._utf8.decode(b"", final=True)
