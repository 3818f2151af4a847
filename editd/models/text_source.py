"""The interface of whatever writes answers, text in and text out, and the settings of one request.

The local loop (``engine.local_text_source``) is one text source, a server (``models.remote``) another. Diff, checks and
clients know no token ids, rounds or caches: they get text, and the figures that the source counts. ``model`` is the
interface of a model in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from editd.decode.drafters.draft_session import Acceptance
from editd.decode.target import Sampling
from editd.errors import AnswerEnd, EditdError
from editd.messages import CompleteRequest
from editd.messages.reports import Stats
from editd.models.model import ModelSpec, PooledModel
from editd.prompts.base import Prompt, PromptParts, RenderChat

OnText = Callable[[str, bool], bool]
"""Called with each piece of an answer's text, in order; returns whether the answer is complete with it.

The second argument: whether the text ends inside a character, whose other bytes begin the next piece.
"""


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """The models and the decoding settings for the answers of one request.

    draft_spec: the draft model, ``None`` for none.
    drafter_was_chosen: by the user; the default drafter may be joined by the draft model.
    window: most tokens to draft in a round, 0 to adapt it.
    timeout: in seconds.
    loading_conflict: a sentence on how the request wants its models loaded otherwise than the running daemon does;
        empty if
        they agree.
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
    loading_conflict: str


class Hesitation(NamedTuple):
    """At a token that the model chose itself: the token's probability, and the text of the likeliest other token."""

    chance: float
    rival: str


class AnswerPiece(NamedTuple):
    """A piece of an answer, usually a token: its source, in a drafter's words (``provenance.named``).

    hesitation: ``None`` unless the piece is a single token whose probability is known.
    """

    source: str
    hesitation: Hesitation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSpec:
    """A request for one answer.

    prompt: of an edit, or a completion's request with its messages, text or token ids.
    expected: the text that most of the answer is expected to repeat.
    merged: the expected text with a sketch merged into it, in segments, each with ``buffer`` or ``sketch`` for its
        origin; ``None`` if there is no sketch.
    parts: what an edit's prompt is made of, ``None`` for a completion. The answer to an edit may be about twice as
        long as ``parts.region``.
    max_new_tokens: the user's limit, 0 for none.
    """

    prompt: Prompt | CompleteRequest
    expected: str = ""
    merged: Sequence[tuple[str, str]] | None = None
    parts: PromptParts | None = None
    max_new_tokens: int = 0

    @property
    def subject(self) -> str:
        """The text that the model reads first, in words for progress messages."""
        return "the messages" if self.parts is None else "the buffer"


@dataclass(frozen=True, slots=True)
class Preparing:
    """Progress before the first text. message: current work, for a person. fraction: of that work, 0 to 1."""

    message: str
    fraction: float | None = None


class Generation(Protocol):
    """An answer being written. Call ``advance()`` until ``finish_reason`` is set, then ``close()``."""

    @property
    def finish_reason(self) -> AnswerEnd | None:
        """The reason why the answer ended; ``None`` while it is being written."""
        ...

    @property
    def first_progress(self) -> Preparing | None:
        """The progress before the first ``advance``; ``None`` if the prompt's length is not known here."""
        ...

    @property
    def cut_off(self) -> EditdError | None:
        """Why an edit's answer ended (``length``) before it was whole; ``None`` if at a limit of tokens."""
        ...

    @property
    def counts(self) -> Stats:
        """The figures so far. An unknown count is ``None``, never 0."""
        ...

    def advance(self) -> Sequence[AnswerPiece] | Preparing:
        """Write a little more, calling ``OnText`` with the text.

        Returns the pieces that were written, or the progress if there is no text yet.
        """
        ...

    def rest(self) -> str:
        """Flush the text that waits for more bytes, once the answer has ended: U+FFFD for an incomplete character."""
        ...

    def close(self) -> None:
        """Stop, and free everything. Safe at any time, after an error, and twice."""
        ...


class ContextBudget(Protocol):
    """Limits and estimates for prompts and answers."""

    @property
    def max_context(self) -> int:
        """Tokens of prompt and answer together."""
        ...

    @property
    def render_chat(self) -> RenderChat | None:
        """The model's chat template; ``None`` where a server applies it, or the model has none."""
        ...

    def count_tokens(self, text: str) -> int:
        """The number of tokens of ``text``; an upper estimate where the tokenizer is a server's."""
        ...

    def seconds(self, prompt_tokens: int, answer_tokens: int) -> float:
        """Estimated seconds to read a prompt and to write an answer; 0 if unknown."""
        ...


class TextSource(ContextBudget, Protocol):
    """Writes the answers of one request."""

    @property
    def drafter(self) -> str:
        """The drafter's spec; empty if there is none, or it is unknown."""
        ...

    def begin(self, spec: AnswerSpec, on_text: OnText) -> Generation:
        """Begin an answer; nothing has been written when this returns.

        Raises ``UsageError`` for a request without text, ``ScopeTooLarge`` for a prompt that leaves no room.
        """
        ...

    def warm_up(self, spec: AnswerSpec) -> Iterator[Preparing | None]:
        """Read the prompt of ``spec`` into the prefix cache; yields ``None`` if there is no progress to report."""
        ...


@runtime_checkable
class TextModel(PooledModel, Protocol):
    """A model that writes its answers itself, in another process: it has no ``target``."""

    def text_source(self, settings: AnswerSettings) -> TextSource:
        """Ask the server, if it is not known yet, what it can do; return what writes a request's answers."""
        ...
