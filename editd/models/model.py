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

from editd.decode.costs import CPU_SHAPE, Shape
from editd.decode.drafters.draft_session import TextCodec
from editd.decode.target import Target
from editd.errors import EditCancelled
from editd.messages.reports import ModelStatus
from editd.models.text.chat_template import RenderChat

Progress = Callable[[float], Any]
"""Receives the progress of loading, from 0 to 1; returns ``False`` once the model is not needed any more.

A backend that can ends the load then (``EditCancelled``).
"""


def told(progress: Progress | None) -> Callable[[float], None]:
    """Tells ``progress``, and raises ``EditCancelled`` once the model is not needed any more."""

    def tell(done: float) -> None:
        if progress is not None and progress(done) is False:
            raise EditCancelled("The edit was cancelled while its model was loading.")

    return tell


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Which model, where, and how it may be loaded; the words of ``config.ModelConfig``.

    A backend ignores what it has no use for, and refuses (``ConfigError``) what it cannot promise.
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
        """What a user is shown: the name, and where text goes if it leaves this machine."""
        host = urlsplit(self.url).hostname if self.engine == "remote" else ""
        return f"{self.name} at {host}" if host else self.name


class ModelCodec(TextCodec, Protocol):
    """A tokenizer as prompts and answers need it; ``text.codec`` is one for most models.

    Exact: ``decode(encode(text)) == text`` for every text, bytes of control tokens are empty.
    """

    def heal(self, prompt: str | Sequence[tuple[str, bool]]) -> tuple[list[int], bytes]:
        """The prompt's ids without the last ones where longer tokens could take their place.

        With the bytes that were cut off, which the answer's first tokens have to spell.
        """
        ...


@dataclass(frozen=True, slots=True)
class Timing:
    """How passes of a model are timed, so that the width of rounds can follow their cost.

    clock: seconds; the computing thread's own where a CPU computes in it, else the wall's. shape:
    how passes grow with their rows before anything was measured. key: all that the times depend on
    (device, numbers, threads, versions); what was measured is kept under it, and nothing for ``()``.
    """

    clock: Callable[[], float] = perf_counter
    shape: Shape = CPU_SHAPE
    key: tuple[Any, ...] = ()


class PooledModel(Protocol):
    """What is held under a model's name. One thread uses it; ``status`` may be asked from any.

    name: what the user called it, set by ``registry.load``.
    """

    name: str

    @property
    def edit_format(self) -> str | None:
        """The format of edits that its maker names (``editd.json``)."""
        ...

    @property
    def manifest(self) -> dict[str, Any]:
        """``editd.json``; empty where there is none."""
        ...

    @property
    def memory_bytes(self) -> int:
        """Weights and caches now."""
        ...

    def status(self) -> ModelStatus:
        """Its description for users."""
        ...

    def idle_work(self) -> bool:
        """Do one short thing that makes later edits faster; false if nothing is left to do."""
        ...

    def drop_caches(self) -> None:
        """Forget what closed sequences left for later prompts."""
        ...

    def close(self) -> None:
        """Give all memory back. Safe to call twice, also with sequences open."""
        ...


class Model(PooledModel, Protocol):
    """A model in memory, ready to decode."""

    @property
    def target(self) -> Target:
        """Opens sequences of tokens (``decode.target``): prefill, verify, crop, close.

        Sequences also ``draw`` (``decode.drafters.draft_session.DraftSequence``), for models that draft.
        Choices and draws are those of ``sampling``: the same logits give the same token in every
        backend, by noise keyed by seed and position. Raises ``OutOfMemory`` and ``ScopeTooLarge``.
        """
        ...

    @property
    def codec(self) -> ModelCodec:
        """Text to ids and back."""
        ...

    @property
    def stop_ids(self) -> frozenset[int]:
        """Tokens that end an answer."""
        ...

    @property
    def render_chat(self) -> RenderChat | None:
        """Messages to a prompt by the model's own template; ``None`` where it has none."""
        ...

    @property
    def tokenizer_folder(self) -> Path | None:
        """Where another process can read the same codec (``text.codec.load_codec``), if anywhere."""
        ...

    @property
    def weights_bytes(self) -> int:
        """What the weights take, wherever they lie."""
        ...

    @property
    def timing(self) -> Timing:
        """How its passes are timed."""
        ...


class Backend(Protocol):
    """A module, or any object, that loads models."""

    def load(
        self, spec: ModelSpec, progress: Progress | None = None, *, most_bytes: int | None = None
    ) -> PooledModel:
        """Load what ``spec`` names.

        most_bytes: what it and its caches may take, where a user set a limit. Never downloads.
        Raises ``ModelNotFound``, ``ModelDamaged``, ``ModelUnsupported``, ``OutOfMemory``, or
        ``ConfigError`` for a device or numbers that are not here: one sentence that says what to do.
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
