"""The model that a benchmark measures, and a runner of it for each way of running passes.

``model`` is a folder, a pulled hub id or one of ``shapes``; it is loaded once, and the runners of
all modes share its weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.steps.shapes import is_shape, random_model
from editd.errors import ModelUnsupported, UsageError
from editd.models import quiet_loading
from editd.models.model import ModelSpec
from editd.models.torch.loading import TorchModel, load

if TYPE_CHECKING:
    import torch

    from editd.models.torch.runner import ModelRunner

MODES = ("eager", "bitwise")
"""Names of figures' columns: passes as wide as their rows, and all of one width."""

_CACHE_BYTES = 2 << 30


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The model to measure and how to load it, as the configuration names these."""

    model: str
    device: str = "auto"
    dtype: str = "auto"
    threads: int = 0


class BenchModel:
    """A model in memory. ``device`` and ``dtype`` as they were chosen; ``random``: a shape."""

    def __init__(self, measured: ModelOptions) -> None:
        from editd.models.torch.device import choose_device, set_threads

        self.name = measured.model
        self.random = is_shape(measured.model)
        self.device = str(choose_device(measured.device))
        self.loaded: TorchModel | None = None
        if not self.random:
            self.loaded = load(_spec(measured, self.device))
        if self.loaded is not None:
            self.model = self.loaded.target.model
        else:
            with quiet_loading():
                self.model = random_model(measured.model, self.device, measured.dtype)
            set_threads(measured.threads, weights_read(self.model))
        self.dtype = str(self.model.dtype).removeprefix("torch.")

    @property
    def title(self) -> str:
        """For headings; says when the weights are random."""
        weights = ", random weights" if self.random else ""
        return f"{self.name} on {self.device} as {self.dtype}{weights}"

    def modes(self, names: tuple[str, ...] = ()) -> tuple[str, ...]:
        """``names``, or all that suit the device. Raises ``UsageError`` for one that cannot be."""
        for name in names:
            if name not in MODES:
                raise UsageError(f"There is no mode {name}: choose among {', '.join(MODES)}.")
        return names or (MODES if self.device.startswith("cuda") else MODES[:1])

    def runner(self, mode: str) -> ModelRunner:
        """A runner of the model in ``mode``. Raises ``ModelUnsupported`` where it has none."""
        from editd.models.torch.attention import use_grouped_attention
        from editd.models.torch.exactness import enter_bitwise
        from editd.models.torch.runner import ModelRunner, check_cache

        use_grouped_attention(self.model)
        runner = ModelRunner(self.model, cache_bytes=_CACHE_BYTES)
        check_cache(runner, self.name)
        if mode == "bitwise":
            enter_bitwise(runner, self.name)
        if (runner.exactness == "bitwise") != (mode == "bitwise"):
            raise ModelUnsupported(f"{self.title} has no mode {mode}; the log says why.")
        return runner

    def close(self) -> None:
        """Free the weights."""
        import gc

        import torch

        self.model = self.loaded = None
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def weights_read(model: Any) -> int:
    """Bytes of weights that one step reads: all but an input embedding of its own."""
    embedding = model.get_input_embeddings().weight
    head = model.get_output_embeddings()
    weights = {id(weight): weight for weight in model.parameters()}
    if getattr(head, "weight", None) is not embedding:
        weights.pop(id(embedding), None)
    return sum(_bytes(weight) for weight in weights.values())


def _bytes(tensor: torch.Tensor) -> int:
    """Bytes of a tensor; of a quantised one, of all that it is made of."""
    inner: Any = getattr(tensor, "__tensor_flatten__", None)
    if inner is None:
        return tensor.nbytes
    return sum(_bytes(getattr(tensor, name)) for name in inner()[0])


def _spec(measured: ModelOptions, device: str) -> ModelSpec:
    """How the model is loaded without any mode; modes are added afterwards."""
    return ModelSpec(
        measured.model,
        device=device,
        dtype=measured.dtype,
        threads=measured.threads,
        exactness="fast",
    )
