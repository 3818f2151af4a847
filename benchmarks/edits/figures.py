"""The figures of whole edits: one ``Run`` for each case and way, and what is known of the cases."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

FIRST_TOKENS = 192
"""Output tokens over which slow ways are timed before they are scaled."""

PLAIN, LOOKUP = "transformers plain", "transformers prompt lookup"


@dataclass(frozen=True, slots=True)
class Run:
    """A case by one way. Seconds are those of the whole answer, scaled where ``measured`` is less.

    prefill_seconds: until the first round began. first_hunk_rounds, _seconds: from the request,
    ``None`` where the edit has no hunk or was not run to its end. same: what was written is the
    known answer, ``None`` where nothing is forced and the model writes what it likes.
    pass_seconds: the part of ``decode_seconds`` inside forward passes. read_seconds: how long the model
    takes to read the answer's tokens as a prompt. Both ``None`` for transformers.
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
    pass_seconds: float | None = None
    read_seconds: float | None = None

    @property
    def seconds(self) -> float:
        return self.prefill_seconds + self.decode_seconds

    @property
    def price(self) -> float | None:
        """The price of writing: decoding by reading the same tokens. No verifier gets below 1."""
        return self.decode_seconds / self.read_seconds if self.read_seconds else None

    @property
    def host_share(self) -> float | None:
        """The share of decoding outside forward passes: drafting, diffing and bookkeeping."""
        return None if self.pass_seconds is None else 1 - self.pass_seconds / self.decode_seconds


@dataclass(slots=True)
class EditFigures:
    """The runs, and what is known of the cases."""

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
