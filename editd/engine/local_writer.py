"""The local decoding loop as a writer: the drafter that is chosen, prompt tokens, rounds, text.

The only module of the engine that knows tokens, rounds and the target's cache. The drafter is the configured
one, with the draft model and the project if there are any. If a draft model fails, only speed is lost: the
user gets one sentence about it, and the edit continues without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp
from time import monotonic

from editd import errors
from editd.decode.detokenizer import Detokenizer, Healing
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import Codec, DraftTask, Project
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.drafters.draft_session import DraftSession, share_vocabulary
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow
from editd.engine.answer_settings import window_for
from editd.engine.edit_prompts import buffer_in
from editd.engine.trace import Tracing
from editd.errors import AnswerEnd
from editd.messages import CompleteRequest
from editd.messages.reports import Stats
from editd.models.model import Model
from editd.models.round_costs import edit_seconds, measure_sizes, round_costs
from editd.models.text_source import (
    AnswerPiece,
    AnswerSettings,
    AnswerSpec,
    Hesitation,
    OnText,
    Preparing,
)
from editd.prompts.base import LEFT_CONTEXT, Prompt, RenderChat, conversation_prompt
from editd.prompts.budget import MOST_BYTES_PER_TOKEN, max_new_tokens

MODEL_DRAFTERS = frozenset({"draft-model", "universal"})


def asks_model(drafter: str) -> bool:
    """Whether a drafter's spec names one that asks a draft model."""
    return bool(_names(drafter) & MODEL_DRAFTERS)


def begins_with_model(drafter: str) -> bool:
    """Whether the draft model is asked in every round, so that it should read the prompt at once."""
    return _names(drafter.partition("+")[0]) <= MODEL_DRAFTERS


def may_ask_model(settings: AnswerSettings) -> bool:
    """Whether a draft model, if set, should be loaded."""
    return asks_model(settings.drafter) or not (
        settings.drafter_was_chosen or _names(settings.drafter) == {"none"}
    )


def asks_project(drafter: str) -> bool:
    """Whether a drafter's spec names the one that drafts from a project's files."""
    return "suffix" in _names(drafter)


def drafter_beside(settings: AnswerSettings, target: Model, draft: Model | None) -> str:
    """The spec of the drafter, with the draft model last where there is one."""
    drafter = settings.drafter
    if draft is None:
        if asks_model(drafter) and settings.draft_spec is not None:
            # It could not be loaded, and the user knows why: the others draft without it.
            return _without_models(drafter)
        return drafter
    if asks_model(drafter):
        return drafter
    alike = share_vocabulary(target.codec, draft.codec)
    return f"{drafter}+{'draft-model' if alike else 'universal'}"


def draft_session(
    settings: AnswerSettings, target: Model, draft: Model, note: Callable[[str], None]
) -> DraftSession:
    """The drafters' session with ``draft``, for one answer.

    With a window that the user set, rounds are the same on every machine.
    """
    measured = not settings.window
    return DraftSession(
        draft,
        target,
        sampling=settings.sampling,
        acceptance=settings.acceptance,
        # A pass of a small batch takes as long as its weights take to be read.
        cost=draft.weights_bytes / max(target.weights_bytes, 1),
        costs=round_costs(draft) if measured else None,
        target_costs=round_costs(target) if measured else None,
        clock=draft.timing.clock,
        note=note,
    )


def _names(drafter: str) -> set[str]:
    return {part.strip().partition(":")[0] for part in drafter.split("+")}


def _without_models(drafter: str) -> str:
    kept = [part for part in drafter.split("+") if not asks_model(part)]
    return "+".join(kept) or "none"


@dataclass(frozen=True, slots=True)
class LocalBudget:
    """The room in a local model's context, in its tokens."""

    model: Model

    @property
    def max_context(self) -> int:
        return self.model.target.max_context

    @property
    def render_chat(self) -> RenderChat | None:
        return self.model.render_chat

    def count_tokens(self, text: str) -> int:
        return len(self.model.codec.encode(text))

    def seconds(self, prompt_tokens: int, answer_tokens: int) -> float:
        return edit_seconds(self.model, prompt_tokens, answer_tokens)


