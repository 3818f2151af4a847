"""What a model promises about its text, and the test for bitwise mode.

*Bitwise* mode verifies everything in one width. A token's logits may still depend on its row in the
pass and on the other rows: kernels may sum the last rows differently, experts may be grouped by load.
So the mode is enabled only if a test of the model on its device finds no such dependence.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from editd.files.local_cache import keep, recall
from editd.models.loaded_model import dummy_ids
from editd.models.torch.gpu.choose_recorder import seconds
from editd.models.torch.gpu.pass_program import Shape

if TYPE_CHECKING:
    from editd.models.torch.gpu.recorded_passes import Recorder
    from editd.models.torch.gpu.static_cache import StaticCache
    from editd.models.torch.gpu.static_passes import StaticPasses

log = logging.getLogger(__name__)

# Log-probability gap within which another batch shape may turn a choice, by dtype: a few units
# in the last place of a logit around 30, after the sums of a deep model.
NEAR_TIE = {
    torch.float64: 1e-9,
    torch.float32: 1e-3,
    torch.float16: 0.1,
    torch.bfloat16: 0.5,
}

VERIFY_WIDTHS = (16, 32, 64, 128)
# The chance that a draft token is accepted when it is reached: some fifty are, between two changes
# of an edit. A full pass of w rows then brings (1 - a^w) / (1 - a) tokens.
_ACCEPTANCE = 0.98


def plain_exactness(device: torch.device, dtype: torch.dtype) -> str:
    """The promise without bitwise passes: ``token`` or ``near-tie``."""
    exact = device.type == "cpu" and dtype in (torch.float32, torch.float64)
    return "token" if exact else "near-tie"


def verify_width(passes: StaticPasses, key: str, recorder: Recorder | None = None) -> int:
    """The width of all verification: the one that was chosen before, else the cheapest a token."""
    known = recall(key, "verify_width")
    if known in VERIFY_WIDTHS:
        return int(known)
    try:
        taken = {width: seconds(passes, width, recorder) for width in VERIFY_WIDTHS}
    except Exception:  # whatever recording may end with; passes that are not recorded still run
        log.info("recorded passes cannot be measured", exc_info=True)
        taken = {width: seconds(passes, width) for width in VERIFY_WIDTHS}
    chosen = max(VERIFY_WIDTHS, key=lambda width: (1.0 - _ACCEPTANCE**width) / taken[width])
    told = ", ".join(f"{width}: {1000 * pace:.1f} ms" for width, pace in taken.items())
    log.info("bitwise passes have %d rows (%s)", chosen, told)
    keep(key, "verify_width", chosen)
    return chosen


def prove(passes: StaticPasses, vocab_size: int) -> bool:
    """Whether a row's result is bitwise the same at any position in a batch and with any other rows.

    One pass over ``verify_width`` tokens; then the same tokens moved up by a few rows, over what
    the first pass left, with others behind them. Logits, keys and values must be equal, and equal
    again when the first pass is repeated over a cache that has seen other things.
    """
    width = passes.verify_width
    prompt = dummy_ids(40, vocab_size)
    text = [(104729 * index + 71) % vocab_size for index in range(width)]
    cache = passes.pool.open(passes.capacity(len(prompt) + 2 * width))
    try:
        passes.run(cache, prompt, passes.reading(0, len(prompt)))
        cache.advance(len(prompt))
        base = cache.length
        shape = Shape(width, passes.pool.bucket(base + 2 * width))
        logits, left = _pass(passes, cache, text, shape)
        shifts = sorted({1, 3, width // 2 - 1, width // 2, width - 1} & set(range(1, width)))
        for shift in shifts:
            # What stands above row ``shift`` is in the cache, as the first pass left it.
            _restore(cache, base, left)
            cache.length = base + shift
            junk = [(31 * index + shift) % vocab_size for index in range(shift)]
            moved, wrote = _pass(passes, cache, [*text[shift:], *junk], shape)
            cache.length = base
            if not torch.equal(moved[: width - shift], logits[shift:]):
                return False
            if not all(
                torch.equal(new[:, :, : width - shift], old[:, :, shift:])
                for new, old in zip(wrote, left, strict=True)
            ):
                return False
        again, _ = _pass(passes, cache, text, shape)
        return torch.equal(again, logits)
    finally:
        cache.length = 0
        passes.pool.closed(cache)


def _pass(
    passes: StaticPasses, cache: StaticCache, token_ids: Sequence[int], shape: Shape
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Logits of one pass, and the keys and values that it wrote."""
    logits = passes.run(cache, token_ids, shape).logits.clone()
    slots = slice(cache.length, cache.length + shape.width)
    return logits, [tensor[:, :, slots].clone() for tensor in cache.storage.tensors]


@torch.inference_mode()
def _restore(cache: StaticCache, base: int, left: list[torch.Tensor]) -> None:
    for tensor, was in zip(cache.storage.tensors, left, strict=True):
        tensor[:, :, base : base + was.shape[2]] = was
