"""What writes an answer, and how: the settings of one request, and the interface of every writer, text in, text out.

The local loop (``local_writer``) is one writer, a server (``editd.models.remote``) another. Diff, checks and
clients know no token ids, rounds or caches: they get text, and such figures as the writer has.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

from editd.apply.best_guess import BestGuess
from editd.config import Config, DecodeConfig, ModelConfig
from editd.decode.drafters.draft_session import ACCEPTANCES, Acceptance
from editd.decode.speculative import Window
from editd.decode.target import Sampling
from editd.decode.window import FixedWindow, WindowPolicy
from editd.engine.provenance import Hesitation
from editd.errors import AnswerEnd, EditdError, UsageError
from editd.messages import CompleteRequest
from editd.messages.options import EditOptions, Loading
from editd.messages.reports import Stats
from editd.models.model import Model, ModelSpec, PooledModel
from editd.models.pool import ModelPool
from editd.models.round_costs import MOST_ROWS, round_costs
from editd.prompts.base import Prompt, PromptParts, RenderChat

_WARM = 0.7  # the temperature of another answer, where the first was greedy


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How one edit is decoded: its own options where it has them, else the configuration.

    draft_spec: the draft model, ``None`` for none. drafter_was_chosen: by the user; one that
    was not may be joined by the draft model. differs: in one sentence, how the request wants
    its models loaded otherwise than they are here.
    """

    spec: ModelSpec
    draft_spec: ModelSpec | None
    drafter: str
    drafter_was_chosen: bool
    window: int
    sampling: Sampling
    max_new_tokens: int
    timeout: float
    acceptance: Acceptance
    differs: str

    def check(self) -> None:
        """Raise ``UsageError`` for unsupported settings."""
        if self.differs:
            raise UsageError(self.differs)
        if self.acceptance not in ACCEPTANCES:
            raise UsageError(
                f"acceptance is {self.acceptance!r}, but must be {' or '.join(ACCEPTANCES)} "
                "(--acceptance)."
            )

    def window_on(self, model: Model) -> Window:
        """The window that was set, else the best one for the cost of rounds on this machine."""
        if self.window:
            return FixedWindow(self.window, round_costs(model), model.timing.clock)
        return WindowPolicy(round_costs(model), MOST_ROWS - 1, model.timing.clock)

    @classmethod
    def of(
        cls, pool: ModelPool, config: Config, options: EditOptions, request_id: str = ""
    ) -> AnswerSettings:
        """The settings of a request with these ``options``. Another answer is drawn for each id."""
        decode = config.decode

        def of(name: str) -> Any:
            own = getattr(options, name)
            return getattr(decode, name) if own is None else own

        model = replace(
            config.model,
            name=options.model or config.model.name,
            draft=config.model.draft if options.draft_model is None else options.draft_model,
        )
        sampling = Sampling(
            temperature=of("temperature"),
            top_p=of("top_p"),
            top_k=of("top_k"),
            seed=of("seed"),
        )
        if options.way == "again":
            sampling = replace(
                sampling,
                temperature=_WARM if sampling.greedy else sampling.temperature,
                seed=zlib.crc32(request_id.encode()) if options.seed is None else options.seed,
            )
        return cls(
            spec=pool.spec(model),
            draft_spec=pool.draft_spec(model),
            drafter=of("drafter"),
            drafter_was_chosen=of("drafter") != DecodeConfig().drafter
            or options.drafter is not None,
            window=of("window"),
            sampling=sampling,
            max_new_tokens=of("max_new_tokens"),
            timeout=of("timeout"),
            acceptance=of("acceptance"),
            differs=_difference(options.loading, config.model),
        )


def _difference(wanted: Loading, here: ModelConfig) -> str:
    """How models are loaded here otherwise than the request wants, and what to do; else empty."""
    default = ModelConfig()
    for name, value in dataclasses.asdict(wanted).items():
        if value not in (None, getattr(here, name), getattr(default, name)):
            return (
                f"model.{name} is {value!r} in your settings, but {getattr(here, name)!r} in those that "
                "the running daemon was started with. Run `editd stop`: the next edit starts a daemon "
                "with yours."
            )
    return ""


OnText = Callable[[str, bool], bool]
"""Gets each piece of an answer, in order: is the answer complete with it?

The text, and whether it ends inside a character, which the next piece goes on with.
"""


class Piece(NamedTuple):
    """One piece that was heard: its source, in a drafter's words (``provenance.named``).

    hesitation: what is known of how sure the model was, where the piece is a token of its own.
    """

    source: str
    hesitation: Hesitation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSpec:
    """A request for one answer.

    asked: what it answers: an edit's prompt, or a completion's messages, text or token ids.
    expected: text that it is expected to be mostly. likely: of a sketch, what it likely makes of that
    text. parts: what an edit's prompt shows; the answer to one may be about twice as long as the region there.
    max_new_tokens: most that it may have; 0: no limit of the user's.
    """

    asked: Prompt | CompleteRequest
    expected: str = ""
    likely: BestGuess | None = None
    parts: PromptParts | None = None
    max_new_tokens: int = 0

    @property
    def told(self) -> str:
        """What is read, for a person."""
        return "the messages" if self.parts is None else "the buffer"


@dataclass(frozen=True, slots=True)
class Preparing:
    """Nothing was written yet. message: current work, for a person. fraction: how much of it is done."""

    message: str
    fraction: float | None = None


class Writing(Protocol):
    """One answer being written. ``advance()`` until ``finish_reason`` is set; then ``close()``."""

    @property
    def finish_reason(self) -> AnswerEnd | None: ...

    @property
    def cut_off(self) -> EditdError | None:
        """Why the answer of an edit ended (``length``) before it was whole, if not at a limit of tokens."""
        ...

    @property
    def counts(self) -> Stats:
        """What was counted so far. Unknown counts are ``None``, never 0."""
        ...

    def advance(self) -> Sequence[Piece] | Preparing:
        """Write a little more; ``OnText`` is called with the text. Returns what is known of each piece."""
        ...

    def rest(self) -> str:
        """The rest of the text at the end: U+FFFD for an incomplete character."""
        ...

    def close(self) -> None:
        """Stop, and free everything. Safe at any time, after an error, and twice."""
        ...


class Room(Protocol):
    """The limits for prompts and answers."""

    @property
    def max_context(self) -> int:
        """Tokens of prompt and answer together."""
        ...

    @property
    def render_chat(self) -> RenderChat | None:
        """Messages to a prompt, where that is done here."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens ``text`` has; an upper estimate if it cannot be counted here."""
        ...

    def seconds(self, prompt_tokens: int, answer_tokens: int) -> float:
        """Estimated seconds to read a prompt and to write an answer; 0 if unknown."""
        ...


class Writer(Room, Protocol):
    """Writes the answers of one request."""

    @property
    def drafter(self) -> str:
        """The drafter; empty if there is none, or it is unknown."""
        ...

    def begin(self, wanted: AnswerSpec, on_text: OnText) -> Writing:
        """Begin an answer; nothing has been written when this returns.

        Raises ``UsageError`` and ``ScopeTooLarge`` for invalid requests.
        """
        ...

    def warm_up(self, wanted: AnswerSpec) -> Iterator[Preparing | None]:
        """Prepare for ``wanted``; yields ``None`` if there is no progress to report."""
        ...


@runtime_checkable
class WritingModel(PooledModel, Protocol):
    """A model that writes its answers itself, somewhere else: it has no ``target``."""

    def writer(self, settings: AnswerSettings) -> Writer:
        """What writes the answers of a request with these settings, once it is known what it can do."""
        ...
