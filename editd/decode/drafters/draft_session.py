"""The draft model of an edit, as drafters see it: its session, its reading of the text, and how much it drafts.

``DraftSession`` is what an engine hands to drafters that own a model (``DraftTask.draft``). ``DraftReader`` is the
draft model's own sequence: it follows a text that grows and is cropped, and computes nothing twice. Plain integers
only; the model is any ``Target`` whose sequences can ``draw``.

``DraftLength`` decides how many tokens the draft model writes: as many as save time. A round with n draft tokens
costs one pass of the target over n + 1 rows, and n passes of the draft model. If a draft token is accepted with
chance a, it brings (1 - a**(n + 1)) / (1 - a) tokens (Leviathan et al., arXiv 2211.17192, section 3.1, where a pass
costs the same however many rows it has; on a CPU it does not). The length is the n with the most tokens per cost
under the current estimate of a, so it grows when drafts are accepted whole and shrinks when they are rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Literal, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

from editd.decode.costs import CostModel
from editd.decode.drafters.base import Codec, DraftTask
from editd.decode.target import GREEDY, Drawn, Sampling, Target, TargetSequence, num_common
from editd.errors import OutOfMemory, ScopeTooLarge, UsageError

Acceptance = Literal["rejection", "coupled"]
ACCEPTANCES: tuple[Acceptance, ...] = ("rejection", "coupled")

RenderChat = Callable[[Sequence[dict[str, str]]], str]

_T = TypeVar("_T")

# A draft model that has fallen behind (a long prompt, many rounds in which others drafted) reads
# at most so many chunks before it lets the target go on. A count, not a time, so that what is
# drafted depends on nothing but the text.
_CHUNKS_A_ROUND = 16
_ONE_PASS = 16  # tokens that are fed together with the one to draw after; more are prefilled

# Reading two vocabularies takes a tenth of a second: once a pair of models, not once an edit.
_COMPARED: WeakKeyDictionary[TextCodec, WeakKeyDictionary[TextCodec, bool]] = WeakKeyDictionary()

_LONGEST = 64

# The estimate remembers some sixteen tokens: acceptance changes within an answer, from copying to
# writing and back. At the start it believes in three accepted of four.
_MEMORY = 15 / 16

_START_ACCEPTED, _START_JUDGED = 3.0, 4.0

# What makes asking a draft model at all worth while: with the chance that a pair of models rarely exceeds,
# so many times the tokens per cost. It has to read the prompt as well, and times are measured roughly.
_HOPED, _WORTH_ASKING = 0.9, 1.2

_LONGEST_PAUSE = 32


class TextCodec(Codec, Protocol):
    """A codec that also writes prompts, knows control tokens by name, and tokens by their beginning."""

    def prompt_ids(self, prompt: str | Sequence[tuple[str, bool]]) -> list[int]:
        """The ids of a whole prompt, a text or segments with a flag for control."""
        ...

    def word_of(self, token_id: int) -> str:
        """The name of a token; empty for an id without a token."""
        ...

    def id_of(self, word: str) -> int | None:
        """The id of a token by its name; ``None`` if there is none."""
        ...

    def ids_with_prefix(self, prefix: bytes) -> Sequence[int]:
        """The ids whose bytes start with ``prefix`` or are a non-empty prefix of it."""
        ...

    def extends(self, spelled: bytes) -> bool:
        """Whether some token starts with ``spelled`` and is longer."""
        ...


class TokenizedModel(Protocol):
    """A model's tokens, ends of answers, and chat template."""

    @property
    def name(self) -> str: ...

    @property
    def codec(self) -> TextCodec: ...

    @property
    def stop_ids(self) -> frozenset[int]: ...

    @property
    def render_chat(self) -> RenderChat | None: ...


class DraftModel(TokenizedModel, Protocol):
    """A loaded model that can draft."""

    @property
    def target(self) -> Target: ...


class DraftSequence(TargetSequence, Protocol):
    """A sequence that can also draw its own next token."""

    def draw(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        vocab_size: int = 0,
        allowed: Sequence[int] | None = None,
        independent: bool = False,
    ) -> Drawn:
        """Append ``token_ids`` and draw the token that follows the last, as ``models.sampling.draw`` does."""
        ...


