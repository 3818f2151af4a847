"""Whether a network writes the right answer to the last token.

Under teacher forcing the most likely token is right at every position of the answer if and only if
greedy decoding writes exactly that answer: one forward pass decides what decoding would show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from training.examples import Example, collate

_TOKENS = 32_768  # of a batch


def exact_matches(
    logits: Callable[[Tensor, Tensor], Tensor], examples: Sequence[Example], device: str
) -> list[bool]:
    """One answer an example, in their order.

    logits: ``ids [rows, length]`` and flat positions in, ``[len(positions), vocabulary]`` out.
    """
    right = [False] * len(examples)
    order = sorted(range(len(examples)), key=lambda index: len(examples[index].ids))
    while order:
        rows = max(1, _TOKENS // len(examples[order[0]].ids) // 2)
        group, order = order[:rows], order[rows:]
        chosen = [examples[index] for index in group]
        batch = collate([(item.ids, item.start, item.changed) for item in chosen])
        with torch.inference_mode():
            said = logits(
                torch.from_numpy(batch.ids).to(device), torch.from_numpy(batch.where).to(device)
            ).argmax(-1)
        hits = said.cpu().numpy() == batch.targets
        ends = np.cumsum([len(item.ids) - item.start for item in chosen])
        for index, hit in zip(group, np.split(hits, ends[:-1]), strict=True):
            right[index] = bool(hit.all())
    return right
