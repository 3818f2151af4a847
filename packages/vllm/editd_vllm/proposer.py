"""The class that ``speculative_config.model`` names: editd's drafters in vLLM's worker, one to a request.

The story of one step is ``Proposer.propose``: who answered, what became of the drafts, who shall draft,
new drafts, how much of them. Drafters are slow beside a GPU's step, so together they get a share of one;
whoever does not come to it is first the next time. Nothing here raises: without a draft a request is decoded as
vLLM does without speculation.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editd.errors import UsageError
from editd_vllm import inside
from editd_vllm.costs import StepCosts
from editd_vllm.edit import Edit
from editd_vllm.lengths import Ceiling

_log = logging.getLogger("vllm.editd")
_SHARE, _LEAST_SECONDS = 0.2, 0.003  # of a step, for all drafters together

Sampled = Sequence[Sequence[int]]


class Proposer:
    """Drafts for all requests of a worker. Made by vLLM, with its configuration.

    Raises ``inside.NotThisVllm`` or ``ModelUnsupported`` where it cannot work; the server does not
    start then. step: the one that has just been computed (``inside.bind`` sets it).
    """

    def __init__(self, vllm_config: Any) -> None:
        inside.check()
        self._limits = inside.limits(vllm_config)
        self._codec = inside.codec(vllm_config)
        self._costs = StepCosts()
        self._ceiling = Ceiling(self._costs)
        # A GPU's step takes the time that passes; on a CPU others may compute in it, which is no cost of it.
        self._now = time.thread_time if self._limits.on_cpu else time.perf_counter
        self._handed_over = 0.0  # when the last drafts were
        self._seconds = 0.0  # of the last step
        self._first = 0  # the row that drafts first
        self.step: inside.Step | None = None
        inside.bind(Proposer)

    def load_model(self, *_args: Any, **_kwargs: Any) -> None:
        """Do nothing: there are no weights. vLLM's CPU runner calls it unasked."""

    def propose(
        self,
        sampled_token_ids: Sampled,
        num_tokens_no_spec: Sequence[int],
        *_args: Any,
        **_kwargs: Any,
    ) -> list[list[int]]:
        """A draft for each row of the batch, perhaps an empty one.

        sampled_token_ids: what the step added to each row's output; nothing where it read a part of
        the prompt. num_tokens_no_spec: tokens of each row, prompt and output.
        """
        drafts: list[list[int]] = [[] for _ in sampled_token_ids]
        try:
            if self.step is not None:
                self._propose(self.step, sampled_token_ids, num_tokens_no_spec, drafts)
        except Exception as error:  # noqa: BLE001 - whatever it is: no draft is a good answer
            _log.warning("editd drafts nothing in this step: %s", _what(error))
            drafts = [[] for _ in sampled_token_ids]
        self.step = None
        self._handed_over = self._now()
        return drafts

    def _propose(
        self,
        step: inside.Step,
        sampled_token_ids: Sampled,
        num_tokens: Sequence[int],
        drafts: list[list[int]],
    ) -> None:
        began = self._now()
        rows: dict[int, tuple[inside.Row, Edit]] = {}
        goes_on = False
        for index, sampled in enumerate(sampled_token_ids):
            if sampled and (row := step.row(index)).num_tokens == num_tokens[index]:
                goes_on = goes_on or row.held is not None
                rows[index] = row, row.held or self._begin(row)
        if goes_on:  # else the server may have been idle
            self._seconds = began - self._handed_over
            self._costs.learn(step.num_tokens, self._seconds)
        end = time.thread_time() + max(_SHARE * self._seconds, _LEAST_SECONDS)
        least = self._ceiling.least(len(rows)) if rows else 0.0
        late: list[int] = []
        for index in sorted(rows, key=lambda index: (index < self._first, index)):
            row, edit = rows[index]
            room = min(self._limits.window, self._limits.context - row.num_tokens - 1, row.room)
            try:
                edit.hear(sampled_token_ids[index], row.num_verified)
                if edit.lately.first < least:
                    continue  # it would be cut to nothing
                if time.thread_time() < end:
                    drafts[index] = edit.draft(row.output_ids, room, end)
                else:
                    late.append(index)
            except Exception as error:  # noqa: BLE001 - as above
                _log.warning("editd drafts nothing for %s: %s", row.request_id, _what(error))
                edit.give_up()
        self._first = late[0] if late else 0
        lengths = self._ceiling.choose(
            [(edit.lately, len(drafts[index])) for index, (_, edit) in rows.items()]
        )
        for index, length in zip(rows, lengths, strict=True):
            del drafts[index][length:]

    def _begin(self, row: inside.Row) -> Edit:
        edit = Edit(
            row.xargs,
            row.prompt_ids,
            self._codec,
            context=self._limits.context,
        )
        row.keep(edit)
        return edit


def _what(error: Exception) -> str:
    """An error without its words, which may quote a text: what it is and where."""
    if isinstance(error, UsageError):
        return str(error)
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "?"
    return f"{type(error).__name__} at {place}"
