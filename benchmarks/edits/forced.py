"""A model whose choices are forced to a known answer, so that speed can be measured without training.

Every forward pass is real, at the width at which it would be: only the logits get one number more.
The model's head is wrapped; what it adds is in a table by cache slot, which is filled before a
pass for the rows whose past agrees with the answer. A row behind a wrong draft token keeps what the
model itself says, so no later text of the answer reaches a drafter (``observe`` gets each row's
likeliest token). A choice that is not the wanted one raises ``ForcingFailed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import torch

from editd.decode.target import Rows, Sampling

if TYPE_CHECKING:
    from editd.models.torch.runner import ModelRunner

_ABOVE_ALL = 1e4  # no logit comes near it, and half precision can hold it
_NOTHING = -1

AnswerOf = Callable[[Sequence[int]], Sequence[int]]
"""The known answer to a prompt: token ids in, token ids out."""


class ForcingFailed(AssertionError):
    """The model chose something else than it was forced to: the figures mean nothing."""


class Forcing:
    """The table of wanted tokens, and the places of a model where it is read.

    ``table[slot]`` is what a row at this slot of the cache wants next, ``_NOTHING`` for its own
    choice. On the device, like the logits.
    """

    def __init__(self, model: Any, slots: int) -> None:
        self.table = torch.full((slots,), _NOTHING, dtype=torch.int64, device=model.device)
        self.slots: torch.Tensor | None = None  # of the rows of the pass that runs
        self._model = model
        self._head = model.get_output_embeddings()
        model.set_output_embeddings(_ForcedHead(self._head, self))
        self._hook = model.base_model.register_forward_pre_hook(self._note_slots, with_kwargs=True)

    def remove(self) -> None:
        """Leave the model as it was."""
        self._hook.remove()
        self._model.set_output_embeddings(self._head)

    def want(self, start: int, token_ids: Sequence[int]) -> None:
        """Force the choices of the slots from ``start`` on to ``token_ids``."""
        if token_ids:
            right_ids = torch.tensor(token_ids, dtype=torch.int64)
            self.table[start : start + len(token_ids)] = right_ids.to(self.table.device)

    def clear(self) -> None:
        """Force nothing any more."""
        self.table.fill_(_NOTHING)

    @contextmanager
    def by_position(self, prompt_length: int, answer_ids: Sequence[int]) -> Iterator[None]:
        """Force the whole answer at once, a token for each position: for a decoder with a loop of its own."""
        self.want(prompt_length - 1, answer_ids)
        try:
            yield
        finally:
            self.clear()

    def add(self, logits: torch.Tensor) -> torch.Tensor:
        """``logits`` (``[…, rows, vocab_size]``) with the wanted tokens above all others."""
        if self.slots is None:
            return logits
        right_ids = self.table[self.slots[self.slots.shape[0] - logits.shape[-2] :]]
        amounts = (right_ids >= 0).to(logits.dtype)[:, None] * _ABOVE_ALL
        index = right_ids.clamp(min=0)[:, None].expand(*logits.shape[:-1], 1)
        return logits.scatter_add(-1, index, amounts.expand(*logits.shape[:-1], 1))

    def _note_slots(self, _module: Any, args: Any, kwargs: Any) -> None:
        ids = kwargs.get("input_ids", args[0] if args else None)
        cache = kwargs.get("past_key_values")
        if ids is None or cache is None:
            self.slots = None
            return
        start = cache.get_seq_length()
        self.slots = torch.arange(start, start + ids.shape[1], device=ids.device)


class _ForcedHead(torch.nn.Module):
    def __init__(self, head: Any, forcing: Forcing) -> None:
        super().__init__()
        self.head = head
        self._forcing = forcing

    @property
    def weight(self) -> Any:
        return self.head.weight

    @property
    def bias(self) -> Any:
        return self.head.bias

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self._forcing.add(self.head(hidden))


@dataclass(frozen=True, slots=True)
class Pass:
    """A verification: how many rows, when it began and when its choices were there."""

    rows: int
    began: float
    ended: float


class ForcedTarget:
    """``runner`` with choices forced to ``answer_of`` each prompt; also counts and times passes."""

    def __init__(self, runner: ModelRunner, forcing: Forcing | None, answer_of: AnswerOf) -> None:
        self.runner = runner
        self.forcing = forcing  # ``None``: the model chooses; passes are counted all the same
        self.answer_of = answer_of
        self.passes_done: list[Pass] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.runner, name)

    def open(self, prompt_ids: Sequence[int]) -> ForcedSequence:
        """A sequence whose answer is known."""
        return ForcedSequence(self, list(prompt_ids))


class ForcedSequence:
    """A prompt of a ``ForcedTarget``; all but ``verify`` and ``close`` is the runner's own."""

    def __init__(self, target: ForcedTarget, prompt_ids: list[int]) -> None:
        self._target = target
        self._prompt_length = len(prompt_ids)
        self._answer = list(target.answer_of(prompt_ids))
        self._inner: Any = target.runner.open(prompt_ids)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def verify(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        parents: Sequence[int] | None = None,
        **rest: Any,
    ) -> Rows:
        """As ``decode.target``, with the choices of rows on the answer's path forced."""
        start = self._inner.length
        forcing = self._target.forcing
        right_ids: list[int] = []
        began = perf_counter()
        if forcing is not None:
            right_ids = wanted_by(self._answer, start + 1 - self._prompt_length, token_ids, parents)
            forcing.want(start, right_ids)
        rows: Rows = self._inner.verify(token_ids, sampling, parents=parents, **rest)
        self._target.passes_done.append(Pass(len(token_ids), began, perf_counter()))
        for row, token_id in enumerate(right_ids):
            if token_id != _NOTHING and rows.choice_ids[row] != token_id:
                raise ForcingFailed(
                    f"row {row} of a pass chose {rows.choice_ids[row]} instead of {token_id}"
                )
        return rows

    def close(self) -> None:
        """As ``decode.target``; what was wanted here must not force another's choices."""
        self._inner.close()
        if self._target.forcing is not None:
            self._target.forcing.clear()


def wanted_by(
    answer: Sequence[int], base: int, token_ids: Sequence[int], parents: Sequence[int] | None
) -> list[int]:
    """The right next token of each row: the answer's if all tokens before it agree, else ``_NOTHING``.

    base: index in ``answer`` of what row 0 chooses.
    """
    places: list[int | None] = [base if base < len(answer) else None]
    for index in range(1, len(token_ids)):
        past = places[index - 1 if parents is None else parents[index - 1] + 1]
        agrees = past is not None and token_ids[index] == answer[past] and past + 1 < len(answer)
        places.append(past + 1 if agrees and past is not None else None)
    return [_NOTHING if place is None else answer[place] for place in places]
