"""What a drafter is: something that guesses the next output tokens, cheaply and harmlessly.

A drafter sees plain integers and, if it was built with one, a codec (ids to text and back), but
no tensor of the target. The target decides: a bad draft costs time, never correctness.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from editd.decode.costs import Costs


@dataclass(frozen=True, slots=True)
class Draft:
    """Draft tokens for one round.

    token_ids: what is proposed to follow the output so far.
    parents: ``None`` for a chain; for a tree ``parents[i]`` is the index in ``token_ids`` that
        token ``i`` follows, ``-1`` for the last output token. A parent precedes its children.
    probs: ``None`` for point masses; else ``probs[i]`` is the distribution that token ``i`` was
        drawn from, ``[vocab_size]``, numpy (only drafters that own a model have these).
    sources: ``None``, or per token where it came from (``"buffer"``, ``"substitution"``, …): the
        provenance that a user is shown. No part of the decision.
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
        """Ids of ``text`` as it is tokenised when it follows the text ``after``.

        A token that straddles the border is returned whole, as the first id.
        """
        ...

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text that the ids spell; bytes that are not UTF-8 (yet) become U+FFFD."""
        ...

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes that one token adds to the text; empty for a control token."""
        ...


class Match(NamedTuple):
    """The last ``length`` tokens of an output stand in another file, followed by ``token_ids``.

    lines: of these tokens in the file ``path``, from 1.
    """

    length: int
    token_ids: list[int]
    path: str
    lines: list[int]


class Project(Protocol):
    """The files of a project at one moment; implemented by ``workspace.index``."""

    def longest_match(self, output_ids: Sequence[int], count: int) -> Match | None:
        """Where the longest end of ``output_ids`` stands, and up to ``count`` tokens behind it."""
        ...


@dataclass(frozen=True, slots=True)
class DraftTask:
    """All that a drafter may know of an edit when it is built.

    prompt_ids: the target's prompt (the buffer is in it).
    prediction: text expected to come back mostly unchanged; by default the buffer's region.
    answer_opening: text just before the answer (its fence), the left context for ``codec.encode``.
    answer_closing: text that closes the answer once all has been said (its fence), or nothing.
    merged: of a sketch, the text that is expected when it is put in, in pieces, each with ``buffer`` or
        ``sketch``, where it comes from.
    codec: the target's codec.
    trees: whether the target verifies drafts with branches. costs: what rounds cost there; without,
        nothing is chosen by cost.
    buffer_at: ranges of prompt tokens that spell the buffer, in order.
    draft: the draft model (``draft_session.DraftSession``), for the drafters that ask it. project:
        the project's files, for ``suffix``.
    """

    prompt_ids: Sequence[int]
    prediction: str
    answer_opening: str
    codec: Codec
    answer_closing: str = ""
    trees: bool = True
    costs: Costs | None = None
    buffer_at: Sequence[tuple[int, int]] = ()
    draft: Any = None
    project: Project | None = None
    merged: Sequence[tuple[str, str]] = ()


class Drafter(Protocol):
    """One guesser of one output. Built for an edit, thrown away after it."""

    @property
    def name(self) -> str: ...

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        """Guess what follows ``output_ids`` (all output so far, not the prompt).

        At most ``max_tokens`` tokens, all branches together; an empty draft is a good answer.
        """
        ...

    def observe(self, accepted_ids: Sequence[int]) -> None:
        """Learn what became of the last draft.

        accepted_ids: tokens the round added to the output: the accepted draft tokens, then the
            target's own token (recovered or bonus).
        """
        ...


_T = TypeVar("_T")


class TokenTable(dict[int, _T]):
    """Something about tokens, found out of their texts when first asked."""

    def __init__(self, codec: Codec, find_out: Callable[[int, str], _T]) -> None:
        super().__init__()
        self._codec = codec
        self._find_out = find_out

    def __missing__(self, token_id: int) -> _T:
        text = self._codec.token_bytes(token_id).decode("utf-8", errors="replace")
        found = self[token_id] = self._find_out(token_id, text)
        return found


def is_word(char: str) -> bool:
    """Whether it is a letter, a digit or an underscore; false for none at all."""
    return char.isalnum() or char == "_"


class TokenOrigins:
    """Names places of the text that is the prompt and then the output.

    ``DraftTask.buffer_at``: ranges of prompt tokens that spell the buffer, in order.
    """

    def __init__(self, task: DraftTask, drafter: str) -> None:
        self._prompt_length = len(task.prompt_ids)
        self._borders: list[int] = [at for pair in task.buffer_at for at in pair]
        self._output, self._prompt = f"{drafter}:output", f"{drafter}:prompt"
        self._buffer = f"{drafter}:buffer"

    def source(self, place: int) -> str:
        """Where the token at ``place`` stands."""
        if place >= self._prompt_length:
            return self._output
        # An odd number of borders before it: it is inside a range.
        return self._buffer if bisect_right(self._borders, place) % 2 else self._prompt

    def sources(self, place: int, count: int) -> str | Sequence[str]:
        """Where ``count`` tokens from ``place`` on stand: one word where it is the same for all."""
        if place >= self._prompt_length:
            return self._output
        end = place + count
        if end <= self._prompt_length and (
            bisect_right(self._borders, place) == bisect_right(self._borders, end - 1)
        ):
            return self.source(place)
        return [self.source(at) for at in range(place, end)]
