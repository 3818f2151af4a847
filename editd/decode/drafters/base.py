"""The interface of a drafter: it guesses the next output tokens, cheaply and harmlessly.

A drafter sees plain integers and, if it was built with one, a codec (ids to text and back), but no tensor of the
target. The target decides: a bad draft costs time, never correctness.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from editd.decode.costs import CostModel

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Draft:
    """Draft tokens for one round.

    token_ids: the tokens proposed to follow the output so far.
    parents: ``None`` for a chain; for a tree ``parents[i]`` is the index in ``token_ids`` that token ``i`` follows,
        ``-1`` for the last output token. A parent precedes its children.
    probs: ``None`` for point masses; else ``probs[i]`` is the distribution that token ``i`` was drawn from,
        ``[vocab_size]``, numpy (only drafters that own a model have these).
    sources: ``None``, or for each token its source (``"buffer"``, ``"substitution"``, …): the provenance that a user
        is shown. No part of the decision.
    """

    token_ids: Sequence[int] = ()
    parents: Sequence[int] | None = None
    probs: Sequence[Any] | None = None
    sources: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.token_ids)


EMPTY = Draft()


class Codec(Protocol):
    """Token ids to text and back; exact, one id at a time. Implemented by ``models.text.codec``."""

    @property
    def vocab_size(self) -> int: ...

    def encode(self, text: str, after: str = "") -> list[int]:
        """The ids of ``text`` as it is tokenised when it follows the text ``after``.

        A token that straddles the border is returned whole, as the first id.
        """
        ...

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text that the ids spell; bytes that are not UTF-8 (yet) become U+FFFD."""
        ...

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes that one token adds to the text; empty for a control token."""
        ...


class ProjectMatch(NamedTuple):
    """The last ``length`` tokens of an output stand in the file ``path``, followed by ``token_ids``.

    lines: of these tokens in the file, from 1.
    """

    length: int
    token_ids: list[int]
    path: str
    lines: list[int]


class Project(Protocol):
    """The files of a project at one moment; implemented by ``workspace.index``."""

    def longest_match(self, output_ids: Sequence[int], count: int) -> ProjectMatch | None:
        """The longest end of ``output_ids`` that stands in a file, with up to ``count`` tokens after it; ``None`` if
        there is none.
        """
        ...


@dataclass(frozen=True, slots=True)
class DraftTask:
    """The facts that a drafter may know of an edit when it is built.

    prompt_ids: the target's prompt (the buffer is in it).
    prediction: text expected to come back mostly unchanged; by default the buffer's region.
    answer_opening: text just before the answer (its fence), the left context for ``codec.encode``.
    codec: the target's codec.
    answer_closing: text that closes a complete answer (its fence), or nothing.
    trees: whether the target verifies drafts with branches.
    costs: of rounds; ``None`` if nothing is to be chosen by cost.
    buffer_at: ranges of prompt tokens that spell the buffer, in order.
    draft: the draft model (``draft_session.DraftSession``), for drafters that use one.
    project: the project's files, for ``suffix``.
    merged: the expected text with a sketch merged into it, in segments, each with ``buffer`` or ``sketch`` for its
        origin; empty without a sketch.
    """

    prompt_ids: Sequence[int]
    prediction: str
    answer_opening: str
    codec: Codec
    answer_closing: str = ""
    trees: bool = True
    costs: CostModel | None = None
    buffer_at: Sequence[tuple[int, int]] = ()
    draft: Any = None
    project: Project | None = None
    merged: Sequence[tuple[str, str]] = ()


class Drafter(Protocol):
    """Guesses one output. Built for an edit, thrown away after it."""

    @property
    def name(self) -> str: ...

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        """Guess the tokens that follow ``output_ids`` (all output so far, not the prompt).

        At most ``max_tokens`` tokens, all branches together; an empty draft is a good answer.
        """
        ...

    def observe(self, accepted_ids: Sequence[int]) -> None:
        """Learn from the last round.

        accepted_ids: tokens that the round added to the output: the accepted draft tokens, then the target's own
        token (recovered or bonus).
        """
        ...


class TokenTable(dict[int, _T]):
    """A dictionary by token id whose values are computed from a token's text when they are first looked up."""

    def __init__(self, codec: Codec, compute: Callable[[int, str], _T]) -> None:
        super().__init__()
        self._codec = codec
        self._compute = compute

    def __missing__(self, token_id: int) -> _T:
        text = self._codec.token_bytes(token_id).decode("utf-8", errors="replace")
        found = self[token_id] = self._compute(token_id, text)
        return found


def is_word(char: str) -> bool:
    """Whether ``char`` is a letter, a digit or an underscore; false for an empty string."""
    return char.isalnum() or char == "_"


class TokenOrigins:
    """Names the source of tokens in the text that consists of the prompt and then the output.

    drafter: the beginning of each name.
    """

    def __init__(self, task: DraftTask, drafter: str) -> None:
        self._prompt_length = len(task.prompt_ids)
        self._borders: list[int] = [at for pair in task.buffer_at for at in pair]
        self._output, self._prompt = f"{drafter}:output", f"{drafter}:prompt"
        self._buffer = f"{drafter}:buffer"

    def source(self, place: int) -> str:
        """The name of the source of the token at ``place`` in prompt and output: the buffer, the
        rest of the prompt, or the output.
        """
        if place >= self._prompt_length:
            return self._output
        # An odd number of borders before it: it is inside a range.
        return self._buffer if bisect_right(self._borders, place) % 2 else self._prompt

    def sources(self, place: int, count: int) -> str | Sequence[str]:
        """The sources of ``count`` tokens from ``place`` on: a single name if it is the same for
        all, else one for each.
        """
        if place >= self._prompt_length:
            return self._output
        end = place + count
        if end <= self._prompt_length and (
            bisect_right(self._borders, place) == bisect_right(self._borders, end - 1)
        ):
            return self.source(place)
        return [self.source(at) for at in range(place, end)]
