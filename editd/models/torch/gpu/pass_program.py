"""One pass over a static cache as a program without arguments, which can be run or recorded.

A ``Program`` reads the token ids, the length and the tree from ``Inputs``, whose buffers never move,
writes into a storage and leaves logits and greedy choices. Its shape is fixed: the number of rows, the
number of tokens of the storage, a chain or a tree, with or without choices. Lengths and positions must
not be Python numbers in it, because a recorded pass would repeat them forever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import torch

from editd.decode.target import depths
from editd.models.torch.device import queue_copy
from editd.models.torch.gpu import NO_MASK, StaticPass, tree_words
from editd.models.torch.gpu.storage import Storage
from editd.models.torch.masks import static_masks, windows_of
from editd.models.torch.sampling import greedy_choices

MOST_ROWS = 2048  # of one pass; longer drafts are verified piece by piece

Way = Literal["kernel", "masks"]
"""How attention learns what a row sees: from the length (``gpu.attend``), or from a mask."""


@dataclass(frozen=True, slots=True)
class Shape:
    """width: rows, padding included. bucket: tokens of the storage. chooses: logits are wanted."""

    width: int
    bucket: int
    tree: bool = False
    chooses: bool = True


@dataclass(slots=True)
class Output:
    """logits: ``[width, vocab_size]``; greedy: ``sampling.greedy_choices`` of them."""

    logits: torch.Tensor
    greedy: torch.Tensor


class Inputs:
    """Where programs read. Filled before a pass by one queued copy; two for a tree."""

    def __init__(self, device: torch.device, longest: int) -> None:
        """``longest``: tokens of the largest bucket."""
        self.device = device
        self._words = torch.zeros(1 + MOST_ROWS, dtype=torch.int64, device=device)
        self._trees: dict[int, torch.Tensor] = {}
        self.start, self.token_ids = self._words[:1], self._words[1:]
        self.depths = torch.zeros_like(self.token_ids)
        self.offsets = torch.arange(MOST_ROWS, device=device)
        self.columns = torch.arange(longest, device=device)

    def fill(
        self, start: int, token_ids: Sequence[int], width: int, parents: Sequence[int] | None
    ) -> None:
        """For a pass behind ``start`` tokens. Rows behind the last are copies of it."""
        padding = [token_ids[-1]] * (width - len(token_ids))
        queue_copy(self._words, [start, *token_ids, *padding])
        if parents is not None:
            deep = depths(parents)
            queue_copy(self.depths, [*deep, *[1] * (width - len(deep))])
            queue_copy(self.tree(width), tree_words(parents, width))

    def tree(self, width: int) -> torch.Tensor:
        """The words of a tree of ``width`` rows, as in ``gpu.attend``."""
        if width not in self._trees:
            self._trees[width] = tree_words([], width).to(self.device)
        return self._trees[width]


class Program:
    """The pass of one shape over one storage. Call it after ``Inputs.fill`` of that shape."""

    def __init__(
        self, runner: Any, storage: Storage, shape: Shape, inputs: Inputs, way: Way
    ) -> None:
        self.shape = shape
        self._model = model = runner.model
        self._storage = storage
        self._view = storage.view(shape.bucket)
        self._inputs = inputs
        self._way = way
        self._windows = windows_of(runner.config)
        self._last_position = runner.max_context - 1
        self._dtype = runner.dtype
        self._keeps_rows = "logits_to_keep" in runner.arguments
        # Reading a prompt asks for no choice: the head of a large vocabulary is left out, or given
        # one row where it is not the plain product that takes none.
        self._fewest_rows: torch.Tensor | int = 1
        if _is_plain(model.get_output_embeddings()):
            self._fewest_rows = torch.empty(0, dtype=torch.int64, device=inputs.device)
        self._columns = inputs.columns[: shape.bucket]
        self._offsets = inputs.offsets[: shape.width]
        self._token_ids = inputs.token_ids[: shape.width][None]
        self._depths = inputs.depths[: shape.width]
        self._tree = inputs.tree(shape.width) if shape.tree else None

    @torch.inference_mode()
    def __call__(self) -> Output:
        return self.body()

    def body(self) -> Output:
        """The pass itself, for ``torch.compile``, which cannot enter inference mode."""
        start = self._inputs.start
        slots = self._offsets + start
        positions = slots if self._tree is None else self._depths + start
        self._view.slots = slots
        arguments: dict[str, Any] = {
            "input_ids": self._token_ids,
            # Rows that are padding may reach beyond what the model has positions for.
            "position_ids": positions.clamp(max=self._last_position)[None],
            "past_key_values": self._view,
            "use_cache": True,
            "attention_mask": self._masks(),
        }
        if self._way == "kernel":
            arguments["static_pass"] = StaticPass(start.to(torch.int32), self._tree)
        if self._keeps_rows:
            arguments["logits_to_keep"] = 0 if self.shape.chooses else self._fewest_rows
        logits: torch.Tensor = self._model(**arguments).logits[0]
        if not self.shape.chooses:
            return Output(logits[:0], logits.new_zeros(3, 0))
        return Output(logits, greedy_choices(logits))

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Time to run it for practice: what is in the slots of ``practise`` is put back."""
        with torch.inference_mode():
            kept = self.traces()
        try:
            yield
        finally:
            with torch.inference_mode():
                for slots, was in zip(self._practised(), kept, strict=True):
                    slots.copy_(was)

    @torch.inference_mode()
    def practise(self, take: int) -> None:
        """Inputs that mean nothing, other ones for ``take`` 0 and 1, and zeros in their slots."""
        width, bucket = self.shape.width, self.shape.bucket
        for slots in self._practised():
            slots.zero_()
        token_ids = [1 + (index * (take + 1)) % 50 for index in range(width)]
        root_alone: list[int] | None = [] if self.shape.tree else None
        self._inputs.fill(max(0, bucket - width - take), token_ids, width, root_alone)

    @torch.inference_mode()
    def traces(self) -> list[torch.Tensor]:
        """What is in the slots of ``practise``, copied."""
        return [slots.clone() for slots in self._practised()]

    def _practised(self) -> list[torch.Tensor]:
        width, bucket = self.shape.width, self.shape.bucket
        first = max(0, bucket - width - 1)
        return [tensor[:, :, first:bucket] for tensor in self._storage.tensors]

    def _masks(self) -> Any:
        if self._way == "kernel":
            if isinstance(self._windows, dict):
                return dict.fromkeys(self._windows, NO_MASK)
            return NO_MASK
        return static_masks(
            self._windows,
            self._columns,
            self._inputs.start,
            self.shape.width,
            self._tree,
            self._dtype,
        )


def _is_plain(head: Any) -> bool:
    """Whether the head is an ordinary matrix, not a quantised one."""
    weight = getattr(head, "weight", None)
    return (
        type(head) is torch.nn.Linear
        and isinstance(weight, torch.Tensor)
        and type(weight.data) is torch.Tensor
        and weight.dtype.is_floating_point
        and weight.dtype.itemsize > 1
    )
