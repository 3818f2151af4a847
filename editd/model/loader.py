"""A model from disk to memory: find it, check it, plan it, load it, prove it.

The front door of the package: ``load_model`` takes what a user configured and gives back a target
that decodes, a codec, and what else the engine needs. Never downloads. Everything that can be
wrong is an ``errors.ModelError`` with one clear sentence.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editd.errors import EditdError, ModelDamaged, ModelUnsupported, OutOfMemory
from editd.model.quiet import first_line, go_offline, quiet_loading

if TYPE_CHECKING:
    from editd.model.chat import RenderChat
    from editd.model.checkpoint import Checkpoint
    from editd.model.codec import ModelCodec
    from editd.model.plan import Plan
    from editd.model.runner import ModelRunner

_CACHE_SHARE = 4  # prefixes may take a quarter of what is free after loading …
_CACHE_LIMIT = 4 << 30  # … and never more than this


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Which model, where, and how it may be loaded; the words of ``config.ModelConfig``."""

    name: str
    device: str = "auto"
    dtype: str = "auto"
    max_context: int = 0  # tokens, 0 for the model's own limit
    allow_remote_code: bool = False
    threads: int = 0  # CPU threads, 0: chosen
    capture: str = "auto"
    exactness: str = "auto"  # of ``config.DecodeConfig``
    quantize: str = "none"  # ``auto``: as they are if they fit, else smaller


@dataclass(slots=True)
class LoadedModel:
    """A model in memory, ready to decode.

    stop_ids: tokens that end an answer. edit_format, manifest: from ``editd.json``.
    """

    name: str
    folder: Path
    target: ModelRunner
    codec: ModelCodec
    stop_ids: frozenset[int]
    render_chat: RenderChat | None
    device: str
    dtype: str
    parameters: int
    weights_bytes: int
    context_length: int  # tokens, with the spec's cap
    edit_format: str | None = None
    manifest: dict[str, Any] = field(default_factory=dict)

    @property
    def num_parameters(self) -> int:
        """Weights, shared ones once."""
        return self.parameters

    @property
    def memory_bytes(self) -> int:
        """Weights and caches; asked by other threads too, also while the model is closed."""
        target = self.target
        return self.weights_bytes + (target.cache_bytes if target is not None else 0)

    def close(self) -> None:
        """Free the weights and the caches; the model cannot be used any more. Safe to call twice."""
        import torch

        self.target.close()
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def load_model(
    spec: ModelSpec,
    progress: Callable[[float], None] | None = None,
    *,
    most_bytes: int | None = None,
) -> LoadedModel:
    """Load what ``spec`` names; ``progress`` hears fractions from 0 to 1.

    most_bytes: what it and its caches may take, where a user set a limit.
    Raises ``ModelNotFound``, ``ModelDamaged``, ``ModelUnsupported``, ``OutOfMemory``, or
    ``ConfigError`` for a device or dtype that is not here.
    """
    go_offline()
    from editd.model.checkpoint import open_checkpoint
    from editd.model.device import choose_device, choose_dtype, free_memory, set_threads
    from editd.model.plan import choose_plan
    from editd.model.quantize import quiet

    quiet()
    tell = progress or _silent
    tell(0.0)
    # 1. Look before loading: folder, headers, architecture, memory.
    checkpoint = open_checkpoint(spec.name)
    if checkpoint.remote_code and not spec.allow_remote_code:
        raise ModelUnsupported(
            f"{spec.name} runs only with the Python code in its own folder: read that code, and "
            "if you trust it pass --allow-remote-code."
        )
    device = choose_device(spec.device)
    available = free_memory(device)
    if most_bytes is not None:
        available = min(available, most_bytes)
    dtype = choose_dtype(spec.dtype, device)
    graphs = device.type == "cuda" and spec.capture != "off"
    plan = choose_plan(checkpoint, device, dtype, spec.quantize, available, graphs=graphs)
    room = plan.usable_context(available)
    if room < plan.context_length:
        spec = replace(spec, max_context=min(spec.max_context or room, room))
    set_threads(spec.threads, plan.weights_bytes)
    # 2. The tokenizer first: it is quick, and may be what is wrong.
    with quiet_loading(lambda fraction: tell(0.1 + 0.8 * fraction)):
        codec = _load_codec(checkpoint)
        tell(0.1)
        model = _load_weights(checkpoint, plan)
        tell(0.9)
        loaded = _assemble(spec, checkpoint, plan, codec, model, most_bytes)
    if most_bytes is not None:
        loaded.target.limit_kv(most_bytes - loaded.weights_bytes)
    tell(1.0)
    return loaded


def _load_codec(checkpoint: Checkpoint) -> ModelCodec:
    from editd.model.codec import load_codec

    config = checkpoint.config
    vocab_size = int((config.get("text_config") or config).get("vocab_size") or 0)
    codec = load_codec(
        checkpoint.folder, vocab_size=vocab_size, allow_remote_code=checkpoint.remote_code
    )
    if vocab_size and len(codec.vocabulary) > vocab_size:
        raise ModelDamaged(
            f"The tokenizer in {checkpoint.folder} has {len(codec.vocabulary)} tokens, but the "
            f"model knows only {vocab_size}: they do not belong together, pull the model again."
        )
    return codec


