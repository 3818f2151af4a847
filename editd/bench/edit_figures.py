"""The figures of whole edits: one ``Run`` for each case and way, and what is known of the cases."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

FIRST_TOKENS = 192
"""Output tokens over which slow ways are timed before they are scaled."""

PLAIN, LOOKUP = "transformers plain", "transformers prompt lookup"


@dataclass(frozen=True, slots=True)
class Run:
    """One case by one way. Seconds are those of the whole answer, scaled where ``measured`` is less.

    prefill_seconds: until the first round began. first_hunk_rounds, _seconds: from the request,
    ``None`` where the edit has no hunk or was not run to its end. same: what was written is the
    known answer, ``None`` where nothing is forced and the model writes what it likes.
    """

    case: str
    way: str
    mode: str
    drafter: str
    warm: bool
    output_tokens: int
    measured: int
    rounds: int
    prefill_seconds: float
    decode_seconds: float
    first_hunk_rounds: int | None
    first_hunk_seconds: float | None
    same: bool | None

    @property
    def seconds(self) -> float:
        return self.prefill_seconds + self.decode_seconds


@dataclass(slots=True)
class EditFigures:
    """All runs, and what is known of the cases."""

    model: str
    device: str
    dtype: str
    random_weights: bool
    forced: bool
    tokenizer: str
    runs: list[Run] = field(default_factory=list)
    cases: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def of(self, way: str, *, warm: bool) -> dict[str, Run]:
        """The runs of one way by case."""
        return {run.case: run for run in self.runs if run.way == way and run.warm == warm}

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
