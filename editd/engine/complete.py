"""A completion: what an assistant says next, drafted from a text that is expected.

The request form of OpenAI-style *predicted outputs*. Told from top to bottom in
``CompleteJob._run``; the rounds are an edit's, but the answer is text, not lines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic

from editd import errors
from editd.backends.model import Model
from editd.backends.round_costs import round_costs
from editd.decode.detokenizer import Detokenizer
from editd.decode.drafters import making_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.companion import Companion
from editd.decode.healing import Healing
from editd.decode.speculative import Decoding
from editd.demo import manifest
from editd.engine.drafting import begins_with_model, companion, drafter_beside
from editd.engine.figures import figures
from editd.engine.job import Job, Units
from editd.messages import CompleteRequest, CompleteResult, ErrorInfo, Failed, TextDelta
from editd.pieces import Pieces
from editd.prompts.budget import MOST_BYTES_PER_TOKEN
from editd.prompts.conversation import LEFT_CONTEXT, conversation_prompt
from editd.prompts.stops import StopStrings

# Of those who draft without being asked for by name: the first goes through the prediction, the
# second needs none.
_WITH_PREDICTION, _WITHOUT = "prediction", "suffix"
_TOKENS_BEFORE = 64  # as many as ``LEFT_CONTEXT`` characters, roughly


class CompleteJob(Job):
    """One completion: load, prompt, decode up to a stop or the limit."""

    request: CompleteRequest
    _OVERDUE = "The completion was stopped after {0:g} s: allow more (decode.timeout)."

    def _run(self) -> Units:
        # 1) the model, and the one that drafts for it
        yield from self._loading()
        model = self._acquire()
        try:
            if sentence := _refusal(model, raw=_is_raw(self.request)):
                raise errors.EditRefused(sentence)
            yield from self._loading_draft()
            draft = self._acquire_draft()
            # 2) the prompt
            self._check_size(model.target.max_context)
            opened = yield from self._in_units(_open(model, self.request))
            room = model.target.max_context - len(opened.ids)
            if not opened.ids:
                raise errors.UsageError("The messages hold no text: say something.")
            if room < 1:
                raise errors.ScopeTooLarge(
                    f"The messages have {len(opened.ids):,} tokens, and the model reads at "
                    f"most {model.target.max_context:,}: send less."
                )
            # 3) rounds
            yield from self._decode(model, draft, opened, room)
        finally:
            self._release()

    def _decode(
        self,
        model: Model,
        draft: Model | None,
        opened: _Opened,
        room: int,
    ) -> Units:
        reply = _Reply(model, opened.required, self.request.stop)
        asking = companion(self._settings, model, draft, self._note) if draft else None
        drafter = self._drafter(model, draft)
        task = self._draft_task(model, opened, asking, room)
        drafting = yield from self._in_units(making_drafter(drafter, task))
        wanted = self._settings.max_new_tokens
        decoding = Decoding(
            model.target,
            opened.ids,
            drafting,
            ends_answer=reply.ends_with,
            max_new_tokens=min(wanted or room, room),
            sampling=self._settings.sampling,
            window=self._settings.window_on(model),
            allowed=reply.healing,
        )
        started = monotonic()
        try:
            while asking and begins_with_model(drafter) and asking.prefill_chunk():
                self._check_time()
                yield [self._progress("prefill", "the draft model is reading the messages")]
            while decoding.finish_reason is None:
                self._check_time()
                if decoding.advance() is None:
                    yield [self._progress("prefill", "reading the messages", decoding.prefilled)]
                elif self.request.stream and (text := reply.take()):
                    yield [TextDelta(self.request.request_id, text)]
                else:
                    yield [self._progress("decoding", "writing")]
            if self.request.stream and (text := reply.finish()):
                yield [TextDelta(self.request.request_id, text)]
        finally:
            decoding.close()
            if asking:
                asking.close()
        yield [
            CompleteResult(
                self.request.request_id,
                decoding.finish_reason,
                reply.text(),
                notices=tuple(self._notices),
                stats=figures(
                    decoding.stats,
                    drafter=drafter,
                    load_seconds=self._load_seconds,
                    decode_seconds=monotonic() - started,
                    total_seconds=monotonic() - self._started,
                    with_prediction=self.request.prediction is not None,
                ),
                model=model.name,
            )
        ]

    def _check_size(self, most_tokens: int) -> None:
        """Raise ``ScopeTooLarge`` for what surely has more tokens, before any is counted."""
        texts = [self.request.prompt or "", *(message.content for message in self.request.messages)]
        size = sum(map(len, texts))
        if size > MOST_BYTES_PER_TOKEN * most_tokens:
            raise errors.ScopeTooLarge(
                f"The messages have {size:,} characters, and the model reads at most "
                f"{most_tokens:,} tokens: send less."
            )

    def _drafter(self, model: Model, draft: Model | None) -> str:
        """The spec of the drafter: the one that somebody chose, else one that suits a completion."""
        settings = self._settings
        if not settings.drafter_was_chosen:
            expected = self.request.prediction is not None
            settings = replace(settings, drafter=_WITH_PREDICTION if expected else _WITHOUT)
        return drafter_beside(settings, model, draft)

    def _draft_task(
        self, model: Model, opened: _Opened, asking: Companion | None, room: int
    ) -> DraftTask:
        return DraftTask(
            prompt_ids=opened.ids,
            # What stands beyond any reply is of no use.
            prediction=(opened.required + (self.request.prediction or ""))[
                : MOST_BYTES_PER_TOKEN * room
            ],
            answer_opening=opened.text_before.removesuffix(opened.required),
            instruction="",
            codec=model.codec,
            window=self._settings.window,
            trees=model.target.supports_trees,
            costs=round_costs(model),
            options={"draft": asking},
        )

    def _answer_error(self, error: errors.EditdError) -> Failed:
        return Failed(self.request.request_id, ErrorInfo(error.code, str(error)))


@dataclass(frozen=True, slots=True)
class _Opened:
    """What is fed before the reply.

    required: text that healing took back from the end of a plain prompt and that the reply spells
    again first. text_before: what the reply's first token can depend on.
    """

    ids: list[int]
    required: str = ""
    text_before: str = ""


def _open(model: Model, request: CompleteRequest) -> Pieces[_Opened]:
    """The prompt of ``request``. A template's end and token ids stay as they are."""
    codec = model.codec
    if request.prompt_ids is not None:
        if unknown := [i for i in request.prompt_ids if not 0 <= i < codec.vocab_size]:
            raise errors.UsageError(
                f"The prompt holds the token id {unknown[0]}, and {model.name} has those from 0 to "
                f"{codec.vocab_size - 1}."
            )
        ids = list(request.prompt_ids)
        return _Opened(ids, text_before=codec.decode(ids[-_TOKENS_BEFORE:]))
    if request.prompt is not None:
        ids, required = yield from codec.heal_pieces(request.prompt)
        return _Opened(ids, required.decode(), request.prompt[-LEFT_CONTEXT:])
    prompt = conversation_prompt(request.messages, model.render_chat, model.name)
    if model.render_chat is not None:
        ids = yield from codec.prompt_pieces(prompt.segments)
        return _Opened(ids, text_before=prompt.opening)
    ids, required = yield from codec.heal_pieces(prompt.segments)
    return _Opened(ids, required.decode(), prompt.opening)