def _load_weights(checkpoint: Checkpoint, plan: Plan) -> Any:
    """The model on its device; every error of transformers turned into one of ours."""
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    from editd.model.allocator import returning_memory
    from editd.model.loading_report import collected

    name = checkpoint.name
    returning = returning_memory() if plan.quantize != "none" else nullcontext()
    report = None
    try:
        with returning, collected("transformers.modeling_utils") as report:
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                str(checkpoint.folder),
                dtype=plan.dtype,
                local_files_only=True,
                trust_remote_code=checkpoint.remote_code,
                output_loading_info=True,
                **_source(checkpoint),
                **_placement(checkpoint, plan),
            )
        model, loading = loaded
        if plan.quantize == "none":
            model = model.to(plan.device)
    except EditdError:
        raise
    except SafetensorError as error:
        raise ModelDamaged(
            f"The weights of {name} cannot be read ({first_line(error)}): pull or copy the model "
            "again."
        ) from error
    except (OSError, RuntimeError, MemoryError) as error:
        raise _from_system_error(error, name, plan, report.text if report else "") from error
    except Exception as error:  # whatever an architecture makes of a configuration
        raise ModelUnsupported(
            f"transformers cannot build {name} ({first_line(error)}): install what it asks for, "
            "or choose another model."
        ) from error
    missing = sorted(loading["missing_keys"])
    if missing:
        raise ModelDamaged(
            f"The weights of {name} are incomplete ({len(missing)} missing, first {missing[0]}): "
            "pull or copy the model again."
        )
    return model


def _source(checkpoint: Checkpoint) -> dict[str, Any]:
    """Which files hold the weights; a GGUF file's own configuration is not asked again."""
    if checkpoint.gguf is None:
        return {"use_safetensors": True}
    from transformers import AutoConfig

    from editd.model.gguf import quiet_unpacking

    quiet_unpacking()
    config = AutoConfig.from_pretrained(str(checkpoint.folder), local_files_only=True)
    return {"gguf_file": str(checkpoint.gguf), "config": config}


def _placement(checkpoint: Checkpoint, plan: Plan) -> dict[str, Any]:
    """Quantised weights are made one by one where they will stay."""
    from editd.model.quantize import loading_arguments

    if plan.quantize == "none":
        return {}
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(
        str(checkpoint.folder), local_files_only=True, trust_remote_code=checkpoint.remote_code
    )
    tied = bool(config.get_text_config(decoder=True).tie_word_embeddings)
    return {"device_map": {"": plan.device}, **loading_arguments(plan.quantize, tied=tied)}


def _from_system_error(error: BaseException, name: str, plan: Plan, report: str = "") -> EditdError:
    from editd.model.memory import is_out_of_memory

    if is_out_of_memory(error) or is_out_of_memory(RuntimeError(report)):
        return OutOfMemory(
            f"Memory on {plan.device} ran out while loading {name}: choose a smaller model "
            "(`editd models list`) or free some memory."
        )
    return ModelDamaged(
        f"The weights of {name} do not fit its config.json ({first_line(error)}): pull or copy "
        "the model again."
    )


def _assemble(
    spec: ModelSpec,
    checkpoint: Checkpoint,
    plan: Plan,
    codec: ModelCodec,
    model: Any,
    most_bytes: int | None,
) -> LoadedModel:
    from editd.model import modes
    from editd.model.attention import use_grouped_attention
    from editd.model.chat import load_chat
    from editd.model.device import free_memory
    from editd.model.quantize import held_bytes
    from editd.model.runner import ModelRunner
    from editd.model.selfcheck import check_cache
    from editd.model.stops import stop_ids

    if plan.device.type in ("cpu", "cuda"):
        use_grouped_attention(model)
    runner = ModelRunner(
        model,
        max_context=spec.max_context,
        cache_bytes=min(_CACHE_LIMIT, free_memory(plan.device) // _CACHE_SHARE),
    )
    weights_bytes = sum(held_bytes(tensor) for tensor in (*model.parameters(), *model.buffers()))
    if runner.lean is not None:
        left = free_memory(plan.device)
        if most_bytes is not None:
            left = min(left, most_bytes - weights_bytes)
        weights_bytes += runner.lean.pack(left)
    check_cache(runner, spec.name)
    modes.enter(runner, spec.name, modes.Mode(spec.exactness, spec.capture))
    return LoadedModel(
        name=spec.name,
        folder=checkpoint.folder,
        target=runner,
        codec=codec,
        stop_ids=stop_ids(checkpoint.folder, codec),
        render_chat=load_chat(checkpoint.folder),
        device=str(plan.device),
        dtype=plan.words(),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        weights_bytes=weights_bytes,
        context_length=runner.max_context,
        edit_format=checkpoint.edit_format,
        manifest=checkpoint.manifest,
    )


def _silent(_: float) -> None:
    return None
