"""An engine's shape: modes, questions in token ids, answers in token ids.

Each file of ``peers/`` offers ``MODULES`` (importable names), ``INSTALL`` (what pip is given for them), ``PROGRAM`` (a
binary on the PATH, or nothing), ``MODES`` and ``open_engine``. Plain data, which crosses a pipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Mode:
    """A way in which an engine decodes: a row of the table.

    name: its name in ``--peers``. label: its name in the table. settings: the engine's settings.
    """

    name: str
    label: str
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setup:
    """How an engine is opened. weights: as what the checkpoint is read, for engines that know several kinds."""

    checkpoint: Path
    threads: int
    weights: str = "float32"


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt to decode greedily until one of ``stop_ids`` or ``max_new_tokens``.

    request: the edit (``cases.Case`` as a dictionary), which only editd reads: it writes the prompt, and the question
    of all others is made of that. Empty where the prompt has only to be read.
    """

    request: dict[str, Any]
    prompt_ids: Sequence[int] = ()
    stop_ids: Sequence[int] = ()
    max_new_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Output token ids, with the stop token where the engine returns it.

    rounds: forward passes over the model that brought output, ``None`` where they cannot be counted. cpu_seconds,
    first_seconds, first_cpu_seconds: of an engine that runs in yet another process, where the clocks of its own
    process would be wrong. prompt_ids, stop_ids: of the question that editd made of a request.
    """

    token_ids: Sequence[int]
    rounds: int | None = None
    cpu_seconds: float | None = None
    first_seconds: float | None = None
    first_cpu_seconds: float | None = None
    prompt_ids: Sequence[int] = ()
    stop_ids: Sequence[int] = ()


class First(Protocol):
    """Called when the first tokens are known, with how many come at once."""

    def __call__(self, num_tokens: int = 1) -> None: ...


class Engine(Protocol):
    """An opened engine. Every answer starts from nothing: no cache of an earlier answer is used."""

    def prepare(self, settings: dict[str, Any], question: Question) -> None:
        """Do, unmeasured, what a user does once and not for each edit."""
        ...

    def decode(self, settings: dict[str, Any], question: Question, first: First) -> Answer:
        """Answer ``question``; call ``first`` when the first tokens are known."""
        ...

    def close(self) -> None:
        """Free the model and end whatever was started."""
        ...


class PeerModule(Protocol):
    """The names that a file of ``peers/`` offers."""

    MODULES: tuple[str, ...]
    INSTALL: str
    PROGRAM: str
    MODES: tuple[Mode, ...]

    @staticmethod
    def open_engine(setup: Setup) -> Engine: ...
