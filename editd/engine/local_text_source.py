"""The local decoding loop as a ``TextSource``: chooses drafters, tokenizes the prompt, runs rounds, passes text on."""

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
    """Whether a drafter's spec names a drafter that asks a draft model."""
    return bool(_names(drafter) & MODEL_DRAFTERS)


def begins_with_model(drafter: str) -> bool:
    """Whether a drafter's spec begins with one that asks a draft model, so that it should read the prompt at once."""
    return _names(drafter.partition("+")[0]) <= MODEL_DRAFTERS


def may_ask_model(settings: AnswerSettings) -> bool:
    """Whether the draft model should be loaded if one is set: the drafter asks it, or was not chosen by the user."""
    return asks_model(settings.drafter) or not (
        settings.drafter_was_chosen or _names(settings.drafter) == {"none"}
    )


def asks_project(drafter: str) -> bool:
    """Whether a drafter's spec names the drafter that drafts from a project's files."""
    return "suffix" in _names(drafter)


def drafter_beside(settings: AnswerSettings, target: Model, draft: Model | None) -> str:
    """The name of the drafter in the settings, with the draft model's drafter added last (``draft-model`` if the two
    share their vocabulary, else ``universal``), unless it has either already.

    draft: ``None`` if there is none; then the name stays, but if the settings set a draft model, which could not be
    loaded, those drafters are taken out that need it (``none`` if no other is left).
    """
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
    """A session with the draft model, for one answer.

    With a window that the user set, costs are not measured, so that rounds are the same on every machine. note: gets
    one sentence if the draft model fails.
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
    """The drafters in a spec, without their arguments."""
    return {part.strip().partition(":")[0] for part in drafter.split("+")}


def _without_models(drafter: str) -> str:
    """The spec without drafters that ask a draft model; ``none`` if there are no others."""
    others = [part for part in drafter.split("+") if not asks_model(part)]
    return "+".join(others) or "none"


@dataclass(frozen=True, slots=True)
class LocalBudget:
    """The ``ContextBudget`` of a model in memory, counted in its tokens."""

    model: Model

    @property
    def max_context(self) -> int:
        """Tokens of prompt and answer together."""
        return self.model.target.max_context

    @property
    def render_chat(self) -> RenderChat | None:
        """The model's chat template; ``None`` if it has none."""
        return self.model.render_chat

    def count_tokens(self, text: str) -> int:
        """The number of tokens of ``text``."""
        return len(self.model.codec.encode(text))

    def seconds(self, prompt_tokens: int, answer_tokens: int) -> float:
        """Estimated seconds of an edit with so many tokens; 0 if nothing was measured."""
        return edit_seconds(self.model, prompt_tokens, answer_tokens)


@dataclass(frozen=True, slots=True)
class LocalTextSource(LocalBudget):
    """Writes answers with a model in memory.

    drafter: the drafter's spec. note: gets a sentence for the user. draft: the draft model, if it is used. project:
    files to draft from. tracing: records every round.
    """

    settings: AnswerSettings
    drafter: str
    note: Callable[[str], None]
    draft: Model | None = None
    project: Project | None = None
    tracing: Tracing | None = None

    def begin(self, spec: AnswerSpec, on_text: OnText) -> LocalGeneration:
        """Tokenize the prompt and build the drafter, and return the answer's generation; does not run the model yet.

        on_text: called with each piece of text while the answer is written. Raises ``UsageError`` for a completion
        without text or an unknown drafter, ``ScopeTooLarge`` if a completion's prompt leaves no room, and as
        ``open_prompt``.
        """
        opened = open_prompt(self.model, spec.prompt)
        room = self.max_context - len(opened.ids)
        if isinstance(spec.prompt, CompleteRequest):
            self._check_room(len(opened.ids), room)
        most = self._most_tokens(spec, room)
        session = None
        if self.draft is not None:
            session = draft_session(self.settings, self.model, self.draft, self.note)
        task = self._task(spec, opened, room, session)
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
        early = session if begins_with_model(self.drafter) else None
        return LocalGeneration(
            decoding, reader, session, early, self.model.codec, self.tracing, spec.subject
        )

    def warm_up(self, spec: AnswerSpec) -> Iterator[Preparing | None]:
        """Put the prompt into the prefix cache, then measure the cost of rounds; each step is yielded."""
        opened = open_prompt(self.model, spec.prompt)
        return self._warming(opened, f"reading {spec.subject}")

    def _warming(self, opened: OpenedPrompt, message: str) -> Iterator[Preparing | None]:
        """Read the prompt into the prefix cache, then measure the cost of rounds (``measure_sizes``); yields progress
        after each step, with ``message`` while reading.
        """
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
        """The most tokens that the answer may have: the user's limit, else all of the ``room`` or,
        for an edit, what its region may need; never more than the room, but at least one for an
        edit.
        """
        if spec.parts is None:
            return min(spec.max_new_tokens or room, room)
        region = self.model.codec.encode(spec.parts.region)
        return max_new_tokens(len(region), tokens_left=room, configured=spec.max_new_tokens)

    def _task(
        self, spec: AnswerSpec, opened: OpenedPrompt, room: int, session: DraftSession | None
    ) -> DraftTask:
        """The task that the drafter gets: all that it may know of the edit. The text that ``open_prompt`` took back
        from the prompt is expected first in the answer. room: tokens left for the answer. session: of the draft
        model, if there is one.
        """
        codec, prompt, parts, merged = self.model.codec, spec.prompt, spec.parts, spec.merged
        # Text beyond the longest possible answer is of no use.
        most = MOST_BYTES_PER_TOKEN * (room if parts is None else self.max_context)
        return DraftTask(
            prompt_ids=opened.ids,
            prediction=(opened.required + spec.expected)[:most],
            answer_opening=opened.text_before.removesuffix(opened.required),
            answer_closing=prompt.fence if isinstance(prompt, Prompt) else "",
            codec=codec,
            trees=self.model.target.supports_trees,
            costs=round_costs(self.model),
            draft=session,
            project=self.project,
            buffer_at=() if parts is None else buffer_in(parts, opened.ids, codec),
            merged=() if merged is None else ((opened.required, "buffer"), *merged),
        )

    def _check_room(self, num_tokens: int, room: int) -> None:
        """Raise ``UsageError`` if a completion's prompt has no tokens, ``ScopeTooLarge`` if ``room``, the tokens left
        for its answer, is below one.
        """
        if not num_tokens:
            raise errors.UsageError("The messages contain no text.")
        if room < 1:
            raise errors.ScopeTooLarge(
                f"The messages have {num_tokens:,} tokens, and the model reads at "
                f"most {self.max_context:,}: send less."
            )


