"""A torch model as ``decode.target.Target``: which kind of sequence, and which cache, a prompt is given.

Its limits and its forward pass are ``running_model``'s. ``check_cache`` tests on a dozen tokens that a cache continues
a text as a fresh pass would: transformers runs hundreds of architectures, and each may keep its own state between
passes. A model whose cache loses a position does not fail: it writes slightly wrong text. So each model is tested once,
when it is loaded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import torch
from transformers.cache_utils import DynamicCache

from editd.decode.target import TargetSequence
from editd.errors import EditdError, ModelUnsupported, first_line
from editd.models.loaded_model import check_prompt, dummy_ids
from editd.models.torch.device import memory_guard
from editd.models.torch.gpu.static_cache import StaticCache
from editd.models.torch.gpu.static_sequence import StaticSequence
from editd.models.torch.growing_cache import new_cache
from editd.models.torch.running_model import RunningModel
from editd.models.torch.sequences import ModelSequence, StatefulSequence

log = logging.getLogger(__name__)


class ModelRunner(RunningModel):
    """A ``decode.target.Target``; any number of sequences at once, each with its own cache."""

    def open(self, prompt_ids: Sequence[int]) -> TargetSequence:
        """A sequence for this prompt, its cached beginning already in place."""
        check_prompt(prompt_ids, self._max_context)
        if not self._rewindable:
            return StatefulSequence(self)
        # Room for the prompt and an answer as long; what is longer grows by doubling.
        capacity = min(2 * len(prompt_ids) + 256, self._max_context)
        if self.passes is not None:
            capacity = self.passes.capacity(capacity)
        cache = self.prefixes.take(prompt_ids, capacity)
        if self.passes is not None:
            static = cache if cache is not None else self.passes.pool.open(capacity)
            assert isinstance(static, StaticCache)  # noqa: S101 - only those are stored
            return StaticSequence(self, self.passes, static, list(prompt_ids[: static.length]))
        growing = cache if cache is not None else new_cache(self.model.config, capacity)
        assert growing is not None  # noqa: S101 - what makes a model rewindable
        self._growing = [*self._growing, growing]
        return ModelSequence(self, growing, list(prompt_ids[: growing.length]))


_TOKENS = 12
# Share of a logit row's spread by which two ways of computing it may differ. A lost position
# costs about 1; rounding costs a hundredth of these.
_TOLERANCE = {torch.float64: 1e-3, torch.float32: 1e-2}
_TOLERANCE_HALF = 0.5


@torch.inference_mode()
def check_cache(runner: ModelRunner, name: str) -> None:
    """Let ``runner`` crop, or decode plainly, or raise ``ModelUnsupported``."""
    token_ids = dummy_ids(_TOKENS, runner.vocab_size)
    try:
        with memory_guard(runner.where):
            inputs = torch.tensor([token_ids], device=runner.device)
            expected = runner.model(input_ids=inputs, use_cache=False).logits[0]
    except EditdError:
        raise
    except Exception as error:  # an architecture's own code, with a kernel or dtype it lacks
        dtype = str(runner.dtype).removeprefix("torch.")
        raise ModelUnsupported(
            f"{name} does not run on {runner.where} as {dtype} ({first_line(error)}): set another "
            "model.dtype or choose another model."
        ) from error
    if runner.rewindable and agrees(
        expected, _attempt(_cropped, runner, token_ids), runner.precision
    ):
        return
    # Mamba, for one, forgets its state when a second piece has more than one token.
    for in_chunks in (True, False):
        runner.decode_plainly(in_chunks=in_chunks)
        if agrees(expected, _attempt(_continued, runner, token_ids), runner.precision):
            return
    raise ModelUnsupported(
        f"{name} keeps a state that editd cannot resume: choose a model of "
        "another architecture (`editd models list`)."
    )


def _attempt(
    way: Callable[[ModelRunner, list[int]], torch.Tensor],
    runner: ModelRunner,
    token_ids: list[int],
) -> torch.Tensor | None:
    """Logits of the last tokens, ``None`` if the model cannot be run that way."""
    try:
        return way(runner, token_ids)
    except EditdError:
        raise
    except Exception:
        log.info("%s cannot be run the way of %s", type(runner.model), way, exc_info=True)
        return None


def _cropped(runner: ModelRunner, token_ids: list[int]) -> torch.Tensor:
    """Two chunks, a wrong draft taken back, the rest as one draft."""
    cache = new_cache(runner.model.config, _TOKENS)
    assert cache is not None  # noqa: S101 - what makes a model rewindable
    for start, end in ((0, 5), (5, 8)):
        runner.forward(cache, token_ids[start:end], runner.positions(start, end))
        cache.advance(end - start)
    runner.forward(cache, token_ids[:3], runner.positions(8, 11))
    cache.advance(3)
    cache.crop_to(8)
    return runner.forward(cache, token_ids[8:], runner.positions(8, _TOKENS))


def _continued(runner: ModelRunner, token_ids: list[int]) -> torch.Tensor:
    """The prompt, then one token a pass, while another sequence does the same with other ids."""
    prompt = ((0, 5), (5, 8)) if runner.continues_chunks else ((0, 8),)
    caches = [DynamicCache(config=runner.model.config) for _ in range(2)]
    rows = []
    for start, end in (*prompt, *((i, i + 1) for i in range(8, _TOKENS))):
        positions = runner.positions(start, end)
        rows.append(runner.forward(caches[0], token_ids[start:end], positions))
        runner.forward(caches[1], token_ids[::-1][start:end], positions)
    return torch.cat(rows)[8:]


def agrees(expected: torch.Tensor, logits: torch.Tensor | None, dtype: torch.dtype) -> bool:
    """Most rows agree; a few of a mixture of experts may be routed elsewhere by rounding."""
    if logits is None:
        return False
    wanted = expected[-len(logits) :].float()
    error = (logits.float() - wanted).abs().amax(dim=-1) / (wanted.std(dim=-1) + 1e-6)
    return bool(error.median() <= _TOLERANCE.get(dtype, _TOLERANCE_HALF))