@dataclass(slots=True)
class DraftSession:
    """A draft model, and its settings for one answer of ``target``; close it afterwards.

    sampling: the request's own; the draft goes through the same filters.
    acceptance: the rule by which a sampled draft is judged.
    cost: time of one of its passes over the target's, by their sizes.
    costs, target_costs: of passes on this machine; ``costs`` learns from those that ``clock`` times. If ``None``, the
        draft depends on nothing but the text.
    note: called with a sentence for the user.
    """

    model: DraftModel
    target: TokenizedModel
    sampling: Sampling = GREEDY
    acceptance: Acceptance = "rejection"
    cost: float = 0.1
    costs: CostModel | None = None
    target_costs: CostModel | None = None
    clock: Callable[[], float] = perf_counter
    note: Callable[[str], None] = lambda _sentence: None
    readings: list[DraftReader] = field(default_factory=list, init=False)

    def prefill_chunk(self) -> bool:
        """Read one more chunk of the draft model's prompt; false when there is nothing to read."""
        return any(reading.prefill_chunk() for reading in self.readings)

    def close(self) -> None:
        """Give the draft model's cache back. Safe to call twice."""
        for reading in self.readings:
            reading.close()


def session_of(task: DraftTask, drafter: str) -> DraftSession:
    """The draft model of ``task``, for the drafter of that name. Raises ``UsageError`` if there is
    none.
    """
    session = task.draft
    if not isinstance(session, DraftSession):
        raise UsageError(
            f"The drafter {drafter} needs a draft model: name one with --draft-model or model.draft."
        )
    return session


