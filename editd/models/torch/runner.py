"""A torch model as ``decode.target.Target``: opens sequences, each with a cache for its prompt.

Limits and the forward pass are in ``running_model``. ``check_cache`` tests on a dozen tokens that a cache continues a
text as a fresh pass would: transformers runs hundreds of architectures, and each may keep its own state between
passes. A model whose cache loses a position does not fail: it writes slightly wrong text. So each model is tested
once, when it is loaded.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import torch

from editd.decode.target import TargetSequence
from editd.errors import EditdError, ModelUnsupported, first_line
from editd.models.loaded_model import check_prompt, dummy_ids
from editd.models.torch.device import memory_guard
from editd.models.torch.growing_cache import new_cache
from editd.models.torch.running_model import RunningModel
from editd.models.torch.sequences import ModelSequence

log = logging.getLogger(__name__)

_TOKENS = 12

# Share of a logit row's spread by which two ways of computing it may differ. A lost position
# costs about 1; rounding costs a hundredth of these.
_TOLERANCE = {torch.float64: 1e-3, torch.float32: 1e-2}

_TOLERANCE_HALF = 0.5


class ModelRunner(RunningModel):
    """A ``decode.target.Target``; any number of sequences at once, each with its own cache."""

    def open(self, prompt_ids: Sequence[int]) -> TargetSequence:
        """Open a sequence for this prompt, the cached part of its beginning in place; reads nothing
        itself.

        The cached part is taken out of the prefix cache, or copied (``PrefixCache.take``). The
        sequence's cache counts for the user's limit while it is in use. Raises ``ScopeTooLarge`` if
        the prompt leaves no token for an answer.
        """
        check_prompt(prompt_ids, self.max_context)
        # Space for the prompt and an answer as long; a longer one grows it by doubling.
        capacity = min(2 * len(prompt_ids) + 256, self.max_context)
        cache = self.prefixes.take(prompt_ids, capacity)
        if cache is None:
            cache = new_cache(self.model.config, capacity)
        assert cache is not None  # noqa: S101 - ``check_cache``
        self._growing = [*self._growing, cache]
        return ModelSequence(self, cache, list(prompt_ids[: cache.length]))


@torch.inference_mode()
def check_cache(runner: ModelRunner, name: str) -> None:
    """Raise ``ModelUnsupported`` if the model's cache cannot be cropped, or if the model does not
    run on its device.

    Runs the model on a dozen tokens, with crops and without a cache, and compares. name: of the
    model, for the error. Raises ``OutOfMemory`` if memory runs out.
    """
    token_ids = dummy_ids(_TOKENS, runner.vocab_size)
    try:
        with memory_guard(runner.device):
            inputs = torch.tensor([token_ids], device=runner.device)
            expected = runner.model(input_ids=inputs, use_cache=False).logits[0]
    except EditdError:
        raise
    except Exception as error:  # an architecture's own code, with a kernel or dtype it lacks
        dtype = str(runner.dtype).removeprefix("torch.")
        raise ModelUnsupported(
            f"{name} does not run on {runner.device} as {dtype} ({first_line(error)}): set another "
            "model.dtype or choose another model."
        ) from error
    try:
        found = _logits_after_crops(runner, token_ids)
    except EditdError:
        raise
    except Exception:
        log.info("the cache of %s cannot be cropped", type(runner.model), exc_info=True)
        found = None
    if not agrees(expected, found, runner.precision):
        raise ModelUnsupported(
            f"{name} keeps a state that editd cannot take back: choose a GGUF file of it, which runs on "
            "llama.cpp without drafts, or a model of another architecture (`editd models list`)."
        )


def _logits_after_crops(runner: ModelRunner, token_ids: list[int]) -> torch.Tensor:
    """The logits of the last four of ``token_ids`` (twelve), after two chunks, a wrong draft that
    is cropped, and these four as one draft.

    Raises ``NotImplementedError`` for layers whose state cannot be cropped, and whatever the
    model's code raises.
    """
    cache = new_cache(runner.model.config, _TOKENS)
    if cache is None:
        raise NotImplementedError("its layers keep a state that cannot be taken back")
    for start, end in ((0, 5), (5, 8)):
        runner.forward(cache, token_ids[start:end], runner.positions(start, end))
        cache.advance(end - start)
    runner.forward(cache, token_ids[:3], runner.positions(8, 11))
    cache.advance(3)
    cache.crop_to(8)
    return runner.forward(cache, token_ids[8:], runner.positions(8, _TOKENS))


def agrees(expected: torch.Tensor, logits: torch.Tensor | None, dtype: torch.dtype) -> bool:
    """Whether the median row of ``logits`` agrees with the same one of as many last rows of
    ``expected``, to the tolerance of ``dtype``.

    Rows differ by the largest difference of a logit, relative to the spread of the expected row. A
    few rows of a mixture of experts may be routed elsewhere by rounding. ``None`` agrees with
    nothing.
    """
    if logits is None:
        return False
    reference = expected[-len(logits) :].float()
    error = (logits.float() - reference).abs().amax(dim=-1) / (reference.std(dim=-1) + 1e-6)
    return bool(error.median() <= _TOLERANCE.get(dtype, _TOLERANCE_HALF))
