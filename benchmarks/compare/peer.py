"""What an engine looks like from here: modes, questions in token ids, answers in token ids.

Each file of ``peers/`` offers ``MODULES`` (what must be importable), ``INSTALL`` (what to type if
they are not), ``MODES`` and ``open_engine``. Plain data, which crosses the pipe as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Mode:
    """One way in which an engine decodes: a row of the table.

    name: its name in ``--peers``. label: its name in the table. settings: the engine's settings.
    candidates: settings to choose the best of, by a short search before the measurement; empty
    where ``settings`` is fixed.
    """

    name: str
    label: str
    settings: dict[str, Any] = field(default_factory=dict)
    candidates: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Setup:
    """How an engine is opened. draft: folder of a draft model, ``None`` where there is none.

    weights: as what the checkpoint is read, for engines that know several.
    """

    checkpoint: Path
    threads: int
    draft: Path | None = None
    weights: str = "float32"


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt. Decode greedily until one of ``stop_ids`` or ``max_new_tokens``.

    request: the edit behind it (``cases.Case`` as a dictionary), which only editd reads: it writes
    the prompt, and the question of all others is made of what it says. Empty where the prompt has only to
    be read.
    """

    request: dict[str, Any]
    prompt_ids: Sequence[int] = ()
    stop_ids: Sequence[int] = ()
    max_new_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Output token ids, stop token included where the engine tells it.

    rounds: forward passes over the model that brought output, ``None`` where they cannot be
    counted. cpu_seconds, first_seconds, first_cpu_seconds: of the engine, where it runs in yet another
    process and the worker's own clocks would be wrong. said: what editd says of the question.
    """

    token_ids: Sequence[int]
    rounds: int | None = None
    cpu_seconds: float | None = None
    first_seconds: float | None = None
    first_cpu_seconds: float | None = None
    said: dict[str, Any] | None = None


class First(Protocol):
    """Called when the first tokens are known, with how many come at once."""

    def __call__(self, num_tokens: int = 1) -> None: ...


class Engine(Protocol):
    """An opened engine. Every answer starts from nothing: no cache of an earlier one is used."""

    def prepare(self, settings: dict[str, Any], question: Question) -> None:
        """Whatever a user does once and not for each edit; not measured."""
        ...

    def decode(self, settings: dict[str, Any], question: Question, first: First) -> Answer:
        """Answer one question; ``first`` is called when the first tokens are known."""
        ...

    def close(self) -> None: ...


class PeerModule(Protocol):
    """What a file of ``peers/`` offers.

    MODULES: importable names. INSTALL: what pip is given for them. PROGRAM: a binary that has to be
    on the PATH, or nothing.
    """

    MODULES: tuple[str, ...]
    INSTALL: str
    PROGRAM: str
    MODES: tuple[Mode, ...]

    @staticmethod
    def open_engine(setup: Setup) -> Engine: ...