@dataclass(frozen=True, slots=True)
class LocalTextSource(LocalBudget):
    """Writes with a model in memory.

    drafter: its spec. draft: the draft model, if one is asked. project: files to draft from.
    tracing: is told of every round. note: tells the user one sentence.
    """

    settings: AnswerSettings
    drafter: str
    note: Callable[[str], None]
    draft: Model | None = None
    project: Project | None = None
    tracing: Tracing | None = None

    def begin(self, spec: AnswerSpec, on_text: OnText) -> LocalGeneration:
        """Read the prompt's text and build the drafter; does not run the model."""
        opened = opening(self.model, spec.prompt)
        room = self.max_context - len(opened.ids)
        if isinstance(spec.prompt, CompleteRequest):
            self._check_room(len(opened.ids), room)
        most = self._most_tokens(spec, room)
        asking = None
        if self.draft is not None:
            asking = draft_session(self.settings, self.model, self.draft, self.note)
        task = self._task(spec, opened, room, asking)
        drafter = make_drafter(self.drafter, task)
        reader = _Reader(self.model, opened.required.encode(), on_text)
        decoding = Decoding(
            self.model.target,
            opened.ids,
            drafter,
            ends_answer=reader.ends_with,
            max_new_tokens=most,
            sampling=self.settings.sampling,
            window=window_for(self.settings, self.model),
            allowed=reader.healing,
        )
        early = asking if begins_with_model(self.drafter) else None
        return LocalGeneration(
            decoding, reader, asking, early, self.model.codec, self.tracing, spec.subject
        )

    def warm_up(self, spec: AnswerSpec) -> Iterator[Preparing | None]:
        """Put the prompt into the prefix cache, and measure the cost of rounds."""
        opened = opening(self.model, spec.prompt)
        return self._warming(opened, f"reading {spec.subject}")

    def _warming(self, opened: Opened, message: str) -> Iterator[Preparing | None]:
        decoding = Decoding(
            self.model.target,
            opened.ids,
            NoDrafter(),
            ends_answer=lambda _token_id: True,
            max_new_tokens=1,
            window=FixedWindow(0),
        )
        try:
            while decoding.prefilled < 1:
                decoding.advance()
                yield Preparing(message, decoding.prefilled)
        finally:
            decoding.close()
        for size in measure_sizes(self.model):
            yield Preparing(f"measuring rounds of {size}")

    def _most_tokens(self, spec: AnswerSpec, room: int) -> int:
        if spec.parts is None:
            return min(spec.max_new_tokens or room, room)
        region = self.model.codec.encode(spec.parts.region)
        return max_new_tokens(len(region), tokens_left=room, configured=spec.max_new_tokens)

    def _task(
        self, spec: AnswerSpec, opened: Opened, room: int, asking: DraftSession | None
    ) -> DraftTask:
        """What the drafter may know: the healed bytes are part of what the answer spells."""
        codec, prompt, parts, merged = self.model.codec, spec.prompt, spec.parts, spec.merged
        # What stands beyond any answer is of no use.
        most = MOST_BYTES_PER_TOKEN * (room if parts is None else self.max_context)
        return DraftTask(
            prompt_ids=opened.ids,
            prediction=(opened.required + spec.expected)[:most],
            answer_opening=opened.text_before.removesuffix(opened.required),
            answer_closing=prompt.fence if isinstance(prompt, Prompt) else "",
            codec=codec,
            trees=self.model.target.supports_trees,
            costs=round_costs(self.model),
            draft=asking,
            project=self.project,
            buffer_at=() if parts is None else buffer_in(parts, opened.ids, codec),
            merged=() if merged is None else ((opened.required, "buffer"), *merged),
        )

    def _check_room(self, num_tokens: int, room: int) -> None:
        if not num_tokens:
            raise errors.UsageError("The messages contain no text.")
        if room < 1:
            raise errors.ScopeTooLarge(
                f"The messages have {num_tokens:,} tokens, and the model reads at "
                f"most {self.max_context:,}: send less."
            )