@dataclass(slots=True)
class LocalGeneration:
    """The ``Generation`` of the loop.

    draft_session: closed with it. early: the same session while it reads the prompt before the target does. subject:
    what is read, in words for progress messages.
    """

    _decoding: Decoding
    _reader: _Reader
    _draft_session: DraftSession | None
    _early: DraftSession | None
    _codec: Codec
    _tracing: Tracing | None
    _subject: str

    cut_off = None

    @property
    def finish_reason(self) -> AnswerEnd | None:
        """How the answer ended; ``None`` while it is being written."""
        return self._decoding.finish_reason

    @property
    def counts(self) -> Stats:
        """The loop's figures so far."""
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

    @property
    def first_progress(self) -> Preparing:
        """The progress before the first ``advance``: what the cache has of the prompt."""
        return Preparing(f"reading {self._subject}", self._decoding.prefilled)

    def advance(self) -> Sequence[AnswerPiece] | Preparing:
        """Read one chunk of the prompt (the draft model's first, if drafting begins with it) and return
        ``Preparing``; or run one round, record it in the trace, and return its pieces, one a token, the last with the
        model's hesitation.

        A round calls ``on_text`` with the text of each token. Raises what the models raise.
        """
        if self._early is not None:
            if self._early.prefill_chunk():
                return Preparing(f"the draft model is reading {self._subject}")
            self._early = None
        began = monotonic()
        done = self._decoding.advance()
        if done is None:
            if self._tracing is not None:
                self._tracing.prefilled(monotonic() - began)
            return Preparing(f"reading {self._subject}", self._decoding.prefilled)
        if self._tracing is not None:
            self._tracing.add(self._codec, done)
        pieces = [*map(AnswerPiece, done.sources)]
        if (certainty := done.certainty) is not None:
            rival = self._codec.decode([certainty.rival_id])
            pieces[-1] = AnswerPiece(done.sources[-1], Hesitation(exp(certainty.log_prob), rival))
        return pieces

    def rest(self) -> str:
        """Flush the text that waits for more bytes: U+FFFD for an incomplete character."""
        return self._reader.rest()

    def close(self) -> None:
        """Stop decoding, which gives the model's cache back, and close the draft model's session, if there is one."""
        self._decoding.close()
        if self._draft_session is not None:
            self._draft_session.close()


@dataclass(frozen=True, slots=True)
class OpenedPrompt:
    """The tokens of a prompt.

    required: text that healing took back from its end, and with which the answer begins again. text_before: the text
    on which the answer's first token can depend.
    """

    ids: list[int]
    required: str = ""
    text_before: str = ""


def open_prompt(model: Model, request: Prompt | CompleteRequest) -> OpenedPrompt:
    """Tokenize a prompt or conversation. The last tokens are taken back where a longer token could begin, and their
    text is then required first in the answer (``required``); not of a conversation in a chat template.

    Raises ``EditRefused`` for a conversation that the template does not take.
    """
    codec = model.codec
    if isinstance(request, Prompt):
        ids, required = codec.heal(request.segments)
        return OpenedPrompt(ids, required.decode(), request.opening)
    if request.prompt is not None:
        ids, required = codec.heal(request.prompt)
        return OpenedPrompt(ids, required.decode(), request.prompt[-LEFT_CONTEXT:])
    prompt = conversation_prompt(request.messages, model.render_chat, model.name)
    if model.render_chat is not None:
        ids = codec.prompt_ids(prompt.segments)
        return OpenedPrompt(ids, text_before=prompt.opening)
    ids, required = codec.heal(prompt.segments)
    return OpenedPrompt(ids, required.decode(), prompt.opening)


class _Reader:
    """Token ids in, text out to ``on_text``. required: the bytes of ``OpenedPrompt.required``."""

    def __init__(self, model: Model, required: bytes, on_text: OnText) -> None:
        self.healing = Healing(model.codec, required)
        self._stop_ids = model.stop_ids
        self._detokenizer = Detokenizer(model.codec, skip=len(required))
        self._on_text = on_text

    def ends_with(self, token_id: int) -> bool:
        """Take an output token and pass its text on to ``on_text`` (empty for a stop token, or inside a character);
        returns whether the answer is complete with it: at a stop token, or when ``on_text`` returns true.
        """
        if token_id in self._stop_ids:
            self._on_text("", False)
            return True
        text = self._detokenizer.feed(token_id)
        return self._on_text(text, self._detokenizer.inside_character)

    def rest(self) -> str:
        """The text of bytes that are no whole character."""
        return self._detokenizer.finish()
