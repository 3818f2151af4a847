"""A target that knows its answer: greedy choices are read from a script, never computed.

It cannot leak. A row whose past agrees with the answer chooses the answer's next token, as the
model that wrote the answer would. A row behind a wrong draft token says what a copying model might
say: half the time the draft's own next token, else some token of the prompt, drawn from a seed,
the position and the draft alone. So rows behind the first rejection carry nothing of what is to
come.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from editd.decode.target import ANY_WIDTH, Rows, Sampling


class ScriptedTarget:
    """``decode.target.Target`` and, as there is but one, its own ``TargetSequence``."""

    vocab_size = 1 << 20
    max_context = 1 << 30
    prefill_chunk = 1 << 30
    rewindable = True
    supports_trees = True
    widest_tree = ANY_WIDTH
    exactness = "bitwise"
    near_tie_margin = 0.0
    cached_tokens = 0

    def __init__(self, prompt_ids: Sequence[int], answer_ids: Sequence[int], seed: int) -> None:
        self._prompt_ids = prompt_ids
        self._answer_ids = answer_ids
        self._noise = random.Random(f"{seed} {len(prompt_ids)}")
        self.length = 0

    def open(self, prompt_ids: Sequence[int]) -> ScriptedTarget:
        return self

    def prefill(self, token_ids: Sequence[int]) -> None:
        self.length += len(token_ids)

    def verify(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        parents: Sequence[int] | None = None,
        draft_probs: Sequence[Any] | None = None,
        allowed: Sequence[Sequence[int] | None] | None = None,
    ) -> Rows:
        base = self.length + 1 - len(self._prompt_ids)  # answer index that row 0 chooses
        self.length += len(token_ids)
        answer = self._answer_ids
        choices = [answer[base]]
        right: list[int | None] = [base]  # per row the answer index it chooses, None off the path
        for index in range(1, len(token_ids)):
            past = right[index - 1 if parents is None else parents[index - 1] + 1]
            if past is not None and token_ids[index] == answer[past] and past + 1 < len(answer):
                right.append(past + 1)
                choices.append(answer[past + 1])
            else:
                right.append(None)
                choices.append(self._plausible(token_ids, index))
        return Rows(choices, [1.0] * len(choices))

    def crop(self, length: int) -> None:
        self.length = length

    def keep_branch(self, base: int, rows: Sequence[int]) -> None:
        self.length = base + len(rows)

    def close(self) -> None:
        pass

    def _plausible(self, token_ids: Sequence[int], index: int) -> int:
        if index + 1 < len(token_ids) and self._noise.random() < 0.5:
            return token_ids[index + 1]
        return self._prompt_ids[self._noise.randrange(len(self._prompt_ids))]
