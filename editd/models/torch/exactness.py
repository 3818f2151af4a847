"""The exactness that a model's text promises, and the test before bitwise mode is switched on.

In *bitwise* mode all verification runs in passes of one width that begin at multiples of it (``sequences``), so the
position of a token fixes its row and the shape of its pass, whichever drafter proposed it. The other rows of the pass
may still matter: experts may be grouped by load. The mode is switched on only if a test of the model on its device
finds no such dependence.
"""

from __future__ import annotations

import logging

import torch

from editd.models.loaded_model import dummy_ids
from editd.models.torch.growing_cache import GrowingCache, GrowingLayer, new_cache
from editd.models.torch.running_model import RunningModel

CPU_ROWS, GPU_ROWS = 16, 64
"""Rows of a bitwise pass. A GPU takes as long for 64 as for one; both divide a prefill chunk."""

_PROMPT_ROWS = 2  # bitwise passes that are read before the one that is tested

log = logging.getLogger(__name__)


def enter_bitwise(model: RunningModel, name: str) -> None:
    """Switch ``model`` to bitwise mode, by setting its ``verify_width``, or log in one line why it
    cannot be.

    It cannot be for a pre-quantised model, and if a test (``neighbours_change_nothing``), which
    runs the model, finds a dependence. name: of the model, for the log. Raises ``OutOfMemory``.
    """
    if not model.rows_apart:
        log.warning("%s: bitwise mode is unavailable for pre-quantised models", name)
        return
    width = CPU_ROWS if model.device.type == "cpu" else GPU_ROWS
    if neighbours_change_nothing(model, min(width, model.prefill_chunk)):
        model.verify_width = min(width, model.prefill_chunk)
        return
    log.warning(
        "%s: its rows depend on one another on %s, so bitwise is not promised", name, model.device
    )


@torch.inference_mode()
def neighbours_change_nothing(model: RunningModel, width: int) -> bool:
    """Whether rows of a pass of ``width`` rows keep their bits when the rows after them change.

    Runs the model on a cache of its own: compares logits, keys and values of one pass with those of
    three passes whose later rows hold other tokens. Raises ``OutOfMemory``.
    """
    prompt = dummy_ids(_PROMPT_ROWS * width, model.vocab_size)
    token_ids = [(104729 * index + 71) % model.vocab_size for index in range(width)]
    cache = new_cache(model.config, 0)
    assert cache is not None  # noqa: S101 - ``runner.check_cache``
    cache.reserve(len(prompt) + width)
    model.forward(cache, prompt, model.positions(0, len(prompt)), rows=1)
    cache.advance(len(prompt))
    end = len(prompt) + width
    positions = model.positions(len(prompt), end)
    logits = model.forward(cache, token_ids, positions).clone()
    expected = _last_pass_copies(cache, width)
    for same in sorted({1, width // 2, width - 1}):
        others = [(31 * index + same) % model.vocab_size for index in range(width - same)]
        changed = model.forward(cache, [*token_ids[:same], *others], positions)
        if not torch.equal(changed[:same], logits[:same]):
            return False
        pairs = zip(_last_pass_copies(cache, width), expected, strict=True)
        if not all(torch.equal(new[:, :, :same], old[:, :, :same]) for new, old in pairs):
            return False
    return True


def _last_pass_copies(cache: GrowingCache, width: int) -> list[torch.Tensor]:
    """Copies of the keys and values that the last pass wrote after the valid tokens."""
    slots = slice(cache.length, cache.length + width)
    return [
        tensor[:, :, slots].clone()
        for layer in cache.layers
        if isinstance(layer, GrowingLayer)
        for tensor in (layer.keys, layer.values)
        if tensor is not None
    ]
