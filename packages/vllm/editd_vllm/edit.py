"""The drafter of a request: made piece by piece, told what became of its drafts, asked for the next.

Knows texts, integers and editd's drafters; no vLLM. A request that says no prediction is drafted for
from what its prompt holds.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from editd.decode.drafters import Drafter, DraftTask, make_drafter
from editd.models.text.codec import ModelCodec
from editd.turns import Turns, yield_point
from editd_vllm.fields import read_fields
from editd_vllm.in_prompt import find
from editd_vllm.lengths import Lately

WITH_TEXT = "buffer"
"""Drafts where a text is expected back."""
WITHOUT = "suffix"
"""Drafts where none is: from the prompt and the output."""
_LONGEST_TOKEN = 16  # characters; a prediction beyond what the context can hold is not read


class Edit:
    """The drafter of one request, from its first token to its last.

    xargs: the request's ``vllm_xargs``. context: most tokens of prompt and output together.
    """

    def __init__(
        self,
        xargs: Mapping[str, Any],
        prompt_ids: Sequence[int],
        codec: ModelCodec,
        *,
        context: int,
    ) -> None:
        self.lately = Lately()
        self._drafter: Drafter | None = None
        self._making: Turns[Drafter] | None = Turns(
            lambda: _making(xargs, prompt_ids, codec, context), time.thread_time
        )

    def hear(self, sampled: Sequence[int], num_verified: int) -> None:
        """A step has added ``sampled`` to the output; ``num_verified`` draft tokens stood in it."""
        self.lately.observe(num_verified, len(sampled) - 1)
        if self._drafter is not None:
            # vLLM does not pass on what the model would have said behind a rejection.
            self._drafter.observe(sampled)

    def draft(self, output_ids: Sequence[int], max_tokens: int, end: float) -> list[int]:
        """Draft at most ``max_tokens`` tokens to follow ``output_ids``; empty while the drafter is still being made.

        end: the time of this thread (``thread_time``) from which on the making waits for the next call.
        """
        if self._making is not None:
            self._making.advance(end - time.thread_time())
            if self._making.done:
                self._drafter, self._making = self._making.result, None
            if time.thread_time() >= end:
                return []
        if self._drafter is None or max_tokens <= 0:
            return []
        return list(self._drafter.propose(output_ids, max_tokens).token_ids)

    def give_up(self) -> None:
        """Draft nothing from now on, and hold nothing."""
        if self._making is not None:
            self._making.close()
        self._drafter = self._making = None


def _making(
    xargs: Mapping[str, Any],
    prompt_ids: Sequence[int],
    codec: ModelCodec,
    context: int,
) -> Drafter:
    given = read_fields(xargs)
    expected = given
    if not given.prediction and given.drafter != "none":
        expected = find(codec, prompt_ids) or given
        yield_point()
    task = DraftTask(
        prompt_ids=prompt_ids,
        prediction=expected.prediction[: context * _LONGEST_TOKEN],
        answer_opening=expected.prediction_opening,
        answer_closing=expected.prediction_closing,
        codec=codec,
        trees=False,
    )
    spec = given.drafter or (WITH_TEXT if expected.prediction else WITHOUT)
    return make_drafter(spec, task)