class _Reply:
    """The text as it is written: token ids in, text out. required: as of ``_Opened``."""

    def __init__(self, model: Model, required: str, stops: tuple[str, ...]) -> None:
        spelled = required.encode()
        self.healing = Healing(model.codec, spelled)
        self._stop_ids = model.stop_ids
        self._detokenizer = Detokenizer(model.codec, skip=len(spelled))
        self._stops = StopStrings(stops)
        self._pieces: list[str] = []
        self._taken = 0  # of the pieces

    def ends_with(self, token_id: int) -> bool:
        """Read one output token; is the reply complete with it?"""
        if token_id in self._stop_ids:
            return True
        self._pieces.append(self._stops.feed(self._detokenizer.feed(token_id)))
        return self._stops.found

    def take(self) -> str:
        """Text that became certain since the last call."""
        text = "".join(self._pieces[self._taken :])
        self._taken = len(self._pieces)
        return text

    def finish(self) -> str:
        """The rest of it, once it is over. A character that was never completed is left out."""
        self._pieces.append(self._stops.finish())
        return self.take()

    def text(self) -> str:
        """All of it, once it is over."""
        self.finish()
        return "".join(self._pieces)


def _is_raw(request: CompleteRequest) -> bool:
    """Whether nothing is made of the prompt: it need be no conversation."""
    return request.prompt is not None or request.prompt_ids is not None


def _refusal(model: Model, *, raw: bool) -> str:
    """Why a model cannot say what comes next; empty if it can."""
    if manifest.is_solved(model.manifest):
        return manifest.refusal(model.manifest)
    if not raw and model.render_chat is None and model.edit_format not in (None, "plain"):
        return (
            f"{model.name} was made for edits and cannot hold a conversation: choose another "
            "model, see `editd models`."
        )
    return ""
