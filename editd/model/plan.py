"""What a model will take, reckoned from headers before anything is loaded.

Knows sizes; loads nothing. ``choose_plan`` takes the weights as they are if they fit, else smaller
ones, else refuses with the numbers and a remedy. ``planning`` prints a plan.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from editd.errors import ModelUnsupported, OutOfMemory
from editd.model import quantize as quantisation
from editd.model.checkpoint import Checkpoint

_FLOATS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
_ITEM_SIZES = {torch.float64: 8, torch.float32: 4, torch.bfloat16: 2, torch.float16: 2}
_WORKSPACE = 64 << 20  # activations, logits and the allocator's own
_KV_TOKENS = 4096  # an edit of a usual file
_GRAPH_ROWS = 512  # the widest pass that is recorded


@dataclass(frozen=True, slots=True)
class Plan:
    """Memory in bytes: the weights as they will be, and the KV cache of one token.

    context_length: tokens that the model was made for. quantize: ``none``, ``int8``, ``int4`` or
    ``fp8``. graphs_bytes: what recorded passes keep. draft_bytes: a draft model beside it.
    """

    device: torch.device
    dtype: torch.dtype
    weights_bytes: int
    kv_bytes_per_token: int
    context_length: int
    quantize: str = "none"
    graphs_bytes: int = 0
    draft_bytes: int = 0
    workspace_bytes: int = _WORKSPACE

    @property
    def fixed_bytes(self) -> int:
        """All but the caches."""
        return self.weights_bytes + self.graphs_bytes + self.draft_bytes + self.workspace_bytes

    @property
    def needed_bytes(self) -> int:
        """With the cache of one usual edit."""
        return self.fixed_bytes + self.planned_tokens * self.kv_bytes_per_token

    @property
    def planned_tokens(self) -> int:
        """Tokens of one usual edit."""
        return min(_KV_TOKENS, self.context_length)

    def usable_context(self, free_bytes: int) -> int:
        """Tokens of prompt and answer that ``free_bytes`` have room for."""
        room = max(0, free_bytes - self.fixed_bytes)
        return min(self.context_length, room // max(1, self.kv_bytes_per_token))

    def words(self) -> str:
        """In which numbers: ``bfloat16``, or ``int8 (bfloat16)``."""
        dtype = str(self.dtype).removeprefix("torch.")
        return dtype if self.quantize == "none" else f"{self.quantize} ({dtype})"


def make_plan(
    checkpoint: Checkpoint,
    device: torch.device,
    dtype: torch.dtype,
    quantize: str = "none",
    *,
    graphs: bool = False,
    draft_bytes: int = 0,
) -> Plan:
    """The plan for ``checkpoint`` on ``device`` in ``dtype``; ``graphs``: passes are recorded."""
    config = _text_config(checkpoint.config)
    stored = is_quantized(checkpoint)
    weights = 0.0
    for group in checkpoint.groups:
        if stored or group.dtype not in _FLOATS:
            weights += group.bytes
            continue
        small = 0 if quantize == "none" else group.matrices
        weights += small * quantisation.BYTES.get(quantize, 0)
        weights += (group.elements - small) * _ITEM_SIZES[dtype]
    # Of one recorded row: its logits, and the widest activations of a layer.
    row_bytes = int(config.get("vocab_size") or 0) * 6
    row_bytes += int(config.get("intermediate_size") or 0) * 8
    return Plan(
        device,
        dtype,
        int(weights),
        _kv_elements(config) * _ITEM_SIZES[dtype],
        context_length(config),
        quantize,
        graphs_bytes=_GRAPH_ROWS * row_bytes if graphs else 0,
        draft_bytes=draft_bytes,
    )


def is_quantized(checkpoint: Checkpoint) -> bool:
    """Whether the weights were made smaller before they were stored."""
    return "quantization_config" in checkpoint.config


def choose_plan(
    checkpoint: Checkpoint,
    device: torch.device,
    dtype: torch.dtype,
    wanted: str,
    free_bytes: int,
    **options: Any,
) -> Plan:
    """The first plan that fits, of the kind ``wanted`` (``auto``: as they are, then smaller).

    options: of ``make_plan``. Raises ``OutOfMemory`` with a remedy, or ``ModelUnsupported`` where
    weights of that kind cannot be used.
    """
    name = checkpoint.name
    quantisation.check_stored(checkpoint.config, name)
    if checkpoint.gguf is not None and wanted not in ("auto", "none"):
        raise ModelUnsupported(
            f"{checkpoint.gguf} is unpacked from GGUF, and not packed again as {wanted}: set "
            "model.quantize to none, or use the original checkpoint of the model."
        )
    if is_quantized(checkpoint) or checkpoint.gguf is not None:
        wanted = "none"  # stays as it is stored, or unpacked
    if wanted != "auto":
        quantisation.check(wanted, device, name)
        plan = make_plan(checkpoint, device, dtype, wanted, **options)
        check_fits(plan, free_bytes, name)
        return plan
    plain = make_plan(checkpoint, device, dtype, **options)
    if plain.needed_bytes <= free_bytes:
        return plain
    for kind in quantisation.ORDER:
        plan = make_plan(checkpoint, device, dtype, kind, **options)
        if quantisation.refusal(kind, device) or plan.needed_bytes > free_bytes:
            continue
        if quantisation.installed():
            return plan
        remedy = f"as {kind} it would fit, with pip install 'editd[quantize]'"
        check_fits(plain, free_bytes, name, remedy)
    check_fits(plain, free_bytes, name)
    return plain


def check_fits(plan: Plan, free_bytes: int, name: str, remedy: str = "") -> None:
    """Raise ``OutOfMemory`` with the numbers unless ``plan`` fits into ``free_bytes``."""
    if plan.needed_bytes <= free_bytes:
        return
    if not remedy:
        remedy = _smaller(plan, free_bytes, name)
    halved = plan.needed_bytes - plan.weights_bytes // 2
    if plan.quantize == "none" and _ITEM_SIZES[plan.dtype] > 2 and halved <= free_bytes:
        remedy = "set model.dtype to bfloat16, " + remedy
    raise OutOfMemory(
        f"{name} needs about {gigabytes(plan.needed_bytes)} as {plan.words()}, but only "
        f"{gigabytes(free_bytes)} are free on {plan.device}: {remedy}."
    )


def _smaller(plan: Plan, free_bytes: int, name: str) -> str:
    fitting = _pulled_that_fits(plan, free_bytes, name)
    models = f"choose {fitting}, which fits" if fitting else "choose a smaller model"
    return f"{models} (`editd models list`) or free some memory"


def _pulled_that_fits(plan: Plan, free_bytes: int, name: str) -> str:
    """The largest pulled model that would fit in the same numbers; empty if there is none."""
    from editd import hub
    from editd.errors import EditdError
    from editd.model.checkpoint import open_checkpoint

    best, best_bytes = "", 0
    for other in hub.pulled_models():
        try:
            theirs = make_plan(open_checkpoint(other), plan.device, plan.dtype)
        except (EditdError, OSError):
            continue
        fits = theirs.needed_bytes <= free_bytes
        if other != name and fits and theirs.weights_bytes > best_bytes:
            best, best_bytes = other, theirs.weights_bytes
    return best


def context_length(config: dict[str, Any] | Any) -> int:
    """The most tokens the model was made for; recurrent models name none."""
    values = config if isinstance(config, dict) else vars(config)
    for key in ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length"):
        value = values.get(key)
        if isinstance(value, int) and value > 0:
            return value
    return 1 << 17


def _kv_elements(config: dict[str, Any]) -> int:
    """Numbers a token leaves in the cache: keys and values of all heads of all layers."""
    layers = config.get("num_hidden_layers") or config.get("n_layer") or 0
    heads = config.get("num_attention_heads") or config.get("n_head") or 0
    hidden = config.get("hidden_size") or config.get("n_embd") or 0
    head_dim = config.get("head_dim") or (hidden // heads if heads else 0)
    return int(2 * layers * (config.get("num_key_value_heads") or heads) * head_dim)


def _text_config(config: dict[str, Any]) -> dict[str, Any]:
    inner = config.get("text_config")
    return inner if isinstance(inner, dict) else config


def gigabytes(count: int) -> str:
    """For a reader: GiB, or MiB where that is little."""
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 28 else f"{count / (1 << 20):.0f} MiB"