@dataclass(slots=True)
class LocalGeneration:
    """One answer of the loop.

    asking: the draft model, closed with it. early: it again, if it reads the prompt before the
    target does. read: what the prompt is made of, for a person.
    """

    _decoding: Decoding
    _reader: _Reader
    _asking: DraftSession | None
    _early: DraftSession | None
    _codec: Codec
    _tracing: Tracing | None
    _read: str

    cut_off = None

    @property
    def finish_reason(self) -> AnswerEnd | None:
        return self._decoding.finish_reason

    @property
    def counts(self) -> Stats:
        loop = self._decoding.stats
        return Stats(
            prompt_tokens=loop.num_prompt_tokens,
            cached_tokens=loop.cached_tokens,
            output_tokens=loop.output_tokens,
            rounds=loop.rounds,
            drafted=loop.drafted,
            accepted=loop.accepted,
            rejected=loop.rejected,
            drafter_seconds=loop.drafter_seconds,
            exactness=loop.exactness,
            min_margin=loop.min_margin,
            near_ties=loop.near_ties,
        )

    def advance(self) -> Sequence[AnswerPiece] | Preparing:
        """One chunk of a prompt, or one round."""
        if self._early is not None:
            if self._early.prefill_chunk():
                return Preparing(f"the draft model is reading {self._read}")
            self._early = None
        began = monotonic()
        done = self._decoding.advance()
        if done is None:
            if self._tracing is not None:
                self._tracing.prefilled(monotonic() - began)
            return Preparing(f"reading {self._read}", self._decoding.prefilled)
        if self._tracing is not None:
            self._tracing.add(self._codec, done)
        pieces = [*map(AnswerPiece, done.sources)]
        if (sure := done.certainty) is not None:
            rival = self._codec.decode([sure.rival_id])
            pieces[-1] = AnswerPiece(done.sources[-1], Hesitation(exp(sure.log_prob), rival))
        return pieces

    def rest(self) -> str:
        return self._reader.rest()

    def close(self) -> None:
        self._decoding.close()
        if self._asking is not None:
            self._asking.close()


@dataclass(frozen=True, slots=True)
class Opened:
    """What is fed before an answer.

    required: text that healing took back from the end of the prompt and that the answer spells
    again first. text_before: what the answer's first token can depend on.
    """

    ids: list[int]
    required: str = ""
    text_before: str = ""


def opening(model: Model, request: Prompt | CompleteRequest) -> Opened:
    """The tokens of a prompt. A template's end is not changed."""
    codec = model.codec
    if isinstance(request, Prompt):
        ids, required = codec.heal(request.segments)
        return Opened(ids, required.decode(), request.opening)
    if request.prompt is not None:
        ids, required = codec.heal(request.prompt)
        return Opened(ids, required.decode(), request.prompt[-LEFT_CONTEXT:])
    prompt = conversation_prompt(request.messages, model.render_chat, model.name)
    if model.render_chat is not None:
        ids = codec.prompt_ids(prompt.segments)
        return Opened(ids, text_before=prompt.opening)
    ids, required = codec.heal(prompt.segments)
    return Opened(ids, required.decode(), prompt.opening)


class _Reader:
    """Token ids in, text to who hears it. required: bytes of ``Opened.required``."""

    def __init__(self, model: Model, required: bytes, on_text: OnText) -> None:
        self.healing = Healing(model.codec, required)
        self._stop_ids = model.stop_ids
        self._detokenizer = Detokenizer(model.codec, skip=len(required))
        self._on_text = on_text

    def ends_with(self, token_id: int) -> bool:
        """Read one output token; returns whether the answer is complete."""
        if token_id in self._stop_ids:
            self._on_text("", False)
            return True
        text = self._detokenizer.feed(token_id)
        return self._on_text(text, self._detokenizer.inside_character)

    def rest(self) -> str:
        return self._detokenizer.finish()
