"""The interface of a loaded model, and of a backend.

A backend is a library that runs models: torch, llama.cpp, … It has one function, ``load``, which makes a
``Model`` of a ``ModelSpec``. A backend that runs models on another machine returns a model that writes
whole answers (``text_source``). ``registry`` knows the backend of a spec. Nothing here or above knows
tensors, devices or weight files: token ids go in, plain numbers come out (``decode.target``). A new
backend is correct when the lossless tests pass on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol
from urllib.parse import urlsplit

from editd.decode.costs import CPU_SHAPE, CostShape
from editd.decode.drafters.draft_session import TextCodec
from editd.decode.target import Target
from editd.errors import EditCancelled
from editd.messages.reports import ModelStatus
from editd.models.text.chat_template import RenderChat

Progress = Callable[[float], Any]
"""Called with the fraction that is loaded; returns ``False`` once the model is not needed any more.

A backend that can then ends the load (``EditCancelled``).
"""


def watched(progress: Progress | None) -> Callable[[float], None]:
    """A function that passes a fraction on to ``progress``, if there is any, and raises
    ``EditCancelled`` if that returns ``False``.
    """

    def tell(done: float) -> None:
        if progress is not None and progress(done) is False:
            raise EditCancelled("The edit was cancelled while its model was loading.")

    return tell


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model, its device, and how to load it, in the words of ``config.ModelConfig``.

    A backend ignores fields that it has no use for, and refuses (``ConfigError``) what it cannot promise.
    """

    name: str
    device: str = "auto"
    dtype: str = "auto"
    max_context: int = 0  # tokens, 0 for the model's own limit
    threads: int = 0  # CPU threads, 0: chosen
    exactness: str = "auto"  # of ``config.DecodeConfig``
    engine: str = "local"  # ``remote``: ``name`` is a model of the server at ``url``
    url: str = ""
    key_file: str = ""
    allow_plain_http: bool = False

    @property
    def title(self) -> str:
        """The name for users, with the host that text is sent to if the model runs on a server."""
        host = urlsplit(self.url).hostname if self.engine == "remote" else ""
        return f"{self.name} at {host}" if host else self.name


class PromptCodec(TextCodec, Protocol):
    """A tokenizer for prompts and answers; ``text.codec`` implements it for most models.

    Exact: ``decode(encode(text)) == text`` for every text, and control tokens add no bytes.
    """

    def heal(self, prompt: str | Sequence[tuple[str, bool]]) -> tuple[list[int], bytes]:
        """The prompt's ids without the last ones where longer tokens could take their place (token healing).

        prompt: a text, or segments with a flag for control words. Returns the ids, and the bytes cut off, which the
        answer's first tokens have to spell.
        """
        ...


@dataclass(frozen=True, slots=True)
class Timing:
    """The clock for passes of a model, and what is known of their cost, so that the width of rounds can follow it.

    clock: in seconds; the computing thread's own if a CPU computes in it, else the wall's.
    shape: how a pass grows with its rows before anything is measured.
    key: all that the times depend on (device, number format, threads, versions), under which they are stored; ``()``
        stores nothing.
    """

    clock: Callable[[], float] = perf_counter
    shape: CostShape = CPU_SHAPE
    key: tuple[Any, ...] = ()


class PooledModel(Protocol):
    """A model that the pool holds. One thread uses it; any thread may call ``status``.

    name: as the user wrote it, set by ``registry.load``.
    """

    name: str

    @property
    def edit_format(self) -> str | None:
        """The edit format that ``editd.json`` names; ``None`` if it names none."""
        ...

    @property
    def manifest(self) -> dict[str, Any]:
        """The content of ``editd.json``; empty if there is none."""
        ...

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights and caches at this moment."""
        ...

    def status(self) -> ModelStatus:
        """The model's description for users."""
        ...

    def idle_work(self) -> bool:
        """Do one short task that makes later edits faster; false if there is none left."""
        ...

    def drop_caches(self) -> None:
        """Drop the cached prefixes of closed sequences."""
        ...

    def close(self) -> None:
        """Free all memory. Safe to call twice, also with sequences open."""
        ...


class Model(PooledModel, Protocol):
    """A model in memory, ready to decode."""

    @property
    def target(self) -> Target:
        """Opens sequences of tokens (``decode.target``): prefill, verify, crop, close.

        A sequence can also ``draw`` (``decode.drafters.draft_session.DraftSequence``), for a draft model. Choices and
        draws are those of ``sampling``: the same logits give the same token in every backend, by noise keyed by seed
        and position. Raises ``OutOfMemory`` and ``ScopeTooLarge``.
        """
        ...

    @property
    def codec(self) -> PromptCodec:
        """The model's tokenizer."""
        ...

    @property
    def stop_ids(self) -> frozenset[int]:
        """Tokens that end an answer."""
        ...

    @property
    def render_chat(self) -> RenderChat | None:
        """The model's own chat template; ``None`` if it has none."""
        ...

    @property
    def tokenizer_folder(self) -> Path | None:
        """A folder from which another process can load the same codec (``text.codec.load_codec``); ``None`` if there
        is none.
        """
        ...

    @property
    def weights_bytes(self) -> int:
        """Bytes of the weights, on whatever device."""
        ...

    @property
    def timing(self) -> Timing:
        """The clock for the model's passes, and the key of their costs."""
        ...


class Backend(Protocol):
    """A module, or any object, that loads models."""

    def load(
        self, spec: ModelSpec, progress: Progress | None = None, *, most_bytes: int | None = None
    ) -> PooledModel:
        """Load the model that ``spec`` names; never downloads.

        progress: as ``Progress``.
        most_bytes: the user's limit for the model with its caches; ``None`` for no limit.

        Raises ``ModelNotFound``, ``ModelDamaged``, ``ModelUnsupported``, ``OutOfMemory``, or ``ConfigError`` for a
        device or number format that this machine lacks: each a sentence with a remedy.
        """
        ...


class Builder(Protocol):
    """A module that builds a model on this machine, from files that no backend can load."""

    def built_folder(self, report: Callable[[str, float], None] | None = None) -> Path:
        """The folder to load the model from; built now if it is not in the user's cache.

        report: called with one sentence and how much of the work is done, 0 to 1. Raises ``ModelNotFound`` if
        something to build from is not on this machine, ``ModelError`` if the folder cannot be written.
        """
        ...