class DraftReader:
    """The draft model's own sequence of one answer, kept in step with the accepted tokens.

    When the model cannot go on (its context is full, memory ran out) it notes a sentence for the user once, and draws
    nothing more. num_read: tokens that went through the model. is_closed: nothing can be drawn.
    """

    def __init__(self, session: DraftSession, prompt_ids: Sequence[int]) -> None:
        self.num_read = 0
        self.is_closed = False
        self._session = session
        self._target = session.model.target
        self._prompt_ids = list(prompt_ids)
        self._ids: list[int] = []  # what the cache holds
        self._ahead: list[int] = []  # what it does not hold yet of what it follows
        self._sequence: DraftSequence | None = None
        session.readings.append(self)
        if not self._target.rewindable:
            self._give_up("keeps a state that cannot be rewound")

    def draft_length(self) -> DraftLength:
        """A new estimator of how long drafts should be.

        Closes the reader, with a notice, if measured passes show that the draft model cannot pay.
        """
        session = self._session
        length = DraftLength(session.cost, session.target_costs, session.costs)
        if session.target_costs is not None and not length.can_pay(len(self._prompt_ids)):
            self._give_up("would take longer on this machine than it can save")
        return length

    def prefill_chunk(self) -> bool:
        """Read one chunk of the prompt, all but its last token; returns whether it did.

        False if that much has been read, ``follow`` has been called, or nothing can be read: the
        reader is closed, or the prompt does not fit, or context or memory runs out, which closes it
        with a notice.
        """
        if self._ahead or not self._fits(len(self._prompt_ids), self._prompt_ids[len(self._ids) :]):
            return False
        end = len(self._prompt_ids) - 1
        return self._attempt(lambda: self._read_chunk(self._prompt_ids, end)) or False

    def follow(self, token_ids: Sequence[int]) -> bool:
        """Crop to the common beginning with ``token_ids``, prompt and output, and read the rest but
        for a few last tokens, which the next ``draw`` reads; returns whether that is done.

        False if more is to be read than a round allows (the next call goes on), for no tokens, or
        if the reader is or has to be closed.
        """
        if self.is_closed or not token_ids:
            return False
        return self._attempt(lambda: self._catch_up(token_ids)) or False

    def draw(self, allowed: Sequence[int] | None = None, *, greedy: bool = False) -> Drawn | None:
        """Draw the token that the model would write next; it is followed as part of the text.

        ``None`` if the reader is closed or cannot go on, which closes it with a notice. allowed:
        the only ids that may be drawn. greedy: the likeliest of all its tokens, for a text in other
        tokens than the target's. Learns the time of the pass, if costs are known.
        """
        if not self._fits(len(self._ids) + len(self._ahead), self._ahead):
            return None
        session = self._session
        sampling, vocab_size = session.sampling, session.target.codec.vocab_size
        if greedy:
            sampling = GREEDY
            vocab_size = self._target.vocab_size
        began = session.clock()
        drawn = self._attempt(
            lambda: self._open_sequence().draw(
                self._ahead,
                sampling,
                vocab_size=min(vocab_size, self._target.vocab_size),
                allowed=allowed,
                independent=not sampling.greedy and session.acceptance == "rejection",
            )
        )
        if drawn is not None:
            if session.costs is not None:
                session.costs.learn(len(self._ahead), len(self._ids), session.clock() - began)
            self.num_read += len(self._ahead)
            self._ids += self._ahead
            self._ahead = [drawn.token_id]
        return drawn

    def close(self) -> None:
        """Give the cache back; nothing is read or drawn after it. Safe to call twice."""
        self.is_closed = True
        if self._sequence is not None:
            self._sequence.close()
            self._sequence = None

    def _open_sequence(self) -> DraftSequence:
        """The model's sequence, opened at the first call, which notes what of the prompt is cached.
        Raises what the model raises.
        """
        if self._sequence is None:
            self._sequence = cast(DraftSequence, self._target.open(self._prompt_ids))
            self._ids = self._prompt_ids[: self._sequence.length]
        return self._sequence

    def _catch_up(self, token_ids: Sequence[int]) -> bool:
        """Crop and read up to the last few of ``token_ids``, which are noted for the next draw;
        false if they do not fit (which closes the reader), or some chunks are left for the next
        round.
        """
        sequence = self._open_sequence()
        common = min(num_common(self._ids, list(token_ids)), len(token_ids) - 1)
        if not self._fits(len(token_ids), token_ids[common:]):
            return False
        if common < len(self._ids):
            sequence.crop(common)
            del self._ids[common:]
        for _ in range(_CHUNKS_A_ROUND):
            if len(token_ids) - len(self._ids) <= _ONE_PASS:
                break
            self._read_chunk(token_ids, len(token_ids) - 1)
        self._ahead = list(token_ids[len(self._ids) :])
        return len(self._ahead) <= _ONE_PASS

    def _read_chunk(self, token_ids: Sequence[int], end: int) -> bool:
        """Prefill ``token_ids`` up to the next multiple of the chunk size, ``end`` at most, as
        plain decoding does; false if there is nothing to read.
        """
        sequence = self._open_sequence()
        start, size = len(self._ids), self._target.prefill_chunk
        piece = list(token_ids[start : min(end, (start // size + 1) * size)])
        if not piece:
            return False
        sequence.prefill(piece)
        self._ids += piece
        self.num_read += len(piece)
        return True

    def _fits(self, length: int, new_ids: Sequence[int]) -> bool:
        """Whether the reader is open and the model can read ``length`` tokens, ``new_ids`` the
        last, and write one more. If it cannot (the context is too short or an id unknown to it),
        closes the reader with a notice.
        """
        if self.is_closed:
            return False
        if length >= self._target.max_context:
            self._give_up(f"reads at most {self._target.max_context:,} tokens")
        elif max(new_ids, default=0) >= self._target.vocab_size:
            self._give_up("does not know a token of this text")
        return not self.is_closed

    def _attempt(self, work: Callable[[], _T]) -> _T | None:
        """The result of ``work``; ``None``, after closing the reader with a notice, if context or
        memory runs out. Other exceptions are passed on.
        """
        try:
            return work()
        except ScopeTooLarge:
            self._give_up(f"reads at most {self._target.max_context:,} tokens")
        except OutOfMemory:
            self._give_up("ran out of memory")
        return None

    def _give_up(self, why: str) -> None:
        """Note for the user, in a sentence with ``why`` as its verb, why the draft model is not
        used any more, and close the reader.
        """
        name = self._session.model.name
        self._session.note(f"The draft model {name} {why}: the answer continues without it.")
        self.close()


def share_vocabulary(first: TextCodec, second: TextCodec) -> bool:
    """Whether two models have the same vocabulary: every id that both know means the same. Compared
    once for each pair.

    Sizes say nothing: models of one family pad their embeddings differently, and unrelated models
    have equal sizes. Up to one id in a hundred may be known to one of them alone (families add
    control tokens from one release to the next); these are not drafted or are rejected.
    """
    known = _COMPARED.setdefault(first, WeakKeyDictionary())
    if second not in known:
        known[second] = _compare(first, second)
    return known[second]


def _compare(first_codec: TextCodec, second_codec: TextCodec) -> bool:
    """Whether two models have the same vocabulary, as ``share_vocabulary`` says, by the bytes and
    names of all ids.
    """
    alone = 0
    size = max(first_codec.vocab_size, second_codec.vocab_size)
    for token_id in range(size):
        first, second = first_codec.token_bytes(token_id), second_codec.token_bytes(token_id)
        if first != second or not first:
            words = first_codec.word_of(token_id), second_codec.word_of(token_id)
            if all(words) and (first != second or words[0] != words[1]):
                return False
            alone += any(words) and not all(words)
    return alone * 100 <= size


class DraftLength:
    """The length of the next draft.

    cost: of a draft token, in passes of the target over one row, until ``draft`` knows it. target, draft: the costs
    of passes on this machine; without, all passes of the target cost the same.
    """

    def __init__(
        self, cost: float, target: CostModel | None = None, draft: CostModel | None = None
    ) -> None:
        self._start_cost = cost
        self._target = target
        self._draft = draft
        self._accepted = _START_ACCEPTED
        self._judged = _START_JUDGED
        self._context = 0  # tokens behind which the last draft was asked
        self._pause = 0  # rounds to sit out
        self._next_pause = 2

    @property
    def acceptance(self) -> float:
        """The present estimate of the chance that the next draft token is accepted."""
        return self._accepted / self._judged

    def can_pay(self, context: int) -> bool:
        """Whether drafts save enough after ``context`` tokens if nearly all are accepted."""
        return self._best(_HOPED, context)[1] > _WORTH_ASKING

    def length(self, context: int = 0) -> int:
        """Tokens to draft in the round after ``context`` tokens; 0 while drafting does not pay, but for a try of at least one
        token now and then.

        To be called once a round: each call counts a pause between tries down, and notes ``context`` for later questions.
        """
        self._context = context
        if self._pause:
            self._pause -= 1
            return 0
        return max(self._paying_length(), 1)

    def worth_going_on(self, chance: float, count: int = 0) -> bool:
        """Whether one more token after ``count`` pays if it is needed with ``chance``.

        It saves a pass of the target's, and costs one of the draft model's and a row.
        """
        row = self._pass(count + 2, self._context) - self._pass(count + 1, self._context)
        return chance > self._cost(self._context) + row

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        """Learn from a draft that was judged up to its first rejected token.

        Begins a pause, longer each time, once drafting does not pay any more. A try in a time when
        it did not pay resets what was learned if a token of it was accepted.
        """
        was_a_try = self._paying_length() == 0
        judged = min(num_accepted + 1, num_drafted)
        if was_a_try and num_accepted:
            # What was learned long ago no longer holds: start afresh.
            self._accepted, self._judged = _START_ACCEPTED, _START_JUDGED
        else:
            weight = _MEMORY**judged
            self._accepted = self._accepted * weight + num_accepted
            self._judged = self._judged * weight + judged
        if self._paying_length() == 0:
            self._pause = self._next_pause
            self._next_pause = min(2 * self._next_pause, _LONGEST_PAUSE)
        elif not was_a_try:
            self._next_pause = 2

    def _paying_length(self) -> int:
        """The length that pays best at the present acceptance; 0 if none does."""
        return self._best(self.acceptance, self._context)[0]

    def _best(self, chance: float, context: int) -> tuple[int, float]:
        """The length (up to ``_LONGEST``) with the most tokens per cost after ``context`` tokens,
        and that rate in tokens a pass; ``(0, 1.0)`` if plain decoding has as many.

        chance: that a token is accepted.
        """
        cost = self._cost(context)
        best, best_rate, brought = 0, 1.0, 1.0
        for count in range(1, _LONGEST + 1):
            brought += chance**count
            rate = brought / (self._pass(count + 1, context) + count * cost)
            if rate > best_rate:
                best, best_rate = count, rate
        return best, best_rate

    def _pass(self, rows: int, context: int) -> float:
        """The cost of a pass of the target over so many rows after ``context`` tokens, in passes
        over one; 1.0 if its costs are not known, never less.
        """
        alone = self._target.seconds(1, context) if self._target is not None else 0.0
        if self._target is None or alone <= 0.0:
            return 1.0
        return max(1.0, self._target.seconds(rows, context) / alone)

    def _cost(self, context: int) -> float:
        """The cost of a draft token, in passes of the target over one row, at least 0.01: by the
        costs of both models if these are known, else as first estimated.
        """
        cost = self._start_cost
        if self._target is not None and self._draft is not None:
            alone, draft_alone = self._target.seconds(1, context), self._draft.seconds(1, context)
            if alone > 0.0 and draft_alone > 0.0:
                cost = draft_alone / alone
        return max(cost, 0.01)
