"""Where a copied token came from: the buffer, elsewhere in the prompt, or the output.

Only labels copies; takes no part in any decision.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from editd.decode.drafters.base import DraftTask


class TokenOrigins:
    """Names places of the text that is the prompt and then the output.

    ``DraftTask.buffer_at``: ranges of prompt tokens that spell the buffer, in order.
    """

    def __init__(self, task: DraftTask, drafter: str) -> None:
        self._prompt_length = len(task.prompt_ids)
        self._borders: list[int] = [at for pair in task.buffer_at for at in pair]
        self._output, self._prompt = f"{drafter}:output", f"{drafter}:prompt"
        self._buffer = f"{drafter}:buffer"
        self._drafter = drafter

    def source(self, place: int) -> str:
        """Where the token at ``place`` stands."""
        if place >= self._prompt_length:
            return self._output
        # An odd number of borders before it: it is inside a range.
        return self._buffer if bisect_right(self._borders, place) % 2 else self._prompt

    def sources(self, place: int, count: int) -> str | Sequence[str]:
        """Where ``count`` tokens from ``place`` on stand: one word where it is the same for all.

        What stands before the prompt (place < 0) is in no text of the user's: it is just a guess.
        """
        if place < 0:
            return self._drafter
        if place >= self._prompt_length:
            return self._output
        end = place + count
        if end <= self._prompt_length and (
            bisect_right(self._borders, place) == bisect_right(self._borders, end - 1)
        ):
            return self.source(place)
        return [self.source(at) for at in range(place, end)]
