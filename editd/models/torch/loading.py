"""Loads a model onto torch: find it, check it, plan it, load it, test it.

The entry point of the package: ``load`` takes the user's configuration and returns a target that decodes, a codec,
and whatever else the engine needs. Never downloads. Every error is an ``errors.ModelError`` with one clear sentence.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter, thread_time
from typing import Any

import torch

from editd.decode.costs import CPU_SHAPE, GPU_SHAPE
from editd.errors import ModelDamaged
from editd.models import quiet_loading
from editd.models.loaded_model import LoadedModel, prefix_cache_limit
from editd.models.model import ModelSpec, Timing
from editd.models.model_folder import Checkpoint, open_checkpoint
from editd.models.text.chat_template import load_chat
from editd.models.text.codec import ModelCodec, load_codec, stop_ids
from editd.models.torch.attention import use_grouped_attention
from editd.models.torch.device import (
    choose_device,
    choose_dtype,
    free_memory,
    set_threads,
)
from editd.models.torch.exactness import enter_bitwise
from editd.models.torch.memory_plan import (
    MemoryPlan,
    choose_plan,
    held_bytes,
    stays_quantised,
    stored_method,
)
from editd.models.torch.read_weights import load_weights
from editd.models.torch.runner import ModelRunner, check_cache


@dataclass(eq=False)
class TorchModel(LoadedModel):
    """A model in memory that torch runs. context_length: tokens, with the spec's cap."""

    target: ModelRunner
    context_length: int

    @property
    def timing(self) -> Timing:
        """The clock, the first guess of costs, and the key of stored ones. The clock is the
        computing thread's on a CPU, else the wall's.

        A core that other programs have for a while makes one round look dear and none dearer. A
        device is only waited for.
        """
        device = self.device
        if device.startswith("cuda") and torch.cuda.is_available():
            device = torch.cuda.get_device_name(device)
        on_cpu = self.device == "cpu"
        key = (
            torch.__version__,
            self.tokenizer_folder,
            self.parameters,
            self.weights_bytes,
            device,
            self.dtype,
            self.target.exactness,
            torch.get_num_threads(),
        )
        return Timing(
            thread_time if on_cpu else perf_counter, CPU_SHAPE if on_cpu else GPU_SHAPE, key
        )

    def close(self) -> None:
        """Free the weights and the caches, collect garbage, and give the GPU's memory back. The
        model cannot be used any more; safe to call twice.
        """
        super().close()
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def load(
    spec: ModelSpec,
    progress: Callable[[float], None] | None = None,
    *,
    most_bytes: int | None = None,
) -> TorchModel:
    """Load a checkpoint onto torch; parameters and exceptions as in ``model.Backend.load``.

    Lowers the context to the tokens that memory has room for, and sets torch's threads. If bitwise
    mode is asked for and impossible, that is logged, and the model runs without. Ends early only by
    what ``progress`` raises.
    """
    report = progress or (lambda _fraction: None)
    report(0.0)
    # 1. Look before loading: folder, headers, architecture, memory.
    checkpoint = open_checkpoint(spec.name)
    device = choose_device(spec.device)
    dtype = choose_dtype(spec.dtype, device)
    plan = choose_plan(
        checkpoint,
        device,
        dtype,
        free_memory(device),
        most_bytes=most_bytes,
    )
    fitting_context = plan.usable_context(plan.free_bytes)
    if fitting_context < plan.context_length:
        spec = replace(spec, max_context=min(spec.max_context or fitting_context, fitting_context))
    set_threads(spec.threads, plan.weights_bytes)
    # 2. The tokenizer first: it is quick, and may be what is wrong.
    with quiet_loading(lambda fraction: report(0.1 + 0.8 * fraction)):
        codec = _load_codec(checkpoint)
        report(0.1)
        model = load_weights(checkpoint, plan)
        report(0.9)
        loaded = _assemble(spec, checkpoint, plan, codec, model)
    if most_bytes is not None:
        loaded.target.limit_kv(most_bytes - loaded.weights_bytes)
    report(1.0)
    return loaded


def _load_codec(checkpoint: Checkpoint) -> ModelCodec:
    """The tokenizer of the checkpoint.

    Raises ``ModelDamaged`` if it has more tokens than the configuration's ``vocab_size``, and as
    ``load_codec``.
    """
    config = checkpoint.config
    vocab_size = int((config.get("text_config") or config).get("vocab_size") or 0)
    codec = load_codec(checkpoint.folder, vocab_size=vocab_size)
    if vocab_size and len(codec.vocabulary) > vocab_size:
        raise ModelDamaged(
            f"The tokenizer in {checkpoint.folder} has {len(codec.vocabulary)} tokens, but the "
            f"model knows only {vocab_size}: they do not belong together, pull the model again."
        )
    return codec


def _assemble(
    spec: ModelSpec,
    checkpoint: Checkpoint,
    plan: MemoryPlan,
    codec: ModelCodec,
    model: Any,
) -> TorchModel:
    """Put the model together, with its runner and codec; runs it for a test (``check_cache``),
    whose ``ModelUnsupported`` or ``OutOfMemory`` is passed on.

    Switches ``model`` to this package's attention where possible, and to bitwise mode if ``spec``
    asks for it and a test allows it.
    """
    if plan.device.type in ("cpu", "cuda"):
        use_grouped_attention(model)
    rows_apart = not stays_quantised(checkpoint.config)
    runner = ModelRunner(
        model,
        max_context=spec.max_context,
        cache_bytes=prefix_cache_limit(free_memory(plan.device)),
        rows_apart=rows_apart,
    )
    weights_bytes = sum(held_bytes(tensor) for tensor in (*model.parameters(), *model.buffers()))
    check_cache(runner, spec.name)
    if spec.exactness == "bitwise":
        enter_bitwise(runner, spec.name)
    numbers = str(runner.dtype).removeprefix("torch.")
    return TorchModel(
        name=spec.name,
        tokenizer_folder=checkpoint.folder,
        target=runner,
        codec=codec,
        stop_ids=stop_ids(checkpoint.folder, codec),
        render_chat=load_chat(checkpoint.folder),
        device=str(runner.device),
        dtype=plan.dtype_name()
        if rows_apart
        else f"{stored_method(checkpoint.config)} ({numbers})",
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        weights_bytes=weights_bytes,
        context_length=runner.max_context,
        manifest=checkpoint.manifest,
    )
